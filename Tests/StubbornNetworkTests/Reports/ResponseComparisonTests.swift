import Foundation
import Testing

@_spi(Tools) @testable import StubbornNetwork

struct ResponseComparisonTests {
    private static let recorded = StubResponse.status(
        200,
        ["Content-Type": "application/json", "Date": "Monday", "Content-Length": "99"],
        body: #"{"id":42,"name":"Ada","tags":["a"],"address":{"city":"London"},"seen":1,"note":null}"#
    )

    /// The differences of a response that is `recorded`, but for one change.
    private func differences(
        recorded: StubResponse = Self.recorded,
        _ change: (inout StubResponse) -> Void
    ) -> [String] {
        var received = Self.recorded
        change(&received)
        let rules = MergeRules(ignored: IgnoredParts(jsonKeyPaths: ["seen"]))
        let request = StubRequest.get("http://a/1")
        let comparison = RecordingComparison(
            [Stub(request: request, response: recorded)],
            [Stub(request: request, response: received)],
            rules
        )
        return comparison.differences(0, 0).map { "\($0.severity.rawValue) \($0)" }
    }

    /// A change of the recorded response, and the differences that it makes.
    struct Row: Sendable {
        let expected: [String]
        let change: @Sendable (inout StubResponse) -> Void

        init(_ expected: String..., change: @escaping @Sendable (inout StubResponse) -> Void) {
            self.expected = expected
            self.change = change
        }

        init(_ expected: String..., replacing text: String, with other: String) {
            self.expected = expected
            change = { response in
                let body = String(decoding: response.bytes ?? Data(), as: UTF8.self)
                response.bytes = Data(body.replacingOccurrences(of: text, with: other).utf8)
            }
        }
    }

    @Test func `a header field that the matchers ignore is volatile`() {
        var settings = NetworkSettings()
        settings.setMatchers([.httpMethod, .url, .headers(ignoring: ["X-Sent"])])
        let (old, new) = (StubResponse.status(200, ["X-Sent": "1"]), StubResponse.status(200, ["X-Sent": "2"]))
        let request = StubRequest.get("http://a/1")
        let differences = RecordingComparison(
            [Stub(request: request, response: old)],
            [Stub(request: request, response: new)],
            settings.mergeRules
        ).differences(0, 0)
        #expect(differences.map(\.severity) == [.volatile])
    }

