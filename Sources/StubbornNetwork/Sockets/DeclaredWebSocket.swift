import Foundation

/// The server's end of a declared web socket.
///
///     network.stub(webSocket: .path("/live")) { socket in
///         socket.send(.string("hello"))
///         for await message in socket.messages { socket.send(message) }
///     }
public struct DeclaredWebSocket: Sendable {
    /// The request that opened the socket.
    public let request: StubRequest
    /// The messages of the client; they end when the client closes the socket.
    public let messages: AsyncStream<URLSessionWebSocketTask.Message>
    weak let socket: StubbedWebSocket?

    /// Sends a message to the client.
    public func send(_ message: URLSessionWebSocketTask.Message) { socket?.deliver(message) }

    /// Closes the socket with a code: later calls of the client fail.
    public func close(with code: URLSessionWebSocketTask.CloseCode, reason: Data? = nil) {
        socket?.end(with: StubbedWebSocket.notConnected, code, reason)
    }
}

/// The function that plays the server of a web socket.
struct WebSocketScript: Sendable {
    let run: @Sendable (DeclaredWebSocket) async throws -> Void
    /// Returns the error that ends the socket because the client has sent a message; `nil` for a message that it may send.
    var check: @Sendable (URLSessionWebSocketTask.Message) -> (any Error)? = { _ in nil }

    /// Starts the function, and returns the other end of a socket.
    func start(_ request: StubRequest, _ socket: StubbedWebSocket) -> WebSocketServer {
        let (messages, client) = AsyncStream.makeStream(of: URLSessionWebSocketTask.Message.self)
        let server = DeclaredWebSocket(request: request, messages: messages, socket: socket)
        let task = Task {
            do {
                try await run(server)
                server.close(with: .normalClosure)
            } catch {
                server.socket?.end(with: error)
            }
        }
        let send: @Sendable (URLSessionWebSocketTask.Message) -> Void = { [check] message in
            if let error = check(message) { server.socket?.end(with: error) } else { client.yield(message) }
        }
        return WebSocketServer(send: send) { _, _ in
            client.finish()
            task.cancel()
        }
    }
}
