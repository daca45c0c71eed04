import Foundation
import Testing

@_spi(Tools) @testable import StubbornNetwork

/// However much there is to say: 4096 bytes, whole characters, and the fixes at the end.
struct ReportBoundsTests {
    private static let family = "👨‍👩‍👧‍👦"

    @Test(arguments: [
        (StubRequest.get("https://a.test/\(String(repeating: "p", count: 100_000))"), "a long path"),
        (.get("https://a.test/x?\((0..<5_000).map { "k\($0)=v" }.joined(separator: "&"))"), "many query items"),
        (
            .json(
                "{\((0..<300).map { "\"k\($0)\":\"\(String(repeating: "é", count: 300))\"" }.joined(separator: ","))}"
            ), "JSON"
        ),
        (
            .make("GET", "https://a.test/x", HeaderFields((0..<500).map { .init(name: "X-\($0)", value: family) })),
            "fields"
        ),
        (
            .json("{\"\(String(repeating: family, count: 500))\":\"\(String(repeating: family, count: 500))\"}"),
            "characters"
        ),
        (.make("POST", "https://a.test/x", body: String(repeating: "a\u{301}", count: 10_000)), "a text"),
    ])
    func `a report stays within its size limits for any request`(request: StubRequest, name: String) throws {
        let scene = try ReportScene(.json("{}"), .get("https://a.test/x")) { network in
            network.requestMatcherOptions = .strict
            network.stub(
                .post("/never") && .requestBody(text: String(repeating: Self.family, count: 1_000)),
                with: .status(1)
            )
            network.stub(
                .host("a.test") && .requestBody(json: ["a": String(repeating: "b", count: 9_000)]),
                with: .status(1)
            )
        }
        let report = try scene.full(on: request)
        let text = report.description
        #expect(text.utf8.count <= 4_096)
        #expect(!text.unicodeScalars.contains("\u{FFFD}"))
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.first?.hasPrefix("No stub answers ") == true)
        #expect(lines.first?.hasSuffix("The network was not touched.") == true)
        #expect(Array(lines.suffix(report.fixes.count)) == report.fixes.map { "\($0.purpose):  \($0.code)" })
        #expect(
            report.fixes.map(\.purpose).filter { $0 != "To ignore it" } == [
                "To record the test again, because a request has changed", "To declare it",
            ]
        )
        #expect(report.nearest?.differences.count ?? 0 <= 64)
        #expect(report.jsonString.utf8.count < 100_000)
    }

    @Test func `a report counts the lines that it leaves out`() throws {
        let name = String(repeating: "k", count: 40)
        let long = (0..<64).map { "\"\(name)\($0)\":\"\(String(repeating: "v", count: 200))\"" }.joined(separator: ",")
        let scene = try ReportScene(.json("{}"))
        let text = try scene.report(on: .json("{\(long)}"))
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.contains { $0.hasPrefix("  and ") && $0.hasSuffix(" more lines") })
        #expect(lines.last == #"To declare it:  network.stub(.post("https://a.example/"), with: .status(200))"#)
    }

    @Test(arguments: [
        ("abc", 3, "\"abc\""), ("abcd", 3, "\"…\""), ("abcdef", 5, "\"ab…\""), ("a\"b\"c", 6, "\"a\\\"…\""),
        ("a\"b\"c", 7, "\"a\\\"b\\\"c\""), (family + family, 28, "\"\(family)…\""), (family, 4, "\"…\""),
        ("e\u{301}e\u{301}", 6, "\"e\u{301}e\u{301}\""), ("e\u{301}e\u{301}e", 6, "\"e\u{301}…\""),
        ("\u{1}", 6, "\"\\u{1}\""),
        ("", 0, "\"\""),
    ])
    func `neither a character nor an escape is cut in two`(text: String, count: Int, quoted: String) {
        #expect(text.quoted(upTo: count) == quoted)
    }

    @Test(arguments: [
        ("abc", 3, "abc"), ("abcdef", 5, "ab…"), (family + "a", 25, "…"), ("e\u{301}xyzw", 6, "e\u{301}…"),
    ])
    func `texts are cut between characters`(text: String, count: Int, cut: String) {
        #expect(text.cut(to: count) == cut)
    }
}
