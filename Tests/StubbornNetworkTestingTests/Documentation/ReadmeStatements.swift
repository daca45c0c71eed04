import Foundation
import StubbornNetwork
import Testing

/// The README's statements, as they are written there, and what they do.
struct ReadmeStatements {
    @Test func `declared stubs answer`() async throws {
        let network = StubbornNetwork(.ephemeral)
        network.stub(.get("https://api.example.com/users/42"), with: .json(["id": 42]))
        network.stub(.host("api.example.com") && .path("/login") && .method("POST"), with: .status(401))
        network.stub(.path("/clock")) { request in .text("12:00") }
        let client = UserClient(session: network.session)

        await #expect(throws: DecodingError.self) { try await client.name(of: 42) }
        let clock = try await client.session.data(from: URL(string: "https://api.example.com/clock")!).0
        #expect(String(decoding: clock, as: UTF8.self) == "12:00")
        var login = URLRequest(url: URL(string: "https://api.example.com/login")!)
        login.httpMethod = "POST"
        #expect((try await client.session.data(for: login).1 as? HTTPURLResponse)?.statusCode == 401)
    }
}
