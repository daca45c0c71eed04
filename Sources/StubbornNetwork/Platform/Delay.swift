import Foundation

/// A delay that can be cancelled.
///
/// It keeps no references after it has ended or was cancelled.
enum Delay {
    /// The longest delay, in seconds: a year, which is longer than every timeout.
    static let longest: Double = 365 * 24 * 60 * 60

    /// Runs `work` once, on a global queue, `seconds` from now; returns a function that cancels it.
    static func run(after seconds: Double, _ work: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let timer = DispatchSource.makeTimerSource(queue: .global(qos: .userInitiated))
        timer.schedule(deadline: .now() + max(0, min(seconds, longest)), leeway: .milliseconds(1))
        // The handler has a reference to the timer until it is cancelled, which releases the handler. A timer may be
        // cancelled from any thread.
        let running = UncheckedTransfer(timer)
        timer.setEventHandler {
            running.value.cancel()
            work()
        }
        timer.activate()
        return { running.value.cancel() }
    }
}
