/// How near a pattern came to holding for a request.
struct PatternNearMiss: Sendable, Hashable {
    /// How many conditions hold.
    var holding = 0

    /// Those that do not, a line each: `header Authorization: requested none`.
    var failing: [RequestDifference] = []

    /// Whether anything of the pattern holds: what is as far as can be is not near.
    var isNear: Bool { holding > 0 && !failing.isEmpty }

    static func < (left: Self, right: Self) -> Bool {
        (left.failing.count, right.holding) < (right.failing.count, left.holding)
    }

    static func + (left: Self, right: Self) -> Self {
        Self(holding: left.holding + right.holding, failing: left.failing + right.failing)
    }
}

/// A live request, and what may be shown of requests.
struct PatternNearMissSubject {
    let live: PatternSubject

    /// The live request without its secrets.
    let shown: ParsedRequest

    /// Takes the secrets out of a request.
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
    /// How near the pattern comes to holding for a request. Asks every condition, those in code too.
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
            return PatternNearMiss(failing: [RequestDifference(place: description, text: "does not hold")])
        }
    }
}

extension PatternCondition {
    fileprivate func nearMiss(_ subject: PatternNearMissSubject) -> PatternNearMiss {
        if test(subject.live) != nil { return PatternNearMiss(holding: 1) }
        if let declaredRequest { return nearMiss(of: declaredRequest, subject) }
        if let parts {
            let parts = parts(subject.live.request, subject.shown)
            return PatternNearMiss(holding: parts.filter { $0 == nil }.count, failing: parts.compactMap { $0 })
        }
        let refusal = refusal?(subject.shown) ?? "does not hold"
        return PatternNearMiss(failing: [RequestDifference(place: description, text: refusal)])
    }

    private func nearMiss(of declared: StubRequest, _ subject: PatternNearMissSubject) -> PatternNearMiss {
        let options = subject.live.options
        let live = options.differences(recorded: ParsedRequest(declared), requested: subject.live.request)
        let shown = options.differences(recorded: ParsedRequest(subject.redact(declared)), requested: subject.shown)
        let told = Set(shown.map(\.place))
        // Two secrets differ and look alike without their secrets.
        let secret = live.filter { !told.contains($0.place) }
            .map { RequestDifference(place: $0.place, text: "differs, in what is redacted") }
        let isSamePath = subject.live.request.url.path == ParsedRequest(declared).url.path
        return PatternNearMiss(holding: isSamePath ? 1 : 0, failing: shown.map(\.ofDeclaredStub) + secret)
    }
}
