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
}
