import Foundation
import Testing

@testable import StubbornNetwork

/// The names and values that a standard compares without regard to case, each written in both cases.
struct LetterCaseTests {
    struct Pair: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let matcher: RequestMatcher
        let lower: StubRequest
        let upper: StubRequest

        init(_ name: String, _ matcher: RequestMatcher, _ lower: StubRequest, _ upper: StubRequest) {
            (testDescription, self.matcher, self.lower, self.upper) = (name, matcher, lower, upper)
        }
    }

    private static func typed(_ name: String, _ type: String, _ body: String) -> StubRequest {
        .make("POST", "https://a.example/", [name: type], body: body)
    }

    private static let form = "application/x-www-form-urlencoded"

    static let pairs: [Pair] = [
        Pair("scheme", .url, .get("https://a.example/"), .get("HTTPS://a.example/")),
        Pair("host", .url, .get("https://a.example/"), .get("https://A.EXAMPLE/")),
        Pair("host by itself", .host, .get("https://a.example/"), .get("https://A.EXAMPLE/")),
        Pair("port of a scheme", .url, .get("http://a.example/"), .get("HTTP://a.example:80/")),
        Pair("escapes of a path", .path, .get("https://a.example/%c3%af"), .get("https://a.example/%C3%AF")),
        Pair("escapes of a query", .query, .get("https://a.example/?%e2=%2f"), .get("https://a.example/?%E2=%2F")),
        Pair(
            "escapes of an ignored query item",
            .url(ignoringQueryItems: ["é"]),
            .get("https://a.example/?%c3%a9=1"),
            .get("https://a.example/?%C3%A9=2")
        ),
        Pair(
            "header field",
            .headers,
            .make("GET", "https://a.example/", ["x-a": "1"]),
            .make("GET", "https://a.example/", ["X-A": "1"])
        ),
        Pair(
            "header field of a list",
            .headers(named: ["X-a"]),
            .make("GET", "https://a.example/", ["x-a": "1"]),
            .make("GET", "https://a.example/", ["X-A": "1"])
        ),
        Pair(
            "ignored header field",
            .headers(ignoring: ["X-a"]),
            .make("GET", "https://a.example/", ["x-a": "1"]),
            .make("GET", "https://a.example/", ["X-A": "2"])
        ),
        Pair(
            "name of Content-Type",
            .requestBody,
            typed("content-type", "application/json", "[1]"),
            typed("CONTENT-TYPE", "application/json", "[ 1 ]")
        ),
        Pair(
            "JSON",
            .requestBody,
            typed("Content-Type", "application/json", "1"),
            typed("Content-Type", "APPLICATION/JSON", "1.0")
        ),
        Pair(
            "JSON as text",
            .requestBody,
            typed("Content-Type", "text/json", "1"),
            typed("Content-Type", "TEXT/JSON", "1.0")
        ),
        Pair(
            "a suffix of JSON",
            .requestBody,
            typed("Content-Type", "application/problem+json", "1"),
            typed("Content-Type", "Application/Problem+JSON; Charset=UTF-8", "1.0")
        ),
        Pair(
            "a form",
            .requestBody,
            typed("Content-Type", form, "a=1&b=%c3"),
            typed("Content-Type", form.uppercased(), "b=%C3&a=1")
        ),
        Pair(
            "multipart",
            .requestBody,
            typed("Content-Type", "multipart/mixed; boundary=b", "--b\r\n\r\nx\r\n--b--"),
            typed("Content-Type", "MULTIPART/MIXED; BOUNDARY=c", "--c\r\n\r\nx\r\n--c--")
        ),
        Pair(
            "the type of a multipart body without its boundary",
            .headers,
            typed("Content-Type", "multipart/mixed; boundary=b", ""),
            typed("Content-Type", "MULTIPART/MIXED; BOUNDARY=c", "")
        ),
    ]

    @Test(arguments: pairs)
    func `what a standard compares without regard to case is equal in both cases`(pair: Pair) {
        let options = RequestMatcherOptions([pair.matcher])
        let (lower, upper) = (ParsedRequest(pair.lower), ParsedRequest(pair.upper))
        #expect(options.hold(live: lower, recorded: upper))
        #expect(options.hold(live: upper, recorded: lower))
        #expect(MatchIndex(options: options, requests: [pair.lower]).positions(pair.upper) == [0])
    }

    static let differing: [Pair] = [
        Pair("method", .httpMethod, .make("get", "https://a.example/"), .make("GET", "https://a.example/")),
        Pair("path", .path, .get("https://a.example/a"), .get("https://a.example/A")),
        Pair("name of a query item", .query, .get("https://a.example/?a"), .get("https://a.example/?A")),
        Pair("value of a query item", .query, .get("https://a.example/?a=b"), .get("https://a.example/?a=B")),
        Pair(
            "ignored query item",
            .url(ignoringQueryItems: ["a"]),
            .get("https://a.example/?a=1"),
            .get("https://a.example/?A=1")
        ),
        Pair("key of JSON", .requestBody, .json(#"{"a":1}"#), .json(#"{"A":1}"#)),
        Pair("ignored key of JSON", .requestBody(ignoringJSONKeyPaths: ["a"]), .json(#"{"a":1}"#), .json(#"{"A":1}"#)),
        Pair("field of a form", .requestBody, typed("Content-Type", form, "a=1"), typed("Content-Type", form, "A=1")),
        Pair(
            "value of a header field",
            .headers,
            .make("GET", "https://a.example/", ["X-A": "a"]),
            .make("GET", "https://a.example/", ["X-A": "A"])
        ),
    ]

    @Test(arguments: differing)
    func `what a standard compares letter by letter differs in the other case`(pair: Pair) {
        let options = RequestMatcherOptions([pair.matcher])
        #expect(!options.hold(live: ParsedRequest(pair.lower), recorded: ParsedRequest(pair.upper)))
        #expect(MatchIndex(options: options, requests: [pair.lower]).positions(pair.upper) == [])
    }

    private static let live = StubRequest.make("POST", "https://api.example.com/a%2f?q=%c3%a9", ["x-mode": "b"])

    @Test(arguments: [
        RequestPattern.scheme("HTTPS"), .host("API.Example.COM"), .header("X-MODE"), .header("X-Mode", equals: "b"),
        .method("post"),
        .url("HTTPS://API.EXAMPLE.COM:443/a%2F?q=%C3%A9"), .post("Https://Api.Example.Com/a%2F?q=%C3%A9"),
        .url(ignoringQuery: "HTTPS://API.EXAMPLE.COM/a%2F"), .url(prefix: "HTTPS://API.EXAMPLE.COM/a"), .path("/a%2F"),
        .path(prefix: "/a%2F"), .path(suffix: "%2F"), .query("q", equals: "é"),
    ])
    func `a pattern ignores case where a standard does`(pattern: RequestPattern) {
        #expect(pattern.match(Self.live) != nil, "\(pattern)")
        #expect((!pattern).match(Self.live) == nil, "\(pattern)")
    }

    @Test(arguments: [
        RequestPattern.path("/A%2F"), .path(prefix: "/A"), .query("Q"), .header("X-Mode", equals: "B"), .post("/A%2F"),
        .url("https://api.example.com/A%2F?q=%C3%A9"), .url(prefix: "https://api.example.com/A"),
    ])
    func `a pattern does not ignore case elsewhere`(pattern: RequestPattern) {
        #expect(pattern.match(Self.live) == nil, "\(pattern)")
    }

    /// The header fields that the platform sets, as the documentation of `RequestMatcher.headers` lists them.
    private static let platformNames = [
        "Accept-Encoding", "Accept-Language", "Connection", "Content-Length", "Cookie", "Host", "Keep-Alive",
        "Priority",
        "Proxy-Authorization", "Proxy-Connection", "TE", "Transfer-Encoding", "Upgrade", "User-Agent",
    ]

    @Test func `the names that the platform sets are the documented ones`() {
        #expect(HeaderComparison.namesSetByPlatform == Set(Self.platformNames.map { $0.lowercased() }))
    }

    @Test(arguments: platformNames)
    func `a header field that the platform sets is compared only if it is named`(name: String) {
        for spelling in [name, name.lowercased(), name.uppercased()] {
            let (with, without) = (
                StubRequest.make("GET", "https://a.example/", [spelling: "1"]), StubRequest.get("https://a.example/")
            )
            #expect(RequestMatcherOptions.strict.differences(recorded: without, requested: with).isEmpty, "\(spelling)")
            let named: RequestMatcherOptions = [.headers(named: [name])]
            #expect(named.differences(recorded: without, requested: with).count == 1, "\(spelling)")
        }
    }

    /// The patterns of one method each, by the method.
    private static let methods: [String: @Sendable (String) -> RequestPattern] = [
        "GET": RequestPattern.get, "POST": RequestPattern.post, "PUT": RequestPattern.put,
        "PATCH": RequestPattern.patch,
        "DELETE": RequestPattern.delete, "HEAD": RequestPattern.head, "OPTIONS": RequestPattern.options,
    ]

    @Test func `each named method has a pattern, which holds for this method in any case, and for no other`() {
        #expect(Set(Self.methods.keys) == RequestPattern.namedMethods)
        for (method, pattern) in Self.methods {
            for other in ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "QUERY", "get", "Post", "patch"] {
                let isMatch = pattern("/a").match(.make(other, "https://a.example/a")) != nil
                #expect(isMatch == (other.uppercased() == method), "\(method), \(other)")
            }
            #expect(pattern("/a").description == "\(method) /a")
        }
    }
}
