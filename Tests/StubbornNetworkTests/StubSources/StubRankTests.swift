import Foundation
import Testing

@testable import StubbornNetwork

/// The reasons for which one of several stubs that match a request answers it, in their order.
struct StubRankTests {
    /// Stubs that answer with their numbers, requests, and the numbers of the stubs that answer them.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let recorded: [StubRequest]
        let live: [StubRequest]
        let answers: [String]

        init(_ reason: String, _ recorded: [StubRequest], asked live: [StubRequest], _ answers: String) {
            testDescription = reason
            (self.recorded, self.live) = (recorded, live)
            self.answers = answers.split(separator: " ").map(String.init)
        }
    }

    private static func get(_ fields: HeaderFields = [:], path: String = "/me") -> StubRequest {
        .make("GET", "https://api.example.com\(path)", fields)
    }

    private static func cookie(_ value: String) -> StubRequest { get(["Cookie": value]) }

    static let rows = [
        Row(
            "a placeholder that stands for another value is worse than header fields that differ",
            [
                get(["X-Key": "REDACTED-key-1"], path: "/first"), get(["X-Key": "REDACTED-key-1", "X-Page": "1"]),
                get(["X-Key": "REDACTED-key-2", "X-Page": "2"]),
            ],
            asked: [
                get(["X-Key": "k9Zx4Tq7Wm"], path: "/first"), get(["X-Key": "b3Nf6Hs1Vc", "X-Page": "1"]),
                get(["X-Key": "k9Zx4Tq7Wm", "X-Page": "2"]),
            ],
            "1 3 2"
        ),
        Row(
            "a header field that differs is worse than a placeholder whose value is not known",
            [get(["X-Key": "guest"]), get(["X-Key": "REDACTED-key-1"])],
            asked: [get(["X-Key": "k9Zx4Tq7Wm"]), get(["X-Key": "guest"])],
            "2 1"
        ),
        Row(
            "a placeholder whose value is not known is worse than an equal value, even a word",
            [get(path: "/REDACTED-id-1/x"), get(path: "/new/x")],
            asked: [get(path: "/new/x"), get(path: "/old/x"), get(path: "/new/x")],
            "2 1 2"
        ),
        Row(
            "a cookie that an earlier response gave out is a reason for a stub",
            [get(), cookie("sid=REDACTED-cookie-1"), cookie("sid=REDACTED-cookie-2"), get()],
            asked: [
                cookie("sid=REDACTED-cookie-2"), cookie("sid=REDACTED-cookie-1"), cookie("sid=REDACTED-cookie-2; a=1"),
            ],
            "3 2 3"
        ),
        Row(
            "so is a cookie that the client sent before",
            [cookie("sid=REDACTED-cookie-1"), get(), cookie("sid=REDACTED-cookie-1"), get()],
            asked: [cookie("sid=k9Zx4Tq7Wm"), cookie("sid=k9Zx4Tq7Wm"), get(), get()],
            "1 3 2 4"
        ),
        Row(
            "more known cookies are a better reason",
            [cookie("a=REDACTED-cookie-1"), cookie("a=REDACTED-cookie-1; sid=REDACTED-cookie-2")],
            asked: [cookie("a=REDACTED-cookie-1; sid=REDACTED-cookie-2"), cookie("a=REDACTED-cookie-1")],
            "2 1"
        ),
        Row(
            "a cookie that is not known, or missing, is no reason against a stub",
            [get(), cookie("sid=REDACTED-cookie-1"), cookie("sid=REDACTED-cookie-1; b=REDACTED-cookie-2"), get()],
            asked: [get(), get(), cookie("sid=k9Zx4Tq7Wm"), get()],
            "1 2 3 4"
        ),
        Row(
            "a header field that differs is worse than a known cookie is good",
            [
                get(["X-Page": "1"]), get(["X-Page": "2", "Cookie": "sid=REDACTED-cookie-1"]),
            ],
            asked: [get(["X-Page": "1", "Cookie": "sid=REDACTED-cookie-1"])],
            "1"
        ),
        Row(
            "a value of another form is the last reason against a stub",
            [get(path: "/a?q=gh" + "p_REDACTED0000000000000000000000000001"), get(path: "/a?q=REDACTED-token-2")],
            asked: [get(path: "/a?q=dummy"), get(path: "/a?q=gh" + "p_dummy")],
            "2 1"
        ),
    ]

    @Test(arguments: rows)
    func `of several stubs the one with the best reasons answers`(row: Row) {
        let source = StubSource(file: nil)
        source.recorded.withLock { recorded in
            for (index, request) in row.recorded.enumerated() {
                recorded.append(StubFileEntry(Stub(request: request, response: .text("\(index + 1)")), Data()))
            }
        }
        let rules = PlaybackRules()
        let answers = row.live.map { live in
            (source.take(for: live, by: rules)?.response.bytes).map { String(decoding: $0, as: UTF8.self) } ?? "none"
        }
        #expect(answers == row.answers)
    }
}
