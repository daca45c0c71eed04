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
        /// The differences between the two; `nil` for a new stub.
        let change: StubChange?

        var values: [StubChange.Value] { change?.values ?? [] }
    }

    private var exchanges: [Exchange] = []
    private var known = RenamedValues()

    /// Returns a Boolean value that indicates whether a new recording is an error, and the older stub has a response, which
    /// stays then.
    static func losesResponse(_ new: StubResponse, insteadOf old: StubResponse) -> Bool {
        new.endsWithError && old.failure == nil && old.head != nil
    }

    /// Adds the next recording, and the stub that it records again.
    mutating func add(_ new: Stub, insteadOf old: Stub?, _ rules: MergeRules) {
        let exchange = Exchange(old: old, new: new, rules: rules, change: old.map { StubChange($0, new, rules) })
        for value in exchange.values { known.add(value) }
        exchanges.append(exchange)
    }

    /// Returns a new request as the older recording has it: with the older ids, times and placeholders, as far as responses
    /// have shown them; `nil` if it has none of them.
    func translated(_ request: StubRequest) -> StubRequest? { known.recorded(request) }

    /// Returns a Boolean value that indicates whether two requests have the same values of those that are known: a request of
    /// one user is not that of another.
    func agree(_ old: StubRequest, _ translated: StubRequest) -> Bool {
        known.isEmpty || known.oldValues(in: old) == known.oldValues(in: translated)
    }

    /// Returns the indices of the recordings that are written in place of their older stubs, or as new ones.
    func renewed() -> Set<Int> {
        let made = ServerMadeValues(exchanges.map { ($0.old, $0.new, $0.values) }, known)
        var renewed = Set(exchanges.indices.filter { !isSame(exchanges[$0], made) })
        var (sharingOld, sharingNew): ([String: [Share]], [String: [Share]]) = ([:], [:])
        for index in exchanges.indices where !renewed.contains(index) {
            for value in exchanges[index].values {
                let share = Share(index: index, isInVolatileField: value.isInVolatileField)
                for word in value.pair.old.words { sharingOld[word, default: []].append(share) }
                for word in value.pair.new.words { sharingNew[word, default: []].append(share) }
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

    private func isSame(_ exchange: Exchange, _ made: ServerMadeValues) -> Bool {
        guard let change = exchange.change else { return false }
        return !change.differsInForm && change.values.allSatisfy(made.contains)
    }
}

extension String {
    /// The value, and the words in it: another request may have them apart, as segments of a path.
    fileprivate var words: Set<String> { withBytes(TextWords.tellingWords).union([self]) }
}

extension Stub {
    /// Returns the words of the request, and of the response without volatile header fields, which are equal by chance: the
    /// second of an answer, the state of a cache.
    fileprivate func words(without volatile: VolatileHeaderFields) -> Set<String> {
        texts.reduce(into: []) { words, text in
            if case .field(let name) = text.place, !text.isRequest, volatile.contains(name) { return }
            words.formUnion(text.tellingWords)
        }
    }
}
