import Foundation
import LoopbackServer
import StubbornNetwork
import Testing

/// Secrets stay out of stub files, and the code under test still gets its way.
@Suite(.timeLimit(.minutes(5)))
struct SecretsTests {
    let directory = TemporaryDirectory()

    private func network(_ mode: RecordMode) -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: "secrets", path: directory.path)!, environment: [:])
        network.recordMode = mode
        network.onUnstubbedRequest = { _ in }
        return network
    }

    /// Logs in, and asks for the account with the token that comes back.
    private func logInAndAsk(_ server: LoopbackServer, _ session: URLSession) async throws -> (String, String) {
        var login = URLRequest(url: server.url("/login?api_key=planted-api-key-31415"))
        login.httpMethod = "POST"
        login.httpBody = Data(#"{"user":"ada","password":"planted-password-27182"}"#.utf8)
        login.setValue("application/json", forHTTPHeaderField: "Content-Type")
        let (answer, _) = try await session.data(for: login)
        let token = try #require((JSONSerialization.jsonObject(with: answer) as? [String: String])?["access_token"])
        var account = URLRequest(url: server.url("/account"))
        account.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        return (token, String(decoding: try await session.data(for: account).0, as: UTF8.self))
    }

    @Test func `a login is recorded without its secrets, and played back`() async throws {
        let server = try LoopbackServer { request in
            guard request.path == "/login" else {
                let isKnown = request.header("Authorization") == "Bearer planted-token-16180"
                return .text(isKnown ? "Ada's account" : "nobody's")
            }
            return .json(#"{"access_token":"planted-token-16180","user":"ada"}"#)
        }
        let recording = network(.recording)
        #expect(try await logInAndAsk(server, recording.session) == ("planted-token-16180", "Ada's account"))
        try recording.finishRecording()
        server.stop()

        let file = try Data(contentsOf: directory.file("secrets.json"))
        let document = String(decoding: file, as: UTF8.self)
        for secret in ["planted-token-16180", "planted-api-key-31415", "planted-password-27182"] {
            #expect(!document.contains(secret))
            #expect(!document.contains(Data(secret.utf8).base64EncodedString().prefix(12)))
        }
        let (token, account) = try await logInAndAsk(server, network(.playback).session)
        #expect(token == "REDACTED-access_token-1")
        #expect(account == "Ada's account")
    }

    @Test func `the report on an unstubbed request holds no secret`() async throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.onUnstubbedRequest = { _ in }
        let url = URL(string: "http://api.test/a?access_token=planted-token-16180")!
        let error = await #expect(throws: StubbornNetworkError.self) { try await network.session.data(from: url) }
        #expect(error?.message.contains("planted") == false)
        #expect(error?.message.contains("REDACTED") == true)
    }
}
