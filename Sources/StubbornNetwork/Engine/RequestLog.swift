import Foundation

/// The requests of a network, in the order in which they started.
package final class RequestLog: Sendable {
    private struct State {
        var exchanges: [Exchange] = []
        var leftOutCount = 0
        var unstubbed: [StubRequest] = []
        /// The tasks that wait for an exchange.
        var waiters: [AsyncStream<Exchange>.Continuation] = []
    }

    private let state = Lock(State())

    var all: [Exchange] { state.withLock { $0.exchanges } }

    /// Adds an exchange and returns its number.
    package func begin(_ request: StubRequest) -> Int {
        let start = Date()
        return state.withLock { state in
            state.exchanges.append(Exchange(id: state.exchanges.count, request: request, start: start))
            return state.exchanges.count - 1
        }
    }

    /// The requests that no stub answered, including requests that follow redirects and challenges.
    var unstubbed: [StubRequest] { state.withLock(\.unstubbed) }

    func noteUnstubbed(_ request: StubRequest) { state.withLock { $0.unstubbed.append(request) } }

    /// Sets the outcome of an exchange, which a later failure changes.
    func decide(_ id: Int, _ outcome: Exchange.Outcome) { change(id) { $0.decision = outcome } }

    func decision(of id: Int) -> Exchange.Outcome? { state.withLock { $0.exchanges[id].decision } }

    /// Notes that an exchange with the real server is not stored, because a filter leaves it out.
    func leaveOut(_ id: Int) {
        change(id) { $0.decision = .passedThrough }
        state.withLock { $0.leftOutCount += 1 }
    }

    /// The number of exchanges that a filter has left out.
    var leftOutCount: Int { state.withLock { $0.leftOutCount } }

    /// Ends an exchange, once.
    ///
    /// An exchange with the real server has failed if its request was not answered.
    func end(_ id: Int, isAnswered: Bool, with response: URLResponse? = nil) {
        let now = Date()
        change(id) { exchange in
            guard exchange.duration == nil else { return }
            exchange.duration = now.timeIntervalSince(exchange.start)
            exchange.response = response as? HTTPURLResponse
            switch exchange.decision {
            case .recorded where !isAnswered, .passedThrough where !isAnswered, nil: exchange.decision = .failed
            default: break
            }
        }
    }

    /// Changes an exchange and sends it to all waiters.
    private func change(_ id: Int, _ change: (inout Exchange) -> Void) {
        state.withLock { state in
            change(&state.exchanges[id])
            guard !state.waiters.isEmpty else { return }
            let exchange = state.exchanges[id]
            state.waiters.removeAll { waiter in
                if case .terminated = waiter.yield(exchange) { true } else { false }
            }
        }
    }

    /// Returns the first matching exchange for which a decision has been made; `nil` after the timeout, or when the
    /// task is cancelled.
    package func firstExchange(
        within timeout: DispatchTimeInterval,
        where fits: (Exchange) -> Bool
    ) async -> Exchange? {
        let (exchanges, waiter) = AsyncStream.makeStream(of: Exchange.self)
        state.withLock { state in
            state.waiters.append(waiter)
            for exchange in state.exchanges { waiter.yield(exchange) }
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + timeout) { waiter.finish() }
        return await exchanges.first { $0.decision != nil && fits($0) }
    }
}
