import Foundation

/// The stubs that a run may replace, by key.
private struct PairingCandidates {
    private var byKey: [UInt64: ArraySlice<Int>] = [:]

    init(_ stubs: [(index: Int, key: UInt64)]) {
        for stub in stubs { byKey[stub.key, default: []].append(stub.index) }
    }

    /// Returns the first free stubs with a key, from which one is chosen.
    mutating func free(_ key: UInt64, where isFree: (Int) -> Bool) -> [Int] {
        while let index = byKey[key]?.first, !isFree(index) { byKey[key]?.removeFirst() }
        return byKey[key]?.prefix(64).filter(isFree) ?? []
    }
}

/// The normal forms of a run's recordings, and of the stubs that they may replace.
///
/// A stub is either the old exchange or the new one, never a mixture of both. A file plays as one conversation, so
/// stubs that share an id are kept together or written together.
struct RecordingPairs {
    let old: NormalForm
    let new: NormalForm
    /// The offsets of the old forms, by the indices of their stubs.
    private let offsets: [Int: Int]
    /// The indices of the old stubs, and the keys of their forms.
    private let forms: [(index: Int, key: UInt64)]
    /// The old stubs by the forms of their requests, and by the matchers' keys, for each set of keys.
    private var byForm: [String: PairingCandidates] = [:]
    private var byKey: [String: PairingCandidates] = [:]
    /// The old stub of each recording, by the number of the recording.
    private(set) var pairs: [Int: Int] = [:]
    /// The numbers of the recordings that are written.
    var renewed: Set<Int> = []
    /// The requests of the old and new stubs by their indices, without what they send of their own (`NormalForm.sent`).
    private var sent: (old: [Int: NormalForm.Message], new: [Int: NormalForm.Message]) = ([:], [:])
    /// A Boolean value that indicates whether a request sends something of its own that differs from its old stub.
    ///
    /// For example, `{"title":"Test 1394221772"}`, but not the id of an earlier response. The client may have made it from such
    /// a response, so all recordings are written.
    private var sendsOther = false

    init(_ stubs: [(index: Int, stub: Stub)], _ recordings: [Stub], _ rules: MergeRules) {
        let oldStubs = stubs.map(\.stub)
        // A time that is the same in both does not differ because the window has moved on.
        old = NormalForm(oldStubs, rules, otherTimes: NormalForm.farTimes(in: recordings))
        new = NormalForm(recordings, rules, otherTimes: NormalForm.farTimes(in: oldStubs))
        offsets = Dictionary(uniqueKeysWithValues: stubs.enumerated().map { ($1.index, $0) })
        forms = zip(stubs, old.keys).map { ($0.index, $1) }
    }

    /// Returns the index of the old stub that belongs to a recording; `nil` if no such stub is free.
    ///
    /// It is the first stub whose request has the same form and the same key, or else sends the same words and times apart from
    /// ids. Otherwise, it is the first stub with the same form, or else with the same key.
    ///
    /// - Parameters:
    ///   - number: the recording.
    ///   - key: the matchers' key for the request of the recording.
    ///   - name: the name of the keys: recordings with the same one have the same keys, and may replace the same stubs.
    ///   - keyOfOld: returns the key of an old stub.
    ///   - isFree: returns whether an old stub may be replaced.
    /// - Returns: the index.
    mutating func stub(
        for number: Int,
        key: UInt64,
        in name: String = "",
        keyOfOld: (Int) -> UInt64,
        where isFree: (Int) -> Bool
    ) -> Int? {
        let (forms, offsets, formKey) = (forms, offsets, new.key(at: number))
        let sameForm = byForm[name, default: PairingCandidates(forms)].free(formKey, where: isFree)
        let same = sameForm.first { sendsSame(number, as: $0) }
        // An id of an earlier recording may equal one that now has a different meaning, so the key does not decide.
        let sendsID = !new.idsOfStubs[number].sent.isEmpty
        // Keys take long to make, and only decide between several stubs.
        if let same, sendsID || sameForm.count == 1 { return same }
        let sameKey = byKey[name, default: PairingCandidates(forms.map { ($0.index, keyOfOld($0.index)) })]
            .free(key, where: isFree)
        let sameBoth = sendsID ? nil : sameKey.first { offsets[$0].map { forms[$0].key } == formKey }
        if let found = sameBoth ?? same { return found }
        if !sameForm.isEmpty { sendsOther = true }
        return sameForm.first ?? sameKey.first
    }

