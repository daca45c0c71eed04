import Foundation
import Testing

@testable import StubbornNetwork

struct PlainRequestTests {
    @Test(arguments: [
        "https://api.example.com/items/1", "http://127.0.0.1:8080/v1/user-list/a_b.json", "https://a.test",
        // One digit in each word.
        "https://api2.example.com/version1/articles/page-two2",
    ])
    func `a plain URL without header fields or a body is not searched for secrets`(url: String) throws {
        let request = StubRequest(url: try #require(URL(string: url)))
        #expect(Redaction.standard.plainlyHasNothing(in: request))
        #expect(Redaction.standard.matchingForm(of: request) == request)
    }

    @Test(arguments: [
        "https://api.example.com/items?page=2", "https://user@api.example.com/",
        "https://api.example.com/ghp_0123456789abcdefghij", "https://api.example.com/sk_live_0123456789",
        "https://api.example.com/xoxb-0123456789", "https://api.example.com/glpat-0123456789abcdef",
        "https://api.example.com/REDACTED-token-1", "https://api.example.com/a%20b", "https://api.example.com/#a",
        // What may be a secret behind a name that says so.
        "https://api.example.com/token/a1b2c3d4", "https://api.example.com/reset-token/123456-a",
    ])
    func `a URL that a rule may find something in is searched`(url: String) throws {
        #expect(!Redaction.standard.plainlyHasNothing(in: StubRequest(url: try #require(URL(string: url)))))
    }

    @Test func `header fields, a body, patterns and the environment's secrets are searched`() throws {
        let url = try #require(URL(string: "https://api.example.com/items/1"))
        let plain = StubRequest(url: url)
        #expect(
            !Redaction.standard.plainlyHasNothing(in: StubRequest(url: url, headerFields: ["Accept": "text/plain"]))
        )
        #expect(!Redaction.standard.plainlyHasNothing(in: StubRequest(url: url, body: Data("a".utf8))))
        #expect(!Redaction.standard.including(patterns: ["items"]).plainlyHasNothing(in: plain))
        let knowing = Redaction.standard.knowing(environment: ["GITHUB_TOKEN": "a1b2c3d4e5f6"])
        #expect(!knowing.plainlyHasNothing(in: plain))
    }
}
