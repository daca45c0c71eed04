import AsyncHTTPClient
import Foundation
import NIOCore
import NIOSSL
import NIOWebSocket
@_spi(Tools) import StubbornNetwork
import Testing

@testable import StubbornProxy

/// Web sockets that are recorded and played through a proxy in the process.
@Suite(.timeLimit(.minutes(5)))
struct WebSocketProxyTests {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("sockets-\(UUID())").path

    private func network(_ mode: RecordMode) throws -> StubbornNetwork { try .ofProxy(mode, in: directory) }

    /// Runs a test with the proxy of a network.
    private func withProxy<Value>(
        _ network: StubbornNetwork,
        trusting certificates: [NIOSSLCertificate] = [],
        log: @escaping StubbornProxy.Log = { _, _ in },
        _ body: (StubbornProxy) async throws -> Value
    ) async throws -> Value {
        let proxy = try await StubbornProxy(for: network, trusting: certificates, log: log)
        let result: Result<Value, any Error>
        do { result = .success(try await body(proxy)) } catch { result = .failure(error) }
        await proxy.stop()
        return try result.get()
    }

    /// Records and plays conversations with a server, and returns what each run gave.
    ///
    /// The server is gone when it plays.
    private func recordedAndPlayed<Value: Sendable>(
        isSecure: Bool = true,
        _ body: @Sendable (StubbornProxy, _ origin: String) async throws -> Value
    ) async throws -> [Value] {
        let server = try await SocketServer()
        let secure = try await SecureServer(forPort: server.port)
        let origin = isSecure ? "wss://localhost:\(secure.port)" : "ws://localhost:\(server.port)"
        let recording = try network(.recording)
        let live = try await withProxy(recording, trusting: [secure.certificate]) { try await body($0, origin) }
        try recording.finishRecording()
        try await secure.stop()
        try await server.stop()
        return [live, try await withProxy(try network(.playback)) { try await body($0, origin) }]
    }

    /// Sends messages, and returns the answer to each, and the end of the socket if the server ends it.
    private func talk(
        _ socket: UpstreamWebSocket,
        _ messages: [URLSessionWebSocketTask.Message]
    ) async -> [String] {
        var answers: [String] = []
        do {
            for message in messages {
                try await socket.send(message)
                answers.append("\(try await socket.receive())")
            }
        } catch {
            let reason = socket.closeReason.map { String(decoding: $0, as: UTF8.self) } ?? ""
            answers.append(socket.closeCode == .invalid ? "lost" : "\(socket.closeCode.rawValue) \(reason)")
        }
        return answers
    }

    /// Returns the status, the field of an unstubbed request, and the body of the answer to a handshake.
    private func handshake(_ url: String, through proxy: StubbornProxy) async throws -> String {
        let configuration = HTTPClient.Configuration().sending(through: proxy)
        return try await HTTPClient.withHTTPClient(configuration: configuration) { client in
            var request = HTTPClientRequest(url: "http" + url.dropFirst(2))
            request.headers = [
                "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
                "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
            ]
            let response = try await client.execute(request, timeout: .seconds(30))
            let body = String(buffer: try await response.body.collect(upTo: 1 << 20))
            return "\(response.status.code) \(response.headers["X-Stubborn"]) \(body)"
        }
    }

    // MARK: Recording and playing

