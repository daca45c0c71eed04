import Foundation

/// A value that a lock protects.
///
/// The library's own lock is internal: a product for stub files should not export one.
final class Locked<Value: Sendable>: @unchecked Sendable {
    // Unchecked: `value` is used only under the lock. `Mutex` needs macOS 15.
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) {
        self.value = value
    }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
