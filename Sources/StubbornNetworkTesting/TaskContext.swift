import Foundation
import StubbornNetwork

/// The context of a task: its task-local values, such as `Test.current`.
///
/// The closures of a network are called on threads of Foundation, which belong to no test. An expectation in such a closure
/// would be an issue of no test.
///
/// Only a task has the values, and only a task of this one inherits them. So a task waits here for work, which its executor does
/// on the thread that brings it. No thread waits for another one, also where all threads of Swift's tasks are blocked.
final class TaskContext: Sendable {
    private struct State {
        var waiting: WaitingTask?
        var hasEnded = false
    }

    private let state = Lock(State())
    /// The number of tasks that wait: one, but for the moment after which the next one does.
    private let count = DispatchSemaphore(value: 0)

    /// Takes the context of the running task.
    init() { add() }

    deinit { end() }

    /// Runs `body` in this context on this thread; does nothing after the end.
    func run(_ body: @escaping @Sendable () -> Void) {
        count.wait()
        guard let task = state.withLock({ $0.waiting.take() }) else { return _ = count.signal() }
        let isPerformed = task.perform { [self] in
            // A task that is created here inherits the context.
            add()
            body()
        }
        guard !isPerformed else { return }
        // The task does not wait yet.
        state.withLock { $0.waiting = task }
        count.signal()
    }

    /// Ends the context, which keeps the task-local values.
    func end() {
        let task = state.withLock { state in
            state.hasEnded = true
            return state.waiting.take()
        }
        task?.perform {}
        count.signal()
    }

    private func add() {
        let task = WaitingTask()
        let isAdded = state.withLock { state in
            if !state.hasEnded { state.waiting = task }
            return !state.hasEnded
        }
        if isAdded { count.signal() } else { task.perform {} }
    }
}

/// A task that waits for work, and then does it.
private final class WaitingTask: Sendable {
    private let continuation = Lock<CheckedContinuation<@Sendable () -> Void, Never>?>(nil)

    init() {
        // It waits when this returns, because its executor runs it here.
        Task { @CallingThread in
            let work = await withCheckedContinuation { waiting in
                self.continuation.withLock { $0 = waiting }
            }
            work()
        }
    }

    /// Makes the task do some work on this thread, and returns `false` if it does not wait yet.
    @discardableResult
    func perform(_ work: @escaping @Sendable () -> Void) -> Bool {
        guard let waiting = continuation.withLock({ $0.take() }) else { return false }
        waiting.resume(returning: work)
        return true
    }
}

/// The actor of tasks that run on the thread which starts or resumes them.
///
/// It has no state, so several of its tasks may run at once.
@globalActor private actor CallingThread {
    static let shared = CallingThread()

    private static let executor = Executor()

    nonisolated var unownedExecutor: UnownedSerialExecutor { Self.executor.asUnownedSerialExecutor() }

    private final class Executor: SerialExecutor {
        func enqueue(_ job: UnownedJob) { job.runSynchronously(on: asUnownedSerialExecutor()) }

        @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
        func enqueue(_ job: consuming ExecutorJob) { enqueue(UnownedJob(job)) }

        func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
    }
}
