import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// The changes of one stub file, and which of them a test notices.
struct FileTrial {
    /// Changes that are made together.
    private struct Group {
        var changes: [ResponseChange]
        /// A Boolean value that indicates whether at least one of them is known to be noticed, because a larger group was, and its
        /// other half was not.
        var isKnownToBeNoticed = false
        /// A Boolean value that indicates whether the next group in the list is the other half of a group that was
        /// noticed.
        var isOtherHalf = false
    }

    let path: String
    let file: StubFile
    /// The tests that read the file; `nil` if that is not known, so that any test may.
    let readers: Set<String>?
    /// The number of networks that received a stub, by its position.
    let receivedCounts: [Int: Int]
    /// The values that the received stubs give to their clients, by the position of the stub.
    let values: [Int: [ReceivedValue]]
    /// A Boolean value that indicates whether the changes of a noticed group are then made one by one, and not by halves.
    var splitsIntoSingleChanges = false
    /// The changes that were tried, and whether a test noticed them.
    private(set) var results: [ResponseChange: Bool] = [:]
    private var groups: [Group] = []
    private var steps = FileTrial.steps[...]
    private var depth = 1

    /// The kinds in the order in which they are tried.
    ///
    /// A change can hide changes of other kinds, so each kind has its own runs.
    private static let steps: [ResponseChange.Kind] = [
        .value, .far, .order, .status, .failure, .body, .missing, .empty, .first, .field, .absent,
    ]

    init(_ path: String, _ file: StubFile, receivedBy readers: Set<String>?, _ uses: [StubFileUse]) {
        (self.path, self.file, self.readers) = (path, file, readers)
        let positions = file.stubs.isEmpty ? [] : Array(1...file.stubs.count)
        receivedCounts = Dictionary(
            uniqueKeysWithValues: positions.map { position in
                (position, uses.count { !$0.unusedPositions.contains(position) })
            }
        ).filter { $0.value > 0 }
        values = Dictionary(
            uniqueKeysWithValues: receivedCounts.keys.map { ($0, ReceivedValue.all(in: file.stub(at: $0 - 1))) }
        )
    }

    /// The kind of the changes that the next run makes.
    var kind: ResponseChange.Kind { groups.last?.changes.first?.kind ?? .value }

    /// A Boolean value that indicates whether the next run changes the response of a success.
    var changesSuccess: Bool {
        groups.last?.changes.contains { change in
            let response = file.stub(at: change.stub - 1).response
            return response.failure == nil && (response.head?.statusCode ?? 200) < 400
        } == true
    }

    var isComplete: Bool { readers?.isEmpty == true || groups.isEmpty && steps.isEmpty }

    /// Prepares the next group of changes.
    ///
    /// - Returns: A Boolean value that indicates whether there is one.
    mutating func prepare() -> Bool {
        if readers?.isEmpty == true { return false }
        while true {
            while let group = groups.popLast() {
                guard group.isKnownToBeNoticed else {
                    groups.append(group)
                    return true
                }
                split(group.changes)
            }
            guard let kind = steps.first else { return false }
            let candidates = candidates(kind)
            // Most tests notice a missing value that they check, so halving would end at single changes.
            if kind == .absent {
                groups += candidates.reversed().map { Group(changes: [$0]) }
            } else if !candidates.isEmpty {
                groups.append(Group(changes: candidates))
            }
            let isTree = kind == .missing
            depth = isTree ? depth + 1 : depth
            let isDone = !isTree || depth > (values.values.joined().map(\.path.count).max() ?? 0)
            if isDone { steps.removeFirst() }
        }
    }

    /// Returns the changes of a kind that are worth a run.
    private func candidates(_ kind: ResponseChange.Kind) -> [ResponseChange] {
        values.sorted { $0.key < $1.key }.flatMap { stub, values in
            values.compactMap { value in
                guard value.kinds.contains(kind) else { return nil }
                let change = { ResponseChange(file: path, stub: stub, path: value.path, kind: $0) }
                switch kind {
                case .far where results[change(.value)] != false: return nil
                case .missing:
                    guard value.path.count == depth, !isKnownToBeRead(value.path, of: stub) else { return nil }
                case .empty where isUnread(value.path, of: stub): return nil
                // If nobody reads the elements, a list with one element gives no further result.
                case .first where results[change(.empty)] != true: return nil
                case .absent:
                    let isChecked = results[change(.value)] == true || results[change(.far)] == true
                    guard isChecked, !isUnread(value.path, of: stub) else { return nil }
                default: break
                }
                return results[change(kind)] == nil ? change(kind) : nil
            }
        }
    }

    /// Returns a Boolean value that indicates whether a test notices a change in a value, or whether an object or list around the
    /// value can be missing.
    private func isKnownToBeRead(_ path: [String], of stub: Int) -> Bool {
        let isNoticed = values[stub, default: []].contains { value in
            value.path.starts(with: path)
                && [.value, .far, .order].contains { kind in
                    results[ResponseChange(file: self.path, stub: stub, path: value.path, kind: kind)] == true
                }
        }
        return isNoticed || isUnread(path.dropLast(), of: stub)
    }

    /// Returns a Boolean value that indicates whether a value, or an object or list around it, can be missing.
    func isUnread(_ path: some Collection<String>, of stub: Int) -> Bool {
        (0...path.count).contains { count in
            results[ResponseChange(file: self.path, stub: stub, path: Array(path.prefix(count)), kind: .missing)]
                == false
        }
    }

    /// Returns the file with the next group of changes.
    func changedText() throws -> Data { try file.text(with: groups.last?.changes ?? []) }

    /// Notes whether a test noticed the next group of changes.
    mutating func settle(isNoticed: Bool) {
        guard let group = groups.popLast() else { return }
        guard isNoticed else {
            for change in group.changes { results[change] = false }
            // The other half of the noticed group must contain the noticed change.
            if let last = groups.indices.last, groups[last].isOtherHalf { groups[last].isKnownToBeNoticed = true }
            return
        }
        if let last = groups.indices.last { groups[last].isOtherHalf = false }
        split(group.changes)
    }

    /// Divides a group of which one change is noticed.
    private mutating func split(_ changes: [ResponseChange]) {
        guard changes.count > 1 else {
            for change in changes { results[change] = true }
            return
        }
        if splitsIntoSingleChanges { return groups += changes.reversed().map { Group(changes: [$0]) } }
        let middle = changes.count / 2
        groups.append(Group(changes: Array(changes[middle...]), isOtherHalf: true))
        groups.append(Group(changes: Array(changes[..<middle])))
    }
}
