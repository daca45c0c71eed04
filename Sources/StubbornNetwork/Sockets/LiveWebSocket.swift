import Foundation

/// The real server at the other end of a web socket, whose frames are passed to the recorder.
final class LiveWebSocket: Sendable {
    private let engine: Engine
    private weak let socket: StubbedWebSocket?
    private let connecting: Task<any WebSocketConnection, any Error>
    /// The time from which frames are counted; `nil` if times are not recorded.
    private let start: Date?
    /// The function that gets the events of the exchange, one after the other.
    private let onEvent = Lock<@Sendable (ExchangeEvent) -> Void>({ _ in })

    /// Connects a socket to the real server, and records it, if there is a recording.
    init(_ socket: StubbedWebSocket, _ request: URLRequest, _ recording: Recording?, _ exchange: Int) {
        let (engine, connect) = (socket.engine, socket.connect)
        (self.engine, self.socket) = (engine, socket)
        start = recording?.recordsTiming == true ? Date() : nil
        connecting = Task { try await connect(request) }
        let connection: Recorder.Connection = { [onEvent] _, send in
            onEvent.withLock { $0 = send }
            return {}
        }
        _ = engine.recorder.send(request, by: connection, recording: recording) { [weak socket] event in
            if case .head(let head) = event {
                engine.end(exchange, isAnswered: true, with: request.url.flatMap(head.httpResponse))
            }
            if event.isLast { engine.end(exchange, isAnswered: false) }
            if case .failure(let error) = event { socket?.end(with: error) }
        }
        Task { await receiveAll() }
    }

    var server: WebSocketServer { WebSocketServer(send: send, sendPing: sendPing, close: close) }

    // MARK: The client's calls

    func send(_ message: URLSessionWebSocketTask.Message) async throws {
        do {
            let connection = try await connecting.value
            // Before the server can answer.
            await onOtherThread { [self] in note(WebSocketFrame(message, isSent: true), nil) }
            try await connection.send(message)
            await onOtherThread { [self] in note(nil, Self.head(of: connection)) }
        } catch {
            throw await described(error)
        }
    }

    func sendPing(_ handler: @escaping @Sendable ((any Error)?) -> Void) {
        Task { do { try await connecting.value.sendPing(pongReceiveHandler: handler) } catch { handler(error) } }
    }

    func close(_ code: URLSessionWebSocketTask.CloseCode?, _ reason: Data?) {
        engine.perform { [self] in
            if let code { note(WebSocketFrame(code, reason, isSent: true), Self.head(of: nil)) }
            onEvent.withLock { $0(.end(body: nil)) }
            // Only then, because the server's answer would end the exchange before.
            Task {
                let connection = try await connecting.value
                if let code { connection.cancel(with: code, reason: reason) } else { connection.cancel() }
            }
        }
    }

    // MARK: The server's messages

    /// Passes the server's messages on, each after it is stored, until the end.
    private func receiveAll() async {
        do {
            let connection = try await connecting.value
            while true {
                let message = try await connection.receive()
                // Storing waits for the disk, which no thread of Swift's tasks should do.
                await onOtherThread { [self] in note(WebSocketFrame(message, isSent: false), Self.head(of: connection))
                }
                socket?.deliver(message)
            }
        } catch {
            let (error, connection) = (await described(error), try? await connecting.value)
            await onOtherThread { [self] in end(with: error, connection) }
        }
    }

    private func end(with error: any Error, _ connection: (any WebSocketConnection)?) {
        let (code, reason) = (connection?.closeCode ?? .invalid, connection?.closeReason)
        if code != .invalid { note(WebSocketFrame(code, reason, isSent: false), Self.head(of: connection)) }
        // An error of this library is not the server's.
        let isOfServer = code == .invalid && !(error is StubbornNetworkError)
        onEvent.withLock { $0(isOfServer ? .failure(error) : .end(body: nil)) }
        socket?.end(with: error, code, reason)
    }

    /// Returns the error that says that the platform has no web sockets, if that is the reason for an error.
    private func described(_ error: any Error) async -> any Error {
        // A message that is sent at the same time fails for a different reason.
        let task = try? await connecting.value as? URLSessionTask
        guard [error, task?.error].contains(where: { ($0 as? URLError)?.code == .unsupportedURL }) else { return error }
        return StubbornNetworkError.webSocketsUnavailable((task?.originalRequest?.url).map(Redactor.shown))
    }

    // MARK: The recording

    /// Returns the response of a server that has accepted a socket.
    private static func head(of connection: (any WebSocketConnection)?) -> ResponseHead {
        var head = (connection as? URLSessionTask)?.response.map { ResponseHead($0) } ?? ResponseHead(statusCode: 101)
        // It belongs to one connection.
        head.headerFields["Sec-WebSocket-Accept"] = nil
        return head
    }

    /// Notes a frame, and the response, if the server has accepted the socket.
    private func note(_ frame: WebSocketFrame?, _ head: ResponseHead?) {
        onEvent.withLock { onEvent in
            if let head { onEvent(.head(head)) }
            guard var frame else { return }
            frame.seconds = start.map { (Date().timeIntervalSince($0) * 1_000).rounded() / 1_000 }
            onEvent(.data([frame].lines))
        }
    }
}
