import Foundation

/// The client's end of a web socket of a network.
final class StubbedWebSocket: WebSocketConnection {
    typealias Message = URLSessionWebSocketTask.Message
    typealias CloseCode = URLSessionWebSocketTask.CloseCode

    private struct State {
        /// The messages that the client has not received yet.
        var arrived: ArraySlice<Message> = []
        /// The calls of `receive()` that wait for a message.
        var waiting: [(number: Int, call: CheckedContinuation<Message, any Error>)] = []
        var callCount = 0
        /// The error of each call after the end; `nil` while the socket is open.
        var end: (any Error)?
        var closeCode = CloseCode.invalid
        var closeReason: Data?
    }

    let request: URLRequest
    private let engine: Engine
    private let open: @Sendable (StubbedWebSocket) -> any WebSocketServer
    /// The other end, which is chosen at the first use.
    private let opened = Lock<(any WebSocketServer)?>(nil)
    private let state = Lock(State())

    init(
        _ request: URLRequest,
        _ engine: Engine,
        open: @escaping @Sendable (StubbedWebSocket) -> any WebSocketServer
    ) {
        (self.request, self.engine, self.open) = (request, engine, open)
    }

    deinit {
        opened.withLock { $0 }?.close(nil, reason: nil)
    }

    var closeCode: CloseCode { state.withLock { $0.closeCode } }
    var closeReason: Data? { state.withLock { $0.closeReason } }
    var isWaiting: Bool { state.withLock { !$0.waiting.isEmpty } }

    // MARK: The client's calls

    func resume() {
        guard state.withLock({ $0.end == nil }) else { return }
        if engine.loadsQuickly { _ = server() } else { engine.perform { _ = self.server() } }
    }

    func send(_ message: Message) async throws {
        let server = try await openServer()
        if let end = state.withLock({ $0.end }) { throw end }
        try await server.send(message)
    }

    func receive() async throws -> Message {
        let server = state.withLock { $0.arrived.isEmpty } ? try await openServer() : nil
        let number = state.withLock { $0.callCount.increment() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { call in
                let result = state.withLock { state -> Result<Message, any Error>? in
                    // A task that is cancelled later calls the handler below.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if let message = state.arrived.popFirst() { return .success(message) }
                    if let end = state.end { return .failure(end) }
                    state.waiting.append((number, call))
                    return nil
                }
                if let result { call.resume(with: result) } else { server?.noteWaiting() }
            }
        } onCancel: {
            let call = state.withLock { state in
                state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0).call }
            }
            call?.resume(throwing: CancellationError())
        }
    }

    func sendPing(pongReceiveHandler: @escaping @Sendable ((any Error)?) -> Void) {
        engine.perform { [self] in
            if let end = state.withLock({ $0.end }) { return pongReceiveHandler(end) }
            server().sendPing(pongReceiveHandler)
        }
    }

    func cancel() { cancel(with: nil, reason: nil, URLError(.cancelled)) }

    func cancel(with closeCode: CloseCode, reason: Data?) {
        cancel(with: closeCode, reason: reason, Self.notConnected)
    }

    private func cancel(with code: CloseCode?, reason: Data?, _ error: any Error) {
        guard end(with: error, code ?? .invalid, reason: reason, keepsMessages: false) else { return }
        opened.withLock { $0 }?.close(code, reason: reason)
    }

    /// The error of the system's task after the end of a socket.
    static let notConnected = POSIXError(.ENOTCONN)

    private func server() -> any WebSocketServer { opened.withLock { $0.orSet { open(self) } } }

    /// Returns the other end, after reading the stub file if necessary.
    private func openServer() async throws -> any WebSocketServer {
        if let end = state.withLock({ $0.end }) { throw end }
        let server = engine.loadsQuickly ? server() : await onOtherThread { self.server() }
        // The frames of a server that has closed the socket can still be received.
        if let end = state.withLock({ $0.arrived.isEmpty ? $0.end : nil }) { throw end }
        return server
    }

    // MARK: The other end's calls

    /// Delivers a message to the client, unless the socket has ended.
    func deliver(_ message: Message) {
        let call = state.withLock { state -> CheckedContinuation<Message, any Error>? in
            guard state.end == nil else { return nil }
            if !state.waiting.isEmpty { return state.waiting.removeFirst().call }
            state.arrived.append(message)
            return nil
        }
        call?.resume(returning: message)
    }

    /// Ends the socket: each later call throws the error, after the messages that have arrived.
    ///
    /// - Returns: A Boolean value that indicates whether the socket was open.
    @discardableResult
    func end(
        with error: any Error,
        _ code: CloseCode = .invalid,
        reason: Data? = nil,
        keepsMessages: Bool = true
    ) -> Bool {
        let calls = state.withLock { state -> [CheckedContinuation<Message, any Error>]? in
            guard state.end == nil else { return nil }
            (state.end, state.closeCode, state.closeReason) = (error, code, reason)
            if !keepsMessages { state.arrived = [] }
            defer { state.waiting = [] }
            return state.waiting.map(\.call)
        }
        for call in calls ?? [] { call.resume(throwing: error) }
        return calls != nil
    }
}
