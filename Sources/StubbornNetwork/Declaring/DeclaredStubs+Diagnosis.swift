/// The findings of the declared stubs about a request that none of them answers.
struct DeclaredDiagnosis: Sendable {
    /// The stub that comes closest.
    struct Nearest: Sendable {
        var stub: DeclaredStub
        var isUnused: Bool
        /// The conditions of its pattern that do not hold.
        var failing: [RequestDifference]
    }

    /// The number of declared stubs.
    var count = 0
    /// The stubs that match and are used up: `GET /users at LoginTests.swift:12, 2 times`.
    var usedUp: [String] = []
    var nearest: Nearest?
}

extension DeclaredStubs {
    /// The number of stubs that a diagnosis compares, from the latest on.
    private static let maximumComparisonCount = 500

    /// Returns the findings of the declared stubs about a request that none of them answers.
    ///
    /// Evaluates their patterns, custom ones too. `shown` is the request without its secrets, and `redact` removes the
    /// secrets from a request.
    func diagnose(
        _ request: StubRequest,
        shown: StubRequest,
        matchers: RequestMatcherOptions,
        redact: @escaping (StubRequest) -> StubRequest
    ) -> DeclaredDiagnosis {
        let entries = all.filter(\.declaration.answer.isResponse)
        guard !entries.isEmpty else { return DeclaredDiagnosis() }
        var diagnosis = DeclaredDiagnosis(count: entries.count)
        let subject = PatternNearMissSubject(request, shown: shown, options: matchers, redact: redact)
        var nearest: (miss: PatternNearMiss, entry: Entry)?
        for entry in entries.reversed().prefix(Self.maximumComparisonCount) {
            let stub = entry.declaration.handle
            if entry.isUsedUp {
                guard entry.declaration.pattern.match(subject.live) != nil else { continue }
                diagnosis.usedUp.append(
                    "\(stub), \(entry.uses) time\(entry.uses == 1 ? "" : "s")"
                )
            } else {
                let miss = entry.declaration.pattern.nearMiss(subject)
                guard miss.isNear, nearest.map({ miss < $0.miss }) ?? true else { continue }
                nearest = (miss, entry)
            }
        }
        diagnosis.nearest = nearest.map { miss, entry in
            .init(stub: entry.declaration.handle, isUnused: entry.uses == 0, failing: miss.failing)
        }
        return diagnosis
    }
}
