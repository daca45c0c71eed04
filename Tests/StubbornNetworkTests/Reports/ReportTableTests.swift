import Foundation
import Testing

@_spi(Tools) @testable import StubbornNetwork

/// The causes, kinds and counts of reports: each member has its case.
struct ReportTableTests {
    private typealias Cause = UnstubbedRequestReport.Cause

    /// Returns a report with a cause; `nil` for one that only a task of a session can have.
    private func report(_ cause: UnstubbedRequestReport.Cause) throws -> UnstubbedRequestReport? {
        let asked = StubRequest.get("https://a.test/a?x=1")
        return switch cause {
        case .noStubFile: try ReportScene(file: nil).full(on: asked)
        case .noStubs: try ReportScene(file: []).full(on: asked)
        case .nothingForThisPath: try ReportScene(.get("https://a.test/other")).full(on: asked)
        case .usedUp: try ReportScene(asked, asked: 1) { $0.playbackOrder = .sequence }.full(on: asked)
        case .differs: try ReportScene(.get("https://a.test/a?x=2")).full(on: asked)
        case .ambiguous: StubbornNetworkError.ambiguousInterception(asked.url, inForce: ["one", "two"]).report
        case .notCancelled: nil
        }
    }

    @Test(
        arguments: [
            (.noStubFile, "no stub file"), (.noStubs, "no stubs"), (.nothingForThisPath, "nothing for this path"),
            (.usedUp, "used up"), (.differs, "no stub matches"), (.ambiguous, "ambiguous"),
        ] as [(UnstubbedRequestReport.Cause, String)]
    )
    func `each cause of an unstubbed request is found, and has its name in JSON`(
        cause: UnstubbedRequestReport.Cause,
        name: String
    ) throws {
        let report = try #require(try report(cause))
        #expect(report.cause == cause)
        #expect(report.jsonString.contains("\"cause\" : \"\(name)\""))
        #expect(!report.description.isEmpty && !report.fixes.isEmpty || cause == .ambiguous)
    }

    typealias Severity = VerificationReport.Severity

    @Test(arguments: Severity.allCases, Severity.allCases)
    func `a difference counts from its severity on`(severity: Severity, least: Severity) {
        let difference = VerificationReport.Difference(severity: severity, part: "body", recorded: "1", received: "2")
        let stub = VerificationReport.Stub(request: "GET http://a/", differences: [difference], skipped: nil)
        let report = VerificationReport(file: "a.json", stubs: [stub])
        let order: [Severity] = [.volatile, .values, .structure, .breaking]
        #expect(Severity.allCases == order)
        let rank = { (severity: Severity) in order.firstIndex(of: severity) ?? -1 }
        #expect(report.stubs(atLeast: least).isEmpty == (rank(severity) < rank(least)))
    }

    /// The types of JSON values, in pairs: a change of the type is breaking, unless the old one is null.
    private static let values = [
        "null": ["null"], "truth": ["true", "false"], "number": ["1", "2.5"], "text": [#""a""#, #""b""#],
        "array": ["[]", "[1]"], "object": ["{}", #"{"k":1}"#],
    ]

    @Test(arguments: values.keys.sorted(), values.keys.sorted())
    func `another type of a JSON value is breaking, and another value is not`(old: String, new: String) throws {
        let (before, after) = (try #require(Self.values[old]?.first), try #require(Self.values[new]?.last))
        func response(_ value: String) -> StubResponse {
            let body = Data(#"{"a":\#(value)}"#.utf8)
            return .data(body, contentType: "application/json", headers: ["Content-Length": "1"])
        }
        func differences(_ old: StubResponse, _ new: StubResponse) throws -> [VerificationReport.Difference] {
            let stubs = try [old, new].map { try Stub.get("http://a/1", $0) }
            return RecordingComparison([stubs[0]], [stubs[1]], MergeRules()).differences(0, 0)
        }
        let severities = try differences(response(before), response(after)).map(\.severity)
        if old == new {
            #expect(severities.allSatisfy { $0 == .values || (old == "object" && $0 == .structure) })
            #expect(severities.isEmpty == (old == "null"))
        } else {
            #expect(severities == [old == "null" ? .values : .breaking])
        }
        #expect(try differences(response(before), response(before)) == [])
    }

    @Test(arguments: [1, 63, 64, 65, 100])
    func `at most 64 differences of JSON are listed`(count: Int) {
        func value(_ number: Int) -> JSONValue {
            .object((0..<count).map { ("k\($0)", .number("\(number)")) })
        }
        #expect(JSONDifference.all(value(1), value(2)).count == min(count, 64))
        let forms = [1, 2].map { number in
            StubRequest.make(
                "POST",
                "https://a.test/",
                ["Content-Type": "application/x-www-form-urlencoded"],
                body: (0..<count).map { "k\($0)=\(number)" }.joined(separator: "&")
            )
        }
        #expect(
            RequestMatcherOptions.standard.differences(recorded: forms[0], requested: forms[1]).count == min(count, 64)
        )
    }

    @Test func `each count of a summary is written, read and added up`() throws {
        let names = Mirror(reflecting: RunSummary()).children.compactMap(\.label)
        let counts = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($0.element, $0.offset + 2) })
        let summary = try JSONDecoder().decode(RunSummary.self, from: JSONEncoder().encode(counts))
        let written = try JSONDecoder().decode([String: Int].self, from: JSONEncoder().encode(summary))
        #expect(written == counts)
        let sum = try JSONDecoder().decode([String: Int].self, from: JSONEncoder().encode(summary + summary))
        #expect(sum == counts.mapValues { $0 * 2 })
        for count in counts.values { #expect(summary.description.contains("\(count) "), "\(summary)") }
    }
}
