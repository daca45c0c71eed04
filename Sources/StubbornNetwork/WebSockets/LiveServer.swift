import Foundation

/// The real server at the other end of a web socket, whose frames are stored, if the socket is recorded.
final class LiveServer: WebSocketServer {
    typealias Connect = @Sendable (URLRequest) async throws -> any WebSocketConnection

    private struct State {
        /// The recording, which gets its request and response with the first frame; `nil` if nothing is stored.
        var recording: Recording?
        var frames: [WebSocketFrame] = []
        var storedCount = 0
        /// A Boolean value that indicates whether a message has been sent or received.
        var hasOpened = false
        /// A Boolean value that indicates whether the client has closed the socket.
        var isClosed = false
        var hasEnded = false
    }

    private let engine: Engine
    private weak let socket: StubbedWebSocket?
    private let url: URL?
    /// The number in the request log.
    private let exchange: Int
    private let connecting: Task<any WebSocketConnection, any Error>
    private let start = DispatchTime.now()
    private let state: Lock<State>

    init(
        _ request: URLRequest,
        _ recording: Recording?,
        _ exchange: Int,
        _ engine: Engine,
        _ socket: StubbedWebSocket,
        _ connect: @escaping Connect
    ) {
        (self.engine, self.socket, self.url, self.exchange) = (engine, socket, request.url, exchange)
        state = Lock(State(recording: recording))
        connecting = Task {
            let connection = try await connect(request)
            connection.resume()
            return connection
        }
        if let number = recording?.requestNumber {
            engine.openSockets.withLock { $0[number] = { [weak self] in self?.finish() } }
        }
        Task { [self] in await receiveAll() }
    }

    func send(_ message: URLSessionWebSocketTask.Message) async throws {
        do {
            let connection = try await connecting.value
            // Before the server can answer.
            try await store(WebSocketFrame(message, isSent: true), of: connection, isOpen: false)
            try await connection.send(message)
            if state.withLock({ !$0.hasOpened }) { try await store(nil, of: connection) }
        } catch {
            throw await end(with: error)
        }
    }

    func sendPing(_ handler: @escaping @Sendable ((any Error)?) -> Void) {
        Task {
            do { try await connecting.value.sendPing(pongReceiveHandler: handler) } catch { handler(error) }
        }
    }

    func close(_ code: URLSessionWebSocketTask.CloseCode?, reason: Data?) {
        state.withLock { $0.isClosed = true }
        engine.perform { [self] in
            if let code { try? store(WebSocketFrame(code, reason, isSent: true), nil, isOpen: true) }
            finish()
        }
        connecting.cancel()
        Task {
            let connection = try await connecting.value
            if let code { connection.cancel(with: code, reason: reason) } else { connection.cancel() }
        }
    }

    /// Passes the server's messages on, each after it is stored, until the end.
    private func receiveAll() async {
        do {
            let connection = try await connecting.value
            while true {
                let message = try await connection.receive()
                try await store(WebSocketFrame(message, isSent: false), of: connection)
                socket?.deliver(message)
            }
        } catch {
            _ = await end(with: error)
        }
    }

    /// Ends the socket after an error of its connection, which is stored, and returns the error for the client.
    private func end(with error: any Error) async -> any Error {
        let connection = try? await connecting.value
        let (code, reason) = (connection?.closeCode ?? .invalid, connection?.closeReason)
        let task = connection as? URLSessionWebSocketTask
        // A message that is sent meanwhile fails for a different reason.
        let isUnavailable = task != nil && [error, task?.error].contains { ($0 as? URLError)?.code == .unsupportedURL }
        let error = isUnavailable ? StubbornNetworkError.webSocketsUnavailable(url) : error
        await onOtherThread { [self] in
            if state.withLock({ $0.isClosed }) { return }
            if code != .invalid {
                try? store(WebSocketFrame(code, reason, isSent: false), connection, isOpen: true)
                return finish()
            }
            // An error of this library is not the server's.
            let isOfServer = !(error is StubbornNetworkError)
            let hasOpened = state.withLock { state in
                if !isOfServer, !state.hasOpened { forget(&state) }
                return state.hasOpened
            }
            finish(with: hasOpened && !isOfServer ? nil : StubFailure(error).asStored)
        }
        connection?.cancel()
        socket?.end(with: error, code, reason: reason)
        return error
    }

    // MARK: Storing

    private func store(
        _ frame: WebSocketFrame?,
        of connection: any WebSocketConnection,
        isOpen: Bool = true
    ) async throws {
        // Storing waits for the disk, which no thread of Swift's tasks should do.
        try await onOtherThread { [self] in Result { try store(frame, connection, isOpen: isOpen) } }.get()
    }

    /// Stores a frame before the client sees it, or before it is sent, if the server has accepted the socket.
    private func store(_ frame: WebSocketFrame?, _ connection: (any WebSocketConnection)?, isOpen: Bool) throws {
        try state.withLock { state in
            if isOpen { begin(&state, connection) }
            guard !state.hasEnded, let recording = state.recording else { return }
            if var frame {
                if recording.recordsTiming {
                    let nanoseconds = DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds
                    frame.seconds = Double(nanoseconds / 1_000_000) / 1_000
                }
                state.frames.append(recording.redactor.redact(frame, of: recording.request))
            }
            guard state.hasOpened, recording.compare == nil, !recording.isShared else { return }
            for frame in state.frames[state.storedCount...] {
                var part = recording
                part.response?.body = frame.line
                part.continues = state.storedCount > 0
                if part.continues { part.request.headerFields = [:] }
                try engine.recorded.writer?.add(part)
                state.storedCount += 1
            }
        }
    }

    /// Notes that the server has accepted the socket.
    private func begin(_ state: inout State, _ connection: (any WebSocketConnection)?) {
        guard state.hasOpened.setOnce() else { return }
        var head = ResponseHead(statusCode: 101)
        if let response = (connection as? URLSessionTask)?.response { head = ResponseHead(response) }
        // It belongs to one connection.
        head.headerFields["Sec-WebSocket-Accept"] = nil
        head.url = nil
        if state.recording?.end(with: StubResponse(head: head)) == false {
            state.recording?.onLeftOut()
            forget(&state)
        }
        engine.end(exchange, isAnswered: true, with: url.flatMap { head.httpResponse(to: $0) })
    }

    /// Ends the recording, with all frames so far.
    private func finish(with failure: StubFailure? = nil) {
        state.withLock { state in
            if failure == nil {
                begin(&state, nil)
            } else if !state.hasOpened {
                engine.end(exchange, isAnswered: false)
            }
            guard state.hasEnded.setOnce(), var recording = state.recording else { return }
            defer { forget(&state) }
            if state.hasOpened {
                recording.response?.body = state.frames.lines
                recording.response?.failure = failure
                recording.response = recording.stub.map { recording.redactor.redactAgain($0).response }
            } else if let failure, !recording.end(with: StubResponse(failure: failure)) {
                return recording.onLeftOut()
            }
            // The end of the recording throws the error.
            if let compare = recording.compare {
                recording.stub.map(compare)
            } else {
                try? engine.recorded.store(recording)
            }
        }
    }

    /// Ends the recording without storing the rest.
    private func forget(_ state: inout State) {
        guard let recording = state.recording.take() else { return }
        engine.openSockets.withLock { $0[recording.requestNumber] = nil }
        engine.recorded.writer?.end(recording.requestNumber)
    }
}
