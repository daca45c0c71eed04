import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork

/// Live requests that contain the placeholder of a secret, which a recorded stub has given to the client.
@Suite(.timeLimit(.minutes(5)))
struct PlaceholderRequestTests {
    private static let placeholder = "REDACTED-access_token-1"

    private let directory = TemporaryDirectory()
    /// The token that the server gives; `nil` for none.
    private let token = Lock<String?>("k3Jx9vQz7Lm2Np4R")
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer { [token] request in
            let token = token.withLock { $0 }
            guard request.path == "/login" else { return .text("welcome, \(token ?? "")") }
            return token.map { .json(#"{"access_token":"\#($0)"}"#) } ?? .text("locked", status: 423)
        }
    }

    private func network(_ mode: RecordMode) -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: "login", path: directory.path)!, environment: .newRun)
        network.recordMode = mode
        network.onUnstubbedRequest = { _ in }
        network.setTest(filter: "LoginTests.order")
        return network
    }

    private func logIn(_ network: StubbornNetwork) async throws -> String {
        let (data, _) = try await network.session.data(from: server.url("/login"))
        return try JSONDecoder().decode([String: String].self, from: data)["access_token"] ?? ""
    }

    private func recordLogin() async throws {
        let network = network(.recording)
        #expect(try await logIn(network) == "k3Jx9vQz7Lm2Np4R")
        try network.finishRecording()
    }

    @Test func `a by-product cookie is left out where a request has credentials of its own`() async throws {
        let network = network(.recording)
        var request = URLRequest(url: server.url("/orders"))
        request.setValue("Bearer k3Jx9vQz7Lm2Np4R", forHTTPHeaderField: "Authorization")
        request.setValue("a=b; __cf_bm=REDACTED-cf_bm-1", forHTTPHeaderField: "Cookie")
        _ = try await network.session.data(for: request)
        #expect(server.requests.map { $0.header("Cookie") } == ["a=b"])
    }

    @Test func `a request with a recorded token is not sent, and the error names the stub and the command`()
        async throws
    {
        try await recordLogin()
        token.withLock { $0 = nil }
        let missing = network(.recordingMissing)
        var request = URLRequest(url: server.url("/orders?page=1"))
        request.setValue("Bearer \(try await logIn(missing))", forHTTPHeaderField: "Authorization")
        let error = await expectStubbornNetworkError { try await missing.session.data(for: request) }
        #expect(error?.code == .placeholderInRequest)
        #expect(
            error?.message == """
                GET \(server.url("/orders")) was not sent to the real server: its header Authorization contains \
                \(Self.placeholder), which takes the place of a secret in a recording. It is from stub 1, \
                GET \(server.url("/login")) (\(directory.path)/login.json:2).
                To record the test again:  STUB_RECORD_MODE=recording swift test --filter LoginTests.order
                """
        )
        #expect(server.requests.map(\.path) == ["/login"])
        #expect(missing.recordedStubs.isEmpty)
        // Also where the client hides its errors.
        let atEnd = #expect(throws: StubbornNetworkError.self) { try missing.finishRecording() }
        #expect(atEnd?.code == .placeholderInRequest)
    }

    struct Carrier: CustomTestStringConvertible, Sendable {
        let part: String
        var testDescription: String
        var url = "/orders"
        var fields: [String: String] = [:]
        var body: Data?

        static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }
    }

    static let carriers = [
        Carrier(part: "URL", testDescription: "query", url: "/orders?access_token=\(placeholder)"),
        Carrier(part: "URL", testDescription: "path", url: "/orders/\(placeholder)/lines"),
        Carrier(
            part: "header Authorization",
            testDescription: "Basic",
            fields: ["Authorization": "Basic \(Carrier.base64("ada:\(placeholder)"))"]
        ),
        Carrier(
            part: "header Authorization",
            testDescription: "Basic, of a longer name",
            fields: ["Authorization": "Basic \(Carrier.base64("adam:\(placeholder)"))"]
        ),
        Carrier(
            part: "header X-Session",
            testDescription: "a field of the app's own",
            fields: ["X-Session": "a \(placeholder) b"]
        ),
        Carrier(part: "header Cookie", testDescription: "cookie", fields: ["Cookie": "a=b; s=\(placeholder)"]),
        Carrier(part: "body", testDescription: "form", body: Data("a=1&token=\(placeholder)".utf8)),
        Carrier(part: "body", testDescription: "JSON", body: Data(#"{"a":{"token":"\#(placeholder)"}}"#.utf8)),
        Carrier(
            part: "body",
            testDescription: "base64 in JSON",
            body: Data(#"{"a":"\#(Carrier.base64("xy\(placeholder)"))"}"#.utf8)
        ),
        Carrier(
            part: "body",
            testDescription: "a UUID's placeholder",
            body: Data(#"{"device":"5EC2E700-0000-4000-8000-000000000001"}"#.utf8)
        ),
    ]

    @Test(arguments: carriers, [RecordMode.recording, .recordingMissing, .recordingOnce, .live])
    func `a placeholder is found wherever it is, in every mode that sends`(
        carrier: Carrier,
        mode: RecordMode
    ) async throws {
        let network = network(mode)
        var request = URLRequest(url: server.url(carrier.url))
        request.allHTTPHeaderFields = carrier.fields
        request.httpMethod = carrier.body == nil ? "GET" : "POST"
        request.httpBody = carrier.body
        let error = await expectStubbornNetworkError { try await network.session.data(for: request) }
        #expect(error?.code == .placeholderInRequest)
        #expect(
            error?.message.contains("was not sent to the real server: its \(carrier.part) contains ") == true,
            "\(error?.message ?? "")"
        )
        let kept = "No stub of this network contains it: the code under test has kept it from an earlier run."
        #expect(error?.message.contains(kept) == true)
        #expect(server.connectionCount == 0)
    }

    @Test func `a header field of the session is searched too`() async throws {
        let network = network(.recording)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["X-Session": Self.placeholder]
        let session = network.makeSession(configuration: configuration)
        let error = await expectStubbornNetworkError {
            try await session.data(from: server.url("/orders"))
        }
        #expect(error?.code == .placeholderInRequest)
        #expect(server.connectionCount == 0)
    }

    @Test func `a request that is passed through is searched too`() async throws {
        let network = network(.playback)
        network.passThrough(.any)
        let error = await expectStubbornNetworkError {
            try await network.session.data(from: server.url("/orders?t=\(Self.placeholder)"))
        }
        #expect(error?.code == .placeholderInRequest)
        #expect(server.connectionCount == 0)
    }

    @Test(arguments: ["REDACTED", "REDACTED-", "REDACTED-Token-1", "redacted-token-1", "999999", "UkVEQUNURUQ="])
    func `what only looks like a placeholder is sent`(text: String) async throws {
        let network = network(.recording)
        let (data, _) = try await network.session.data(from: server.url("/orders?t=\(text)"))
        #expect(String(decoding: data, as: UTF8.self).hasPrefix("welcome"))
    }
}
