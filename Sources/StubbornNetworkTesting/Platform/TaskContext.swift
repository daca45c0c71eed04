import StubbornNetwork

/// The context of a task: its task-local values, such as `Test.current`.
///
/// The closures of a network are called on threads of Foundation, which belong to no test. An expectation in such a
/// closure would belong to no test.
///
/// Only a task that the test's task creates inherits the values. So one task waits here and creates other tasks, and
/// each thread itself runs the task for its work. No thread waits for Swift's threads, which may all be blocked.
final class TaskContext: Sendable {
    /// The task that creates others; `nil` after the end.
    private let creator: Lock<WaitingTask?>

    /// Takes the context of the running task.
    init() { creator = Lock(WaitingTask()) }

    deinit { end() }

    /// Runs `body` on this thread, once, in this context; after the end of the context, in the context of the thread.
    func run(_ body: @escaping @Sendable () -> Void) {
        let task = creator.withLock { creator -> WaitingTask? in
            let created = Lock<(next: WaitingTask, task: WaitingTask)?>(nil)
            creator?.run { created.withLock { $0 = (WaitingTask(), WaitingTask()) } }
            let tasks = created.withLock { $0 }
            creator = tasks?.next
            return tasks?.task
        }
        if let task { task.run(body) } else { body() }
    }

    /// Ends the context, which keeps the task-local values.
    func end() { creator.withLock { $0.take() }?.run {} }
}

/// A task that inherits the context of the running one, and waits until a thread runs it.
private final class WaitingTask: Sendable {
    /// The task that is being created.
    @TaskLocal private static var created: WaitingTask?

    private let job = Lock<UnownedJob?>(nil)
    private let work = Lock<(@Sendable () -> Void)?>(nil)

    init() {
        // The executor gets the task's job before this returns.
        Self.$created.withValue(self) { _ = Task { @CallingThread in self.work.withLock { $0.take() }?() } }
    }

    /// Runs the task, with some work, on this thread.
    ///
    /// This must be called once: a task that never runs is never released.
    func run(_ work: @escaping @Sendable () -> Void) {
        guard let job = job.withLock({ $0.take() }) else { return work() }
        self.work.withLock { $0 = work }
        job.runSynchronously(on: CallingThread.sharedUnownedExecutor)
    }

    /// The actor of these tasks. It has no state, so several of them may run at once.
    @globalActor private actor CallingThread {
        static let shared = CallingThread()
        private static let executor = Executor()

        nonisolated var unownedExecutor: UnownedSerialExecutor { Self.executor.asUnownedSerialExecutor() }
    }

    private final class Executor: SerialExecutor {
        // Each platform warns about the other spelling.
        #if canImport(Darwin)
            func enqueue(_ job: UnownedJob) { store(job) }
        #else
            func enqueue(_ job: consuming ExecutorJob) { store(UnownedJob(job)) }
        #endif

        private func store(_ job: UnownedJob) { created?.job.withLock { $0 = job } }

        func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
    }
}