    @Test(arguments: [true, false])
    func `a socket is played frame by frame as it was recorded`(isSecure: Bool) async throws {
        let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 * 7) })
        let answers = try await recordedAndPlayed(isSecure: isSecure) { proxy, origin in
            let socket = try await UpstreamWebSocket.open(origin + "/echo", through: proxy, protocols: "v1, v2")
            let messages: [URLSessionWebSocketTask.Message] = [
                .string(#"{"id":1}"#), .data(bytes), .string(""), .data(Data()),
                .string(String(repeating: "ä", count: 70_000)),
            ]
            let echoes = await talk(socket, messages)
            socket.cancel(with: .normalClosure, reason: Data("done".utf8))
            #expect(echoes == messages.map { "\($0)" })
            return echoes
                + (await talk(try await .open(origin + "/bye", through: proxy), [.string("hello"), .string("more")]))
        }
        #expect(answers[0] == answers[1])
        #expect(answers[0].last == "1001 restart")
        let file = try String(contentsOfFile: directory + "/proxy.json", encoding: .utf8)
        #expect(
            file.components(separatedBy: #"{"sent":"#).count == 8
                && file.contains(#"{"sent":"1000 done","type":"close"}"#)
        )
        #expect(file.contains(#"{"received":"1001 restart","type":"close"}"#))
    }

    @Test func `the close of a client reaches the server with its code and its reason`() async throws {
        let server = try await SocketServer()
        try await withProxy(try network(.recording)) { proxy in
            let socket = try await UpstreamWebSocket.open("ws://localhost:\(server.port)/echo", through: proxy)
            socket.cancel(with: .goingAway, reason: Data("later".utf8))
            await #expect(throws: POSIXError.self) { try await socket.receive() }
            try await until { server.received.withLockedValue { $0 == [ByteBuffer(bytes: [3, 233] + "later".utf8)] } }
        }
    }

    // Several times, because the first message need not arrive together with the response.
    @Test func `a message that a server sends together with its response is not lost`() async throws {
        let answers = try await recordedAndPlayed { proxy, origin in
            var messages: [String] = []
            for number in 0..<50 {
                let socket = try await UpstreamWebSocket.open(origin + "/hello?n=\(number)", through: proxy)
                messages.append("\(try await socket.receive())")
            }
            return messages
        }
        #expect(answers == Array(repeating: Array(repeating: "string(\"hello\")", count: 50), count: 2))
    }

    @Test func `a connection that the server drops ends without a close, and is played like this`() async throws {
        let answers = try await recordedAndPlayed { proxy, origin in
            await talk(try await .open(origin + "/drop", through: proxy), [.string("first"), .string("second")])
        }
        #expect(answers[0] == ["string(\"first\")", "lost"])
        #expect(answers[0] == answers[1])
    }

    @Test func `what a client sends before it disconnects reaches the server`() async throws {
        let server = try await SocketServer()
        let network = try network(.recording)
        try await withProxy(network) { proxy in
            let socket = try await UpstreamWebSocket.open("ws://localhost:\(server.port)/sink", through: proxy)
            for number in 0..<100 { try await socket.send(.string("\(number)")) }
            socket.cancel()
            try await until { server.received.withLockedValue { $0.count == 100 } }
        }
        let frames = network.recordedStubs.first?.response.webSocketFrames ?? []
        #expect(frames.filter(\.isSent).map(\.text) == (0..<100).map(String.init))
    }

    @Test func `ten sockets at once keep their messages apart`() async throws {
        let answers = try await recordedAndPlayed { proxy, origin in
            try await withThrowingTaskGroup(of: [String].self) { group in
                for number in 0..<10 {
                    group.addTask {
                        let socket = try await UpstreamWebSocket.open(origin + "/echo?n=\(number)", through: proxy)
                        return await talk(socket, (0..<50).map { .string("\(number) \($0)") })
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }.sorted { $0[0] < $1[0] }
            }
        }
        #expect(answers[0] == answers[1])
        #expect(answers[0] == (0..<10).map { number in (0..<50).map { "string(\"\(number) \($0)\")" } })
    }

    @Test func `the fragments of a client are one message, and a ping between them is answered`() async throws {
        let answers = try await recordedAndPlayed { proxy, origin in
            let socket = try await UpstreamWebSocket.open(origin + "/echo", through: proxy)
            func write(_ opcode: WebSocketOpcode, _ text: String, isLast: Bool) async throws {
                let data = ByteBuffer(string: text)
                try await socket.channel.writeAndFlush(
                    WebSocketFrame(fin: isLast, opcode: opcode, maskKey: .random(), data: data)
                )
            }
            try await write(.text, "one ", isLast: false)
            try await withCheckedThrowingContinuation { (pong: CheckedContinuation<Void, any Error>) in
                socket.sendPing { error in pong.resume(with: error.map { .failure($0) } ?? .success(())) }
            }
            try await write(.continuation, "two ", isLast: false)
            try await write(.continuation, "three", isLast: true)
            return "\(try await socket.receive())"
        }
        #expect(answers == Array(repeating: "string(\"one two three\")", count: 2))
    }

    // MARK: Without a server

    @Test func `declared sockets answer for hosts that do not exist`() async throws {
        let network = StubbornNetwork(.ephemeral)
        network.stub(webSocket: .path("/live"), with: .frames([.sent("subscribe"), "181.2"]))
        try await withProxy(network) { proxy in
            let socket = try await UpstreamWebSocket.open("wss://api.example.invalid/live", through: proxy)
            #expect(await talk(socket, [.string("subscribe")]) == ["string(\"181.2\")"])
        }
    }

    @Test func `a frame that is not recorded closes the socket, and the log has the report`() async throws {
        let network = StubbornNetwork(.ephemeral)
        network.onUnstubbedRequest = { _ in }
        network.stub(webSocket: .path("/live"), with: .frames([.sent("a"), "b", .sent("c")]))
        let (lines, log) = AsyncStream.makeStream(of: String.self)
        try await withProxy(network, log: { line, isProblem in if isProblem { log.yield(line) } }) { proxy in
            let socket = try await UpstreamWebSocket.open("wss://api.example.invalid/live", through: proxy)
            #expect(
                await talk(socket, [.string("a"), .string("other")]) == ["string(\"b\")", "1011 No frame is left."]
            )
        }
        log.finish()
        let line = await lines.first { _ in true }
        #expect(line?.contains("No frame is left for SEND wss://api.example.invalid/live") == true)
    }

    @Test func `a socket that no stub answers gets the report`() async throws {
        let network = StubbornNetwork(.ephemeral)
        network.onUnstubbedRequest = { _ in }
        network.stub(.get("https://api.example.invalid/live"), with: .text("not a socket"))
        let answer = try await withProxy(network) { try await handshake("wss://api.example.invalid/live", through: $0) }
        #expect(answer.hasPrefix("404 [\"unmatched\"] No stub answers GET wss://api.example.invalid/live"), "\(answer)")
    }

    @Test(arguments: [
        ("/echo", "authority is not trusted"), ("/refuse", "the status 403"), ("", "refused the connection"),
    ])
    func `a socket that a server does not open is a 502 with the reason`(path: String, reason: String) async throws {
        let server = try await SocketServer()
        let secure = try await SecureServer(forPort: server.port)
        let url =
            switch path {
            case "/echo": "wss://localhost:\(secure.port)/echo"
            case "/refuse": "ws://localhost:\(server.port)/refuse"
            // No server listens on this port.
            default: "ws://127.0.0.1:1/"
            }
        let network = try network(.recording)
        for mode in [RecordMode.recording, .playback] {
            network.recordMode = mode
            let answer = try await withProxy(network) { try await handshake(url, through: $0) }
            #expect(answer.hasPrefix("502 [] The WebSocket cannot be opened: "), "\(answer)")
            if mode == .recording { #expect(answer.contains(reason), "\(answer)") }
        }
    }

    /// Waits until a condition is true.
    private func until(_ isTrue: () -> Bool) async throws {
        for _ in 0..<3_000 where !isTrue() { try await Task.sleep(nanoseconds: 10_000_000) }
        #expect(isTrue())
    }
}
