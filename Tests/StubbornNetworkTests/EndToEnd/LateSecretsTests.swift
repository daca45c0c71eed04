import Foundation
import LoopbackServer
import Testing

@_spi(Tools) @testable import StubbornNetwork

/// Secrets that are recognized late: by a later exchange, or by rules that are set later.
@Suite(.timeLimit(.minutes(5)))
struct LateSecretsTests {
    let directory = TemporaryDirectory()
    private let secret = "k9" + "Zx4Tq7Wm2Rb5"

    private func network(_ mode: RecordMode) -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: "late", path: directory.path)!, environment: .newRun)
        network.recordMode = mode
        network.onUnstubbedRequest = { _ in }
        return network
    }

    private func get(_ url: URL, _ fields: [String: String] = [:]) -> URLRequest {
        var request = URLRequest(url: url)
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        return request
    }

    private func isSecretInFile() throws -> Bool {
        SpellingSearch(secret: secret).trail(in: try Data(contentsOf: directory.file("late.json"))) != nil
    }

    private func isSecretOnDisk() throws -> Bool {
        try directory.contents.contains { name in
            let content = try Data(contentsOf: directory.file(name))
            return !name.hasPrefix("errors") && SpellingSearch(secret: secret).trail(in: content) != nil
        }
    }

    private func stubCount() throws -> Int? {
        (try JSONSerialization.jsonObject(with: Data(contentsOf: directory.file("late.json"))) as? [Any])?.count
    }

    @Test func `a secret that a later request reveals is removed from all earlier recordings`() async throws {
        let server = try LoopbackServer { [secret] in .text($0.path == "/hello" ? "hello" : "ticket \(secret)") }
        let network = network(.recording)
        // Nothing in the first ones changes, and they must not keep the others from being looked at.
        for path in ["/hello", "/hello", "/hello", "/hello", "/ticket", "/copy"] {
            _ = try await network.session.data(from: server.url(path))
        }
        #expect(try isSecretOnDisk())
        let account = get(server.url("/account"), ["Authorization": "Bearer \(secret)"])
        _ = try await network.session.data(for: account)
        try network.finishRecording()
        #expect(try !isSecretInFile())
        #expect(try stubCount() == 7)
    }

    @Test func `a stub in which a secret was recognised late is the same stub when it is recorded again`() async throws
    {
        let server = try LoopbackServer { .json(#"{"path":"\#($0.path)","id":"\#(UUID())"}"#) }
        func record() async throws -> String {
            let network = network(.recording)
            var query = get(server.url("/query"))
            query.httpMethod = "POST"
            query.httpBody = Data("ticket \(secret)".utf8)
            _ = try await network.session.data(for: query)
            _ = try await network.session.data(for: get(server.url("/me"), ["Authorization": "Bearer \(secret)"]))
            try network.finishRecording()
            return try directory.text(of: "late.json")
        }
        let first = try await record()
        #expect(try await record() == first)
    }

    @Test(arguments: [RecordMode.recording, .recordingMissing])
    func `a process that is killed leaves no secret that it had learned, in no file`(mode: RecordMode) async throws {
        let server = try LoopbackServer { [secret] request in
            guard request.path == "/exchange/2" else { return .text("ticket \(secret)") }
            return .init(
                headers: [("Content-Type", "application/json")],
                body: .chunked([.waitForSignal("folded"), .send(#"{"access_token":"\#(secret)"}"#)])
            )
        }
        let child = try ChildProcess(
            2,
            atATime: 1,
            of: server.url("/exchange/"),
            environment: ["STUB_NAME": "late", "STUB_RECORD_MODE": mode.rawValue, "STAYS": "1"],
            directory: directory
        )
        // The first recording is on the disk before the second one shows that it holds a secret.
        try await eventually { (try? isSecretOnDisk()) == true }
        server.signal("folded")
        #expect(child.answered(2) == [1, 2])
        child.kill()
        _ = try child.wait()
        for name in directory.contents where !name.hasPrefix("errors") {
            let trail = SpellingSearch(secret: secret).trail(in: try Data(contentsOf: directory.file(name)))
            #expect(trail == nil, "\(name)")
        }
        // The next reader adds what the journal has.
        try network(.playback).loadStubs()
        #expect(try stubCount() == 2)
    }

    @Test func `a secret of a request that a stub answers is removed from what was stored before`() async throws {
        let server = try LoopbackServer { [secret] _ in .text("ticket \(secret)") }
        let network = network(.recording)
        network.stub(.path("/login"), with: .text("in"))
        _ = try await network.session.data(from: server.url("/ticket"))
        #expect(try isSecretOnDisk())
        _ = try await network.session.data(for: get(server.url("/login"), ["X-Api-Key": secret]))
        try await eventually { (try? isSecretOnDisk()) == false }
        try network.finishRecording()
    }

    @Test func `a secret of a request that is passed through is in no stub`() async throws {
        let server = try LoopbackServer { [secret] _ in .text("ticket \(secret)") }
        let network = network(.recording)
        network.passThrough(.path("/login"))
        _ = try await network.session.data(for: get(server.url("/login"), ["X-Api-Key": secret]))
        _ = try await network.session.data(from: server.url("/ticket"))
        try network.finishRecording()
        #expect(try !isSecretInFile())
    }

    @Test(arguments: ["Authorization", "Cookie"])
    func `a secret that only the session adds to a request is in no stub`(field: String) async throws {
        let server = try LoopbackServer { [secret] _ in .text("ticket \(secret)") }
        let configuration = URLSessionConfiguration.ephemeral
        let url = server.url("/ticket")
        if field == "Cookie" {
            let fields = ["Set-Cookie": "sid=\(secret); Path=/"]
            let cookies = HTTPCookie.cookies(withResponseHeaderFields: fields, for: url)
            configuration.httpCookieStorage?.setCookies(cookies, for: url, mainDocumentURL: nil)
        } else {
            configuration.httpAdditionalHeaders = [field: "Bearer \(secret)"]
        }
        let network = network(.recording)
        _ = try await network.makeSession(configuration: configuration).data(from: url)
        #expect(server.requests.first?.header(field)?.hasSuffix(secret) == true)
        try network.finishRecording()
        #expect(try !isSecretInFile())
    }

    @Test func `a secret is removed at once from a file that an end of the recording has written`() async throws {
        let server = try LoopbackServer { [secret] request in
            guard request.path == "/login" else { return .text("ticket \(secret)") }
            return .init(
                headers: [("Content-Type", "application/json")],
                body: .chunked([.waitForSignal("written"), .send(#"{"access_token":"\#(secret)"}"#)])
            )
        }
        let network = network(.recording)
        let session = network.session
        async let login = session.data(from: server.url("/login"))
        #expect(await server.waitForRequests(path: "/login"))
        _ = try await session.data(from: server.url("/ticket"))
        try network.finishRecording()
        #expect(try isSecretInFile())
        server.signal("written")
        _ = try await login
        try await eventually { (try? isSecretOnDisk()) == false }
        try network.finishRecording()
    }

    @Test func `a secret is removed from long recordings even if their requests overlap`() async throws {
        // Long, so that recordings wait in the journal for the end of the run.
        let ticket = "ticket \(secret)" + String(repeating: ".", count: 200_000)
        let server = try LoopbackServer { request in
            guard request.path == "/slow" else { return .text(ticket) }
            return .init(body: .chunked([.waitForSignal("slow"), .send("slow")]))
        }
        let network = network(.recording)
        let session = network.session
        async let slow = session.data(from: server.url("/slow"))
        #expect(await server.waitForRequests(path: "/slow"))
        _ = try await session.data(from: server.url("/ticket"))
        let account = get(server.url("/account"), ["Authorization": "Bearer \(secret)"])
        _ = try await session.data(for: account)
        server.signal("slow")
        _ = try await slow
        try network.finishRecording()
        let file = try JSONSerialization.jsonObject(with: Data(contentsOf: directory.file("late.json")))
        let bodies = try #require(file as? [[String: Any]]).map { stub in
            let data = (stub["data"] as? String).flatMap { Data(base64Encoded: $0) } ?? Data()
            return String(decoding: data, as: UTF8.self).prefix(while: { $0 != "." })
        }
        #expect(bodies == ["slow", "ticket REDACTED-token-1", "ticket REDACTED-token-1"])
    }

    /// A path that holds a secret which a header field told, asked for in both runs.
    private func logInAndAsk(
        _ network: StubbornNetwork,
        _ server: LoopbackServer,
        field: String,
        between: () -> Void = {}
    ) async throws -> String {
        _ = try await network.session.data(for: get(server.url("/login"), [field: secret]))
        between()
        let (data, _) = try await network.session.data(from: server.url("/v2/\(secret)/blocks"))
        return String(decoding: data, as: UTF8.self)
    }

    @Test func `redaction set after the first request still finds that request's secrets`() async throws {
        let server = try LoopbackServer { .text($0.path == "/login" ? "in" : "blocks") }
        let redaction = Redaction.standard.including(headers: ["X-Shop"])
        let recording = network(.recording)
        recording.redaction = redaction
        #expect(try await logInAndAsk(recording, server, field: "X-Shop") == "blocks")
        try recording.finishRecording()
        server.stop()
        #expect(try !isSecretInFile())

        let playback = network(.playback)
        let answer = try await logInAndAsk(playback, server, field: "X-Shop") { playback.redaction = redaction }
        #expect(answer == "blocks")
    }

    @Test func `recordingMissing matches a recorded path by a secret from an earlier request`() async throws {
        let server = try LoopbackServer { .text($0.path == "/login" ? "in" : "blocks") }
        let recording = network(.recording)
        #expect(try await logInAndAsk(recording, server, field: "X-Api-Key") == "blocks")
        try recording.finishRecording()
        let file = try directory.text(of: "late.json")

        let missing = network(.recordingMissing)
        #expect(try await logInAndAsk(missing, server, field: "X-Api-Key") == "blocks")
        try missing.finishRecording()
        #expect(server.requests.count == 2)
        #expect(try directory.text(of: "late.json") == file)
    }

    @Test func `a cookie that is added after the decision is known`() throws {
        let network = network(.recording)
        var sent = URLRequest(url: try #require(URL(string: "http://127.0.0.1:9/ticket")))
        let decided = try #require(StubRequest(sent))
        sent.setValue("sid=\(secret)", forHTTPHeaderField: "Cookie")
        _ = try network.engine.requestForServer(sent, decided: decided)
        #expect(!network.engine.redactor.withLock { $0 }.redact(text: "ticket \(secret)").contains(secret))
    }
}

/// Secrets of requests that no server has seen.
@Suite(.timeLimit(.minutes(5)))
struct PlayedSecretsTests {
    let directory = TemporaryDirectory()
    private let secret = "k9" + "Zx4Tq7Wm2Rb5"

    @Test(arguments: [RecordMode.recording, .recordingMissing])
    func `a secret that was sent to a stub is not stored when a later response echoes it`(mode: RecordMode) async throws
    {
        let server = try LoopbackServer { [secret] _ in .text("ticket \(secret)") }
        let network = StubbornNetwork(.persistent(name: "played", path: directory.path)!, environment: .newRun)
        network.recordMode = mode
        network.stub(.path("/login"), with: .text("in"))
        var login = URLRequest(url: server.url("/login"))
        login.setValue(secret, forHTTPHeaderField: "X-Api-Key")
        _ = try await network.session.data(for: login)
        let echo = try await network.session.data(from: server.url("/echo"))
        #expect(String(decoding: echo.0, as: UTF8.self) == "ticket \(secret)")
        try network.finishRecording()
        let file = try Data(contentsOf: directory.file("played.json"))
        #expect(SpellingSearch(secret: secret).trail(in: file) == nil)
        #expect(network.redactionReport.replacements.map(\.part) == ["response body, x_api_key"])
        #expect(!network.redactionReport.description.contains(secret))
    }
}

/// What is recorded without its secrets is still what it was: JSON, a form with parts.
@Suite(.timeLimit(.minutes(5)))
struct RedactedFormatTests {
    let directory = TemporaryDirectory()

    private func network(_ mode: RecordMode) -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: "format", path: directory.path)!, environment: .newRun)
        network.recordMode = mode
        return network
    }

    /// Values with what JSON has to escape, next to a secret, and what they are without it.
    @Test(arguments: [
        (#"one\npassword=hunter22x\r\n\ttwo"#, "one\npassword=REDACTED-password-1\r\n\ttwo"),
        (
            #"\u0001 https://a.example/?token=hunter22x \u001f"#,
            "\u{1} https://a.example/?token=REDACTED-token-1 \u{1F}"
        ),
        (#"{\"password\":\"hunter22x\"}"#, #"{"password":"REDACTED-password-1"}"#),
        (#"C:\\keys\\ password=hunter22x \\"#, #"C:\keys\ password=REDACTED-password-1 \"#),
        (
            #"<a b=\"1\"><password>hunter22x</password>\b\f"#,
            "<a b=\"1\"><password>REDACTED-password-1</password>\u{8}\u{C}"
        ),
    ])
    func `JSON whose strings hold control characters and quotation marks is still JSON without its secrets`(
        written: String,
        redacted: String
    ) async throws {
        let server = try LoopbackServer { _ in .json(#"{"note":"\#(written)","next":[1,"two"]}"#) }
        let recording = network(.recording)
        _ = try await recording.session.data(from: server.url("/"))
        try recording.finishRecording()
        server.stop()
        let (data, _) = try await network(.playback).session.data(from: server.url("/"))
        let object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(object["note"] as? String == redacted)
        #expect(object["next"] as? [AnyHashable] == [1, "two"])
    }

    @Test func `a redacted part of a multipart body keeps its line breaks`() async throws {
        let server = try LoopbackServer()
        func body(_ password: String) -> String {
            "--XX\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n\(password)\r\n"
                + "--XX\r\nContent-Disposition: form-data; name=\"user\"\r\n\r\nada\r\n--XX--\r\n"
        }
        var request = URLRequest(url: server.url("/hello"))
        request.httpMethod = "POST"
        request.setValue("multipart/form-data; boundary=XX", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(body("hunter22x").utf8)
        let recording = network(.recording)
        _ = try await recording.session.data(for: request)
        try recording.finishRecording()

        let file = try JSONSerialization.jsonObject(with: Data(contentsOf: directory.file("format.json")))
        let stub = try #require((file as? [[String: Any]])?.first?["request"] as? [String: Any])
        let stored = try #require((stub["requestData"] as? String).flatMap { Data(base64Encoded: $0) })
        #expect(String(decoding: stored, as: UTF8.self) == body("REDACTED-password-1"))
    }
}
