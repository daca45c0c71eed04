import Foundation

/// Sends requests to the real server, passes the responses on as they arrive, and stores the exchanges when they have
/// ended.
final class Recorder: Sendable {
    private let state = Lock<(firstSession: SessionContext?, server: RealServer?)>((nil, nil))
    private let stubs: StubSource

    init(_ stubs: StubSource) { self.stubs = stubs }

    /// Adds a session of the network, from whose configuration this library's protocol classes have been removed.
    ///
    /// The connection to the real server has the proxy, the timeouts and the security of the first one.
    func add(_ session: SessionContext) {
        state.withLock { state in
            if state.firstSession == nil { state.firstSession = session } else { state.firstSession?.add(session) }
        }
    }

    /// The context of the network's first session, for a request whose session is not known.
    var firstSession: SessionContext? { state.withLock { $0.firstSession } }

    /// The real server, with a session that is made at the first request.
    private var server: RealServer {
        state.withLock { state in
            let session = state.firstSession
            return state.server.orSet { RealServer(session?.configuration ?? .ephemeral) }
        }
    }

    /// Sends a request to a real server, and passes on its exchange, one event at a time.
    ///
    /// The function that is returned cancels the exchange.
    typealias Connection =
        @Sendable (_ request: URLRequest, _ onEvent: @escaping @Sendable (ExchangeEvent) -> Void)
        -> @Sendable () -> Void

    /// Returns the connection of a session's task.
    func connection(bodyFrom source: RequestBodySource) -> Connection {
        { [self] in server.send($0, bodyFrom: source, onEvent: $1) }
    }

    /// Sends a request to the real server, and stores its recording, if there is one.
    ///
    /// The last event is sent after the exchange is stored. If the process is killed after the client has seen the end
    /// of the response, the exchange is still in the stub file. If the exchange cannot be stored, the request fails.
    /// With a recording, or `collectsBody`, the last event has the whole body; any other body is not collected. The
    /// function that is returned cancels the exchange, and stores the part that has arrived, with the given reason.
    /// Without a reason, nothing is stored, because the stub would have no end, or a wrong one.
    func send(
        _ request: URLRequest,
        by connection: Connection,
        recording: Recording?,
        collectsBody: Bool = false,
        onEvent: @escaping @Sendable (ExchangeEvent) -> Void
    ) -> @Sendable (_ reason: () -> (any Error)?) -> Void {
        do throws(StubbornNetworkError) {
            if let recording, recording.compare == nil { try stubs.begin(recording) }
        } catch {
            onEvent(.failure(error))
            return { _ in }
        }
        let exchange = RunningExchange(stubs, recording, request.timeoutInterval, collectsBody)
        let cancel = connection(request) { exchange.receive($0, onEvent) }
        return { reason in exchange.stop(because: reason(), cancel) }
    }
}

/// An exchange with the real server, until it has ended.
private final class RunningExchange: Sendable {
    private let stubs: StubSource
    private let recording: Recording?
    private let received: Lock<ReceivedExchange>

    init(_ stubs: StubSource, _ recording: Recording?, _ timeout: TimeInterval, _ collectsBody: Bool) {
        var recording = recording
        recording?.longestWait = min(StubFileStore.longestWait, timeout.bounded)
        (self.stubs, self.recording) = (stubs, recording)
        received = Lock(ReceivedExchange(collectsBody: recording != nil || collectsBody))
    }

    /// Passes an event on; the last one after the exchange is stored.
    ///
    /// The exchange does not keep `onEvent`, because the client keeps the function that stops the exchange.
    func receive(_ event: ExchangeEvent, _ onEvent: (ExchangeEvent) -> Void) {
        guard received.withLock({ $0.add(event) }) else { return }
        do throws(StubbornNetworkError) {
            try storePart()
            guard event.isLast else { return onEvent(event) }
            let received = received.withLock { $0 }
            try store(received)
            if case .end = event { onEvent(.end(body: received.body)) } else { onEvent(event) }
        } catch {
            onEvent(.failure(error))
        }
    }

    /// Ends the exchange, because its client has gone, and stores the part that has arrived; without a reason, stores nothing.
    func stop(because reason: (any Error)?, _ cancel: () -> Void) {
        let isRunning = received.withLock { $0.add(.failure(reason ?? CancellationError())) }
        cancel()
        guard isRunning, let recording else { return }
        if reason == nil { stubs.writer?.end(recording.requestNumber) } else { try? store(received.withLock { $0 }) }
    }

    /// Stores the frames of a web socket that have arrived since the last part, so that a kill does not lose them.
    private func storePart() throws(StubbornNetworkError) {
        guard var part = recording, part.isStoredInParts else { return }
        part.continues = received.withLock { $0.storedByteCount > 0 }
        guard let response = received.withLock({ $0.nextPart() }), part.end(with: response) else { return }
        try stubs.writer?.add(part)
    }

    /// Stores the exchange, which has ended.
    private func store(_ received: ReceivedExchange) throws(StubbornNetworkError) {
        guard var recording else { return }
        defer { stubs.writer?.end(recording.requestNumber) }
        guard let response = received.response(for: recording) else { return }
        recording.continues = received.storedByteCount > 0
        if recording.end(with: response) {
            if let compare = recording.compare { recording.stub.map(compare) } else { try stubs.store(recording) }
        } else if !recording.isShared {
            recording.onLeftOut()
        }
    }
}
