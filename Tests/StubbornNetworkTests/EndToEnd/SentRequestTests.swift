import Foundation
import LoopbackServer
import StubbornNetwork
import Testing

/// What a server receives of a request: the same through a network that records as from a bare session.
@Suite(.timeLimit(.minutes(5)))
struct SentRequestTests {
    let run = LiveAndPlayed()

    /// The requests that a run has sent, each as text: the request line, the header fields sorted, the body.
    private func requests(_ server: LoopbackServer, of run: () async throws -> Seen) async throws -> [String] {
        let count = server.requests.count
        _ = try await run()
        return server.requests.dropFirst(count).map { request in
            let fields = request.headers.map { "\($0.name): \($0.value)" }.sorted()
            let line = "\(request.method) \(request.target) \(request.version)"
            return ([line] + fields + ["", Seen.summary(of: request.body)]).joined(separator: "\n")
        }
    }

    /// Sends a request through a bare session, and through networks that record and that do not, and compares.
    private func compare(_ row: ClientCase, modes: [RecordMode] = [.recording], at server: LoopbackServer) async throws
    {
        let bare = try await requests(server) { try await run.bare(row, at: server) }
        for mode in modes {
            let stubbed = try await requests(server) { try await run.see(row, of: run.network(mode), at: server) }
            #expect(stubbed == bare, "\(row.testDescription), \(mode.rawValue)")
        }
    }

    private static func row(_ style: ClientStyle, _ method: String, _ body: String?, type: String?) -> ClientCase {
        let fields = type.map { ["Content-Type": $0] } ?? [:]
        var row = ClientCase(
            "\(method) of \(body?.utf8.count ?? 0) bytes, \(type ?? "no type")",
            style,
            path: "/echo",
            method: method,
            body: body,
            headers: fields
        )
        if style == .uploadStream { row.behaviour = ClientDelegate.Behaviour(bodyStream: Data((body ?? "").utf8)) }
        return row
    }

    @Test(arguments: ClientStyle.allCases)
    func `every method is sent with every body`(style: ClientStyle) async throws {
        let server = try LoopbackServer()
        let bodies: [String?] = ClientStyle.uploads.contains(style) ? ["", "a=1"] : [nil, "", "a=1"]
        for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] {
            for body in bodies {
                for type in [nil, "application/json"] {
                    let modes: [RecordMode] = type == nil ? [.recording, .live] : [.recording]
                    try await compare(Self.row(style, method, body, type: type), modes: modes, at: server)
                }
            }
        }
    }

    @Test(arguments: ClientStyle.allCases)
    func `a long body is sent whole`(style: ClientStyle) async throws {
        let body = String(repeating: "0123456789", count: 40_000)
        try await compare(Self.row(style, "POST", body, type: nil), at: try LoopbackServer())
    }

    @Test(arguments: ["POST", "PUT"], ClientStyle.dataTasks)
    func `the body stream of a data task is sent`(method: String, style: ClientStyle) async throws {
        let server = try LoopbackServer()
        for text in ["", "streamed"] {
            var row = ClientCase("stream", style, path: "/echo")
            row.request = { server in
                var request = URLRequest(url: server.url("/echo"))
                request.httpMethod = method
                request.httpBodyStream = InputStream(data: Data(text.utf8))
                return request
            }
            try await compare(row, at: server)
        }
    }

    @Test func `an upload sends its own body instead of its request's`() async throws {
        var row = ClientCase("stale", .uploadData, path: "/echo", body: "a=1")
        row.request = { server in
            var request = URLRequest(url: server.url("/echo"))
            request.httpMethod = "POST"
            request.httpBody = Data("something else".utf8)
            return request
        }
        try await compare(row, at: try LoopbackServer())
    }

    static let fields: [[String: String]] = [
        ["Range": "bytes=2-5"],
        ["Expect": "100-continue"],
        ["Accept": "application/json", "Accept-Language": "de", "Accept-Encoding": "identity"],
        ["User-Agent": "app/1.0", "Connection": "close"],
        ["If-None-Match": "\"v1\"", "Cache-Control": "no-cache"],
        ["x-request-id": "1", "X-UPPER": "2", "sec-ch-ua": "3"],
        ["X-Empty": "", "Cookie": "own=1"],
        ["Authorization": "Basic YTpi", "Content-Length": "3"],
    ]

    @Test(arguments: fields, [ClientStyle.async, .uploadData, .delegate])
    func `the header fields of the request are sent`(fields: [String: String], style: ClientStyle) async throws {
        let server = try LoopbackServer()
        try await compare(
            ClientCase("fields", style, path: "/echo?a=b%20c&d", method: "POST", body: "a=1", headers: fields),
            at: server
        )
        var row = ClientCase("fields", style == .uploadData ? .completion : style, path: "/bytes/10?é#top")
        // Assigned together, they keep the spelling of their names.
        row.request = { server in
            var request = URLRequest(url: server.url("/bytes/10"), cachePolicy: .reloadRevalidatingCacheData)
            request.allHTTPHeaderFields = fields.filter { $0.key != "Content-Length" }
            return request
        }
        try await compare(row, at: server)
    }

    @Test func `the header fields and cookies of the session are sent`() async throws {
        let server = try LoopbackServer()
        for style in [ClientStyle.async, .delegate, .uploadData] {
            var row = ClientCase(
                "session",
                style,
                path: "/echo",
                method: "POST",
                body: "a=1",
                headers: ["X-Both": "request"]
            )
            row.configure = { configuration in
                configuration.httpAdditionalHeaders = [
                    "X-Session": "1", "x-small": "2", "X-Both": "session", "user-agent": "app", "X-Empty": "",
                ]
                let cookie = HTTPCookie(properties: [.name: "a", .value: "b", .domain: "127.0.0.1", .path: "/"])
                if let cookie { configuration.httpCookieStorage?.setCookie(cookie) }
            }
            try await compare(row, modes: [.recording, .live], at: server)
            row.path("/redirect-to?url=/echo&status=302")
            try await compare(row, at: server)
        }
    }

    @Test(arguments: [301, 302, 303, 307, 308], ["GET", "PUT"])
    func `each hop of a redirect is sent`(status: Int, method: String) async throws {
        let path = "/redirect-to?url=/echo&status=\(status)"
        try await compare(
            ClientCase("redirect", path: path, method: method, headers: ["X-Own": "1"]),
            at: try LoopbackServer()
        )
    }
}

