import Foundation

/// Work on other threads that ends before a recording does.
final class PendingWork: Sendable {
    /// The longest time that anything waits for pending work.
    @TaskLocal static var longestWait = DispatchTimeInterval.seconds(10)
    /// The pending work of the process.
    private static let ofProcess = DispatchGroup()
    /// The pending work of the running code, which must not wait for itself.
    @TaskLocal private static var current: ObjectIdentifier?

    private let group = DispatchGroup()

    private var isCurrent: Bool { Self.current == ObjectIdentifier(self) }

    /// Performs work on a global queue, or on a given one.
    func perform(on queue: DispatchQueue = .global(), _ work: @escaping @Sendable () -> Void) {
        Self.ofProcess.enter()
        queue.async(group: group) {
            Self.$current.withValue(ObjectIdentifier(self), operation: work)
            Self.ofProcess.leave()
        }
    }

    /// Waits until the work has ended, for ten seconds at most.
    ///
    /// Work does not wait for itself.
    ///
    /// - Returns: A Boolean value that indicates whether the work has ended, or is the caller.
    @discardableResult
    func wait() -> Bool { isCurrent || group.wait(timeout: .now() + Self.longestWait) == .success }

    /// Waits until the work has ended, for ten seconds at most, without blocking a thread.
    func end() async {
        guard !isCurrent else { return }
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        group.notify(queue: .global()) { end.finish() }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.longestWait) { end.finish() }
        for await _ in ends {}
    }

    /// Waits until all work of the process has ended, for ten seconds at most; work that ends the process does not wait.
    ///
    /// - Returns: A Boolean value that indicates whether the work has ended, or is the caller.
    static func waitForAll() -> Bool {
        current != nil || ofProcess.wait(timeout: .now() + longestWait) == .success
    }
}

/// Performs work that may block its thread, on a thread outside Swift's tasks, and returns the result.
package func onOtherThread<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(returning: work()) }
    }
}

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
