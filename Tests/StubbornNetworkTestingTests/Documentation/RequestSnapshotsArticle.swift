import Foundation
import StubbornNetworkTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Makes an account, and asks for what is new for it.
struct SignUp {
    let session: URLSession

    func run(name: String) async throws {
        var request = URLRequest(url: URL(string: "https://api.example.com/accounts")!)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try JSONEncoder().encode(["name": name])
        _ = try await session.data(for: request)
        _ = try await session.data(from: URL(string: "https://api.example.com/news")!)
    }
}

struct SignUpTests {
    @Test func `signing up asks for an account and then for its news`() async throws {
        let network = StubbornNetwork(.observing)
        try await SignUp(session: network.session).run(name: "Ada")
        assertRequests(of: network)
    }

    @Test func `a declared stub supplies the response that the code needs`() async throws {
        let network = StubbornNetwork(.observing)
        network.stub(.path("/accounts"), with: .json(["id": 42], statusCode: 201))

        try await SignUp(session: network.session).run(name: "Ada")
        network.volatileHeaderFields = network.volatileHeaderFields.including("X-Nonce")
        assertRequests(of: network, inAnyOrder: true, named: "both at once")

        #expect(network.exchanges(matching: .post("/accounts")).count == 1)
        let request = try #require(network.exchanges(matching: .post("/accounts")).first?.request)
        #expect(request.headerFields["Content-Type"] == "application/json")

        let exchange = try await network.waitForExchange(matching: .post("/accounts"), timeout: .seconds(5))
        let account = try exchange.request.decodedBody(as: [String: String].self)
        #expect(account == ["name": "Ada"])
    }
}
