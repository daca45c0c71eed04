/// The findings of the declared stubs about a request that none of them answers.
struct DeclaredDiagnosis: Sendable {
    struct Nearest: Sendable {
        var stub: DeclaredStub
        var isUnused: Bool
        var failing: [RequestDifference]
    }

    var count = 0
    /// The stubs that match and are used up: `GET /users at LoginTests.swift:12, 2 times`.
    var usedUp: [String] = []
    var nearest: Nearest?
}

extension DeclaredStubs {
    private static let maximumComparisonCount = 500

    /// Returns the findings about a request that no declared stub answers, after asking also the patterns in code.
    func diagnose(_ subject: PatternSubject) -> DeclaredDiagnosis {
        let entries = all.filter(\.answer.isResponse)
        var diagnosis = DeclaredDiagnosis(count: entries.count)
        var nearest: (miss: PatternNearMiss, entry: Entry)?
        for entry in entries.reversed().prefix(Self.maximumComparisonCount) {
            if entry.isUsedUp {
                guard entry.pattern.node.match(subject) != nil else { continue }
                diagnosis.usedUp.append("\(entry.handle), \(entry.uses.counting("time"))")
            } else {
                let miss = entry.pattern.node.nearMiss(subject)
                guard miss.isNear, nearest.map({ miss < $0.miss }) ?? true else { continue }
                nearest = (miss, entry)
            }
        }
        diagnosis.nearest = nearest.map { miss, entry in
            .init(stub: entry.handle, isUnused: entry.uses == 0, failing: miss.failing)
        }
        return diagnosis
    }
}
