import Foundation
import Testing

@testable import StubbornNetwork

struct MatchIndexTests {
    private static func request(_ random: inout Generator) -> StubRequest {
        let pick = { (texts: [String], random: inout Generator) in texts.randomElement(using: &random) ?? "" }
        let host = pick(
            ["https://a.example", "https://A.example:443", "http://a.example", "https://b.example"],
            &random
        )
        let path = pick(["", "/", "/%7Ex", "/~x", "/x/"], &random)
        let query = pick(["", "?", "?a=1&b=2", "?b=2&a=1", "?a=1&ts=1", "?ts=2&a=1", "?a", "?a="], &random)
        let type = pick(
            ["", "application/json", "application/x-www-form-urlencoded", "text/plain", "multipart/x; boundary=b"],
            &random
        )
        let body = pick(
            [
                "", #"{"a":1,"t":1}"#, #"{"t":2,"a":1.0}"#, "a=1&b=2", "b=2&a=1", "1", "1.0", "--b\r\n1\r\n--b--",
                "--b\n1\n--b--",
            ],
            &random
        )
        var fields: HeaderFields = ["Accept": pick(["*/*", "a"], &random), "User-Agent": pick(["a", "b"], &random)]
        if !type.isEmpty { fields["content-type"] = type }
        return .make(pick(["GET", "POST"], &random), host + path + query, fields, body: body.isEmpty ? nil : body)
    }

    @Test(arguments: [
        RequestMatcherOptions.standard, .strict, .lenient, [], [.requestBody], [.query, .headers(named: ["Accept"])],
        [.headers(ignoring: ["accept"]), .path],
        [.url(ignoringQueryItems: ["ts"]), .requestBody(ignoringJSONKeyPaths: ["t"])],
        [.requestBody, .requestBody(ignoringJSONKeyPaths: ["t"])],
        [.path, .custom { $0.httpMethod == $1.httpMethod }], [.custom { $0.url == $1.url }, .requestBody],
    ])
    func `the index finds the same requests as comparing every one`(options: RequestMatcherOptions) {
        var random = Generator(seed: 42)
        let recorded = (0..<60).map { _ in Self.request(&random) }
        let parsed = recorded.map { ParsedRequest($0) }
        let index = MatchIndex(options: options, requests: recorded)
        for _ in 0..<60 {
            let live = Self.request(&random)
            let parsedLive = ParsedRequest(live)
            let expected = parsed.indices.filter { options.hold(live: parsedLive, recorded: parsed[$0]) }
            #expect(index.positions(live) == expected, "\(live)")
            let same = parsed.indices.filter {
                options.differences(recorded: parsed[$0], requested: parsedLive).isEmpty
            }
            #expect(same == expected, "\(live)")
        }
    }

    @Test func `a custom matcher is called only for requests that the other matchers accept`() throws {
        let asked = Lock(0)
        let custom = RequestMatcher.custom { _, _ in
            asked.withLock { $0 += 1 }
            return true
        }
        let requests = try (0..<1_000).map { StubRequest(url: try URL.parsed("http://api.test/\($0 / 2)")) }
        let index = MatchIndex(options: [.httpMethod, .url, custom], requests: requests)
        #expect(index.positions(requests[500]) == [500, 501])
        #expect(asked.withLock { $0 } == 2)
    }

    @Test func `positions come in the order of appending`() {
        var index = MatchIndex(options: .standard)
        #expect(index.positions(.make("GET", "https://a.example")) == [])
        for path in ["/1", "/2", "/1", "/1"] { index.append(.make("GET", "https://a.example\(path)")) }
        #expect(index.count == 4)
        #expect(index.positions(.make("GET", "https://a.example/1")) == [0, 2, 3])
    }

    @Test func `a matcher that ignores a query item finds requests that differ only in it`() {
        let index = MatchIndex(
            options: [.url(ignoringQueryItems: ["ts"])],
            requests: [.make("GET", "https://a.example/?ts=1"), .make("GET", "https://a.example/?ts=2")]
        )
        let live = StubRequest.make("GET", "https://a.example/?ts=2")
        #expect(index.positions(live) == [0, 1])
    }

    @Test func `the nearest requests share host and path, then differ least, then come first`() {
        var requests: [StubRequest] = [
            .make("GET", "https://b.example/users?page=9"), .make("POST", "https://a.example/users?page=1"),
            .make("GET", "https://a.example/users?page=1"), .make("GET", "https://a.example/users?page=3"),
            .make("GET", "https://a.example/posts?page=2"),
        ]
        let live = StubRequest.make("GET", "https://a.example/users?page=2")
        let nearest = MatchIndex(options: .standard, requests: requests).nearest(to: live)
        #expect(nearest?.differences.map(\.description) == [#"url.query.page: recorded "1", requested "2""#])
        var sorted: [String] = []
        while let next = MatchIndex(options: .standard, requests: requests).nearest(to: live) {
            sorted.append(requests.remove(at: next.position).description)
        }
        #expect(
            sorted == [
                "GET https://a.example/users?page=1", "GET https://a.example/users?page=3",
                "POST https://a.example/users?page=1", "GET https://a.example/posts?page=2",
                "GET https://b.example/users?page=9",
            ]
        )
    }

    @Test(arguments: ["a/REDACTED-id-1/c", "a/%3CA%2FB%3E/c", "a/x-%52EDACTED-id-1/c", "REDACTED-a-1/REDACTED-id-1/c"])
    func `a path with a placeholder in a segment is found for any value in its place`(path: String) {
        let index = MatchIndex(
            options: .standard,
            declared: ["<A/B>"],
            requests: [.make("GET", "https://a.example/\(path)"), .make("GET", "https://a.example/a/1/c")]
        )
        #expect(index.positions(.make("GET", "https://a.example/a/x-1/c")) == [0])
        #expect(index.positions(.make("GET", "https://a.example/a/1/d")) == [])
    }

    @Test func `odd requests do not trap`() {
        let texts = [
            "http:///x", "http://[::1]:8080/", "about:blank", "mailto:a@b", "http://a.example/%zz", "x", "file:///",
        ]
        let index = MatchIndex(options: .strict, requests: texts.map { .make("", $0) })
        for (position, text) in texts.enumerated() {
            #expect(index.positions(.make("", text)) == [position])
            #expect(index.nearest(to: .make("", text)) != nil)
        }
    }
}
