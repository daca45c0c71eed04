import Foundation

/// A timer that fires when nothing has happened for a time.
///
/// On Linux a session does not apply the timeouts of requests.
final class InactivityTimer: Sendable {
    private struct State {
        var lastActivity = DispatchTime.now().uptimeNanoseconds
        var cancel: (@Sendable () -> Void)?
        var isOver = false
        /// The number of delays that have been started.
        ///
        /// Only the latest may be cancelled.
        var delayCount = 0
    }

    private let state = Lock(State())
    private let seconds: Double
    private let onTimeout: @Sendable () -> Void

    /// Creates a timer, which runs from `start()`.
    ///
    /// - Parameters:
    ///   - seconds: the time without activity. If it is not a positive number, or more than a week, the timer never
    ///     fires.
    ///   - onTimeout: called once at most, on any thread.
    init(seconds: Double, onTimeout: @escaping @Sendable () -> Void) {
        self.seconds = seconds
        self.onTimeout = onTimeout
    }

    func start() {
        let week: Double = 7 * 24 * 60 * 60
        guard seconds > 0, seconds < week else { return }
        wait(seconds)
    }

    /// A Boolean value that indicates whether the timer has fired or been stopped.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Starts the time again.
    func noteActivity() {
        let now = DispatchTime.now().uptimeNanoseconds
        state.withLock { $0.lastActivity = now }
    }

    /// Stops the timer.
    ///
    /// - Returns: a Boolean value that indicates whether this call stopped it. The timer has not fired then, and will
    ///   not.
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
        let number = state.withLock { state in
            state.delayCount += 1
            return state.delayCount
        }
        let cancel = Delay.run(after: rest) { [weak self] in self?.check() }
        let isOver = state.withLock { state in
            if !state.isOver, state.delayCount == number { state.cancel = cancel }
            return state.isOver
        }
        if isOver { cancel() }
    }

    private func check() {
        let now = DispatchTime.now().uptimeNanoseconds
        let lastActivity = state.withLock { $0.lastActivity }
        if let rest = rest(after: lastActivity, now: now) { return wait(rest) }
        if stop() { onTimeout() }
    }

    /// Returns the time that is left.
    ///
    /// - Parameters:
    ///   - lastActivity: the time of the last activity, in nanoseconds of uptime.
    ///   - now: the current time, in nanoseconds of uptime.
    /// - Returns: the seconds that are left; `nil` for none.
    func rest(after lastActivity: UInt64, now: UInt64) -> Double? {
        let rest = seconds - Double(now > lastActivity ? now - lastActivity : 0) / 1_000_000_000
        return rest > 0.001 ? rest : nil
    }
}
