import Foundation
import StubbornNetworkTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct SharedSessionArticle {
    @Test func `the shared session is intercepted in a scope`() async throws {
        let network = StubbornNetwork(.ephemeral)
        network.stub(.get("https://api.example.com/users/42"), with: .json(["name": "Ada"]))

        let name = try await network.interceptingSharedSession {
            try await UserClient(session: .shared).name(of: 42)
        }

        #expect(name == "Ada")
    }

    @Test func `a session with a custom configuration is answered too`() async throws {
        let network = StubbornNetwork(.ephemeral)
        network.stub(.any, with: .json(["name": "Ada"]))
        let configuration = URLSessionConfiguration.default
        network.insertStubbedSessionURLProtocol(into: configuration)
        let session = URLSession(configuration: configuration)

        #expect(try await UserClient(session: session).name(of: 42) == "Ada")
    }

    /// Only compiled: both would change what the tests that run next to this one see.
    private func withoutScope(_ network: StubbornNetwork) {
        let interception = network.interceptSharedSession()
        defer { interception.end() }

        StubbornNetwork.failOnUnstubbedRequests()
    }
}
