import Foundation

/// The recordings of a run next to the stubs that they record again.
///
/// A stub is one exchange as it was: the old one or the new one, never a mixture. The old one stays if the new one differs
/// only in volatile values. Stubs that share an id, or another such value that a request has, stay together or are renewed
/// together: a stub file plays as one conversation, in which a later request has what an earlier response gave. A value that
/// requests have only in header fields, such as a token, is none of these unless stubs are chosen by it.
struct RerecordedRun {
    private struct Exchange {
        /// The stub that is recorded again; `nil` for a new one.
        let old: Stub?
        let new: Stub
        /// The key of the new request.
        let key: UInt64
        let rules: MergeRules
        /// The differences between the two; `nil` for a new stub.
        let change: StubChange?

        var values: [StubChange.Value] { change?.values ?? [] }
    }

    private var exchanges: [Exchange] = []
    /// The values that the server has made in both recordings, as far as responses have shown them.
    private(set) var made = ServerMadeValues()

    /// Returns a Boolean value that indicates whether a new recording is an error, and the older stub has a response, which
    /// stays then.
    static func losesResponse(_ new: StubResponse, insteadOf old: StubResponse) -> Bool {
        new.endsWithError && old.failure == nil && old.head != nil
    }

    /// Adds the next recording, and the stub that it records again.
    mutating func add(_ new: Stub, insteadOf old: Stub?, key: UInt64, _ rules: MergeRules) {
        let change = old.map { StubChange($0, new, rules) }
        let exchange = Exchange(old: old, new: new, key: key, rules: rules, change: change)
        made.add(exchange.values)
        exchanges.append(exchange)
    }

    /// Returns the indices of the recordings that are written in place of their older stubs, or as new ones.
    func renewed() -> Set<Int> {
        let certain = made.certain
        func isUnchanged(_ exchange: Exchange) -> Bool {
            guard let old = exchange.old, let change = exchange.change else { return false }
            return change.isOnly(made.contains)
                || StubChange(old, exchange.new, exchange.rules, like: certain).isOnly(made.contains)
        }
        var renewed = Set(exchanges.indices.filter { !isUnchanged(exchanges[$0]) })
        guard !renewed.isEmpty, renewed.count < exchanges.count else { return renewed }
        let asked = asked
        var shares: [String: [Int]] = [:]
        for index in exchanges.indices where !renewed.contains(index) {
            for value in exchanges[index].values {
                let words = value.words
                let isReference = value.isReference && (value.isInResponse || !value.isInField)
                guard isReference || !words.isDisjoint(with: asked) else { continue }
                for word in words { shares[word, default: []].append(index) }
            }
        }
        var pending = shares.isEmpty ? [] : Array(renewed)
        while let index = pending.popLast() {
            let stubs = [exchanges[index].old, exchanges[index].new].compactMap { $0 }
            let words = stubs.flatMap(\.texts).reduce(into: Set<String>()) { words, text in
                let own = text.tellingWords
                words.formUnion(text.requestField == nil ? own : own.intersection(asked))
            }
            for word in words {
                for other in shares[word] ?? [] where renewed.insert(other).inserted { pending.append(other) }
            }
        }
        return renewed
    }

    /// The words by which stubs are looked for: those in URLs and bodies, and those in header fields that the matchers compare,
    /// or that have other values in a request which is the same otherwise.
    private var asked: Set<String> {
        Dictionary(grouping: exchanges, by: \.key).values.reduce(into: []) { asked, same in
            let areFieldsCompared = same.contains(where: \.rules.comparesHeaderFields)
            for stubs in [same.compactMap(\.old), same.map(\.new)] {
                for (field, texts) in Dictionary(grouping: stubs.flatMap(\.request.texts), by: \.requestField) {
                    let words = texts.map(\.tellingWords)
                    let isAsked = field == nil || areFieldsCompared
                    let common = isAsked ? [] : words.reduce(words[0]) { $0.intersection($1) }
                    asked.formUnion(Set(words.joined()).subtracting(common))
                }
            }
        }
    }
}

extension StubChange.Value {
    /// Both values, and the words that only one of them has: another request may have them apart, as segments of a path.
    fileprivate var words: Set<String> {
        let words = [pair.old, pair.new].map { $0.withBytes(TextWords.tellingWords) }
        return words[0].symmetricDifference(words[1]).union([pair.old, pair.new])
    }
}

extension StubText {
    /// The name of the header field of the request, in lower case; `nil` for any other text.
    fileprivate var requestField: String? {
        if isRequest, case .field(let name) = place { name.lowercased() } else { nil }
    }
}
