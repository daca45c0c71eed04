import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork

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

    // MARK: Planted secrets

    private static func exchange(_ content: PlantedExchange.Content, _ server: LoopbackServer) -> URLRequest {
        var request = URLRequest(url: server.url(content.path))
        request.httpMethod = content.body == nil ? "GET" : "POST"
        request.httpBody = content.body
        for (name, value) in content.fields where !value.isEmpty { request.setValue(value, forHTTPHeaderField: name) }
        return request
    }

    @Test(arguments: PlantedExchange.all)
    func `a planted secret is in no spelling in the file, in reports or in errors`(planted: PlantedExchange)
        async throws
    {
        let content = planted.content(planted.secret)
        let server = try LoopbackServer { _ in
            .init(headers: content.answerFields.filter { !$0.value.isEmpty }, body: .data(content.answer))
        }
        let recording = network(.recording)
        let request = Self.exchange(content, server)
        _ = try await recording.session.data(for: request)
        try recording.finishRecording()
        server.stop()

        let search = SpellingSearch(secret: planted.secret)
        let file = try Data(contentsOf: directory.file("secrets.json"))
        #expect(search.trail(in: file) == nil, "\(String(decoding: file, as: UTF8.self))")

        let playback = network(.playback)
        let report = Lock<String>("")
        playback.onUnstubbedRequest = { unstubbed in report.withLock { $0 += unstubbed.description } }
        var request2 = Self.exchange(planted.content(planted.another), server)
        if planted.isRecognisedInRequest {
            _ = try await playback.session.data(for: request2)
            #expect(report.withLock { $0 } == "", "another secret of the same kind is answered")
        }
        request2 = request
        request2.httpMethod = "PATCH"
        let error = await #expect(throws: (any Error).self) { try await playback.session.data(for: request2) }
        if planted.isRecognisedInRequest {
            #expect(search.trail(in: report.withLock { $0 }) == nil)
            #expect(search.trail(in: (error as? StubbornNetworkError)?.message ?? "") == nil)
        }
    }

    @Test func `there are at least sixty planted exchanges`() {
        #expect(PlantedExchange.all.count >= 60)
        #expect(Set(PlantedExchange.all.map(\.testDescription)).count >= 60)
    }
}
