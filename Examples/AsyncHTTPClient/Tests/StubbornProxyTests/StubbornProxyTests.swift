import AsyncHTTPClient
import Foundation
import LoopbackServer
import NIOCore
import NIOPosix
import NIOSSL
import StubbornNetwork
import Testing

@testable import StubbornProxy

/// Code that takes `HTTPClient` itself, recorded and played back through a proxy in the process.
@Suite(.timeLimit(.minutes(5)))
struct StubbornProxyTests {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("proxy-\(UUID())").path

    private func network(_ mode: RecordMode) throws -> StubbornNetwork { try .ofProxy(mode, in: directory) }

    /// Runs a test with a client of the proxy of a network.
    @discardableResult private func withClient<Value>(
        _ network: StubbornNetwork,
        trusting certificates: [NIOSSLCertificate] = [],
        _ body: (HTTPClient, StubbornProxy) async throws -> Value
    ) async throws -> Value {
        let proxy = try await StubbornProxy(for: network, trusting: certificates)
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow).sending(through: proxy)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let result: Result<Value, any Error>
        do { result = .success(try await body(client, proxy)) } catch { result = .failure(error) }
        try await client.shutdown()
        await proxy.stop()
        return try result.get()
    }

    /// Records and plays, and returns what each run gave.
    ///
    /// The server is gone when it plays.
    private func recordedAndPlayed<Value: Sendable>(
        _ body: @Sendable (HTTPClient, _ url: @escaping @Sendable (String) -> String) async throws -> Value
    ) async throws -> [Value] {
        let server = try LoopbackServer()
        let secure = try await SecureServer(for: server)
        let recording = try network(.recording)
        let live = try await withClient(recording, trusting: [secure.certificate]) { client, _ in
            try await body(client) { secure.url($0) }
        }
        try recording.finishRecording()
        try await secure.stop()
        server.stop()
        let played = try await withClient(try network(.playback)) { client, _ in
            try await body(client) { secure.url($0) }
        }
        return [live, played]
    }

    /// Returns the status, the fields that matter, and the body of a response.
    private func text(
        _ client: HTTPClient,
        _ url: String,
        method: String = "GET",
        fields: [String: String] = [:],
        body: String? = nil
    ) async throws -> String {
        var request = HTTPClientRequest(url: url)
        request.method = .init(rawValue: method)
        for (name, value) in fields { request.headers.add(name: name, value: value) }
        request.body = body.map { .bytes(ByteBuffer(string: $0)) }
        let response = try await client.execute(request, timeout: .seconds(30))
        let names = ["Content-Type", "Content-Encoding", "Location", "Set-Cookie", "X-Stubborn"]
        let shown = response.headers.filter { names.contains($0.name) }.map { "\($0.name): \($0.value)" }.sorted()
        let text = String(buffer: try await response.body.collect(upTo: 1 << 20))
        return "\(response.status.code) \(shown) \(text)"
    }

    // MARK: Recording and playing

    @Test(arguments: ["/hello", "/json", "/gzip", "/status/404", "/status/204", "/redirect-to?url=/hello&status=302"])
    func `an HTTPS response is played as it was recorded`(path: String) async throws {
        let texts = try await recordedAndPlayed { client, url in
            try await text(client, url(path), fields: ["Accept-Encoding": "gzip"])
        }
        #expect(texts[0] == texts[1])
        #expect(texts[0].contains(" [") && !texts[0].contains("Content-Encoding"))
    }

    @Test func `the answer to a HEAD has no body, and the connection goes on`() async throws {
        let texts = try await recordedAndPlayed { client, url in
            [try await text(client, url("/hello"), method: "HEAD"), try await text(client, url("/hello"))]
        }
        #expect(texts[0] == texts[1])
        #expect(texts[0][1].hasSuffix("hello"))
    }

    @Test(arguments: [0, 100, 199])
    func `a status that is not final is a 502, and the proxy goes on`(status: Int) async throws {
        let network = try network(.playback)
        network.stub(.path("/odd"), with: .status(status))
        network.stub(.path("/fine"), with: .text("fine"))
        let texts = try await withClient(network) { client, _ in
            [try await text(client, "http://a.test/odd"), try await text(client, "http://a.test/fine")]
        }
        #expect(texts[0].hasPrefix("502 ") && texts[1].hasSuffix(" fine"), "\(texts)")
    }

    @Test func `requests are told apart by their bodies`() async throws {
        let texts = try await recordedAndPlayed { client, url in
            [
                try await text(client, url("/echo"), method: "POST", body: "a=1"),
                try await text(client, url("/echo"), method: "POST", fields: ["Expect": "100-continue"], body: "a=2"),
            ]
        }
        #expect(texts[0] == texts[1])
        #expect(texts[0][0].contains("a=1") && texts[0][1].contains("a=2"))
    }

    @Test func `64 requests at once and a body of 20 MB come back whole`() async throws {
        let counts = try await recordedAndPlayed { client, url in
            let paths = ["/bytes/20000000"] + (1..<64).map { "/bytes/\($0 * 100)" }
            return try await withThrowingTaskGroup(of: Int.self) { group in
                for path in paths {
                    group.addTask {
                        let response = try await client.execute(
                            HTTPClientRequest(url: url(path)),
                            timeout: .seconds(120)
                        )
                        return try await response.body.collect(upTo: 1 << 25).readableBytes
                    }
                }
                return try await group.reduce(0, +)
            }
        }
        #expect(counts == Array(repeating: 20_000_000 + (1..<64).reduce(0) { $0 + $1 * 100 }, count: 2))
    }

    @Test func `a URL without TLS is recorded too`() async throws {
        let server = try LoopbackServer()
        for mode in [RecordMode.recording, .playback] {
            let network = try network(mode)
            let text = try await withClient(network) { client, _ in
                try await self.text(client, server.url("/hello?a=1").absoluteString)
            }
            #expect(text.hasPrefix("200 ") && text.hasSuffix(" hello"))
            if mode == .recording { try network.finishRecording() }
            server.stop()
        }
    }

    @Test func `the parts of a stream arrive one by one`() async throws {
        let server = try LoopbackServer { _ in
            .init(body: .chunked([.send("first"), .waitForSignal("more"), .send("second")]))
        }
        let secure = try await SecureServer(for: server)
        try await withClient(try network(.recording), trusting: [secure.certificate]) { client, _ in
            let response = try await client.execute(HTTPClientRequest(url: secure.url("/")), timeout: .seconds(30))
            var text = ""
            for try await part in response.body {
                text += String(buffer: part)
                // The server goes on when the first part has arrived.
                if text == "first" { server.signal("more") }
            }
            #expect(text == "firstsecond")
        }
    }

    @Test func `what the client gives up is recorded as cancelled`() async throws {
        let server = try LoopbackServer { _ in .init(body: .chunked([.send("first"), .waitForSignal("never")])) }
        let secure = try await SecureServer(for: server)
        let network = try network(.recording)
        try await withClient(network, trusting: [secure.certificate]) { client, proxy in
            let response = try await client.execute(HTTPClientRequest(url: secure.url("/")), timeout: .seconds(30))
            for try await _ in response.body { break }
            while proxy.isBusy { try await Task.sleep(nanoseconds: 10_000_000) }
        }
        try network.finishRecording()
        let file = try String(contentsOfFile: directory + "/proxy.json", encoding: .utf8)
        #expect(file.contains("\"code\" : -999"))
        #expect(file.contains("localhost"))
    }

    // MARK: Without a server

    @Test func `declared stubs answer for hosts that do not exist`() async throws {
        let network = StubbornNetwork(.ephemeral)
        network.stub(.get("https://api.example.invalid/users/42"), with: .text("Ada"))
        network.stub(.get("https://[2001:db8::1]:8443/"), with: .text("six"))
        network.stub(.get("https://192.0.2.1/"), with: .text("four"))
        try await withClient(network) { client, _ in
            for (url, name) in [
                ("https://api.example.invalid/users/42", "Ada"), ("https://[2001:db8::1]:8443/", "six"),
                ("https://192.0.2.1/", "four"),
            ] {
                let text = try await self.text(client, url)
                #expect(text.hasSuffix(name))
            }
        }
        #expect(network.exchanges.count == 3)
    }

    @Test func `a request that no stub answers gets the report`() async throws {
        let server = try LoopbackServer()
        let secure = try await SecureServer(for: server)
        let network = StubbornNetwork(.ephemeral)
        network.onUnstubbedRequest = { _ in }
        network.stub(.get(secure.url("/other")), with: .text("other"))
        let url = secure.url("/users")
        let text = try await withClient(network) { client, _ in try await self.text(client, url) }
        #expect(text.hasPrefix("404 [\"Content-Type: text/plain; charset=utf-8\", \"X-Stubborn: unmatched\"] "))
        #expect(text.contains("No stub answers GET \(url)"))
        #expect(network.unstubbedRequests.count == 1)
        #expect(server.connectionCount == 0)
    }

    @Test func `the error of a stub closes the connection`() async throws {
        let network = StubbornNetwork(.ephemeral)
        network.stub(.any, with: .failure(URLError(.networkConnectionLost)))
        try await withClient(network) { client, _ in
            await #expect(throws: HTTPClientError.remoteConnectionClosed) {
                try await text(client, "https://api.example.com/")
            }
        }
    }

    @Test func `an exchange that cannot be stored, of which the client has a part, closes the connection`() async throws
    {
        // As a full disk gives, at the end of the response.
        let error = try #require(#expect(throws: StubbornNetworkError.self) { try network(.playback).loadStubs() })
        let proxy = try await StubbornProxy { request in
            let parts = AsyncThrowingStream<Data, any Error> { continuation in
                continuation.yield(Data("a part".utf8))
                continuation.finish(throwing: request.url.path == "/odd" ? error : nil)
            }
            return .response(StreamedResponse(head: ResponseHead(statusCode: 200), parts: parts))
        }
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: .init().sending(through: proxy))
        await #expect(throws: (any Error).self) { try await text(client, "http://a.test/odd") }
        #expect(try await text(client, "http://a.test/fine").hasSuffix(" a part"))
        try await client.shutdown()
        await proxy.stop()
    }

    // MARK: What is refused

    @Test(arguments: [false, true])
    func `a server with a certificate that is not valid gets no request`(isTrusted: Bool) async throws {
        let server = try LoopbackServer()
        // The authority is not known, or the certificate is another host's.
        let secure = try await SecureServer(for: server, named: isTrusted ? "example.com" : "localhost")
        let network = try network(.recording)
        try await withClient(network, trusting: isTrusted ? [secure.certificate] : []) { client, _ in
            await #expect(throws: HTTPClientError.remoteConnectionClosed) {
                try await text(client, secure.url("/hello"))
            }
        }
        #expect(server.requestCount(path: "/hello") == 0)
        try network.finishRecording()
        let file = try String(contentsOfFile: directory + "/proxy.json", encoding: .utf8)
        #expect(file.contains("\"code\" : -1202"))
    }

    @Test func `a server's status below 100 is an error that is recorded, and the proxy goes on`() async throws {
        let odd = Data("HTTP/1.1 000 Odd\r\nContent-Length: 2\r\n\r\nhi".utf8)
        let server = try LoopbackServer { $0.path == "/odd" ? .init(body: .raw([.send(odd)])) : .text("fine") }
        let network = try network(.recording)
        try await withClient(network) { client, _ in
            await #expect(throws: HTTPClientError.remoteConnectionClosed) {
                try await text(client, "\(server.url("/odd"))")
            }
            let fine = try await text(client, "\(server.url("/fine"))")
            #expect(fine.hasSuffix(" fine"))
        }
        #expect(network.recordedStubs.map { $0.response.failure?.code } == [-1011, nil])
    }

    @Test func `a client that does not trust the proxy sends no request`() async throws {
        let network = StubbornNetwork(.ephemeral)
        network.stub(.any, with: .text("secret"))
        let proxy = try await StubbornProxy(for: network)
        var configuration = HTTPClient.Configuration()
        configuration.proxy = .server(host: "127.0.0.1", port: proxy.port)
        configuration.connectionPool.retryConnectionEstablishment = false
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        await #expect(throws: (any Error).self) {
            try await client.execute(HTTPClientRequest(url: "https://api.example.com/"), timeout: .seconds(30))
        }
        try await client.shutdown()
        await proxy.stop()
        #expect(network.exchanges.isEmpty)
    }

    @Test func `a request for an upgrade to HTTP2 is answered without it, and the next one too`() async throws {
        let network = StubbornNetwork(.ephemeral)
        network.stub(.any, with: .text("stub"))
        try await withClient(network) { client, _ in
            for _ in 0..<2 {
                let fields = ["Connection": "Upgrade", "Upgrade": "h2c"]
                let text = try await self.text(client, "http://api.example.com/", fields: fields)
                #expect(text.hasPrefix("200 ") && text.hasSuffix(" stub"))
            }
        }
    }

    @Test func `a request to the proxy itself is told what it is`() async throws {
        let network = StubbornNetwork(.ephemeral)
        let proxy = try await StubbornProxy(for: network)
        let text = try await self.text(.shared, "http://127.0.0.1:\(proxy.port)/users")
        #expect(text.hasPrefix("400 ") && text.contains("This is a proxy."))
        await proxy.stop()
        #expect(network.exchanges.isEmpty)
    }

    // Several times, because it matters how far a new connection is when the proxy ends.
    @Test(arguments: 0..<10)
    func `clients that say nothing do not keep the proxy from ending`(round: Int) async throws {
        let proxy = try await StubbornProxy(for: StubbornNetwork(.ephemeral))
        var clients: [any Channel] = []
        for _ in 0..<(1 << (round / 2)) {
            clients.append(
                try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                    .connect(host: "127.0.0.1", port: proxy.port).get()
            )
            clients.last?.writeAndFlush(ByteBuffer(string: "CONN"), promise: nil)
        }
        await proxy.stop()
        for client in clients {
            let limit = client.eventLoop.scheduleTask(in: .seconds(30)) {
                Issue.record("a connection stayed open")
                client.close(promise: nil)
            }
            try await client.closeFuture.get()
            limit.cancel()
        }
    }

    @Test(
        arguments: [
            ("api.example.com:443", "https://api.example.com"),
            ("API.example.com:8443", "https://api.example.com:8443"),
            ("[::1]:443", "https://[::1]"), ("127.0.0.1:80", "https://127.0.0.1:80"), ("api.example.com", nil),
            ("api.example.com:", nil), ("::1:443", nil), ("[::1:443", nil), ("[host]:443", nil), (":443", nil),
            ("user@host:443", nil), ("host/path:443", nil), ("host:0", nil), ("host:65536", nil),
        ] as [(String, String?)]
    )
    func `a tunnel leads to a host and a port`(authority: String, origin: String?) {
        #expect(Tunnel(authority: authority[...])?.origin == origin)
    }

    @Test(
        arguments: [
            ("http://host/a?b", "http://host", "/a?b"), ("HTTP://Host:8080", "http://host:8080", "/"),
            ("http://host:80/", "http://host", "/"), ("http://user:pass@[::1]:8080/x", "http://[::1]:8080", "/x"),
            ("http://[::1]?q", "http://[::1]", "/?q"), ("https://host/", "https://host", "/"),
        ]
    )
    func `a whole URL names its server`(url: String, origin: String, path: String) throws {
        let server = try #require(Tunnel(url: url))
        #expect(server.origin == origin)
        #expect(server.path(of: url) == path)
    }
}

extension StubbornNetwork {
    /// Creates the network of a proxy, with the stub file `proxy.json` in a directory.
    static func ofProxy(_ mode: RecordMode, in directory: String) throws -> StubbornNetwork {
        let location = try #require(StubbornNetworkConfiguration.persistent(name: "proxy", path: directory))
        // A preview's networks are runs of their own: this process records and then plays.
        let network = StubbornNetwork(location, environment: ["XCODE_RUNNING_FOR_PREVIEWS": "1"])
        network.recordMode = mode
        network.onUnstubbedRequest = { _ in }
        return network
    }
}
