import Foundation

/// A function that connects a web socket to the real server.
typealias WebSocketCall = @Sendable (_ request: URLRequest) async throws -> any WebSocketConnection

/// The client's end of a web socket of a network.
final class StubbedWebSocket: WebSocketConnection {
    typealias Message = URLSessionWebSocketTask.Message
    typealias CloseCode = URLSessionWebSocketTask.CloseCode

    private struct State {
        /// The messages that the client has not received yet.
        var arrived: ArraySlice<Message> = []
        /// The calls of `receive()` that wait for a message, by their numbers.
        var waiting: [Int: CheckedContinuation<Message, any Error>] = [:]
        var callCount = 0
        /// The error of each call after the end; `nil` while the socket is open.
        var end: (any Error)?
        var close: (code: CloseCode, reason: Data?) = (.invalid, nil)
    }

    let request: URLRequest
    let engine: Engine
    /// Connects to the real server.
    let connect: WebSocketCall
    /// The other end, which is chosen at the first use, or the error of opening it.
    private let opened = Lock<Result<WebSocketServer, any Error>?>(nil)
    private let state = Lock(State())

    init(_ request: URLRequest, _ engine: Engine, _ connect: @escaping WebSocketCall) {
        (self.request, self.engine, self.connect) = (request, engine, connect)
    }

    deinit { try? opened.withLock { $0 }?.get().close(nil, nil) }

    var closeCode: CloseCode { state.withLock { $0.close.code } }
    var closeReason: Data? { state.withLock { $0.close.reason } }

    // MARK: The client's calls

    func resume() { engine.perform { [self] in _ = server() } }

    func send(_ message: Message) async throws { try await openServer().send(message) }

    func receive() async throws -> Message {
        _ = try await openServer(isReceiving: true)
        let number = state.withLock { $0.callCount.increment() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { call in
                let result = state.withLock { state -> Result<Message, any Error>? in
                    // A task that is cancelled later calls the handler below.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if let message = state.arrived.popFirst() { return .success(message) }
                    if let end = state.end { return .failure(end) }
                    state.waiting[number] = call
                    return nil
                }
                if let result { call.resume(with: result) }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(throwing: CancellationError())
        }
    }

    func sendPing(pongReceiveHandler: @escaping @Sendable ((any Error)?) -> Void) {
        Task { do { try await openServer().sendPing(pongReceiveHandler) } catch { pongReceiveHandler(error) } }
    }

    func cancel() { cancel(nil, nil, URLError(.cancelled)) }

    func cancel(with closeCode: CloseCode, reason: Data?) { cancel(closeCode, reason, Self.notConnected) }

    private func cancel(_ code: CloseCode?, _ reason: Data?, _ error: any Error) {
        let server = opened.withLock { $0.orSet { .failure(error) } }
        guard end(with: error, code ?? .invalid, reason) else { return }
        state.withLock { $0.arrived = [] }
        // Closing it again at the end of its life could end the exchange before the close is noted.
        opened.withLock { $0 = .failure(error) }
        try? server.get().close(code, reason)
    }

    /// The error of the system's task after the end of a socket.
    static let notConnected = POSIXError(.ENOTCONN)

    fileprivate func server() -> Result<WebSocketServer, any Error> {
        opened.withLock { $0.orSet { Result { try open() } } }
    }

    /// Returns the other end, after reading the stub file if necessary.
    ///
    /// A call that receives gets the messages that have arrived before the error of the end. Other calls get the error at once.
    private func openServer(isReceiving: Bool = false) async throws -> WebSocketServer {
        let server = engine.loadsQuickly ? server() : await onOtherThread { self.server() }
        if !isReceiving, let end = state.withLock({ $0.end }) { throw end }
        return try server.get()
    }

    // MARK: The server's calls

    /// Delivers a message to the client, unless the socket has ended.
    func deliver(_ message: Message) {
        let call = state.withLock { state -> CheckedContinuation<Message, any Error>? in
            guard state.end == nil else { return nil }
            if let first = state.waiting.keys.min() { return state.waiting.removeValue(forKey: first) }
            state.arrived.append(message)
            return nil
        }
        call?.resume(returning: message)
    }

    /// Ends the socket: each later call throws the error, after the messages that have arrived.
    ///
    /// - Returns: A Boolean value that indicates whether the socket was open.
    @discardableResult
    func end(with error: any Error, _ code: CloseCode = .invalid, _ reason: Data? = nil) -> Bool {
        let calls = state.withLock { state -> [Int: CheckedContinuation<Message, any Error>]? in
            guard state.end == nil else { return nil }
            (state.end, state.close) = (error, (code, reason))
            defer { state.waiting = [:] }
            return state.waiting
        }
        calls?.values.forEach { $0.resume(throwing: error) }
        return calls != nil
    }
}

extension StubbedWebSocket {
    /// Decides on the socket, and returns its other end.
    func open() throws -> WebSocketServer {
        guard let asked = StubRequest(request), asked.isWebSocket else {
            throw StubbornNetworkError.unsupportedRequest(request.url.map(Redactor.shown), schemes: "ws and wss")
        }
        let exchange = engine.log.begin(asked)
        do {
            switch engine.decide(asked, exchange: exchange) {
            case .play(let response, let isRecorded):
                engine.end(exchange, isAnswered: true, with: response.head?.httpResponse(to: asked.url))
                return try play(response, isRecorded: isRecorded, to: asked)
            case .record(let recording):
                let sent = try engine.requestForServer(request, decided: asked)
                if recording.compare == nil { try engine.recorded.begin(recording) }
                return LiveWebSocket(self, sent, recording, exchange).server
            case .passThrough: return LiveWebSocket(self, request, nil, exchange).server
            case .fail(let error): throw error
            }
        } catch {
            engine.end(exchange, isAnswered: false)
            throw error
        }
    }

    private func play(_ response: StubResponse, isRecorded: Bool, to asked: StubRequest) throws -> WebSocketServer {
        if let script = response.webSocket as? WebSocketScript { return script.start(asked, self) }
        guard response.webSocketFrames != nil else {
            // The system's task fails in this way if the server answers with anything else.
            throw response.failure?.error(failing: asked.url) ?? URLError(.badServerResponse)
        }
        let player = FramePlayer(response, isRecorded: isRecorded, to: asked, engine)
        return WebSocketScript(run: player.play, check: player.error).start(asked, self)
    }
}

extension Engine {
    /// Opens a web socket that stubs answer.
    ///
    /// - Throws: The report if no stub answers; the error of a stub that refuses the socket.
    package func openStubbedWebSocket(for request: StubRequest) throws -> any WebSocketConnection {
        let socket = StubbedWebSocket(request.urlRequest, self) { _ in throw URLError(.cannotConnectToHost) }
        _ = try socket.server().get()
        return socket
    }

    /// Returns the system's task for a web socket to the real server.
    func makeWebSocketTask(with request: URLRequest) -> any WebSocketConnection {
        let context = SessionContext(recorder.firstSession?.configuration ?? .ephemeral)
        if let completed = StubRequest(context.completing(request)) { learn(completed, in: recordMode.rules) }
        let session = URLSession(configuration: context.configuration)
        let task = session.webSocketTask(with: request)
        task.resume()
        session.finishTasksAndInvalidate()
        return task
    }
}
