import Foundation

/// Delivers events to a protocol's client: in order, on the client's thread only, and none after the last one.
///
/// Inside `startLoading`, which runs on that thread, an event is delivered when it is sent. Once a thread is set, events
/// may be sent from any thread, and they wait until they are delivered on the client's thread.
final class ClientDelivery: LoadClient {
    private typealias Call = @Sendable (URLProtocol) -> Void

    private struct State {
        var pending: [Call] = []
        /// The protocol; `nil` after the last event, to avoid a reference cycle with the protocol.
        var urlProtocol: UncheckedTransfer<URLProtocol>?
        var thread: ClientThread?
        /// A Boolean value that indicates whether `deliverPending()` will be called without another call to the thread.
        var isScheduled = true
        var isPaused = false
    }

    private let state: Lock<State>

    /// Creates a delivery inside `startLoading`, which must call `deliverPending()` before it returns.
    init(_ urlProtocol: URLProtocol) { state = Lock(State(urlProtocol: UncheckedTransfer(urlProtocol))) }

    /// Sets the thread for deliveries after `startLoading` returns.
    ///
    /// Called inside `startLoading`.
    func setThread(_ thread: @escaping ClientThread) { state.withLock { $0.thread = thread } }

    /// Reads the parts of the task that a load needs after `startLoading` returns.
    ///
    /// Called inside `startLoading`.
    func prepareToWait(_ engine: Engine) -> SessionContext? {
        guard state.withLock({ $0.thread == nil }), let urlProtocol else { return nil }
        setThread(urlProtocol.clientThread())
        return urlProtocol.sessionContext(orOf: engine.recorder.firstSession, callingClient: { [self] in call($0) })
    }

    func connection(_ recorder: Recorder, bodyFrom source: RequestBodySource) -> Recorder.Connection? {
        recorder.connection(bodyFrom: source)
    }

    /// Sends an event to the client, from any thread.
    func send(_ event: ExchangeEvent) { call { [self] in deliver(event, to: $0) } }

    /// Calls the client, from any thread.
    func call(_ call: @escaping @Sendable (URLProtocol) -> Void) {
        var thread: ClientThread?
        let receiver = state.withLock { state -> UncheckedTransfer<URLProtocol>? in
            guard let urlProtocol = state.urlProtocol else { return nil }
            guard state.thread != nil else { return urlProtocol }
            state.pending.append(call)
            if !state.isPaused, state.isScheduled.setOnce() { thread = state.thread }
            return nil
        }
        if let receiver { return call(receiver.value) }
        thread? { [self] in deliverPending() }
    }

    // MARK: On the client's thread

    /// The protocol; `nil` after the last event.
    var urlProtocol: URLProtocol? { state.withLock { $0.urlProtocol }?.value }

    /// Delivers the events that have been sent.
    func deliverPending() {
        while true {
            let calls = state.withLock { state -> [Call] in
                // Set until the last event is delivered, because on a queue a second delivery could overtake this one.
                state.isScheduled = !state.isPaused && !state.pending.isEmpty
                return state.isScheduled ? state.pending.takeAll() : []
            }
            if calls.isEmpty { return }
            for call in calls {
                guard let urlProtocol else { return }
                call(urlProtocol)
            }
        }
    }

    /// Holds events back until `resume()`.
    func pause() { state.withLock { $0.isPaused = true } }

    /// Delivers the events that were held back.
    func resume() {
        state.withLock { $0.isPaused = false }
        deliverPending()
    }

    /// Ends the delivery, after which the client gets no more events.
    func stop() { state.withLock { ($0.urlProtocol, $0.pending) = (nil, []) } }

    private func deliver(_ event: ExchangeEvent, to urlProtocol: URLProtocol) {
        let client = urlProtocol.client
        switch event {
        case .response(let response, _):
            client?.urlProtocol(urlProtocol, didReceive: response, cacheStoragePolicy: .notAllowed)
        case .head: break
        case .data(let data):
            client?.urlProtocol(urlProtocol, didLoad: data)
        case .end:
            stop()
            urlProtocol.finish()
        case .failure(let error):
            stop()
            client?.urlProtocol(urlProtocol, didFailWithError: error.forClient)
        }
    }
}
