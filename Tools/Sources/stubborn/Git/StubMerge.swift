import Foundation
@_spi(Tools) import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// A merge of two versions of a stub file, stub by stub.
///
/// - A stub that one side has changed, added or removed is taken from that side.
/// - A stub that both sides have changed, so that more than volatile values differ, is a conflict. Ours is kept.
/// - A stub that was added in their version follows its predecessor from that version, and any stubs that were added
///   there in ours.
/// - A stub that one side has removed and the other has changed is kept.
struct StubMerge {
    /// A stub of the result, from our version or from theirs.
    private struct Item {
        var isOurs: Bool
        var index: Int
        /// The index in their version; `nil` if the stub is not in it.
        var theirs: Int?
        /// A Boolean value that indicates whether the stub is new in our version.
        var isAdded: Bool
    }

    private let base: StubFile
    private let ours: StubFile
    private let theirs: StubFile
    private let rules: StubDirectoryRules
    private var items: [Item] = []
    /// The requests of the stubs that both sides have changed.
    private(set) var conflicts: [String] = []

    init(base: StubFile, ours: StubFile, theirs: StubFile, rules: StubDirectoryRules) throws {
        (self.base, self.ours, self.theirs, self.rules) = (base, ours, theirs, rules)
        let ourPartners = try Self.partners(of: base, in: ours)
        let theirPartners = try Self.partners(of: base, in: theirs)
        let ourBases = Dictionary(uniqueKeysWithValues: ourPartners.map { ($1, $0) })
        var added = addedByTheirs(Set(theirPartners.values))
        for index in ours.stubs.indices {
            guard let old = ourBases[index] else {
                let equal = added[Self.key(ours.stub(at: index)), default: []].popFirst()
                if let equal { try noteConflict(index, equal) }
                items.append(Item(isOurs: true, index: index, theirs: equal, isAdded: true))
                continue
            }
            guard let other = theirPartners[old] else {
                // Their version has removed it.
                guard ours.text(ofStubAt: index) != base.text(ofStubAt: old) else { continue }
                items.append(Item(isOurs: true, index: index, theirs: nil, isAdded: false))
                continue
            }
            let isUnchanged = ours.text(ofStubAt: index) == base.text(ofStubAt: old)
            if !isUnchanged, theirs.text(ofStubAt: other) != base.text(ofStubAt: old) {
                try noteConflict(index, other)
            }
            items.append(Item(isOurs: !isUnchanged, index: isUnchanged ? other : index, theirs: other, isAdded: false))
        }
        try insert(theirPartners, keptByOurs: Set(ourPartners.keys))
    }

    /// Returns the merged file.
    func file(at url: URL) -> StubFile {
        var result = StubFile(at: url)
        for (position, item) in items.enumerated() {
            result.insertStub(at: position, stubAt: item.index, of: item.isOurs ? ours : theirs)
        }
        return result
    }

    /// Inserts the stubs that only their version has.
    private mutating func insert(_ theirPartners: [Int: Int], keptByOurs: Set<Int>) throws {
        let theirBases = Dictionary(uniqueKeysWithValues: theirPartners.map { ($1, $0) })
        var present = Set(items.compactMap(\.theirs))
        for index in theirs.stubs.indices where !present.contains(index) {
            if let old = theirBases[index] {
                // Our version has removed it.
                guard !keptByOurs.contains(old), theirs.text(ofStubAt: index) != base.text(ofStubAt: old) else {
                    continue
                }
            }
            let predecessor = items.lastIndex { item in
                item.theirs.map { $0 < index && present.contains($0) } ?? false
            }
            var position = predecessor.map { $0 + 1 } ?? 0
            while position < items.count, items[position].isAdded, items[position].theirs == nil { position += 1 }
            items.insert(Item(isOurs: false, index: index, theirs: index, isAdded: false), at: position)
            present.insert(index)
        }
    }

    /// Returns the indices of the stubs that were added in their version, by their requests.
    private func addedByTheirs(_ known: Set<Int>) -> [[String?]: ArraySlice<Int>] {
        var added: [[String?]: ArraySlice<Int>] = [:]
        for index in theirs.stubs.indices where !known.contains(index) {
            added[Self.key(theirs.stub(at: index)), default: []].append(index)
        }
        return added
    }

    /// Notes a conflict if two stubs differ in more than volatile values.
    private mutating func noteConflict(_ our: Int, _ their: Int) throws {
        guard ours.text(ofStubAt: our) != theirs.text(ofStubAt: their) else { return }
        let (one, other) = (ours.stub(at: our), theirs.stub(at: their))
        let differences = rules.comparison([one], [other]).differences(0, 0, isComplete: true)
        if Self.key(one) == Self.key(other), differences.allSatisfy({ $0.severity == .volatile }) { return }
        conflicts.append("\(one.request)")
    }

    private static func key(_ stub: Stub) -> [String?] {
        [stub.request.method, stub.request.url.absoluteString, stub.request.body?.base64EncodedString()]
    }

    /// Returns the indices of stubs in another version, by their indices in the base.
    private static func partners(of base: StubFile, in other: StubFile) throws -> [Int: Int] {
        var partners: [Int: Int] = [:]
        for pair in StubPair.pairs(of: base, and: other) {
            if let old = pair.old, let new = pair.new { partners[old] = new }
        }
        return partners
    }
}
