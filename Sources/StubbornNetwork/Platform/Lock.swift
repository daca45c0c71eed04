import Foundation

/// The only lock of this library: a value that can be used only while the lock is held.
///
/// `Synchronization.Mutex` and `OSAllocatedUnfairLock` are newer than the oldest platforms in the manifest. `NSLock`
/// needs several more objects for each lock, and every stub has a lock. Delete this file when the oldest platforms have
/// `Mutex`.
package struct Lock<Value>: Sendable {
    /// The value and the mutex in one object, so that a lock is one allocation.
    private final class Storage: ManagedBuffer<Value, pthread_mutex_t> {
        deinit { _ = withUnsafeMutablePointerToElements { pthread_mutex_destroy($0) } }
    }

    // Its value is used only in `withLock`, while the mutex is locked: so the lock is sendable.
    nonisolated(unsafe) private let storage: ManagedBuffer<Value, pthread_mutex_t>

    package init(_ value: sending Value) {
        storage = Storage.create(minimumCapacity: 1) { storage in
            storage.withUnsafeMutablePointerToElements { mutex in
                mutex.initialize(to: pthread_mutex_t())
                pthread_mutex_init(mutex, nil)
            }
            return value
        }
    }

    /// Runs `body` with the value while no other thread uses it.
    ///
    /// Not recursive: calling `withLock` on the same lock from inside `body` deadlocks.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        // The address never changes, and the storage lives until the mutex is unlocked.
        let mutex = storage.withUnsafeMutablePointerToElements { $0 }
        pthread_mutex_lock(mutex)
        defer { withExtendedLifetime(storage) { _ = pthread_mutex_unlock(mutex) } }
        return try body(&storage.header)
    }
}

extension Bool {
    /// Changes the value to `true`, and returns a Boolean value that indicates whether it was `false` before.
    mutating func setOnce() -> Bool {
        defer { self = true }
        return !self
    }
}

extension Int {
    /// Adds 1, and returns the sum.
    mutating func increment() -> Int {
        self += 1
        return self
    }
}

extension Array {
    /// Removes all elements, and returns them.
    mutating func takeAll() -> Self {
        defer { self = [] }
        return self
    }
}

extension Optional {
    /// Returns the value; if there is none, stores and returns a new one.
    mutating func orSet(to new: () -> Wrapped) -> Wrapped {
        let value = self ?? new()
        self = value
        return value
    }
}

/// A value that is passed between threads although the compiler cannot check it.
///
/// `URLProtocol` cannot be sendable (Foundation declares the conformance unavailable), but its client has to be called
/// after `startLoading` too. The code that uses the value must use it on the right thread.
struct UncheckedTransfer<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
