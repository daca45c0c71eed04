import Foundation

/// The one lock of this library: a value that is only reached while the lock is held.
///
/// `Synchronization.Mutex` and `OSAllocatedUnfairLock` are newer than the oldest platforms in the manifest. When those
/// are gone, this file goes too.
package final class Lock<Value>: Sendable {
    // Guarded by `lock`; never reached outside `withLock`, which is what makes the class sendable.
    nonisolated(unsafe) private var value: Value
    private let lock = NSLock()

    package init(_ value: sending Value) {
        self.value = value
    }

    /// Runs `body` with the value, alone.
    ///
    /// Not recursive: calling `withLock` on the same lock from inside `body` deadlocks.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
