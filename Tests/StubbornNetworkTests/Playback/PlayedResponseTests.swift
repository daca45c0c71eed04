import Foundation
import Testing

@testable import StubbornNetwork

struct PlayedResponseTests {
    private let request = StubRequest(url: URL(string: "http://api.test/a")!)
    private let body = Data("hello".utf8)

    private func status(_ response: StubResponse) -> Int? {
        response.played(to: request, body: body)?.response.statusCode
    }

    @Test func `changing the head of a copied response affects only the copy`() {
        let first = StubResponse.text("hello")
        #expect(status(first) == 200)
        var second = first
        second.head?.statusCode = 202
        #expect(status(second) == 202)
        #expect(status(first) == 200)
    }

    @Test func `each URL, body length and HEAD request gets its own response`() throws {
        let stub = StubResponse(head: ResponseHead(statusCode: 200, headers: ["Content-Length": "9"]))
        func length(_ request: StubRequest, _ body: Data?) -> String? {
            stub.played(to: request, body: body)?.response.value(forHTTPHeaderField: "Content-Length")
        }
        #expect(length(request, body) == "5")
        #expect(length(request, nil) == "0")
        #expect(length(StubRequest(method: "HEAD", url: request.url), body) == "9")
        let other = StubRequest(url: try #require(URL(string: "http://api.test/b?c")))
        #expect(stub.played(to: other, body: body)?.response.url == other.url)
        #expect(stub.played(to: request, body: body)?.response.url == request.url)
    }

    @Test func `a HEAD request after a GET of the same stub is told the length that was recorded`() {
        let stub = StubResponse(head: ResponseHead(statusCode: 200, headers: ["Content-Length": "9"]))
        let lengths = ["GET", "HEAD", "GET", "HEAD"].map { method in
            stub.played(to: StubRequest(method: method, url: request.url), body: body)?.response
                .value(forHTTPHeaderField: "Content-Length")
        }
        #expect(lengths == ["5", "9", "5", "9"])
    }

    @Test(arguments: [(200, [:], false), (200, ["set-cookie": "a=1"], true), (302, [:], true), (401, [:], true)])
    func `only cookies, redirects and challenges need the session`(
        statusCode: Int,
        fields: [String: String],
        needsSession: Bool
    ) {
        let stub = StubResponse(head: ResponseHead(statusCode: statusCode, headers: HeaderFields(fields)))
        #expect(stub.played(to: request, body: nil)?.needsSession == needsSession)
    }
}
