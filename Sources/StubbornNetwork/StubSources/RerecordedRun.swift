import Foundation

/// The recordings of a run next to the stubs that they record again.
///
/// A stub is one exchange as it was: the old one or the new one, never a mixture. The old one stays if the new one differs
/// only in volatile values. Stubs that share an id, or another such value that a request has, stay together or are renewed
/// together: a stub file plays as one conversation, in which a later request has what an earlier response gave.
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
    private var made = ServerMadeValues()

    /// Returns a Boolean value that indicates whether a new recording is an error, and the older stub has a response, which
    /// stays then.
    static func losesResponse(_ new: StubResponse, insteadOf old: StubResponse) -> Bool {
        new.endsWithError && old.failure == nil && old.head != nil
    }

    /// Adds the next recording, and the stub that it records again.
    mutating func add(_ new: Stub, insteadOf old: Stub?, _ rules: MergeRules) {
        let exchange = Exchange(old: old, new: new, rules: rules, change: old.map { StubChange($0, new, rules) })
        made.add(exchange.values)
        exchanges.append(exchange)
    }

    /// Returns a new request as the older recording has it: with the older ids, times and placeholders, as far as responses
    /// have shown them; `nil` if it has none of them.
    func translated(_ request: StubRequest) -> StubRequest? {
        let translated = made.recorded(request)
        return translated == request ? nil : translated
    }

    /// Returns a Boolean value that indicates whether two requests have the same values of those that are known.
    func agree(_ old: StubRequest, _ translated: StubRequest) -> Bool { made.agree(old, translated) }

    /// Returns the indices of the recordings that are written in place of their older stubs, or as new ones.
    func renewed() -> Set<Int> {
        let stubs = exchanges.map { exchange in [exchange.old, exchange.new].compactMap { $0 } }
        var renewed = Set(exchanges.indices.filter { exchanges[$0].change?.isOnly(made.contains) != true })
        guard !renewed.isEmpty, renewed.count < exchanges.count else { return renewed }
        let asked = stubs.joined().reduce(into: Set<String>()) { $0.formUnion($1.request.tellingWords) }
        var shares: [String: [Int]] = [:]
        for index in exchanges.indices where !renewed.contains(index) {
            for value in exchanges[index].values {
                let words = value.words
                guard value.isReference || !words.isDisjoint(with: asked) else { continue }
                for word in words { shares[word, default: []].append(index) }
            }
        }
        var pending = shares.isEmpty ? [] : Array(renewed)
        while let index = pending.popLast() {
            for word in stubs[index].words {
                for other in shares[word] ?? [] where renewed.insert(other).inserted { pending.append(other) }
            }
        }
        return renewed
    }
}

extension StubChange.Value {
    /// Both values, and the words in them: another request may have them apart, as segments of a path.
    fileprivate var words: Set<String> {
        [pair.old, pair.new].reduce(into: [pair.old, pair.new]) { $0.formUnion($1.withBytes(TextWords.tellingWords)) }
    }
}

extension [Stub] {
    /// The words that tell one value from another.
    fileprivate var words: Set<String> { reduce(into: []) { $0.formUnion($1.tellingWords) } }
}
