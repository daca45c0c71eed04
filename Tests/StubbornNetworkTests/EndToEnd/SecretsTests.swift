import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork

/// Secrets stay out of stub files, and the code under test still gets its way.
@Suite(.timeLimit(.minutes(5)))
struct SecretsTests {
    let directory = TemporaryDirectory()

    private func network(_ mode: RecordMode) -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: "secrets", path: directory.path)!, environment: .newRun)
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

    /// Logs in, asks with token and cookie, has the token refreshed, and asks again.
    private func logInAndRefresh(_ server: LoopbackServer, _ session: URLSession, password: String) async throws
        -> [String]
    {
        func send(_ path: String, _ body: String? = nil, token: String? = nil) async throws -> Data {
            var request = URLRequest(url: server.url(path))
            request.httpMethod = body == nil ? "GET" : "POST"
            request.httpBody = body.map { Data($0.utf8) }
            request.setValue(token.map { "Bearer \($0)" }, forHTTPHeaderField: "Authorization")
            return try await session.data(for: request).0
        }
        func tokens(_ data: Data) throws -> [String: String] {
            try #require(JSONSerialization.jsonObject(with: data) as? [String: String])
        }
        let login = try tokens(try await send("/login", "user=ada&password=\(password)"))
        let first = try await send("/account", token: login["access_token"])
        let refresh = try #require(login["refresh_token"])
        let fresh = try tokens(try await send("/refresh", "grant_type=refresh_token&refresh_token=\(refresh)"))
        let second = try await send("/account?page=2", token: fresh["access_token"])
        return [first, second].map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `a login with a cookie and a refreshed token is recorded without secrets, and works on playback`()
        async throws
    {
        let tokens = ["planted-token-11111a", "planted-token-22222b", "planted-fresh-33333c", "planted-cookie-4444d"]
        let server = try LoopbackServer { request in
            switch request.path {
            case "/login":
                let json = #"{"access_token":"\#(tokens[0])","refresh_token":"\#(tokens[2])"}"#
                return .init(
                    headers: [("Content-Type", "application/json"), ("Set-Cookie", "sid=\(tokens[3]); Path=/")],
                    body: .data(Data(json.utf8))
                )
            case "/refresh":
                let isKnown = String(decoding: request.body, as: UTF8.self).hasSuffix(tokens[2])
                return isKnown ? .json(#"{"access_token":"\#(tokens[1])"}"#) : .text("no", status: 401)
            default:
                let isFirst = request.header("Authorization") == "Bearer \(tokens[0])"
                let isSecond = request.header("Authorization") == "Bearer \(tokens[1])"
                let hasCookie = request.header("Cookie")?.contains(tokens[3]) == true
                return .text(hasCookie && isFirst ? "first" : hasCookie && isSecond ? "second" : "nobody's")
            }
        }
        let recording = network(.recording)
        let recorded = try await logInAndRefresh(server, recording.session, password: "planted-password-5")
        #expect(recorded == ["first", "second"])
        try recording.finishRecording()
        server.stop()

        let file = try Data(contentsOf: directory.file("secrets.json"))
        for secret in tokens + ["planted-password-5"] { #expect(SpellingSearch(secret: secret).trail(in: file) == nil) }
        let played = try await logInAndRefresh(server, network(.playback).session, password: "another-password-7")
        #expect(played == ["first", "second"])
    }

    @Test func `requests that overlap are numbered as they start, whichever is answered first`() async throws {
        let server = try LoopbackServer { request in
            .init(headers: [("Date", "now")], body: .chunked([.waitForSignal(request.path), .send("x")]))
        }
        func record(_ name: String, answering order: [String], count: Int) async throws -> String {
            let network = StubbornNetwork(.persistent(name: name, path: directory.path)!, environment: .newRun)
            network.recordMode = .recording
            let session = network.session
            async let first = session.data(from: server.url("/1?token=planted-first-11a"))
            #expect(await server.waitForRequests(path: "/1", count: count))
            async let second = session.data(from: server.url("/2?token=planted-second-22b"))
            #expect(await server.waitForRequests(path: "/2", count: count))
            server.signal(order[0])
            if order[0] == "/1" { _ = try await first } else { _ = try await second }
            server.signal(order[1])
            _ = try await (first, second)
            try network.finishRecording()
            return try directory.text(of: "\(name).json")
        }
        let inOrder = try await record("a", answering: ["/1", "/2"], count: 1)
        #expect(try await record("b", answering: ["/2", "/1"], count: 2) == inOrder)
        #expect(inOrder.contains("/1?token=REDACTED-token-1"))
    }

    @Test(arguments: [RecordMode.recording, .recordingMissing])
    func `new secrets get new placeholders after the redaction was changed between requests`(mode: RecordMode)
        async throws
    {
        let server = try LoopbackServer()
        func ask(_ path: String, _ token: String, _ network: StubbornNetwork) async throws {
            var request = URLRequest(url: server.url(path))
            request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
            _ = try await network.session.data(for: request)
        }
        let first = network(.recording)
        try await ask("/bytes/1", "k9Zx4Tq7Wm", first)
        try first.finishRecording()
        let second = network(mode)
        try await ask("/bytes/2", "b3Nf6Hs1Vc", second)
        second.redaction = .standard.including(jsonKeys: ["shoeSize"])
        try await ask("/bytes/3", "p5Rd8Ky2Lj", second)
        try second.finishRecording()
        let file = try JSONSerialization.jsonObject(with: Data(contentsOf: directory.file("secrets.json")))
        let tokens = try #require(file as? [[String: Any]]).map { stub in
            ((stub["request"] as? [String: Any])?["headerFields"] as? [String])?.first { $0.contains("REDACTED") }
        }
        // A run that records everything replaces the first one.
        #expect(Set(tokens).count == (mode == .recording ? 2 : 3))
    }

    @Test func `a refused recording stores nothing, and its error holds no secret`() async throws {
        let server = try LoopbackServer { _ in .text("see <password>planted-pass-11a</password>") }
        let network = network(.recording)
        network.redaction = .standard.including(patterns: ["(unclosed"])
        let error = await expectStubbornNetworkError {
            try await network.session.data(from: server.url("/?token=planted-token-16180"))
        }
        #expect(error?.code == .secretInRecording)
        #expect(error?.message.contains("planted") == false)
        let file = (try? Data(contentsOf: directory.file("secrets.json"))) ?? Data()
        #expect(SpellingSearch(secret: "planted-").trail(in: file) == nil)
    }

    @Test func `the report on an unstubbed request holds no secret`() async throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.onUnstubbedRequest = { _ in }
        let url = URL(string: "http://api.test/a?access_token=planted-token-16180")!
        let error = await expectStubbornNetworkError { try await network.session.data(from: url) }
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
            #expect(search.trail(in: error.flatMap(StubbornNetworkError.init)?.message ?? "") == nil)
        }
    }

    @Test func `there are at least sixty planted exchanges`() {
        #expect(PlantedExchange.all.count >= 60)
        #expect(Set(PlantedExchange.all.map(\.testDescription)).count >= 60)
    }
}
