import Foundation
import LoopbackServer

@_spi(Tools) @testable import StubbornNetwork

extension WebSocketClient: WebSocketConnection {}

/// The messages of a socket, as text.
extension WebSocketConnection {
    func send(_ text: String) async throws { try await send(.string(text)) }

    func text() async throws -> String {
        switch try await receive() {
        case .string(let text): text
        case .data(let data): "\(Array(data))"
        @unknown default: ""
        }
    }

    /// Sends a text, and returns the answer.
    func answer(to text: String) async throws -> String {
        try await send(text)
        return try await self.text()
    }
}

/// A stub file that web sockets are recorded into, from a server that is a function of the test.
struct WebSocketScene {
    let directory = TemporaryDirectory()
    let url = URL(string: "wss://api.test/live")!
    /// The real server.
    let server = StubbornNetwork(.ephemeral, environment: [:])

    func network(_ mode: RecordMode, environment: [String: String] = .newRun) -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(named: "a", in: directory.path), environment: environment)
        network.recordMode = mode
        network.onUnstubbedRequest = { _ in }
        return network
    }

    func socket(of network: StubbornNetwork, _ url: URL? = nil) -> any WebSocketConnection {
        network.webSocket(with: URLRequest(url: url ?? self.url)) { [server] in server.webSocket(with: $0) }
    }

    func serve(_ script: @escaping @Sendable (DeclaredWebSocket) async throws -> Void) {
        server.stub(webSocket: .any, with: script)
    }

    /// Serves the messages of the client again.
    func serveEcho() {
        serve { socket in for await message in socket.messages { socket.send(message) } }
    }

    /// Records a conversation.
    func record(
        _ mode: RecordMode = .recording,
        setting: (StubbornNetwork) -> Void = { _ in },
        _ talk: (any WebSocketConnection) async throws -> Void
    ) async throws {
        let network = network(mode)
        setting(network)
        let socket = socket(of: network)
        try await talk(socket)
        socket.cancel(with: .normalClosure, reason: nil)
        try network.finishRecording()
    }

    var text: String { get throws { try directory.text(of: "a.json") } }
}
