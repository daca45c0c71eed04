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
    /// The messages of the client; they end when the client closes the socket.
    public let messages: AsyncStream<URLSessionWebSocketTask.Message>
    private let deliver: @Sendable (URLSessionWebSocketTask.Message) -> Void
    private let end: @Sendable (URLSessionWebSocketTask.CloseCode, _ reason: Data?) -> Void

    init(
        _ request: StubRequest,
        messages: AsyncStream<URLSessionWebSocketTask.Message>,
        deliver: @escaping @Sendable (URLSessionWebSocketTask.Message) -> Void,
        end: @escaping @Sendable (URLSessionWebSocketTask.CloseCode, _ reason: Data?) -> Void
    ) {
        (self.request, self.messages, self.deliver, self.end) = (request, messages, deliver, end)
    }

    /// Sends a message to the client.
    public func send(_ message: URLSessionWebSocketTask.Message) { deliver(message) }

    /// Closes the socket with a code: later calls of the client fail.
    public func close(with code: URLSessionWebSocketTask.CloseCode, reason: Data? = nil) { end(code, reason) }
}
