import Foundation
import StubbornNetworkTesting
import Testing

struct LandingPages {
    @Test func `a declared stub answers`() async throws {
        let network = StubbornNetwork(.ephemeral)
        network.stub(.get("https://api.example.com/users/42"), with: .json(["name": "Ada"]))
        let name = try await UserClient(session: network.session).name(of: 42)

        #expect(name == "Ada")
    }
}

struct LandingTests {
    @Test(.stubbed) func name() async throws {
        let client = UserClient(session: StubbornNetwork.current.session)
        #expect(try await client.name(of: 42) == "Ada")
    }
}
