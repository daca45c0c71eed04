import Foundation

/// The settings that decide which recorded stub answers.
struct PlaybackRules: Sendable {
    /// A number that changes with the matchers and the redaction.
    ///
    /// An index is built again only when this number changes.
    var generation = 0
    @Setting var matchers: RequestMatcherOptions = .standard { didSet { generation += 1 } }
    @Setting var redaction: Redaction = .standard { didSet { generation += 1 } }
    /// The texts that stand for any value in recorded stubs: `<API_KEY>`.
    var placeholders: [String] = [] { didSet { generation += 1 } }
    @Setting var order: PlaybackOrder = .sequenceThenLast
}

/// The recorded stubs as they are seen from a request that none of them answers.
struct LookupDiagnosis {
    /// The number of stubs.
    var count = 0
    /// The number of stubs for the request's path, on any host, and the number of those that have answered.
    var pathCount = 0
    var usedPathCount = 0
    /// The stubs that match, and are used already.
    var usedUp: [StubSummary] = []
    /// The stub with the fewest differences, with the request in the form in which it was compared.
    var nearest: (stub: StubSummary, differences: [RequestDifference])?
}

extension LookupDiagnosis {
    /// Returns the diagnosis of these stubs and those of a file that the test shares.
    func adding(_ shared: LookupDiagnosis) -> LookupDiagnosis {
        var sum = self
        sum.count += shared.count
        sum.pathCount += shared.pathCount
        sum.usedPathCount += shared.usedPathCount
        sum.usedUp += shared.usedUp
        let own = nearest?.differences.count ?? .max
        if let other = shared.nearest, other.differences.count < own { sum.nearest = other }
        return sum
    }
}

/// A recorded stub as reports list it.
struct StubSummary: Sendable {
    /// The number of the stub in its source, from 1.
    let position: Int
    let entry: StubFileEntry
    var request: StubRequest
    /// A Boolean value that indicates whether the stub has answered a request.
    let isUsed: Bool

    var stub: Stub { entry.stub }

    /// The stub file; `nil` in memory, and where it is known to be the network's own.
    var file: URL?

    /// The line in the file; `nil` in memory, and for a stub that this run has recorded.
    var line: Int? { entry.line }
}
