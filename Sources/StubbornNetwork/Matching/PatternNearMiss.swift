/// A live request, taken apart once for all patterns that are asked.
struct PatternSubject: Sendable {
    let request: ParsedRequest
    let options: RequestMatcherOptions
    /// The request without its secrets.
    let shown: ParsedRequest
    /// The function that returns a request without its secrets.
    let redact: @Sendable (StubRequest) -> StubRequest

    init(
        _ request: StubRequest,
        options: RequestMatcherOptions,
        redact: (@Sendable (StubRequest) -> StubRequest)? = nil
    ) {
        self.init(ParsedRequest(request), options: options, redact: redact)
    }

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

    /// Returns the differences from a declared request by the matchers in force, after `nil` where the path is the same.
    func differences(from declared: ParsedRequest) -> [RequestDifference?] {
        let live = options.differences(recorded: declared, requested: request)
        let redacted = options.differences(recorded: ParsedRequest(redact(declared.request)), requested: shown)
        let parts = Set(redacted.map(\.part))
        // Two secrets that differ look alike when they are redacted.
        let secret = live.filter { !parts.contains($0.part) }
            .map { RequestDifference(part: $0.part, text: "differs, in what is redacted") }
        return (request.url.path == declared.url.path ? [nil] : []) + redacted.map(\.ofDeclaredStub) + secret
    }
}

/// The conditions of a pattern that hold for a request, and those that do not.
struct PatternNearMiss: Sendable, Hashable {
    /// The number of conditions that hold.
    var holding = 0
    /// The conditions that do not hold, a line each: `header Authorization: requested none`.
    var failing: [RequestDifference] = []
    /// A Boolean value that indicates whether some conditions hold and some do not.
    var isNear: Bool { holding > 0 && !failing.isEmpty }

    static func < (left: Self, right: Self) -> Bool {
        (left.failing.count, right.holding) < (right.failing.count, left.holding)
    }
}

extension PatternNode {
    /// Returns the conditions that hold for a request and those that do not, asking every one, also those in code.
    func nearMiss(_ subject: PatternSubject) -> PatternNearMiss {
        switch self {
        case .all(let nodes):
            let misses = nodes.map { $0.nearMiss(subject) }
            return PatternNearMiss(holding: misses.reduce(0) { $0 + $1.holding }, failing: misses.flatMap(\.failing))
        case .any(let nodes):
            return nodes.map { $0.nearMiss(subject) }.min(by: <) ?? PatternNearMiss()
        case _ where match(subject) != nil:
            return PatternNearMiss(holding: 1)
        case .condition(let condition):
            let parts = condition.differences(subject)
            return PatternNearMiss(holding: parts.filter { $0 == nil }.count, failing: parts.compactMap { $0 })
        case .not, .invalid:
            return PatternNearMiss(failing: [RequestDifference(part: description, text: "does not hold")])
        }
    }
}
