#if canImport(FoundationNetworking)
    import Dispatch
    import Foundation

    extension URLProtocol {
        /// Returns the thread for this protocol's client.
        ///
        /// Called only inside the first `startLoading`.
        func clientThread() -> any ClientThread {
            guard let task else { return NoThread() }
            // The work queue is not public in Foundation.
            if let queue = TaskReflection(task).workQueue { return QueueThread(queue: queue) }
            return ResumeBounceThread(task: task)
        }
    }

    /// A thread for a protocol without a task, which has no client to call.
    private struct NoThread: ClientThread {
        func perform(_ work: @escaping @Sendable () -> Void) {}
    }

    /// A thread for a Foundation in which the work queue has another name.
    ///
    /// To resume a running task makes Foundation call `startLoading` again on the work queue, which delivers the events
    /// that wait. It uses public API only, but it misses the end of the task.
    struct ResumeBounceThread: ClientThread {
        let task: URLSessionTask

        func perform(_ work: @escaping @Sendable () -> Void) {
            // A suspended task must stay suspended. The events are delivered when it is resumed.
            guard task.state == .running else { return }
            task.resume()
        }
    }
#endif
