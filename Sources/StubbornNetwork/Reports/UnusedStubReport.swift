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
    package let isDeclared: Bool
    /// The stub: `stub 3, GET https://api.example.com/users?page=1`, `declared stub POST /login`.
    public let stub: String
    /// The file and line of the stub: `Stubs/UserList.json:42`, `LoginTests.swift:12`; `nil` for a stub recorded in
    /// memory.
    package let location: String?
    /// The unstubbed request that came closest; `nil` where none came close.
    package let nearestRequest: String?
    /// The differences between the stub and that request, one line each.
    package let differences: [String]
    /// The ways to remove the stub; none for one without a line.
    public internal(set) var fixes: [UnstubbedRequestReport.Fix] = []

    /// The report as text, with at most four differences.
    public var description: String {
        var lines = ["No request asked for \(name)."]
        if let nearestRequest {
            lines.append("Closest is the unstubbed \(nearestRequest.cut(to: 512)):")
            lines += differences.listed(upTo: 4).map { "  \($0)" }
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

    private typealias Nearest = (request: StubRequest, differences: [RequestDifference])

    /// Returns a report on each unused stub; `removal` has the ways to remove a recorded one, `nil` for an editor.
    static func reports(
        recorded: [StubSummary],
        in file: URL?,
        declared: [DeclaredStubs.Entry],
        unstubbed: [StubRequest],
        rules: PlaybackRules,
        redactor: Redactor,
        removal: [UnstubbedRequestReport.Fix]?
    ) -> [UnusedStubReport] {
        var seen: Set<StubRequest> = []
        let latest = unstubbed.reversed().filter { $0.valueName == nil && seen.insert($0).inserted }
            .prefix(maximumComparisonCount).reversed()
        let requests = latest.map { (live: ParsedRequest($0), shown: ParsedRequest(redactor.shownForm(of: $0))) }
        let subjects = latest.map {
            PatternSubject(ParsedRequest($0), options: rules.matchers, redact: redactor.shownForm(of:))
        }
        let recordedReports = recorded.enumerated().map { index, stub in
            let nearest = nearest(to: stub.request, among: index < maximumComparisonCount ? requests : [], rules)
            let name = "stub \(stub.position), \(stub.request)"
            return UnusedStubReport(name, at: stub.location(in: file), nearest, redactor, removal: removal)
        }
        let declaredReports = declared.enumerated().map { index, stub in
            let nearest = nearest(to: stub.pattern, among: index < maximumComparisonCount ? subjects : [])
            let name = "declared stub \(stub.handle.pattern)"
            return UnusedStubReport(name, at: stub.handle.location, nearest, redactor, isDeclared: true)
        }
        return recordedReports + declaredReports
    }

    private init(
        _ stub: String,
        at location: String?,
        _ nearest: Nearest?,
        _ redactor: Redactor,
        isDeclared: Bool = false,
        removal: [UnstubbedRequestReport.Fix]? = nil
    ) {
        self.isDeclared = isDeclared
        self.stub = redactor.redact(text: stub).cut(to: 2_048)
        self.location = location
        nearestRequest = nearest.map { redactor.redact(text: $0.request.description).cut(to: 2_048) }
        differences = nearest?.differences.prefix(64).map { $0.described(redactor.redact(text:)) } ?? []
        guard let location else { return }
        fixes = removal ?? [.init(purpose: "To remove it", code: "delete it at \(location.shortenedPath)")]
    }

    /// Returns the request that comes closest to a recorded stub: one with its path, or else one with its host.
    private static func nearest(
        to stub: StubRequest,
        among requests: [(live: ParsedRequest, shown: ParsedRequest)],
        _ rules: PlaybackRules
    ) -> Nearest? {
        guard !requests.isEmpty else { return nil }
        let index = MatchIndex(options: rules.matchers, declared: rules.placeholders, requests: [stub])
        return requests.map { (request: $0, hasPath: index.hasPath(0, $0.live.url.path)) }
            .filter { $0.hasPath || $0.request.live.url.host == index[0].url.host }
            .map { ($0, index.differences(0, $0.request.live, shown: $0.request.shown)) }
            .map { ($0.hasPath ? 0 : 1, $1.count, ($0.request.shown.request, $1)) }
            .min { ($0.0, $0.1) < ($1.0, $1.1) }?.2
    }

    /// Returns the request that fails the fewest conditions of a declared stub's pattern; `nil` if none meets any condition.
    private static func nearest(to pattern: RequestPattern, among subjects: [PatternSubject]) -> Nearest? {
        subjects.map { ($0.shown.request, pattern.node.nearMiss($0)) }
            .filter { $0.1.isNear }
            .min { $0.1.failing.count < $1.1.failing.count }
            .map { ($0.0, $0.1.failing) }
    }
}
