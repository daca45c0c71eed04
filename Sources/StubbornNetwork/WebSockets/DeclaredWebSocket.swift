import Foundation

/// The server's end of a declared web socket.
///
///     network.stub(webSocket: .path("/live")) { socket in
///         socket.send(.string("hello"))
///         for await message in socket.messages { socket.send(message) }
///     }
public final class DeclaredWebSocket: Sendable {
    /// The request that opened the socket.
    public let request: StubRequest
    /// The messages of the client; they end when either end closes the socket.
    public let messages: AsyncStream<URLSessionWebSocketTask.Message>
    fileprivate let incoming: AsyncStream<URLSessionWebSocketTask.Message>.Continuation
    private weak let socket: StubbedWebSocket?

    fileprivate init(_ request: StubRequest, _ socket: StubbedWebSocket) {
        (self.request, self.socket) = (request, socket)
        (messages, incoming) = AsyncStream.makeStream(of: URLSessionWebSocketTask.Message.self)
    }

    /// Sends a message to the client.
    public func send(_ message: URLSessionWebSocketTask.Message) { socket?.deliver(message) }

    /// Closes the socket with a code: later calls of the client fail.
    public func close(with code: URLSessionWebSocketTask.CloseCode, reason: Data? = nil) {
        end(with: StubbedWebSocket.notConnected, code, reason: reason)
    }

    fileprivate func end(with error: any Error, _ code: StubbedWebSocket.CloseCode = .invalid, reason: Data? = nil) {
        socket?.end(with: error, code, reason: reason)
        incoming.finish()
    }
}

/// The function that plays the server of a declared web socket.
struct WebSocketScript: Sendable {
    let run: @Sendable (DeclaredWebSocket) async throws -> Void
}

/// The other end of a declared web socket, which is a function of the test.
final class ScriptServer: WebSocketServer {
    private let server: DeclaredWebSocket
    private let task: Task<Void, Never>

    init(_ script: WebSocketScript, to request: StubRequest, _ socket: StubbedWebSocket) {
        let server = DeclaredWebSocket(request, socket)
        self.server = server
        task = Task {
            do {
                try await script.run(server)
                server.close(with: .normalClosure)
            } catch {
                server.end(with: error)
            }
        }
    }

    func send(_ message: URLSessionWebSocketTask.Message) async throws { server.incoming.yield(message) }

    func close(_ code: URLSessionWebSocketTask.CloseCode?, reason: Data?) {
        server.incoming.finish()
        task.cancel()
    }
}
