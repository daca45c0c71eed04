import Foundation

/// Barks when nothing has happened for too long. On Linux a session times nothing by its requests.
final class Watchdog: Sendable {
    private struct State {
        var lastSign = DispatchTime.now().uptimeNanoseconds
        var cancel: (@Sendable () -> Void)?
        var isOver = false
        /// How often it has begun to wait: what cancels an earlier wait is of no use any more.
        var waits = 0
    }

    private let state = Lock(State())
    private let seconds: Double
    private let bark: @Sendable () -> Void

    /// - Parameters:
    ///   - seconds: how long is too long. What is no positive number, or more than a week, is never too long.
    ///   - bark: called once at most, on any thread.
    init(seconds: Double, bark: @escaping @Sendable () -> Void) {
        self.seconds = seconds
        self.bark = bark
    }

    /// Begins to watch.
    func start() {
        let week: Double = 7 * 24 * 60 * 60
        guard seconds > 0, seconds < week else { return }
        wait(seconds)
    }

    /// Whether it has barked or been stopped.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Something has happened.
    func noteSign() {
        let now = DispatchTime.now().uptimeNanoseconds
        state.withLock { $0.lastSign = now }
    }

    /// Ends watching.
    ///
    /// - Returns: whether there was no bark before, and will be none from now on.
    @discardableResult
    func stop() -> Bool {
        let (cancel, isFirst) = state.withLock { state in
            defer { (state.cancel, state.isOver) = (nil, true) }
            return (state.cancel, !state.isOver)
        }
        cancel?()
        return isFirst
    }

    private func wait(_ rest: Double) {
        let wait = state.withLock { state in
            state.waits += 1
            return state.waits
        }
        let cancel = Delay.run(after: rest) { [weak self] in self?.look() }
        let isOver = state.withLock { state in
            if !state.isOver, state.waits == wait { state.cancel = cancel }
            return state.isOver
        }
        if isOver { cancel() }
    }

    private func look() {
        let now = DispatchTime.now().uptimeNanoseconds
        let lastSign = state.withLock { $0.lastSign }
        if let rest = rest(since: lastSign, now: now) { return wait(rest) }
        if stop() { bark() }
    }

    /// How long is left at a moment, after the last sign, both in nanoseconds of uptime; `nil` for nothing.
    func rest(since lastSign: UInt64, now: UInt64) -> Double? {
        let rest = seconds - Double(now > lastSign ? now - lastSign : 0) / 1_000_000_000
        return rest > 0.001 ? rest : nil
    }
}
