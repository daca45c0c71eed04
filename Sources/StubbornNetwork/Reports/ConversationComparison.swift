/// Two recordings of a conversation, and the values that a server has made anew in the second one.
package struct ConversationComparison: Sendable {
    private let rules: MergeRules
    private var made = ServerMadeValues()

    package init(volatile: VolatileHeaderFields, ignored: IgnoredParts, volatileJSONKeys: [String]) {
        rules = MergeRules(volatileHeaderFields: volatile, ignored: ignored, volatileJSONKeys: volatileJSONKeys)
    }

    /// Adds the next exchange of both recordings.
    package mutating func add(_ old: Stub, _ new: Stub) { made.add(StubChange(old, new, rules).values) }

    /// Returns a new request with the older values.
    package func recorded(_ request: StubRequest) -> StubRequest { made.recorded(request) }

    /// Returns the differences between two responses; those that are only in values that a server has made are volatile.
    package func folding(
        _ differences: [VerificationReport.Difference],
        between old: Stub,
        and new: Stub
    ) -> [VerificationReport.Difference] {
        let change = StubChange(old, new, rules)
        return differences.map { change.hides($0, made) ? $0.volatile : $0 }
    }
}

extension StubChange {
    /// Returns a Boolean value that indicates whether a difference is only in values that a server makes anew.
    func hides(_ difference: VerificationReport.Difference, _ made: ServerMadeValues) -> Bool {
        guard [.valueChanged, .headerChanged].contains(difference.kind), let old = difference.recorded,
            let new = difference.received
        else { return false }
        // Of a long text, the difference shows only a part, or the length.
        if isOnly(made.contains) { return true }
        guard difference.part != "body" else { return false }
        let hidden = Set(values.filter(made.contains).map(\.pair))
        return TextWords.pairs(old, new).map { !$0.isEmpty && $0.allSatisfy(hidden.contains) } ?? false
    }
}

extension VerificationReport.Difference {
    var volatile: Self { Self(kind: .volatile, part: part, recorded: recorded, received: received) }
}
