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

    static func + (left: Self, right: Self) -> Self {
        Self(holding: left.holding + right.holding, failing: left.failing + right.failing)
    }
}

/// A live request that patterns are compared with, and the form in which requests may be shown.
struct PatternNearMissSubject {
    let live: PatternSubject

    /// The live request without its secrets.
    let shown: ParsedRequest

    /// The function that returns a request without its secrets.
    let redact: (StubRequest) -> StubRequest

    init(
        _ request: StubRequest,
        shown: StubRequest,
        options: RequestMatcherOptions,
        redact: @escaping (StubRequest) -> StubRequest
    ) {
        live = PatternSubject(request: ParsedRequest(request, keepsBody: true), options: options)
        self.shown = ParsedRequest(shown, keepsBody: true)
        self.redact = redact
    }
}

extension RequestPattern {
    /// Returns the conditions that hold for a request and those that do not.
    ///
    /// Asks every condition, also those in code.
    func nearMiss(_ subject: PatternNearMissSubject) -> PatternNearMiss { node.nearMiss(subject) }
}

extension PatternNode {
    fileprivate func nearMiss(_ subject: PatternNearMissSubject) -> PatternNearMiss {
        switch self {
        case .condition(let condition): return condition.nearMiss(subject)
        case .all(let nodes): return nodes.map { $0.nearMiss(subject) }.reduce(PatternNearMiss(), +)
        case .any(let nodes): return nodes.map { $0.nearMiss(subject) }.min(by: <) ?? PatternNearMiss()
        case .not where match(subject.live) != nil: return PatternNearMiss(holding: 1)
        case .not, .invalid:
            return PatternNearMiss(failing: [RequestDifference(part: description, text: "does not hold")])
        }
    }
}

extension PatternCondition {
    fileprivate func nearMiss(_ subject: PatternNearMissSubject) -> PatternNearMiss {
        if test(subject.live) != nil { return PatternNearMiss(holding: 1) }
        if let declaredRequest { return nearMiss(of: declaredRequest, subject) }
        let parts =
            differences?(subject.live.request, subject.shown)
            ?? [RequestDifference(part: description, text: "does not hold")]
        return PatternNearMiss(holding: parts.filter { $0 == nil }.count, failing: parts.compactMap { $0 })
    }

    private func nearMiss(of declared: StubRequest, _ subject: PatternNearMissSubject) -> PatternNearMiss {
        let options = subject.live.options
        let live = options.differences(recorded: ParsedRequest(declared), requested: subject.live.request)
        let shown = options.differences(recorded: ParsedRequest(subject.redact(declared)), requested: subject.shown)
        let shownParts = Set(shown.map(\.part))
        // Two secrets that differ look alike when they are redacted.
        let secret = live.filter { !shownParts.contains($0.part) }
            .map { RequestDifference(part: $0.part, text: "differs, in what is redacted") }
        let isSamePath = subject.live.request.url.path == ParsedRequest(declared).url.path
        return PatternNearMiss(holding: isSamePath ? 1 : 0, failing: shown.map(\.ofDeclaredStub) + secret)
    }
}
