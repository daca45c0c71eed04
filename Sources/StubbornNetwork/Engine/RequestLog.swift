import Foundation

/// The requests of a network, in the order in which they started.
final class RequestLog: Sendable {
    private struct State {
        var exchanges: [Exchange] = []
        var waiters: [ExchangeWaiter] = []
    }

    private let state = Lock(State())
    private let unstubbedRequests = Lock<[StubRequest]>([])

    var all: [Exchange] { state.withLock { $0.exchanges } }

    /// Returns the requests of the exchanges from a number on.
    func requests(from id: Int) -> [StubRequest] {
        state.withLock { $0.exchanges.dropFirst(id).map(\.request) }
    }

    /// Adds an exchange and returns its number.
    func begin(_ request: StubRequest) -> Int {
        let start = Date()
        return state.withLock { state in
            state.exchanges.append(Exchange(id: state.exchanges.count, request: request, outcome: nil, start: start))
            return state.exchanges.count - 1
        }
    }

    /// The requests that no stub answered, including those that redirects and challenges led to.
    var unstubbed: [StubRequest] { unstubbedRequests.withLock { $0 } }

    func noteUnstubbed(_ request: StubRequest) {
        unstubbedRequests.withLock { $0.append(request) }
    }

    /// Sets the outcome of an exchange.
    ///
    /// A later failure changes it.
    func decide(_ id: Int, _ outcome: Exchange.Outcome) {
        change(id) { $0.outcome = outcome }
    }

    /// Ends an exchange.
    ///
    /// Later calls do nothing.
    ///
    /// - Parameters:
    ///   - id: the number of the exchange.
    ///   - isAnswered: a Boolean value that indicates whether the request was answered. An exchange with the real
    ///     server that was not has failed.
    func end(_ id: Int, isAnswered: Bool) {
        let now = Date()
        change(id) { exchange in
            guard exchange.duration == nil else { return }
            exchange.duration = now.timeIntervalSince(exchange.start)
            switch exchange.outcome {
            case .recorded where !isAnswered, .passedThrough where !isAnswered, nil: exchange.outcome = .failed
            default: break
            }
        }
    }

    /// Changes an exchange and offers it to all waiters.
    private func change(_ id: Int, _ change: (inout Exchange) -> Void) {
        let (exchange, waiters) = state.withLock { state -> (Exchange?, [ExchangeWaiter]) in
            change(&state.exchanges[id])
            return state.waiters.isEmpty ? (nil, []) : (state.exchanges[id], state.waiters)
        }
        guard let exchange else { return }
        // Outside the lock: a pattern may be the user's code.
        for waiter in waiters { waiter.offer(exchange) }
    }

    // MARK: Waiting

    /// Returns the first exchange that fits and has an outcome.
    ///
    /// Returns `nil` after the timeout or when the task is cancelled.
    func firstExchange(
        within timeout: DispatchTimeInterval,
        where fits: @escaping @Sendable (Exchange) -> Bool
    ) async -> Exchange? {
        let waiter = ExchangeWaiter(fits)
        state.withLock { $0.waiters.append(waiter) }
        defer { state.withLock { state in state.waiters.removeAll { $0 === waiter } } }
        for exchange in all { waiter.offer(exchange) }
        return await withTaskCancellationHandler {
            await waiter.exchange(within: timeout)
        } onCancel: {
            waiter.end()
        }
    }
}

/// A task that waits for an exchange.
private final class ExchangeWaiter: Sendable {
    private struct State {
        var outcome: Exchange??
        var continuation: CheckedContinuation<Exchange?, Never>?
    }

    private let fits: @Sendable (Exchange) -> Bool
    private let state = Lock(State())

    init(_ fits: @escaping @Sendable (Exchange) -> Bool) {
        self.fits = fits
    }

    func offer(_ exchange: Exchange) {
        guard exchange.outcome != nil, fits(exchange) else { return }
        end(exchange)
    }

    /// Ends the wait.
    ///
    /// The first call decides the result.
    func end(_ exchange: Exchange? = nil) {
        let continuation = state.withLock { state -> CheckedContinuation<Exchange?, Never>? in
            guard state.outcome == nil else { return nil }
            state.outcome = .some(exchange)
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume(returning: exchange)
    }

    func exchange(within timeout: DispatchTimeInterval) async -> Exchange? {
        await withCheckedContinuation { continuation in
            let outcome = state.withLock { state -> Exchange?? in
                if state.outcome == nil { state.continuation = continuation }
                return state.outcome
            }
            if let outcome { return continuation.resume(returning: outcome) }
            DispatchQueue.global().asyncAfter(deadline: .now() + timeout) { [weak self] in self?.end() }
        }
    }
}