#if canImport(FoundationNetworking)
    extension SentRequestTests {
        /// What a server receives: the lines of the last request that contain one of some words.
        private func lines(_ words: [String], _ row: ClientCase, bare: Bool, at server: LoopbackServer) async throws
            -> [String]
        {
            let sent = try await requests(server) {
                bare
                    ? try await run.bare(row, at: server)
                    : try await run.see(row, of: run.network(.recording), at: server)
            }
            let all = sent.last?.components(separatedBy: "\n") ?? []
            return all.filter { line in words.contains { line.contains($0) } }
        }

        /// Compares the lines that a server receives with those that the article "Limits" promises.
        private func expect(
            _ words: [String],
            _ row: ClientCase,
            bare: [String],
            stubbed: [String],
            at server: LoopbackServer? = nil
        ) async throws {
            let server = try server ?? LoopbackServer()
            #expect(try await lines(words, row, bare: true, at: server) == bare)
            #expect(try await lines(words, row, bare: false, at: server) == stubbed)
        }

        @Test(arguments: [307, 308])
        func `a repeated request is sent with its body`(status: Int) async throws {
            try await expect(
                ["POST", "bytes"],
                ClientCase("body", path: "/redirect-to?url=/echo&status=\(status)", method: "POST", body: "a=1"),
                bare: ["POST /echo HTTP/1.1", Seen.summary(of: Data())],
                stubbed: ["POST /echo HTTP/1.1", Seen.summary(of: Data("a=1".utf8))]
            )
        }

        @Test(arguments: [301, 302, 303])
        func `a GET behind a redirect has no fields of a body`(status: Int) async throws {
            let row = ClientCase(
                "fields",
                path: "/redirect-to?url=/echo&status=\(status)",
                method: "POST",
                body: "{}",
                headers: ["Content-Type": "application/json"]
            )
            try await expect(["Content-"], row, bare: ["Content-Type: application/json"], stubbed: [])
        }

        @Test func `credentials are not sent to another origin`() async throws {
            let other = try LoopbackServer()
            let server = try LoopbackServer { _ in .init(status: 302, headers: [("Location", "\(other.url("/echo"))")])
            }
            var row = ClientCase("credentials", path: "/", headers: ["Authorization": "Bearer a", "X-Own": "1"])
            row.request = { [request = row.request] _ in request(server) }
            try await expect(
                ["Authorization", "X-Own"],
                row,
                bare: ["Authorization: Bearer a", "X-Own: 1"],
                stubbed: ["X-Own: 1"],
                at: other
            )
        }

        @Test func `cookies that a redirect sets are sent to its target`() async throws {
            let server = try LoopbackServer { request in
                guard request.path == "/first" else { return .text("end") }
                return .init(status: 302, headers: [("Location", "/second"), ("Set-Cookie", "a=b; Path=/")])
            }
            try await expect(
                ["Cookie"],
                ClientCase("cookies", .delegate, path: "/first"),
                bare: [],
                stubbed: ["Cookie: a=b"],
                at: server
            )
        }

        @Test func `a cookie in a field in lower case is sent with the next request`() async throws {
            let server = try LoopbackServer { _ in .init(status: 200, headers: [("set-cookie", "a=b; Path=/")]) }
            func cookies(_ session: URLSession) async throws -> [String?] {
                for _ in 0..<2 { _ = try await session.data(from: server.url("/")) }
                return server.requests.suffix(2).map { $0.header("Cookie") }
            }
            let network = StubbornNetwork(.ephemeral, environment: [:])
            network.recordMode = .recording
            #expect(try await cookies(URLSession(configuration: .ephemeral)) == [nil, nil])
            #expect(try await cookies(network.makeSession(configuration: .ephemeral)) == [nil, "a=b"])
        }

        @Test func `the content type of the session is sent alone`() async throws {
            var row = ClientCase("type", path: "/echo", method: "POST", body: "{}")
            row.configure = { $0.httpAdditionalHeaders = ["Content-Type": "application/json"] }
            try await expect(
                ["Content-Type"],
                row,
                bare: ["Content-Type: application/json", "Content-Type: application/x-www-form-urlencoded"],
                stubbed: ["Content-Type: application/json"]
            )
        }
    }
#endif

extension ClientCase {
    /// Sends the request to another path.
    fileprivate mutating func path(_ path: String) {
        request = { [request] server in
            var request = request(server)
            request.url = server.url(path)
            return request
        }
    }
}
