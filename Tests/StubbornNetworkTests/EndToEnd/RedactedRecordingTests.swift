import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork

/// What is left of secrets in a stub file, and what a recording without them answers.
@Suite(.timeLimit(.minutes(5)))
struct RedactedRecordingTests {
    let directory = TemporaryDirectory()
    let server: LoopbackServer
    /// The response of the server; the path where there is none.
    private let response = Lock<LoopbackServer.Response?>(nil)

    init() throws {
        server = try LoopbackServer { [response] request in
            response.withLock { $0 } ?? .text("\(request.path) \(request.nextNumber(for: request.path))")
        }
    }

    private func network(_ mode: RecordMode, environment: [String: String] = [:]) -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: "a", path: directory.path)!, environment: environment)
        network.recordMode = mode
        network.bodyEncoding = .readable
        network.onUnstubbedRequest = { _ in }
        return network
    }

    private func post(_ body: Data, to path: String = "/", _ fields: [String: String] = [:]) -> URLRequest {
        var request = URLRequest(url: server.url(path))
        request.httpMethod = "POST"
        request.httpBody = body
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        return request
    }

    private func postJSON(_ body: String, to path: String = "/") -> URLRequest {
        post(Data(body.utf8), to: path, ["Content-Type": "application/json"])
    }

    private func answer(_ request: URLRequest, _ network: StubbornNetwork) async throws -> String {
        String(decoding: try await network.session.data(for: request).0, as: UTF8.self)
    }

    /// Records a request, and returns the text of the stub file.
    private func stored(
        _ request: URLRequest? = nil,
        answered answer: LoopbackServer.Response? = nil,
        environment: [String: String] = [:],
        redaction: Redaction = .standard
    ) async throws -> String {
        response.withLock { $0 = answer }
        let recording = network(.recording, environment: environment)
        recording.redaction = redaction
        _ = try await recording.session.data(for: request ?? URLRequest(url: server.url("/")))
        try recording.finishRecording()
        return try directory.text(of: "a.json")
    }

    // MARK: Nothing is left

    @Test(arguments: ["/token/k9Zx4Tq7Wm2Rb5Yp", "/v1/token/k9Zx4Tq7Wm2Rb5Yp/orders"])
    func `a token in a path is replaced`(path: String) async throws {
        let text = try await stored(URLRequest(url: server.url(path)), answered: .text("in"))
        #expect(!text.contains("k9Zx4Tq7Wm2Rb5Yp"), "\(text)")
    }

    @Test(arguments: ["", "Zoë ", "👩‍👩‍👧 ", "e\u{301} \r\n"])
    func `what a pattern finds is replaced where it is, whatever characters come before it`(
        start: String
    ) async throws {
        let text = try await stored(
            answered: .text("\(start)has ticket 17-424242 for row 9"),
            redaction: .standard.including(patterns: ["ticket ([0-9-]+)"])
        )
        #expect(!text.contains("17-424242"), "\(text)")
        #expect(text.contains("has ticket REDACTED-pattern-1 for row 9"), "\(text)")
    }

    @Test(arguments: [("hbq7xz2", false), ("hbq7xz2k", true), ("hbq7xz2kw", true)])
    func `the value of a variable for a secret is replaced everywhere from 8 characters on`(
        value: String,
        isReplaced: Bool
    ) async throws {
        let text = try await stored(
            answered: .text("Welcome, \(value), to the shop."),
            environment: ["SHOP_API_TOKEN": value]
        )
        #expect(text.contains(value) == !isReplaced, "\(text)")
        #expect(text.contains("Welcome, "))
    }

    @Test(arguments: ["gzip", "GZIP", "br"])
    func `a compressed body of a request is one placeholder, unless its rule is excluded`(coding: String) async throws {
        let gzip = GzipFixtures.users.gzip(flags: 0)
        let fields = ["Content-Type": "application/json", "Content-Encoding": coding]
        let redacted = try await stored(post(gzip, fields))
        #expect(redacted.contains("\"requestText\" : [ \"REDACTED-body-1\" ]"), "\(redacted)")
        let kept = try await stored(post(gzip, fields), redaction: .standard.excluding(.compressedBodies))
        #expect(kept.contains(gzip.base64EncodedString()))
    }

    // MARK: Settings

    @Test(arguments: ["header:X-Seat", "queryItem:seat", "jsonKey:seat", "formField:seat"])
    func `the settings of a stub directory may exclude a name of each kind`(rule: String) async throws {
        try directory.write(#"{ "redaction" : { "excluded" : [ "\#(rule)" ] } }"#, to: ".stubborn.json")
        #expect(try await stored(answered: .text("in")).contains("\"text\""))
    }

    @Test func `a secret of rules that are set later does not get the placeholder of another one in the file`()
        async throws
    {
        _ = try await stored(postJSON(#"{"token":"k9Zx4Tq7Wm2Rb5Yp"}"#), answered: .text("first"))
        let recording = network(.recordingMissing)
        _ = try await recording.session.data(from: server.url("/between"))
        recording.redaction = .standard.including(headers: ["X-Seat"])
        response.withLock { $0 = .text("second") }
        _ = try await recording.session.data(for: postJSON(#"{"token":"b3Nf6Hs1Vc8Jd4Lg"}"#, to: "/other"))
        try recording.finishRecording()
        let text = try directory.text(of: "a.json")
        #expect(text.components(separatedBy: "REDACTED-token-1\"").count == 2, "\(text)")
        #expect(text.components(separatedBy: "REDACTED-token-2\"").count == 2, "\(text)")
    }

    // MARK: Answers

    @Test func `each of twelve users with a code of six digits keeps getting the own account`() async throws {
        let recording = network(.recording)
        let codes = (0..<12).map { "\(482_913 + $0 * 7_919)" }
        for code in codes { _ = try await answer(postJSON(#"{"otp":"\#(code)"}"#, to: "/account"), recording) }
        try recording.finishRecording()
        let text = try directory.text(of: "a.json")
        for code in codes { #expect(!text.contains(code)) }
        let playing = network(.playback)
        let live = (0..<12).map { "\(913_482 - $0 * 7_907)" }
        let expected = (1...12).map { "/account \($0)" }
        for _ in 0..<2 {
            var answers: [String] = []
            for code in live {
                answers.append(try await answer(postJSON(#"{"otp":"\#(code)"}"#, to: "/account"), playing))
            }
            #expect(answers == expected)
        }
        // And whoever comes first: a stored code stands for itself.
        let stored = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
        let bodies = stored.compactMap { ($0["request"] as? [String: Any])?["requestJSON"] as? [String: String] }
        #expect(Set(bodies.compactMap { $0["otp"] }).count == 12)
    }

    @Test func `a user who asks for what only another one was recorded with goes on as the same user`() async throws {
        func get(_ path: String, _ token: String) -> URLRequest {
            var request = URLRequest(url: server.url(path))
            request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
            return request
        }
        let (ada, eve) = ("k9Zx4Tq7Wm2Rb5Yp", "b3Nf6Hs1Vc8Jd4Lg")
        let recording = network(.recording)
        for request in [get("/me", ada), get("/me", eve), get("/news", eve), get("/cart", ada), get("/cart", eve)] {
            _ = try await answer(request, recording)
        }
        try recording.finishRecording()

        let playing = network(.playback)
        let (first, second) = ("q1Wd5Sa3Gt7UxZ2m", "n4Mk8Yb2Xe6Ho0Rv")
        #expect(try await answer(get("/me", first), playing) == "/me 1")
        #expect(try await answer(get("/news", first), playing) == "/news 1")
        #expect(try await answer(get("/cart", first), playing) == "/cart 1")
        #expect(try await answer(get("/me", second), playing) == "/me 2")
        #expect(try await answer(get("/cart", second), playing) == "/cart 2")
        #expect(try await answer(get("/cart", first), playing) == "/cart 1")
    }

    @Test(arguments: ["Wm2Rb5YpZx4Tq7k9", "Wm2Rb5YpZx4Tq7k9Hs1Vc8Jd", "4f2b7e1c9d3a8f60", "kVbNqXwTzRmLpYcD"])
    func `the state of a login comes back, however long it is`(state: String) async throws {
        func login(_ state: String) -> URLRequest {
            URLRequest(url: server.url("/authorize?response_type=code&client_id=app&state=\(state)"))
        }
        let location = #"{"location":"com.example.app:/cb?state=\#(state)"}"#
        let text = try await stored(login(state), answered: .json(location))
        #expect(text.contains("/authorize"))
        let another = String(state.reversed())
        let played = try network(.playback).response(to: login(another)).0
        #expect(String(decoding: played, as: UTF8.self).contains("/cb?state=\(another)"))
    }

    @Test func `a value that a response gives back in a query is percent-encoded there, and nowhere else`() async throws
    {
        let token = "a/b/9f8a7b6c5d4e3f2a"
        let answer = #"{"next":"https://a.example/done?t=a%2Fb%2F9f8a7b6c5d4e3f2a","same":"\#(token)"}"#
        let text = try await stored(postJSON(#"{"token":"\#(token)"}"#), answered: .json(answer))
        #expect(!text.contains("9f8a7b6c5d4e3f2a"))
        let played = try network(.playback).response(to: postJSON(#"{"token":"\#(token)"}"#)).0
        #expect(String(decoding: played, as: UTF8.self) == answer)
    }

    @Test(arguments: ["AK" + "IASUMNLMYTBX2KJQEV", "AK" + "IAWNJYAX4CSVEH53AB"])
    func `a signed address is redacted in Location as in the request that follows it`(keyID: String) throws {
        let credential = "\(keyID)%2F20170212%2Fus-east-1%2Fs3%2Faws4_request"
        let address = "https://s3.example.com/a.whl?X-Amz-Credential=\(credential)&X-Amz-Expires=60"
        let redactor = Redactor(.standard, environment: [:])
        let head = ResponseHead(statusCode: 302, headers: ["Location": address])
        let url = try URL.parsed("https://api.example.com/a.whl")
        let stub = redactor.redact(Stub(request: StubRequest(url: url), response: StubResponse(head: head)))
        let next = redactor.redact(StubRequest(url: try URL.parsed(address)))
        #expect(!next.url.absoluteString.contains(keyID))
        #expect(stub.response.head?.headerFields["Location"] == next.url.absoluteString)
    }
}
