import Foundation

extension Engine {
    /// How many stubs are compared, and with how many requests.
    private static let compared = 100

    /// The stubs that no request asked for, with their near misses.
    var unusedStubReports: [UnusedStubReport] {
        let rules = settings.withLock { $0.rules }
        let redactor = redactor.withLock { $0 }
        let requests = Self.distinct(log.unstubbed)
        let shown = requests.map { ParsedRequest(rules.redaction.matchingForm(of: $0), keepsBody: true) }
        let recordedReports = recorded.unusedSummaries().enumerated().map { index, stub in
            let near = index < Self.compared ? Self.nearest(stub, shown, rules) : nil
            return UnusedStubReport(
                stub: redactor.redact(text: "stub \(stub.position), \(stub.request)").cut(to: 2_048),
                position: stub.position(in: recorded.file),
                nearestRequest: near.map { redactor.redact(text: $0.request.request.description).cut(to: 2_048) },
                differences: near?.differences.prefix(64).map { $0.described(redactor.redact(text:)) } ?? []
            )
        }
        let subjects = requests.map {
            PatternNearMissSubject(
                $0,
                shown: redactor.matchingForm(of: $0),
                options: rules.matchers,
                redact: redactor.matchingForm(of:)
            )
        }
        let declaredReports = declared.unused.enumerated().map { index, stub in
            let near = (index < Self.compared ? subjects : []).compactMap { subject in
                declared.failing(stub, subject).map { (subject.shown.request.description, $0) }
            }.min { $0.1.count < $1.1.count }
            return UnusedStubReport(
                stub: redactor.redact(text: "declared stub \(stub.shown)").cut(to: 2_048),
                position: nil,
                nearestRequest: near.map { redactor.redact(text: $0.0).cut(to: 2_048) },
                differences: near?.1.prefix(64).map { $0.described(redactor.redact(text:)) } ?? []
            )
        }
        return recordedReports + declaredReports
    }

    /// The last requests, each once, in their order.
    private static func distinct(_ requests: [StubRequest]) -> [StubRequest] {
        var seen: Set<StubRequest> = []
        var result: [StubRequest] = []
        for request in requests.reversed() where result.count < compared && seen.insert(request).inserted {
            result.append(request)
        }
        return result.reversed()
    }

    /// The request that came closest to a stub, where host or path are its own.
    private static func nearest(
        _ stub: StubSummary,
        _ requests: [ParsedRequest],
        _ rules: PlaybackRules
    ) -> (request: ParsedRequest, differences: [RequestDifference])? {
        let recorded = ParsedRequest(rules.redaction.matchingForm(of: stub.request), keepsBody: true)
        return
            requests
            .filter { $0.url.path == recorded.url.path || $0.url.host == recorded.url.host }
            .map { (request: $0, differences: rules.matchers.differences(recorded: recorded, requested: $0)) }
            .min { left, right in
                let isHere = { (request: ParsedRequest) in request.url.path == recorded.url.path ? 0 : 1 }
                return (isHere(left.request), left.differences.count) < (isHere(right.request), right.differences.count)
            }
    }
}
