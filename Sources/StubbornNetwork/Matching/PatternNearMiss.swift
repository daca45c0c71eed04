/// A live request that patterns are compared with, parsed once for all of them.
struct PatternSubject: Sendable {
    let request: ParsedRequest
    let options: RequestMatcherOptions
    let shown: ParsedRequest
    /// The function that returns a request without its secrets.
    let redact: @Sendable (StubRequest) -> StubRequest

    init(
        _ request: ParsedRequest,
        options: RequestMatcherOptions,
        redact: (@Sendable (StubRequest) -> StubRequest)? = nil
    ) {
        self.request = request
        self.options = options
        shown = redact.map { ParsedRequest($0(request.request)) } ?? request
        self.redact = redact ?? { $0 }
    }

    /// Returns the differences from a declared request by the matchers in force.
    ///
    /// If the path is the same, `nil` comes first, as for a condition that holds.
    func differences(from declared: ParsedRequest) -> [RequestDifference?] {
        let live = options.differences(recorded: declared, requested: request)
        let redacted = options.differences(recorded: ParsedRequest(redact(declared.request)), requested: shown)
        let differences = RequestDifference.shown(live, as: redacted).map(\.ofDeclaredStub)
        return (request.url.path == declared.url.path ? [nil] : []) + differences
    }
}

/// The conditions of a pattern that hold for a request, and those that do not.
struct PatternNearMiss: Sendable {
    /// The differences of the conditions, `header Authorization: requested none`, and `nil` for each that holds.
    let parts: [RequestDifference?]
    var holding: Int { parts.filter { $0 == nil }.count }
    var failing: [RequestDifference] { parts.compactMap { $0 } }
    var isNear: Bool { holding > 0 && !failing.isEmpty }

    static func < (left: Self, right: Self) -> Bool {
        (left.failing.count, right.holding) < (right.failing.count, left.holding)
    }
}

extension PatternNode {
    /// Returns the conditions that hold for a request and those that do not, asking every one, also those in code.
    func nearMiss(_ subject: PatternSubject) -> PatternNearMiss {
        switch self {
        case .all(let nodes): PatternNearMiss(parts: nodes.flatMap { $0.nearMiss(subject).parts })
        case .any(let nodes): nodes.map { $0.nearMiss(subject) }.min(by: <) ?? PatternNearMiss(parts: [])
        case _ where match(subject) != nil: PatternNearMiss(parts: [nil])
        case .condition(let condition): PatternNearMiss(parts: condition.differences(subject))
        case .not, .invalid:
            PatternNearMiss(parts: [RequestDifference(description, .doesNotHold)])
        }
    }
}
