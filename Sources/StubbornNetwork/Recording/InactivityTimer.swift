import Foundation

/// A timer that fires when nothing has happened for a time.
///
/// On Linux a session does not apply the timeouts of requests.
final class InactivityTimer: Sendable {
    private let state = Lock((lastActivity: DispatchTime.now().uptimeNanoseconds, isOver: false))
    private let seconds: Double
    private let onTimeout: @Sendable () -> Void

    /// Creates a timer, which runs from `start()`, and calls `onTimeout` once at most, on any thread.
    ///
    /// A time that is not positive, or more than a week, never ends.
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

    /// Restarts the time.
    func noteActivity() {
        let now = DispatchTime.now().uptimeNanoseconds
        state.withLock { $0.lastActivity = now }
    }

    /// Stops the timer, and returns a Boolean value that indicates whether it had neither fired nor been stopped.
    func stop() -> Bool {
        state.withLock { state in
            defer { state.isOver = true }
            return !state.isOver
        }
    }

    private func wait(_ seconds: Double) {
        // Not cancelled: it does not keep this object.
        _ = Delay.run(after: seconds) { [weak self] in
            guard let self, !isOver else { return }
            let lastActivity = state.withLock { $0.lastActivity }
            if let rest = rest(after: lastActivity, now: DispatchTime.now().uptimeNanoseconds) {
                wait(rest)
            } else if stop() {
                onTimeout()
            }
        }
    }

    /// Returns the seconds that are left at the time `now`; `nil` if none are.
    ///
    /// Both times are nanoseconds of uptime.
    func rest(after lastActivity: UInt64, now: UInt64) -> Double? {
        let rest = seconds - Double(now > lastActivity ? now - lastActivity : 0) / 1_000_000_000
        return rest > 0.001 ? rest : nil
    }
}
