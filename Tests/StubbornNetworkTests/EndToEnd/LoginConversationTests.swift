import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork

/// Conversations in which one request is asked before, between and after logins.
@Suite(.timeLimit(.minutes(5)))
struct LoginConversationTests {
    /// The part of a request that identifies the user.
    enum Credential: String, CaseIterable, Sendable {
        case storedCookie, cookie, bearer, header, query, form, json
    }

    /// The ways in which a client asks.
    enum Client: String, CaseIterable, Sendable { case session, other }

    /// Steps of users: `ada?` reads, `ada+` logs in, `ada-` logs out.
    static let conversations = [
        "ada? ada+ ada?",
        "ada? ada? ada+ ada? ada? ada- ada? ada+ ada? ada?",
        "ada+ ada? ada- ada? ada+ ada?",
        "ada? bob? ada+ bob? ada? bob+ ada? bob? ada- ada? bob? bob- bob?",
        "ada+ bob+ bob? ada? ada- bob? ada? ada+ ada? bob?",
    ]

    private let directory = TemporaryDirectory()

    /// Returns a server that counts the reads of each user.
    private static func server() throws -> LoopbackServer {
        let users = Lock<[String: String]>([:])
        return try LoopbackServer { request in
            let body = String(decoding: request.body, as: UTF8.self)
            let sent = request.headers.map(\.value).joined(separator: " ") + request.target + body
            let token = users.withLock { users in users.keys.first { sent.contains($0) } }
            switch request.path {
            case "/login":
                let token = UUID().uuidString.replacingOccurrences(of: "-", with: "").lowercased()
                users.withLock { $0[token] = body }
                var response = LoopbackServer.Response.json(#"{"access_token":"\#(token)"}"#)
                response.headers.append(("Set-Cookie", "sid=\(token); Path=/; HttpOnly"))
                return response
            case "/logout":
                users.withLock { if let token { $0[token] = nil } }
                return .text("bye", headers: [("Set-Cookie", "sid=; Max-Age=0; Path=/")])
            default:
                guard let token, let user = users.withLock({ $0[token] }) else { return .text("who?", status: 401) }
                return .text("\(user) \(request.nextNumber(for: user))")
            }
        }
    }

    /// A user's client, with a session of its own.
    private final class User: Sendable {
        let name: String
        let ask: @Sendable (StubRequest) async throws -> StubResponse
        let credential: Credential
        let token = Lock<String?>(nil)

        init(
            _ name: String,
            _ credential: Credential,
            _ ask: @escaping @Sendable (StubRequest) async throws -> StubResponse
        ) {
            (self.name, self.credential, self.ask) = (name, credential, ask)
        }

        func step(_ step: Character, of server: LoopbackServer) async throws -> String {
            switch step {
            case "+":
                var login = StubRequest(method: "POST", url: server.url("/login"))
                login.body = Data("user=\(name)".utf8)
                let body = try await ask(login).body ?? Data()
                let tokens = try JSONDecoder().decode([String: String].self, from: body)
                token.withLock { $0 = tokens["access_token"] }
                return "in"
            case "-":
                _ = try await ask(request("POST", server.url("/logout")))
                token.withLock { $0 = nil }
                return "out"
            default:
                let path = credential == .form || credential == .json ? "POST" : "GET"
                let response = try await ask(request(path, server.url("/me")))
                return "\(response.head?.statusCode ?? 0) \(String(decoding: response.body ?? Data(), as: UTF8.self))"
            }
        }

        private func request(_ method: String, _ url: URL) -> StubRequest {
            var request = StubRequest(method: method, url: url)
            let token = token.withLock { $0 }
            switch credential {
            case .storedCookie: break
            case .cookie: request.headerFields["Cookie"] = token.map { "theme=dark; sid=\($0)" }
            case .bearer: request.headerFields["Authorization"] = token.map { "Bearer \($0)" }
            case .header: request.headerFields["X-Session-Token"] = token
            case .query: request.url = token.flatMap { URL(string: "\(url)?access_token=\($0)") } ?? url
            case .form:
                request.headerFields["Content-Type"] = "application/x-www-form-urlencoded"
                request.body = Data("fields=all&access_token=\(token ?? "")".utf8)
            case .json:
                request.headerFields["Content-Type"] = "application/json"
                let text = token.map { "\"\($0)\"" } ?? "null"
                request.body = Data(#"{"fields":["all"],"access_token":\#(text)}"#.utf8)
            }
            return request
        }
    }

    private func network(_ mode: RecordMode) -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: "logins", path: directory.path)!, environment: .newRun)
        network.recordMode = mode
        network.onUnstubbedRequest = { Issue.record("\($0)") }
        return network
    }

    /// Holds a conversation.
    ///
    /// - Returns: what each user receives, in order.
    private func hold(
        _ conversation: String,
        _ credential: Credential,
        _ client: Client,
        on network: StubbornNetwork,
        _ server: LoopbackServer
    ) async throws -> [String] {
        var users: [Substring: User] = [:]
        var received: [String] = []
        for step in conversation.split(separator: " ") {
            let name = step.dropLast()
            let user = users[name] ?? User(String(name), credential, ask(client, credential, on: network))
            users[name] = user
            received.append("\(name): \(try await user.step(step.last ?? "?", of: server))")
        }
        return received
    }

    private func ask(
        _ client: Client,
        _ credential: Credential,
        on network: StubbornNetwork
    ) -> @Sendable (StubRequest) async throws -> StubResponse {
        let configuration = URLSessionConfiguration.ephemeral
        if credential != .storedCookie { configuration.httpCookieStorage = nil }
        let session =
            client == .session
            ? network.makeSession(configuration: configuration) : URLSession(configuration: configuration)
        let send: @Sendable (StubRequest) async throws -> StubResponse = { request in
            let (data, response) = try await session.data(for: request.urlRequest)
            return StubResponse(head: ResponseHead(response), body: data)
        }
        if client == .session { return send }
        return { request in try await network.response(to: request, from: send) }
    }

    @Test(arguments: conversations, Credential.allCases)
    func `each read gets the response that was recorded at its place`(
        conversation: String,
        credential: Credential
    ) async throws {
        for client in Client.allCases {
            let server = try Self.server()
            let recording = network(.recording)
            let received = try await hold(conversation, credential, client, on: recording, server)
            try recording.finishRecording()
            server.stop()
            let played = try await hold(conversation, credential, client, on: network(.playback), server)
            #expect(played == received, "\(client)")
        }
    }

    @Test(arguments: Credential.allCases)
    func `users who ask in another order get their own responses`(credential: Credential) async throws {
        for client in Client.allCases where credential != .storedCookie || client == .session {
            let server = try Self.server()
            let recording = network(.recording)
            let talk = "ada+ bob+ ada? bob? ada? bob? ada? bob?"
            let received = try await hold(talk, credential, client, on: recording, server)
            try recording.finishRecording()
            server.stop()
            let swapped = "bob+ ada+ bob? bob? ada? bob? ada? ada?"
            let played = try await hold(swapped, credential, client, on: network(.playback), server)
            for name in ["ada", "bob"] {
                let (own, other) = (played.filter { $0.hasPrefix(name) }, received.filter { $0.hasPrefix(name) })
                #expect(own == other, "\(client)")
            }
        }
    }
}
