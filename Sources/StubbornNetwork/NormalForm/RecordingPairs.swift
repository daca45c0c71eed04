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
    /// The offsets of the old forms, by the indices of their stubs.
    private let offsets: [Int: Int]
    private var candidates: PairingCandidates
    /// The old stubs of recordings, by the numbers of these.
    private(set) var pairs: [Int: Int] = [:]
    /// The numbers of the recordings that are written.
    var renewed: Set<Int> = []

    init(_ stubs: [(index: Int, stub: Stub)], _ recordings: [Stub], _ rules: MergeRules) {
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
        guard !ids.isEmpty, !renewed.isEmpty else { return renewed }
        let idsOfStubs = new.exchanges.indices.map { number -> Set<String> in
            let exchanges = [new.exchanges[number]] + (pairs[number].map { [old.exchanges[$0]] } ?? [])
            return exchanges.reduce(into: Set<String>()) { $0.formUnion($1.sent.union($1.given)) }.intersection(ids)
        }
        var shares: [String: [Int]] = [:]
        for number in idsOfStubs.indices { for id in idsOfStubs[number] { shares[id, default: []].append(number) } }
        while let number = pending.popLast() {
            for id in idsOfStubs[number] {
                for other in shares[id] ?? [] where renewed.insert(other).inserted { pending.append(other) }
            }
        }
        return renewed
    }
}
