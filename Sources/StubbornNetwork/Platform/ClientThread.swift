import Foundation

/// The thread on which the client of a `URLProtocol` may be called: the one on which `startLoading` runs.
///
/// On Linux that is the task's own work queue, on Apple's platforms the run loop that called `startLoading`. A call of
/// the client on another thread crashes on Linux under load, and the thread sanitizer does not see it. On Apple's
/// platforms it is undefined.
protocol ClientThread: Sendable {
    /// Runs `work` on the client's thread, soon.
    ///
    /// May be called from any thread but the client's.
    func perform(_ work: @escaping @Sendable () -> Void)
}

/// A serial queue as the client's thread.
struct QueueThread: ClientThread {
    let queue: DispatchQueue

    func perform(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }
}
