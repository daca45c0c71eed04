import Foundation

/// A web socket as a client uses it, with the functions of `URLSessionWebSocketTask`.
///
/// Let your code take this protocol. In the app it gets the system's task, and in a test a socket of a network:
///
///     let socket: any WebSocketConnection = URLSession.shared.webSocketTask(with: url)
///     let socket: any WebSocketConnection = network.webSocket(to: url)
public protocol WebSocketConnection: Sendable {
    /// Opens the socket. A socket of a network also opens at its first other use.
    func resume()
    /// Sends a message. It throws an error after the end of the socket.
    func send(_ message: URLSessionWebSocketTask.Message) async throws
    /// Returns the next message of the server. It throws an error after the last message.
    func receive() async throws -> URLSessionWebSocketTask.Message
    /// Sends a ping, and calls the function with `nil` when the server has answered, or with an error.
    func sendPing(pongReceiveHandler: @escaping @Sendable ((any Error)?) -> Void)
    /// Ends the socket without a close.
    func cancel()
    /// Closes the socket.
    func cancel(with closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?)
    /// The code that the socket was closed with; `.invalid` while it is open, and for a code that the platform does not have.
    var closeCode: URLSessionWebSocketTask.CloseCode { get }
    /// The reason that the socket was closed with; `nil` if there is none.
    var closeReason: Data? { get }
}

extension URLSessionWebSocketTask: WebSocketConnection {}

/// The other end of a web socket: recorded frames, a declared function, or the real server.
struct WebSocketServer: Sendable {
    let send: @Sendable (_ message: URLSessionWebSocketTask.Message) async throws -> Void
    var sendPing: @Sendable (_ handler: @escaping @Sendable ((any Error)?) -> Void) -> Void = { $0(nil) }
    /// A function that is called when the client has closed the socket, or no longer uses it.
    let close: @Sendable (_ code: URLSessionWebSocketTask.CloseCode?, _ reason: Data?) -> Void
}

extension WebSocketFrame {
    init(_ message: URLSessionWebSocketTask.Message, isSent: Bool) {
        switch message {
        case .string(let text): self.init(isSent: isSent, .text, Data(text.utf8))
        case .data(let data): self.init(isSent: isSent, .data, data)
        @unknown default: self.init(isSent: isSent, .data, Data())
        }
    }

    init(_ code: URLSessionWebSocketTask.CloseCode, _ reason: Data?, isSent: Bool) {
        let reason = reason.map { " " + String(decoding: $0, as: UTF8.self) } ?? ""
        self.init(isSent: isSent, .close, Data("\(code.rawValue)\(reason)".utf8))
    }
}
