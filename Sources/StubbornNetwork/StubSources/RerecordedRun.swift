import Foundation

/// The recordings of a run next to the stubs that they record again.
///
/// A stub is one exchange as it was: the old one or the new one, never a mixture. The old one stays if the new one differs
/// only in volatile values. Stubs that share such a value stay together, or are renewed together: a stub file plays as one
/// conversation, in which a later request has what an earlier response gave.
struct RerecordedRun {
    private struct Exchange {
        /// The stub that is recorded again; `nil` for a new one.
        let old: Stub?
        let new: Stub
        let rules: MergeRules
        /// The differences between the two; without the names of placeholders too, if they matter.
        var changes: [StubChange] = []

        var values: [StubChange.Value] { changes.flatMap(\.values) }
    }

    private var exchanges: [Exchange] = []

    /// Returns a Boolean value that indicates whether a new recording is an error, and the older stub has a response, which
    /// stays then.
    static func losesResponse(_ new: StubResponse, insteadOf old: StubResponse) -> Bool {
        new.endsWithError && old.failure == nil && old.head != nil
    }

    /// Adds the next recording, and the stub that it records again.
    mutating func add(_ new: Stub, insteadOf old: Stub?, _ rules: MergeRules) {
        var exchange = Exchange(old: old, new: new, rules: rules)
        if let old {
            let change = StubChange(old, new, rules)
            exchange.changes = [change]
            // Numbers count secrets in the order in which they were seen, which differs where requests overlap.
            if !change.isNothing { exchange.changes.append(StubChange(old.nameless, new.nameless, rules)) }
        }
        exchanges.append(exchange)
    }

    /// Returns the indices of the recordings that are written in place of their older stubs, or as new ones.
    func renewed() -> Set<Int> {
        let known = ServerValues(exchanges.map { ($0.old, $0.new, $0.values) })
        var renewed = Set(exchanges.indices.filter { !isSame(exchanges[$0], known) })
        var (sharingOld, sharingNew): ([String: [Share]], [String: [Share]]) = ([:], [:])
        for index in exchanges.indices where !renewed.contains(index) {
            for value in exchanges[index].values {
                let share = Share(index: index, isInVolatileField: value.isInVolatileField)
                sharingOld[value.pair.old, default: []].append(share)
                sharingNew[value.pair.new, default: []].append(share)
            }
        }
        guard !sharingOld.isEmpty else { return renewed }
        var pending = Array(renewed)
        while let exchange = pending.popLast().map({ exchanges[$0] }) {
            let fields = exchange.values.filter(\.isInVolatileField).map(\.pair)
            let newWords = exchange.new.words(without: exchange.rules.volatileFields)
            let oldWords = exchange.old?.words(without: exchange.rules.volatileFields) ?? []
            var shares = newWords.flatMap { (sharingNew[$0] ?? []) + (sharingOld[$0] ?? []) }
            shares += oldWords.flatMap { sharingOld[$0] ?? [] }
            shares += fields.flatMap {
                ((sharingNew[$0.new] ?? []) + (sharingOld[$0.old] ?? [])).filter { !$0.isInVolatileField }
            }
            for share in shares where renewed.insert(share.index).inserted { pending.append(share.index) }
        }
        return renewed
    }

    /// A value that a stub shares with others.
    private struct Share {
        let index: Int
        let isInVolatileField: Bool
    }

    private func isSame(_ exchange: Exchange, _ known: ServerValues) -> Bool {
        exchange.changes.contains { change in
            !change.differsInForm && change.values.allSatisfy { $0.isVolatile || known.contains($0.pair) }
        }
    }
}

/// The values that a server made, and that differ between two recordings of one conversation.
struct ServerValues {
    private var pairs: Set<TextWords.Pair> = []

    /// Finds the values of exchanges: the older stub, the new one, and the values that differ.
    init(_ exchanges: [(old: Stub?, new: Stub, values: [StubChange.Value])]) {
        let open = Set(exchanges.flatMap(\.values).filter { !$0.isVolatile }.map(\.pair.words))
        guard !open.isEmpty else { return }
        for value in exchanges.flatMap(\.values) where value.isVolatile && open.contains(value.pair.words) {
            if value.pair.isDistinctive { pairs.insert(value.pair.words) }
        }
    }

    /// Returns a Boolean value that indicates whether two words are one value of the server, in the old recording and the new one.
    func contains(_ pair: TextWords.Pair) -> Bool { pairs.contains(pair.words) }
}

extension Stub {
    /// Returns the words of the request, and of the response without volatile header fields, which are equal by chance: the
    /// second of an answer, the state of a cache.
    fileprivate func words(without volatile: VolatileHeaderFields) -> Set<String> {
        let url = request.url.absoluteString
        let fields = (response.head?.headerFields ?? [:]).filter { !volatile.contains($0.name) }
        var texts = [url, PercentEncoding.decoded(url)]
        texts += (Array(request.headerFields) + fields).map(\.value)
        var words = texts.reduce(into: Set<String>()) { words, text in
            words.formUnion(text.withBytes(TextWords.words))
        }
        for body in [request.body, try? response.body].compactMap({ $0 })
        where body.count <= StubChange.maximumByteCount {
            words.formUnion(body.withBytes(TextWords.words))
        }
        return words
    }
}

extension TextWords.Pair {
    /// The pair, wherever it is.
    fileprivate var words: Self { .init(old: old, new: new) }

    /// A Boolean value that indicates whether neither word can be there by chance, as a name or a count can: both have letters
    /// and digits, or are long numbers.
    fileprivate var isDistinctive: Bool {
        [old, new].allSatisfy { word in
            word.withBytes { $0.count >= 6 && $0.isMixed || $0.count >= 10 && $0.allSatisfy(\.isDigit) }
        }
    }
}
