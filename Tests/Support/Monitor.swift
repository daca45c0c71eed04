import Foundation

/// A value that is only reached while a lock is held, and whose changes can be waited for.
final class Monitor<Value: Sendable>: Sendable {
    // Guarded by `condition`; never reached without it, which is what makes the class sendable.
    nonisolated(unsafe) private var value: Value
    private let condition = NSCondition()

    init(_ value: Value) {
        self.value = value
    }

    /// Runs `body` with the value, while no other call does.
    ///
    /// Calls cannot be nested.
    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        condition.lock()
        defer { condition.unlock() }
        return try body(&value)
    }

    /// Like `withLock`, and then wakes those who wait.
    func change<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        condition.lock()
        defer {
            condition.broadcast()
            condition.unlock()
        }
        return try body(&value)
    }

    /// Runs `attempt` now and after each `change` until it returns a result; nil once a `deadline` has passed.
    func wait<Result>(until deadline: Date? = nil, _ attempt: (inout Value) -> Result?) -> Result? {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let result = attempt(&value) { return result }
            guard let deadline else {
                condition.wait()
                continue
            }
            guard condition.wait(until: deadline) else { return attempt(&value) }
        }
    }
}