    /// Returns the number of free old stubs whose requests have the same form as a recording's.
    mutating func freeCount(for number: Int, in name: String, where isFree: (Int) -> Bool) -> Int {
        byForm[name]?.free(new.key(at: number), where: isFree).count ?? 0
    }

    /// Returns a Boolean value that indicates whether a recording and an old stub have the same request apart from ids.
    private mutating func sendsSame(_ number: Int, as index: Int) -> Bool {
        guard let offset = offsets[index] else { return false }
        let (old, new) = (old, new)
        if new.stubs[number].request == old.stubs[offset].request { return true }
        return sent.new[number].orSet { new.sent(at: number) } == sent.old[offset].orSet { old.sent(at: offset) }
    }

    mutating func pair(_ number: Int, with index: Int) {
        pairs[number] = offsets[index]
        let isSame = offsets[index].map { old.isSame($0, as: new, at: number) }
        if isSame != true { renewed.insert(number) }
    }

    /// Returns the numbers of the recordings that are written, including all recordings that share an id with one of
    /// them.
    func renewedWithTies() -> Set<Int> {
        let ids = old.ids.symmetricDifference(new.ids)
        if sendsOther { return Set(new.requests.indices) }
        var (renewed, pending) = (renewed, Array(renewed))
        guard !renewed.isEmpty else { return renewed }
        let idsOfStubs = new.requests.indices.map { number -> Set<String> in
            let replaced = pairs[number].map { old.idsOfStubs[$0].all } ?? []
            return new.idsOfStubs[number].all.union(replaced).intersection(ids)
        }
        let placeholders = placeholders()
        var shares: [String: [Int]] = [:]
        for number in idsOfStubs.indices {
            for id in idsOfStubs[number].union(placeholders[number].kept) { shares[id, default: []].append(number) }
        }
        while let number = pending.popLast() {
            for id in idsOfStubs[number].union(placeholders[number].written) {
                // All of these recordings are written, so nothing has to look at them again.
                pending += (shares.removeValue(forKey: id) ?? []).filter { renewed.insert($0).inserted }
            }
        }
        return renewed
    }

    // MARK: Placeholders

    /// Returns the placeholders of each recording that tie.
    ///
    /// In one file a placeholder stands for one value. If a recording is written, its placeholders tie (`written`). A
    /// kept stub whose placeholders have other numbers in the recording must not have one of them (`kept`), and must not
    /// send one that a response would no longer give. Placeholders of values that differ each time stand for any value.
    private func placeholders() -> [(written: Set<String>, kept: Set<String>)] {
        let found = (old: old.stubs.map(Self.placeholders), new: new.stubs.map(Self.placeholders))
        let given = Set((found.old + found.new).joined().filter(\.isGiven).map(\.text))
        return found.new.indices.map { number in
            let new = found.new[number].map(\.text)
            let old = pairs[number].map { found.old[$0].map(\.text) } ?? new
            let kept = old == new ? [] : Set(old).union(given.intersection(new))
            return (Set(new).union(given.intersection(old)), kept)
        }
    }

    private static func placeholders(in stub: Stub) -> [(text: String, isGiven: Bool)] {
        stub.texts.flatMap { text in
            let matches = text.data.withBytes { Placeholder.all(in: $0) }.filter { !$0.match.isVolatile }
            return matches.map { ($0.text, text.isGiven) }
        }
    }
}

extension StubText {
    /// A Boolean value that indicates whether a server made the text.
    ///
    /// The URL of a response is the one of its request.
    fileprivate var isGiven: Bool { if case .url = place { false } else { !isRequest } }
}
