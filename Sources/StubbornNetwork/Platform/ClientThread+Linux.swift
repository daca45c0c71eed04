#if canImport(FoundationNetworking)
    import Dispatch
    import Foundation

    extension URLProtocol {
        /// Where this protocol's client may be called. Called only inside the first `startLoading`.
        func clientThread() -> any ClientThread {
            guard let task else { return NoThread() }
            if let queue = TaskReflection(task).workQueue { return WorkQueueThread(queue: queue) }
            return ResumeBounceThread(task: task)
        }
    }

    /// A protocol without a task has nobody to tell.
    private struct NoThread: ClientThread {
        func perform(_ work: @escaping @Sendable () -> Void) {}
    }

    /// The task's work queue, which Foundation keeps to itself.
    private struct WorkQueueThread: ClientThread {
        let queue: DispatchQueue

        func perform(_ work: @escaping @Sendable () -> Void) {
            queue.async(execute: work)
        }
    }

    /// For a Foundation that has renamed the work queue: resuming a running task makes Foundation call `startLoading` again,
    /// on the work queue, and that delivers what is waiting. Public API alone, but blind to the task's last moments.
    struct ResumeBounceThread: ClientThread {
        let task: URLSessionTask

        func perform(_ work: @escaping @Sendable () -> Void) {
            // A task that its user has suspended must stay so; what is waiting is delivered when it is resumed.
            guard task.state == .running else { return }
            task.resume()
        }
    }
#endif
