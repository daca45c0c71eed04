import Foundation
import LoopbackServer
import StubbornNetworkTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The walk through OAuth in "Recording": a login that is recorded once, shared, refreshed and verified.
struct LogInOnceArticle {
    /// The code under test: it logs in, and refreshes its token when a request is refused.
    private struct Account {
        let session: URLSession
        let server: URL

        private struct Tokens: Decodable {
            var access_token: String
            var refresh_token: String
        }

        private func ask(_ path: String, _ body: [String: String]? = nil, token: String? = nil) async throws
            -> (body: Data, status: Int)
        {
            var request = URLRequest(url: server.appendingPathComponent(path))
            if let body {
                request.httpMethod = "POST"
                request.httpBody = try JSONEncoder().encode(body)
                request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            }
            if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
            let (data, response) = try await session.data(for: request)
            return (data, (response as? HTTPURLResponse)?.statusCode ?? 0)
        }

        func name(password: String) async throws -> String {
            let login = try await ask("login", ["user": "ada", "password": password]).body
            var tokens = try JSONDecoder().decode(Tokens.self, from: login)
            var answer = try await ask("me", token: tokens.access_token)
            if answer.status == 401 {
                let refreshed = try await ask("refresh", ["refresh_token": tokens.refresh_token]).body
                tokens = try JSONDecoder().decode(Tokens.self, from: refreshed)
                answer = try await ask("me", token: tokens.access_token)
            }
            return String(decoding: answer.body, as: UTF8.self)
        }

        func logIn(password: String) async throws {
            _ = try await ask("login", ["user": "ada", "password": password])
        }
    }

    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("login-\(UUID().uuidString)")
    private let password = "correct horse battery 1"

    /// A server that gives new tokens at each login and each refresh, and accepts only the last ones.
    private func makeServer() throws -> LoopbackServer {
        let tokens = Lock<[String]>([])
        return try LoopbackServer { request in
            let body = String(decoding: request.body, as: UTF8.self)
            let isAccepted =
                switch request.path {
                case "/login": body.contains(password)
                case "/refresh": tokens.withLock { $0.count == 2 && body.contains($0[1]) }
                default: tokens.withLock { $0.first.map { "Bearer \($0)" } == request.header("Authorization") }
                }
            guard isAccepted else { return .json("{}", status: 401) }
            guard ["/login", "/refresh"].contains(request.path) else { return .json(#"{"name":"Ada"}"#) }
            let new = (1...2).map { _ in UUID().uuidString + UUID().uuidString }
            tokens.withLock { $0 = new }
            return .json(#"{"access_token":"\#(new[0])","refresh_token":"\#(new[1])"}"#)
        }
    }

    private func network(_ name: String, sharing shared: [String] = [], _ mode: RecordMode) -> StubbornNetwork {
        let network = StubbornNetwork(
            .persistent(named: name, in: directory.path, sharing: shared),
            environment: .newRun
        )
        network.recordMode = mode
        network.onUnstubbedRequest = { _ in }
        return network
    }

    @Test func `a login is recorded once, shared, refreshed and verified`() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let server = try makeServer()
        let login = network("Login", .recording)
        try await Account(session: login.session, server: server.url("/")).logIn(password: password)
        try login.finishRecording()

        func name(_ mode: RecordMode, password: String) async throws -> (String, StubbornNetwork) {
            let network = network("Name", sharing: ["Login"], mode)
            network.stub(.get("/me"), times: 1, with: .status(401))
            let name = try await Account(session: network.session, server: server.url("/")).name(password: password)
            return (name, network)
        }
        let (recorded, recording) = try await name(.recording, password: password)
        try recording.finishRecording()
        #expect(recorded == #"{"name":"Ada"}"#)
        #expect(recording.recordedStubs.map(\.request.url.path) == ["/refresh", "/me"])

        let verified = try await name(.verifying, password: password).1.verificationReport()
        #expect(verified.description.hasSuffix("with the server: 3 of 3 stubs are the same."), "\(verified)")

        server.stop()
        #expect(try await name(.playback, password: "dummy").0 == #"{"name":"Ada"}"#)
    }
}
