import Foundation

/// A function that soon runs work on the thread that may call the client of a `URLProtocol`: the thread that `startLoading`
/// runs on.
///
/// On Linux that is the task's own work queue, on Apple's platforms the run loop that called `startLoading`. A call of
/// the client on another thread crashes on Linux under load, and the thread sanitizer does not see it. The function may
/// be called from any thread but the client's.
typealias ClientThread = @Sendable (_ work: @escaping @Sendable () -> Void) -> Void

/// A function that soon calls the client of a `URLProtocol` on its thread, unless the load has ended or was stopped by then.
typealias ClientCall = @Sendable (_ call: @escaping @Sendable (URLProtocol) -> Void) -> Void
