// A login is recorded from a real server. Neither the password nor the token reaches the file, and what was recorded still
// logs in: also with another password.

import BooksKit
import ExampleServer
import StubbornNetworkTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SecretsTests {
    private let directory = TemporaryDirectory()

    private func makeNetwork(_ mode: RecordMode) throws -> StubbornNetwork {
        let file = try #require(
            StubbornNetworkConfiguration.persistent(name: "SecretsTests_loans", path: directory.path)
        )
        let network = StubbornNetwork(file, environment: [:])
        network.recordMode = mode
        network.bodyEncoding = .readable
        return network
    }

    @Test func `a recorded login holds no secret and still logs in`() async throws {
        let server = try await ExampleServer.run { server in
            let network = try makeNetwork(.recording)
            let client = BooksClient(session: network.session, server: server.url)
            #expect(try await client.loans(user: "ada", password: "Kx9-donkey-4711") == ["The Stubborn Donkey"])
            try network.finishRecording()
            return server
        }

        let file = try directory.text(of: "SecretsTests_loans.json")
        #expect(!file.contains("donkey-4711"))
        #expect(!file.contains(Routes.token))
        #expect(file.contains(#""accessToken" : "REDACTED-"#))

        let network = try makeNetwork(.playback)
        let client = BooksClient(session: network.session, server: server.url)
        #expect(try await client.loans(user: "ada", password: "another one") == ["The Stubborn Donkey"])
        #expect(network.unusedStubs.isEmpty)
    }
}
