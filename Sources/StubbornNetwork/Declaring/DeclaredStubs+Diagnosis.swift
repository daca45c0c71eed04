/// What is known about a request that no declared stub answers.
struct DeclaredDiagnosis: Sendable {
    var count = 0
    /// Those that match and have answered as often as they may: `GET /users at LoginTests.swift:12, 2 times`.
    var usedUp: [String] = []
    /// The stub that comes closest: `POST /login at LoginTests.swift:12`.
    var nearest: String?
    /// Which of its conditions do not hold, a line each.
    var failing: [RequestDifference] = []
}

extension DeclaredStubs {
    /// More stubs than this, from the latest on, are not regarded.
    private static let regarded = 500

    /// What is known about a request that no declared stub answers. Asks the patterns, those in code too.
    ///
    /// - Parameters:
    ///   - shown: the request without its secrets.
    ///   - redact: takes the secrets out of a request.
    func diagnose(
        _ request: StubRequest,
        shown: StubRequest,
        by rules: PlaybackRules,
        redact: @escaping (StubRequest) -> StubRequest
    ) -> DeclaredDiagnosis {
        let entries = all
        guard !entries.isEmpty else { return DeclaredDiagnosis() }
        var diagnosis = DeclaredDiagnosis(count: entries.count)
        let subject = PatternNearMissSubject(request, shown: shown, options: rules.matchers, redact: redact)
        var nearest: (miss: PatternNearMiss, stub: DeclaredStub)?
        for entry in entries.reversed().prefix(Self.regarded) {
            if entry.isUsedUp {
                guard entry.declaration.pattern.match(subject.live) != nil else { continue }
                diagnosis.usedUp.append(
                    "\(entry.declaration.handle.shown), \(entry.uses) time\(entry.uses == 1 ? "" : "s")"
                )
            } else {
                let miss = entry.declaration.pattern.nearMiss(subject)
                guard miss.isNear, nearest.map({ miss < $0.miss }) ?? true else { continue }
                nearest = (miss, entry.declaration.handle)
            }
        }
        diagnosis.nearest = nearest?.stub.shown
        diagnosis.failing = nearest?.miss.failing ?? []
        return diagnosis
    }

    /// The conditions of a declared stub that do not hold for a request; `nil` where nothing of it does.
    func failing(_ stub: DeclaredStub, _ subject: PatternNearMissSubject) -> [RequestDifference]? {
        guard let miss = pattern(of: stub)?.nearMiss(subject) else { return nil }
        return miss.isNear ? miss.failing : nil
    }
}

extension DeclaredStub {
    /// What it answers and where it was declared.
    var shown: String { place.isEmpty ? description : "\(description) at \(place)" }
}
