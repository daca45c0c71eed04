import Foundation
import Testing

@testable import StubbornNetwork

struct StubDescriptionTests {
    @Test(
        arguments: [
            (.status(204), "204"), (.text("a"), "200, 1 byte"), (.json(["id": 42]), "200, 9 bytes"),
            (.offline, "NSURLErrorDomain -1009"),
            (.text("hello world").dropped(afterByteCount: 5), "200, 5 bytes, NSURLErrorDomain -1005"),
        ] as [(StubResponse, String)]
    )
    func `a printed stub shows its request and its response`(response: StubResponse, text: String) {
        let stub = Stub(request: .get("https://api.test/users/42"), response: response)
        #expect("\(stub)" == "GET https://api.test/users/42: \(text)")
    }

    @Test func `a printed GraphQL batch shows its first four operations`() {
        let operations = "ABCDE".map { #"{"query":"query \#($0) { a }"}"# }
        let body = Data("[\(operations.joined(separator: ","))]".utf8)
        let request = StubRequest(method: "POST", url: URL(string: "https://api.test/graphql")!, body: body)
        #expect("\(request)" == "POST https://api.test/graphql A, B, C, D")
    }

    @Test func `printing a stub does not read its body from the disk`() {
        var response = StubResponse.status(200)
        response.content = .deferred(maximumByteCount: 3_000) {
            Issue.record("The body was read")
            return Data()
        }
        #expect("\(response)" == "200, at most 3000 bytes")
    }

    @Test func `reading an unreadable body throws an error`() {
        struct Unreadable: Error {}
        var response = StubResponse.status(200)
        response.content = .deferred(maximumByteCount: 10) { throw Unreadable() }
        #expect(throws: Unreadable.self) { try response.body }
        #expect(response != .status(200))
        #expect(response == response)
        var changed = response
        changed.changeBody { _ in Data("other".utf8) }
        #expect(throws: Unreadable.self) { try changed.body }
        #expect(throws: Unreadable.self) { try response.dropped(afterByteCount: 1).body }
    }
}
