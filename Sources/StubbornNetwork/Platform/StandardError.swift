import Dispatch
import Foundation

/// The messages that this library writes to the standard error of the process, where nobody can catch an error.
///
/// A message neither holds the process for long nor ends it: its reader may be slow, or gone.
enum StandardError {
    private struct State {
        /// The number of messages that are not written yet.
        var count = 0
        /// A Boolean value that indicates whether a message could not be written in time, so that nothing waits for the next.
        var isStuck = false
    }

    private static let state = Lock(State())
    private static let queue = DispatchQueue(label: "StubbornNetwork.StandardError", qos: .userInitiated)
    private static let longestWait = DispatchTimeInterval.seconds(1)
    private static let maximumCount = 100

    /// The messages that are written when `holdingMessages` ends.
    @TaskLocal private static var held: Lock<[String]>?

    /// Writes a message and a line break, and waits for that, for a second at most.
    ///
    /// If nobody reads, messages are written later, or not at all.
    static func write(_ message: String) {
        if let held { return held.withLock { $0.append(message) } }
        let mayWait = state.withLock { state -> Bool? in
            guard state.count < maximumCount else { return nil }
            state.count += 1
            return !state.isStuck
        }
        guard let mayWait else { return }
        let item = DispatchWorkItem {
            writeAll(Data("StubbornNetwork: \(message)\n".utf8))
            state.withLock { state in
                state.count -= 1
                state.isStuck = false
            }
        }
        queue.async(execute: item)
        guard mayWait, item.wait(timeout: .now() + longestWait) == .timedOut else { return }
        state.withLock { $0.isStuck = $0.count > 0 }
    }

    /// Runs work, and writes its messages afterwards, when it holds no lock any more.
    static func holdingMessages<Result, Failure>(_ work: () throws(Failure) -> Result) throws(Failure) -> Result {
        let messages = Lock<[String]>([])
        let result = $held.withValue(messages) { Swift.Result(catching: work) }
        messages.withLock { $0 }.forEach(write)
        return try result.get()
    }

    /// Writes bytes, unless standard error is closed: then `FileHandle` would end the process, and without a reader, a signal
    /// would.
    private static func writeAll(_ data: Data) {
        var (pipe, earlier, pending) = (sigset_t(), sigset_t(), sigset_t())
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &pipe, &earlier)
        defer {
            var signal: CInt = 0
            if sigpending(&pending) == 0, sigismember(&pending, SIGPIPE) == 1 { sigwait(&pipe, &signal) }
            pthread_sigmask(SIG_SETMASK, &earlier, nil)
        }
        data.withUnsafeBytes { bytes in
            var rest = bytes
            while let base = rest.baseAddress, !rest.isEmpty {
                let count = Foundation.write(2, base, rest.count)
                guard count > 0 else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }
}
