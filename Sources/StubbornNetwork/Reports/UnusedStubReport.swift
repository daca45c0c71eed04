import Foundation

/// A stub that no request asked for, and the unstubbed request that came closest to it.
///
///     No request asked for stub 3, GET https://api.example.com/users?page=1 (Stubs/UserList.json:42).
///     Closest is the unstubbed GET https://api.example.com/users?page=2:
///       url.query.page: recorded "1", requested "2"
///     To remove it:  STUB_RECORD_MODE=recording swift test --filter UserTests.list
///
/// Secrets are redacted, texts are bounded.
public struct UnusedStubReport: Sendable, CustomStringConvertible {
    /// A Boolean value that indicates whether the stub is declared in code; a recorded one is not.
    public let isDeclared: Bool

    /// The stub: `stub 3, GET https://api.example.com/users?page=1`, `declared stub POST /login`.
    public let stub: String

    /// The file and line of the stub: `Stubs/UserList.json:42`, `LoginTests.swift:12`; `nil` for a stub recorded in
    /// memory.
    public let location: String?

    /// The unstubbed request that came closest; `nil` where none came close.
    public let nearestRequest: String?

    /// The differences between the stub and that request, one line each.
    public let differences: [String]

    /// The ways to remove the stub; none for one without a line.
    public internal(set) var fixes: [UnstubbedRequestReport.Fix] = []

    /// The report as text, with at most four differences.
    public var description: String {
        var lines = ["No request asked for \(name)."]
        if let nearestRequest {
            lines.append("Closest is the unstubbed \(nearestRequest.cut(to: 512)):")
            lines += differences.prefix(4).map { "  \($0)" }
            if differences.count > 4 { lines.append("  and \(differences.count - 4) more") }
        }
        return (lines + fixes.lines).joined(separator: "\n")
    }

    private var name: String {
        let stub = stub.cut(to: 512)
        guard let location = location?.shortenedPath else { return stub }
        return isDeclared ? "\(stub) at \(location)" : "\(stub) (\(location))"
    }
}

extension UnusedStubReport {
    /// The number of stubs that are compared, and of requests that each is compared with.
    private static let maximumComparisonCount = 100

    /// Returns a report on each unused stub, the recorded ones first.
    ///
    /// - Parameters:
    ///   - recorded: the recorded stubs that no request asked for.
    ///   - file: the stub file.
    ///   - declared: the declared stubs that have answered no request.
    ///   - unstubbed: the requests that no stub answered.
    ///   - rules: the rules in force, with the matchers and the redaction.
    ///   - redactor: the redactor for the texts of the reports.
    ///   - removal: the ways to remove a recorded stub; `nil` where only an editor does.
    /// - Returns: a report on each stub, in the order of the two lists.
    static func reports(
        recorded: [StubSummary],
        in file: URL?,
        declared: [DeclaredStubs.Declaration],
        unstubbed: [StubRequest],
        rules: PlaybackRules,
        redactor: Redactor,
        removal: [UnstubbedRequestReport.Fix]?
    ) -> [UnusedStubReport] {
        let requests = latest(of: unstubbed)
        let shown = requests.map { ParsedRequest(rules.redaction.matchingForm(of: $0), keepsBody: true) }
        let recordedReports = recorded.enumerated().map { index, stub in
            UnusedStubReport(
                isDeclared: false,
                stub: "stub \(stub.position), \(stub.request)",
                location: stub.location(in: file),
                nearest: nearest(to: stub.request, among: index < maximumComparisonCount ? shown : [], rules),
                redactor
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
        let declaredReports = declared.enumerated().map { index, stub in
            UnusedStubReport(
                isDeclared: true,
                stub: "declared stub \(stub.handle.pattern)",
                location: stub.handle.location,
                nearest: nearest(to: stub.pattern, among: index < maximumComparisonCount ? subjects : []),
                redactor
            )
        }
        return (recordedReports + declaredReports).map { report in
            guard let location = report.location?.shortenedPath else { return report }
            var report = report
            let inEditor = [UnstubbedRequestReport.Fix(purpose: "To remove it", code: "delete it at \(location)")]
            report.fixes = report.isDeclared ? inEditor : removal ?? inEditor
            return report
        }
    }

    private typealias Nearest = (request: StubRequest, differences: [RequestDifference])

    private init(isDeclared: Bool, stub: String, location: String?, nearest: Nearest?, _ redactor: Redactor) {
        self.init(
            isDeclared: isDeclared,
            stub: redactor.redact(text: stub).cut(to: 2_048),
            location: location,
            nearestRequest: nearest.map { redactor.redact(text: $0.request.description).cut(to: 2_048) },
            differences: nearest?.differences.prefix(64).map { $0.described(redactor.redact(text:)) } ?? []
        )
    }

    /// Returns the latest requests, each once, in their order.
    private static func latest(of requests: [StubRequest]) -> [StubRequest] {
        var seen: Set<StubRequest> = []
        var result: [StubRequest] = []
        for request in requests.reversed() where result.count < maximumComparisonCount && seen.insert(request).inserted
        {
            result.append(request)
        }
        return result.reversed()
    }

    /// Returns the request that comes closest to a recorded stub, of those with its path or its host.
    ///
    /// A request with its path comes before all others.
    private static func nearest(
        to stub: StubRequest,
        among requests: [ParsedRequest],
        _ rules: PlaybackRules
    ) -> Nearest? {
        guard !requests.isEmpty else { return nil }
        let recorded = ParsedRequest(rules.redaction.matchingForm(of: stub), keepsBody: true)
        let candidates = requests.filter { $0.url.path == recorded.url.path || $0.url.host == recorded.url.host }
            .map { ($0, rules.matchers.differences(recorded: recorded, requested: $0)) }
        func distance(_ candidate: (ParsedRequest, [RequestDifference])) -> (Int, Int) {
            (candidate.0.url.path == recorded.url.path ? 0 : 1, candidate.1.count)
        }
        return candidates.min { distance($0) < distance($1) }.map { ($0.0.request, $0.1) }
    }

    /// Returns the request for which the most conditions of a declared stub's pattern hold, if any of them does.
    private static func nearest(to pattern: RequestPattern, among subjects: [PatternNearMissSubject]) -> Nearest? {
        subjects.map { ($0.shown.request, pattern.nearMiss($0)) }
            .filter { $0.1.isNear }
            .min { $0.1.failing.count < $1.1.failing.count }
            .map { ($0.0, $0.1.failing) }
    }
}
