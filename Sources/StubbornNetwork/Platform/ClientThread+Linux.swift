#if canImport(FoundationNetworking) && !SIMULATES_APPLE
    import Dispatch
    import Foundation

    extension URLProtocol {
        /// Returns the thread for this protocol's client, inside the first `startLoading`.
        func clientThread() -> ClientThread {
            // A protocol without a task has no client to call.
            guard let task else { return { _ in } }
            // The work queue is not public in Foundation.
            guard let queue = TaskReflection(task).workQueue else { return task.threadByResuming }
            return { work in queue.async(execute: work) }
        }
    }

    extension URLSessionTask {
        /// The client's thread for a Foundation in which the work queue has another name.
        ///
        /// To resume a running task makes Foundation call `startLoading` again on the work queue, which delivers the
        /// events that wait. It uses public API only, but it misses the end of the task.
        var threadByResuming: ClientThread {
            { _ in
                // A suspended task must stay suspended. The events are delivered when it is resumed.
                if self.state == .running { self.resume() }
            }
        }
    }
#endif
