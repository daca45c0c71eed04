import Foundation

/// The stubs that a run may replace, by key.
struct PairingCandidates {
    var byKey: [UInt64: ArraySlice<Int>]

    /// Returns the first stubs with a key that are free, of which one is chosen.
    mutating func free(_ key: UInt64, where isFree: (Int) -> Bool) -> [Int] {
        while let index = byKey[key]?.first, !isFree(index) { byKey[key]?.removeFirst() }
        return byKey[key]?.prefix(64).filter(isFree) ?? []
    }
}

/// The normal forms of a run's recordings, and of the stubs that they may replace.
///
/// A stub is one exchange as it was: the old one or the new one, never a mixture. A file plays as one conversation, so stubs that
/// share an id, which a response gives and a later request sends, are kept together or written together.
struct RecordingPairs {
    let old: NormalForm
    let new: NormalForm
    private let stubs: (old: [Stub], new: [Stub])
    /// The offsets of the old forms, by the indices of their stubs.
    private let offsets: [Int: Int]
    private var candidates: PairingCandidates
    /// The old stubs of recordings, by the numbers of these.
    private(set) var pairs: [Int: Int] = [:]
    /// The numbers of the recordings that are written.
    var renewed: Set<Int> = []

    init(_ stubs: [(index: Int, stub: Stub)], _ recordings: [Stub], _ rules: MergeRules) {
        self.stubs = (stubs.map(\.stub), recordings)
        old = NormalForm(stubs.map(\.stub), rules)
        new = NormalForm(recordings, rules)
        offsets = Dictionary(uniqueKeysWithValues: stubs.enumerated().map { ($1.index, $0) })
        let keys = old.keys
        candidates = PairingCandidates(
            byKey: Dictionary(grouping: stubs.indices) { keys[$0] }.mapValues { $0.map { stubs[$0].index }[...] }
        )
    }

    mutating func stub(for number: Int, where isFree: (Int) -> Bool, isEqual: (Int) -> Bool) -> Int? {
        let free = candidates.free(new.key(at: number), where: isFree)
        let equal = new.exchanges[number].sent.isEmpty ? free.first(where: isEqual) : nil
        return equal ?? free.first
    }

    mutating func pair(_ number: Int, with index: Int) {
        pairs[number] = offsets[index]
        let isSame = offsets[index].map { old.exchanges[$0].isSame(as: new.exchanges[number]) }
        if isSame != true { renewed.insert(number) }
    }

    /// Returns the numbers of the recordings that are written, with those that share an id with one of them.
    func renewedWithTies() -> Set<Int> {
        let ids = old.ids.symmetricDifference(new.ids)
        var (renewed, pending) = (renewed, Array(renewed))
        guard !renewed.isEmpty else { return renewed }
        let idsOfStubs = new.exchanges.indices.map { number -> Set<String> in
            let exchanges = [new.exchanges[number]] + (pairs[number].map { [old.exchanges[$0]] } ?? [])
            return exchanges.reduce(into: Set<String>()) { $0.formUnion($1.sent.union($1.given)) }.intersection(ids)
        }
        let placeholders = idsOfStubs.indices.map(placeholders)
        var shares: [String: [Int]] = [:]
        for number in idsOfStubs.indices {
            for id in idsOfStubs[number].union(placeholders[number].changed) { shares[id, default: []].append(number) }
        }
        while let number = pending.popLast() {
            for id in idsOfStubs[number].union(placeholders[number].all) {
                for other in shares[id] ?? [] where renewed.insert(other).inserted { pending.append(other) }
            }
        }
        return renewed
    }

    /// Returns the placeholders of a recording and of its old stub: all, and all again if the two have other numbers.
    ///
    /// In one file a placeholder stands for one value, so such a stub is not kept beside a new one that has the placeholder.
    private func placeholders(of number: Int) -> (all: Set<String>, changed: Set<String>) {
        let new = Self.placeholders(in: stubs.new[number])
        let old = pairs[number].map { Self.placeholders(in: stubs.old[$0]) } ?? new
        let all = Set(old + new)
        return (all, old == new ? [] : all)
    }

    private static func placeholders(in stub: Stub) -> [String] {
        stub.texts.flatMap { text in text.data.withBytes { Placeholder.all(in: $0) } }.map(\.text)
    }
}
