#if canImport(FoundationNetworking) && !SIMULATES_APPLE
    import Foundation

    extension URLProtocol {
        /// Returns the thread for this protocol's client, inside the first `startLoading`.
        ///
        /// A protocol without a task has no client to call. A task without a work queue has been refused.
        func clientThread() -> ClientThread {
            guard let queue = task.flatMap({ TaskReflection($0).workQueue }) else { return { _ in } }
            return { work in queue.async(execute: work) }
        }
    }
#endif