    @Test(arguments: [
        ("application/json", #"{"a":"50\u00a0km"}"#, #"{"a":"50 km"}"#), ("text/plain", "50\u{a0}km", "50 km"),
        ("application/octet-stream", "\u{0}a", "\u{0}b"),
        ("text/plain", String(repeating: "a", count: 900) + "x", String(repeating: "a", count: 900) + "y"),
    ])
    func `two bodies that differ are never shown alike`(type: String, recorded: String, received: String) throws {
        let responses = [recorded, received].map { text in
            StubResponse.status(200, ["Content-Type": type, "X-Text": String(text.filter { $0 != "\0" })], body: text)
        }
        let request = StubRequest.get("http://a/1")
        let stubs = responses.map { Stub(request: request, response: $0) }
        let differences = RecordingComparison([stubs[0]], [stubs[1]], MergeRules()).differences(0, 0)
        #expect(differences.count == 2)
        for difference in differences { #expect(difference.recorded != difference.received, "\(difference)") }
    }

    @Test(arguments: [
        Row { _ in },
        Row(replacing: #""id":42,"name":"Ada""#, with: #""name" : "Ada", "id" : 42.0"#),
        Row { response in
            response.bytes = (response.bytes ?? Data()) + Data(" ".utf8)
            response.head?.headerFields["Content-Length"] = "100"
        },
        Row(#"values body.name: recorded "Ada", received "Grace""#, replacing: "Ada", with: "Grace"),
        Row(#"breaking body.id: recorded 42, received "42""#, replacing: "42", with: #""42""#),
        Row(#"breaking body.name: recorded "Ada", received none"#, replacing: #""name":"Ada","#, with: ""),
        Row(#"structure body.49\.0: recorded none, received 1"#, replacing: #"{"id""#, with: #"{"49.0":1,"id""#),
        Row("structure body.new: recorded none, received 1", replacing: #"{"id""#, with: #"{"new":1,"id""#),
        Row("values body.note: recorded null, received 7", replacing: "null", with: "7"),
        Row(#"breaking body.name: recorded "Ada", received null"#, replacing: #""Ada""#, with: "null"),
        Row("volatile body.seen: recorded 1, received 2", replacing: #""seen":1"#, with: #""seen":2"#),
        Row(
            "values body.tags: recorded 1 element, received 2 elements",
            #"values body.tags[0]: recorded "a", received "b""#,
            replacing: #"["a"]"#,
            with: #"["b","c"]"#
        ),
        Row(
            #"breaking body.address: recorded {"city":"London"}, received []"#,
            replacing: #"{"city":"London"}"#,
            with: "[]"
        ),
        Row(
            #"breaking body: recorded "{\"id\":42,\"name\":\"Ada\",\"tags\":[\"a\"],"#
                + #"\"address\":{\"city\":\"London\"},\"seen\":1,\"note\":null}", received "<html>""#
        ) { response in
            response.bytes = Data("<html>".utf8)
        },
        Row("breaking status: recorded 200, received 201") { $0.head?.statusCode = 201 },
        Row("breaking status: recorded 200, received 404") { $0.head?.statusCode = 404 },
        Row(#"volatile headers.Date: recorded "Monday", received "Tuesday""#) {
            $0.head?.headerFields["Date"] = "Tuesday"
        },
        Row(#"values headers.X-New: recorded none, received "1""#) { $0.head?.headerFields["X-New"] = "1" },
        Row("breaking response: recorded 200, received D 7 (lost)") {
            $0 = StubResponse(failure: StubFailure(domain: "D", code: 7, description: "lost"))
        },
    ])
    func `each difference has a severity, a part and both values`(row: Row) {
        #expect(differences(row.change) == row.expected)
    }

    @Test func `a recorded error is compared by its domain and code`() {
        let lost = StubResponse(failure: StubFailure(domain: "D", code: 7, description: "lost"))
        #expect(differences(recorded: lost) { $0 = StubResponse(failure: StubFailure(domain: "D", code: 7)) } == [])
        #expect(
            differences(recorded: lost) { $0 = StubResponse(failure: StubFailure(domain: "D", code: 8)) }
                == ["values error: recorded D 7 (lost), received D 8"]
        )
        #expect(differences(recorded: lost) { _ in } == ["breaking response: recorded D 7 (lost), received 200"])
    }

    @Test func `an error after the head is compared, unless a client has cancelled the recorded response`() {
        var broken = Self.recorded
        broken.failure = StubFailure(domain: "D", code: 7)
        #expect(differences(recorded: broken) { _ in } == ["values error: recorded D 7, received none"])
        #expect(
            differences(recorded: broken) { $0.failure = StubFailure(domain: "D", code: 8) }
                == ["values error: recorded D 7, received D 8"]
        )
        broken.failure = .cancelledByClient
        #expect(differences(recorded: broken) { _ in } == [])
    }

    @Test func `a report lists what differs, and counts what is the same`() {
        let difference = VerificationReport.Difference(
            severity: .structure,
            part: "body.a",
            recorded: nil,
            received: "1"
        )
        let volatile = VerificationReport.Difference(
            severity: .volatile,
            part: "headers.Date",
            recorded: "1",
            received: "2"
        )
        let report = VerificationReport(
            file: "Stubs/a.json",
            stubs: [
                .init(request: "GET http://a/1", differences: [], skipped: nil),
                .init(request: "GET http://a/2", differences: [volatile], skipped: nil),
                .init(request: "GET http://a/3", differences: [volatile, difference], skipped: nil),
                .init(request: "GET http://a/4", differences: [], skipped: "because of a placeholder"),
            ]
        )
        #expect(
            report.description == """
                Stubs/a.json was compared with the server: 3 of 4 stubs were verified, and 2 of 3 are the same.
                GET http://a/3:
                  body.a: recorded none, received 1
                GET http://a/4: not verified, because of a placeholder
                """
        )
        #expect(report.stubs(atLeast: .structure).map(\.request) == ["GET http://a/3"])
        #expect(report.stubs(atLeast: .breaking) == [])
        #expect(report.stubs(atLeast: .volatile).count == 2)
    }
}
