import Foundation
import LoopbackServer
import Testing

@_spi(Tools) @testable import StubbornNetwork

/// Conversations with a server of Python's `websockets`, recorded over a real connection and played without it.
///
/// `.ci/run` installs the package. Without it, these tests are skipped.
@Suite(.timeLimit(.minutes(5)), .enabled(if: RealWebSocketServer.isInstalled))
struct RealWebSocketServerTests {
    private let directory = TemporaryDirectory()

    private func network(_ name: String, _ mode: RecordMode) -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(named: name, in: directory.path), environment: .newRun)
        network.recordMode = mode
        network.onUnstubbedRequest = { Issue.record("\($0)") }
        return network
    }

    /// Returns what a client receives in a conversation with this number.
    private static func talk(_ protocolName: String, _ socket: any WebSocketConnection, _ number: Int) async throws
        -> [String]
    {
        var received: [String] = []
        func receive(_ count: Int) async throws { for _ in 0..<count { received.append(try await socket.text()) } }
        switch protocolName {
        case "echo":
            for index in 0...number % 7 {
                try await socket.send(
                    #"{"id":\#(number * 100 + index),"text":"\#(String(repeating: "ä\n", count: index * 40))"}"#
                )
                try await receive(1)
            }
        case "calls":
            for id in 0..<4 { try await socket.send(#"{"jsonrpc":"2.0","id":\#(id),"params":{"n":\#(number + id)}}"#) }
            try await receive(4)
        case "graphql":
            try await socket.send(#"{"type":"connection_init"}"#)
            try await receive(1)
            for id in 0..<2 {
                try await socket.send(
                    #"{"id":"\#(number)-\#(id)","type":"subscribe","payload":{"query":"subscription { tick }"}}"#
                )
            }
            try await receive(8)
        default:
            try await receive(1)
            for part in 0..<3 {
                try await socket.send(.data(Data((0..<1_500).map { UInt8(truncatingIfNeeded: $0 * number + part) })))
            }
            try await socket.send(#"{"type":"response.create"}"#)
            try await receive(6)
            do { try await receive(1) } catch { received.append("\(socket.closeCode.rawValue)") }
        }
        if protocolName != "realtime" { socket.cancel(with: .normalClosure, reason: nil) }
        return received
    }

    @Test func `a hundred recorded conversations play frame by frame, without the server`() async throws {
        let server = try RealWebSocketServer()
        let names = ["echo", "calls", "graphql", "realtime"]
        func all(_ mode: RecordMode) async throws -> [Int: [String]] {
            try await withThrowingTaskGroup(of: (Int, [String]).self) { group in
                for number in 0..<100 {
                    group.addTask {
                        let name = names[number % 4]
                        let network = self.network("\(name)-\(number)", mode)
                        let request = URLRequest(url: server.url(name))
                        let socket = network.webSocket(with: request) { request in try WebSocketClient(request) }
                        let received = try await Self.talk(name, socket, number)
                        try network.finishRecording()
                        return (number, received)
                    }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
        }
        let recorded = try await all(.recording)
        server.stop()
        let played = try await all(.playback)
        for number in 0..<100 { #expect(played[number] == recorded[number], "conversation \(number)") }
        #expect(recorded[3]?.last == "1000" && recorded[0]?.count == 1)
    }

    @Test func `a client with new ids gets them back, if the matchers ignore ids`() async throws {
        let server = try RealWebSocketServer()
        func ticks(_ mode: RecordMode) async throws -> (id: String, received: [String]) {
            let network = network("ids", mode)
            network.requestMatcherOptions = [.url, .requestBody(ignoringJSONKeyPaths: ["id"])]
            let request = URLRequest(url: server.url("graphql"))
            let socket = network.webSocket(with: request) { request in try WebSocketClient(request) }
            _ = try await socket.answer(to: #"{"type":"connection_init"}"#)
            let id = UUID().uuidString
            try await socket.send(#"{"id":"\#(id)","type":"subscribe","payload":{"query":"subscription { tick }"}}"#)
            var received: [String] = []
            for _ in 0..<4 { received.append(try await socket.text()) }
            socket.cancel(with: .normalClosure, reason: nil)
            try network.finishRecording()
            return (id, received)
        }
        let recorded = try await ticks(.recording)
        server.stop()
        let played = try await ticks(.playback)
        #expect(recorded.id != played.id)
        #expect(played.received == recorded.received.map { $0.replacingOccurrences(of: recorded.id, with: played.id) })
    }

    @Test func `a server that is killed is a lost connection, recorded and played`() async throws {
        let server = try RealWebSocketServer()
        func talk(_ mode: RecordMode) async throws -> (String, (any Error)?) {
            let network = network("killed", mode)
            let socket = network.webSocket(with: URLRequest(url: server.url("echo"))) { try WebSocketClient($0) }
            let answer = try await socket.answer(to: "a")
            server.kill()
            do {
                _ = try await socket.receive()
                return (answer, nil)
            } catch {
                try network.finishRecording()
                return (answer, error)
            }
        }
        let recorded = try await talk(.recording)
        let played = try await talk(.playback)
        #expect(recorded.0 == "a" && played.0 == "a")
        #expect((recorded.1 as NSError?)?.code == (played.1 as NSError?)?.code && played.1 != nil)
    }
}

/// A process with the server of `server.py`.
final class RealWebSocketServer: Sendable {
    private let process: SpawnedProcess
    private let port: Int
    private static let python = URL(fileURLWithPath: "/usr/bin/env")
    private static let command = ProcessInfo.processInfo.environment["STUBBORN_NETWORK_HTTPBIN_PYTHON"] ?? "python3"

    static let isInstalled: Bool = {
        (try? SpawnedProcess(python, [command, "-c", "import websockets.asyncio.server"]).wait()) == 0
    }()

    init() throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("server.py")
        process = try SpawnedProcess(Self.python, [Self.command, script.path], readsOutput: true)
        let line = process.output.map { String(decoding: $0.availableData, as: UTF8.self) } ?? ""
        guard let port = Int(line.trimmingCharacters(in: .newlines)) else { throw POSIXError(.EIO) }
        self.port = port
    }

    deinit {
        process.kill()
    }

    func url(_ name: String) -> URL { URL(string: "ws://127.0.0.1:\(port)/\(name)")! }
    func kill() { process.kill() }

    func stop() {
        process.kill()
        _ = process.wait()
    }
}
