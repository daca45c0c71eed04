import Foundation

/// The place from which the client of a `URLProtocol` may be called: where `startLoading` runs.
///
/// On Linux that is the task's own work queue, on Apple's platforms the run loop that called `startLoading`. Calling the
/// client from anywhere else crashes on Linux, under load and unseen by the thread sanitizer, and is undefined on
/// Apple's platforms.
protocol ClientThread: Sendable {
    /// Has `work` run on the client's thread, soon. From any thread but the client's own.
    func perform(_ work: @escaping @Sendable () -> Void)
}
