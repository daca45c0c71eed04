import Foundation

extension StubSource {
    /// Returns the next stub that answers a request, and marks it as used; `nil` if there is none.
    ///
    /// Stubs are compared outside the lock: a custom matcher is the user's code, which may call the network.
    package func take(for request: StubRequest, by rules: PlaybackRules) -> Stub? {
        answer(to: request, by: rules)?.stub
    }

    /// Returns the next stub that answers a request, with the live values that its placeholders stand for.
    func answer(to request: StubRequest, by rules: PlaybackRules) -> RecordedStubs.Answer? {
        let live = MatchIndex.Live(request, by: rules.matchers)
        while true {
            let (groups, version) = recorded.withLock { $0.groups(for: live, by: rules) }
            let matches = rules.matchers.matches(live, groups)
            let answer = recorded.withLock { stubs -> RecordedStubs.Answer?? in
                stubs.version == version ? .some(stubs.take(matches, for: request, by: rules)) : nil
            }
            if let answer { return answer }
        }
    }

    /// Returns the findings about a request that no stub answers; `shown` is the request without its secrets.
    package func diagnose(_ request: StubRequest, shown: StubRequest? = nil, by rules: PlaybackRules) -> LookupDiagnosis
    {
        if request.valueName != nil { return LookupDiagnosis(count: recorded.withLock { $0.count }) }
        let stubs = recorded.withLock { stubs in
            stubs.bringIndexUpToDate(rules)
            return stubs
        }
        let matchIndex = stubs.matchIndex
        let matching = matchIndex.positions(request)
        let used = Set((0..<matchIndex.count).filter(stubs.isUsed))
        let path = ParsedRequest(request).url.path
        let samePath = (0..<matchIndex.count).filter { matchIndex.hasPath($0, path) }
        let found = matchIndex.nearest(to: request, shown: shown ?? request, samePath: samePath, used: used)
        return LookupDiagnosis(
            count: stubs.count,
            pathCount: samePath.count,
            usedPathCount: samePath.filter(used.contains).count,
            usedUp: matching.map(stubs.summary),
            nearest: found.map { (stubs.summary(at: $0.position), $0.differences, $0.areConstant) },
            isGiven: found.map { givesAny(of: $0.differences.compactMap(\.madeValues).flatMap(\.self)) } ?? false
        )
    }

    /// Returns a Boolean value that indicates whether a response contains any of the new values, so that the client did
    /// not generate it.
    private func givesAny(of values: [RequestDifference.MadeValue]) -> Bool {
        let texts = values.isEmpty ? [] : stubs().flatMap(\.response.texts)
        return values.contains { value in texts.contains { $0.data.range(of: Data(value.requested.utf8)) != nil } }
    }
}

/// The settings that decide which recorded stub answers.
package struct PlaybackRules: Sendable {
    /// A number that changes with the matchers, the redaction, and the rules that compare recordings.
    ///
    /// An index is rebuilt, and the rules are written to a journal again, only when this number changes.
    var generation = 0
    @Setting package var matchers: RequestMatcherOptions = .standard { didSet { generation += 1 } }
    @Setting package var redaction: Redaction = .standard { didSet { generation += 1 } }
    /// The header fields that differ each time, from the settings and the stub directory.
    ///
    /// A response may repeat fields that a client generates for each request.
    var givenBackHeaderFields: VolatileHeaderFields = .standard { didSet { generation += 1 } }
    /// The strings that stand for any value in recorded stubs: `<API_KEY>`.
    var placeholders: [String] = [] { didSet { generation += 1 } }
    @Setting package var order: PlaybackOrder = .sequenceThenLast

    /// The header fields that differ each time, including the fields that the matchers ignore.
    var volatileHeaderFields: VolatileHeaderFields { givenBackHeaderFields.including(matchers.ignored.headerFields) }
}

/// The findings of the recorded stubs about a request that none of them answers.
package struct LookupDiagnosis {
    /// The number of stubs.
    var count = 0
    /// The number of stubs for the request's path, on any host, and the number of those that have answered.
    var pathCount = 0
    var usedPathCount = 0
    /// The stubs that match, but are used up.
    package var usedUp: [StubSummary] = []
    /// The stub with the fewest differences, and whether these are in parts that do not distinguish stubs.
    var nearest: (stub: StubSummary, differences: [RequestDifference], areConstant: Bool)?
    /// A Boolean value that indicates whether a recorded response contains a value that differs.
    var isGiven = false

    /// Adds the findings of the stubs of a file that the test shares.
    mutating func add(_ shared: LookupDiagnosis) {
        count += shared.count
        pathCount += shared.pathCount
        usedPathCount += shared.usedPathCount
        usedUp += shared.usedUp
        let own = nearest?.differences.count ?? .max
        if let other = shared.nearest, other.differences.count < own { nearest = other }
        isGiven = isGiven || shared.isGiven
    }
}

/// A recorded stub as reports list it.
package struct StubSummary: Sendable {
    /// The number of the stub in its source, from 1.
    package let position: Int
    let entry: StubFileEntry
    /// The stub file; `nil` in memory.
    let file: URL?
    /// A Boolean value that indicates whether the stub has answered a request.
    package let isUsed: Bool

    var stub: Stub { entry.stub }
    var request: StubRequest { stub.request }
    /// The stub in a sentence: `stub 3, GET https://api.example.com/users`.
    ///
    /// A frame of a web socket is one of those that are left.
    var name: String { request.isFrame ? "frame \(position) of those left" : "stub \(position), \(request)" }

    /// The file and line: `Stubs/Login.json:42`; `nil` in memory, and for a stub that this run has recorded.
    var location: String? {
        guard let file, let line = entry.line else { return nil }
        return "\(file.relativeDisplayPath):\(line)"
    }
}
