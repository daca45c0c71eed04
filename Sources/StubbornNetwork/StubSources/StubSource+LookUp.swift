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

    /// Returns what is known about a request that no stub answers; `shown` is the request without its secrets.
    package func diagnose(_ request: StubRequest, shown: StubRequest? = nil, by rules: PlaybackRules) -> LookupDiagnosis
    {
        if request.valueName != nil { return LookupDiagnosis(count: recorded.withLock { $0.count }) }
        let (matchIndex, version) = recorded.withLock { $0.matchIndex(by: rules) }
        let matching = matchIndex.positions(of: matchIndex.matches(request))
        let used = recorded.withLock { stubs in
            stubs.version == version ? Set((0..<matchIndex.count).filter(stubs.isUsed)) : []
        }
        let found = matchIndex.nearest(to: request, shown: shown, used: used, limit: 1).first
        let path = ParsedRequest(request).url.path
        let samePath = (0..<matchIndex.count).filter { matchIndex.hasPath($0, path) }
        return recorded.withLock { stubs in
            var diagnosis = LookupDiagnosis(count: stubs.count, pathCount: samePath.count)
            guard stubs.version == version else { return diagnosis }
            diagnosis.usedPathCount = samePath.filter { stubs.isUsed($0) }.count
            diagnosis.usedUp = matching.map { stubs.summary(at: $0) }
            diagnosis.nearest = found.map { (stubs.summary(at: $0.position), $0.differences) }
            for index in diagnosis.usedUp.indices { diagnosis.usedUp[index].file = file }
            diagnosis.nearest?.stub.file = file
            return diagnosis
        }
    }
}
