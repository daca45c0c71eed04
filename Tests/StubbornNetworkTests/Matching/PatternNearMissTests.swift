import Foundation
import Testing

@testable import StubbornNetwork

/// Which condition of a pattern fails, and on what.
struct PatternNearMissTests {
    private static let request = StubRequest.make(
        "POST",
        "https://api.test:8443/v1/users/42?page=2&q=a%20b",
        ["Content-Type": "application/json", "X-Client": "web"],
        body: #"{"type":"logout","n":1}"#
    )

    private func miss(_ pattern: RequestPattern, _ request: StubRequest = request) -> PatternNearMiss {
        let miss = pattern.node.nearMiss(PatternSubject(ParsedRequest(request), options: .standard))
        // What has nothing to say against a request holds for it, and the other way round.
        #expect(miss.failing.isEmpty == (pattern.match(request) != nil))
        return miss
    }

    @Test(arguments: [
        (RequestPattern.method("get"), #"method GET: requested "POST""#),
        (
            .url("https://api.test/v1"),
            #"URL https://api.test/v1: requested "https://api.test:8443/v1/users/42?page=2&q=a%20b""#
        ),
        (
            .url(prefix: "https://b.test/"),
            #"URL beginning with "https://b.test/": requested "https://api.test:8443/v1/users/42?page=2&q=a%20b""#
        ),
        (
            .url(matching: "^http:"),
            #"URL matching "^http:": requested "https://api.test:8443/v1/users/42?page=2&q=a%20b""#
        ),
        (.scheme("http"), #"scheme http: requested "https""#),
        (.host("b.test"), #"host b.test: requested "api.test""#),
        (.path("/v1/users"), #"path /v1/users: requested "/v1/users/42""#),
        (.path("/v1/:a"), #"path /v1/:a: requested "/v1/users/42""#),
        (.path(prefix: "/v2"), #"path beginning with "/v2": requested "/v1/users/42""#),
        (.path(suffix: "/43"), #"path ending with "/43": requested "/v1/users/42""#),
        (.path(matching: "[a-z]$"), #"path matching "[a-z]$": requested "/v1/users/42""#),
        (.query("sort"), "query item sort: requested none"),
        (.query("page", equals: "1"), #"query page=1: requested "page=2""#),
        (.query("page", equals: "1"), #"query page=1: requested "page=2""#),
        (.query("sort", equals: "asc"), "query sort=asc: requested none"),
        (.header("Accept"), "header Accept: requested none"),
        (.header("x-client", equals: "app"), #"header x-client: app: requested "web""#),
        (.requestBody(Data([1])), #"body of 1 byte: requested "{\"type\":\"logout\",\"n\":1}""#),
        (.requestBody(text: "a"), #"body "a": requested "{\"type\":\"logout\",\"n\":1}""#),
        (.requestBody(json: ["type": "login"]), #"body with JSON {"type":"login"}: requested {"n":1,"type":"logout"}"#),
        (.requestBody(form: ["a": "1"]), "body with form fields a=1: requested none"),
        (.custom("weekdays") { _ in false }, "weekdays: does not hold"),
        (!.any, "not any request: does not hold"),
        (.url("no URL"), #"URL "no URL" (not an absolute URL): does not hold"#),
    ])
    func `a failed condition shows what it expects and what was requested`(pattern: RequestPattern, line: String) {
        #expect(miss(pattern).failing.map(\.description) == [line])
    }

    @Test func `a report lists only the conditions that failed`() {
        let pattern =
            RequestPattern.host("api.test") && .path("/v1/users/:id") && .method("PUT") && !.header("X-Client")
        #expect(miss(pattern).holding == 2)
        #expect(
            miss(pattern).failing.map(\.description) == [
                #"method PUT: requested "POST""#, "not header X-Client: does not hold",
            ]
        )
        #expect(miss(pattern || .any).failing.isEmpty)
        #expect(
            miss(.host("b.test") || (.host("api.test") && .scheme("http"))).failing.map(\.description) == [
                #"scheme http: requested "https""#
            ]
        )
        #expect(!miss(.host("b.test")).isNear)
        #expect(miss(pattern).isNear)
    }

    @Test func `a URL's differences are listed part by part`() {
        #expect(
            miss(.get("http://b.test/v1/users/42?page=2")).failing.map(\.description) == [
                #"method: declared "GET", requested "POST""#, #"url.scheme: declared "http", requested "https""#,
                #"url.host: declared "b.test", requested "api.test""#, #"url.port: declared none, requested "8443""#,
                #"url.query: declared "page=2", requested "page=2&q=a%20b""#,
            ]
        )
        #expect(
            miss(.post("/v1/users/:id?page=3")).failing.map(\.description) == [
                #"url.query: declared "page=3", requested "page=2&q=a%20b""#
            ]
        )
        #expect(
            miss(.post("/v1/posts")).failing.map(\.description) == [
                #"url.path: declared "/v1/posts", requested "/v1/users/42""#
            ]
        )
    }

    @Test func `a difference between two redacted secrets is still reported`() {
        let declared = StubRequest.make("GET", "https://api.test/a", ["Authorization": "Bearer one-secret-token"])
        let live = StubRequest.make("GET", "https://api.test/a", ["Authorization": "Bearer another-secret"])
        let redactor = Redactor(.standard)
        let subject = PatternSubject(ParsedRequest(live), options: .strict, redact: redactor.shownForm(of:))
        #expect(
            RequestPattern.request(declared).node.nearMiss(subject).failing.map(\.description)
                == ["headers.Authorization: differs in a redacted part"]
        )
    }
}
