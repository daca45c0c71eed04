import Foundation

/// Tells a protocol's client what happens, in order, on the client's thread alone, and nothing after the end.
///
/// Events may be sent from any thread; they wait until the client's thread fetches them.
final class ClientDelivery: Sendable {
    private struct State {
        var waiting: [ExchangeEvent] = []
        /// Emptied at the end, so that protocol and delivery do not keep each other alive.
        var urlProtocol: UncheckedTransfer<URLProtocol>?
        var thread: (any ClientThread)?
        /// A fetch is under way, or `startLoading` is running and will fetch before it returns.
        var fetchIsDue = true
        var isPaused = false
        var response: URLResponse?
    }

    private let state: Lock<State>

    /// Made inside `startLoading`, which calls `fetch()` before it returns.
    init(_ urlProtocol: URLProtocol) {
        let urlProtocol = UncheckedTransfer(urlProtocol)
        state = Lock(State(urlProtocol: urlProtocol))
    }

    /// Whether nothing will reach the client any more.
    var isOver: Bool { state.withLock { $0.urlProtocol == nil } }

    /// Whether it is known where the client can be called later.
    var hasThread: Bool { state.withLock { $0.thread != nil } }

    /// Where the client is called when `startLoading` has returned. Set inside `startLoading`.
    func setThread(_ thread: any ClientThread) {
        state.withLock { $0.thread = thread }
    }

    /// Sends an event to the client. From any thread.
    func send(_ event: ExchangeEvent) {
        let thread = state.withLock { state -> (any ClientThread)? in
            guard state.urlProtocol != nil else { return nil }
            state.waiting.append(event)
            guard !state.fetchIsDue, !state.isPaused else { return nil }
            state.fetchIsDue = true
            return state.thread
        }
        thread?.perform { [self] in fetch() }
    }

    /// Delivers what is waiting. On the client's thread.
    func fetch() {
        while true {
            let (events, urlProtocol) = state.withLock { state -> ([ExchangeEvent], UncheckedTransfer<URLProtocol>?) in
                state.fetchIsDue = false
                guard !state.isPaused, let urlProtocol = state.urlProtocol else { return ([], nil) }
                defer { state.waiting = [] }
                return (state.waiting, urlProtocol)
            }
            guard let urlProtocol = urlProtocol?.value, !events.isEmpty else { return }
            for event in events {
                guard !isOver else { return }
                deliver(event, to: urlProtocol)
            }
        }
    }

    /// Holds events back until `resume()`. On the client's thread.
    func pause() {
        state.withLock { $0.isPaused = true }
    }

    /// Delivers what was held back. On the client's thread.
    func resume() {
        state.withLock { $0.isPaused = false }
        fetch()
    }

    /// Nothing reaches the client from now on. On the client's thread.
    func stop() {
        state.withLock { state in
            state.urlProtocol = nil
            state.waiting = []
        }
    }

    private func deliver(_ event: ExchangeEvent, to urlProtocol: URLProtocol) {
        let client = urlProtocol.client
        if event.isLast { stop() }
        switch event {
        case .response(let response):
            state.withLock { $0.response = response }
            client?.urlProtocol(urlProtocol, didReceive: response, cacheStoragePolicy: .notAllowed)
        case .data(let data):
            client?.urlProtocol(urlProtocol, didLoad: data)
        case .end:
            // A finish without a response crashes an async caller on Linux.
            if let response = state.withLock({ $0.response }) {
                urlProtocol.finish(after: response)
            } else {
                client?.urlProtocol(urlProtocol, didFailWithError: URLError(.badServerResponse))
            }
        case .failure(let error):
            client?.urlProtocol(urlProtocol, didFailWithError: error)
        }
    }
}
