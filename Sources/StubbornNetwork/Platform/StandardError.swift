import Foundation

/// The messages that this library writes to the standard error of the process, for problems that no caller can catch as
/// an error.
///
/// A message neither blocks the process for long nor ends it, because its reader may be slow or gone.
package enum StandardError {
    /// A Boolean value that indicates whether the last message was not read in time.
    ///
    /// If so, the next messages do not wait for a reader.
    private static let isStuck = Lock(false)

    /// Writes a message and a line break, and waits for a reader for at most a second; if nobody reads, the rest is lost.
    package static func write(_ message: String) {
        isStuck.withLock { isStuck in
            let wait: CInt = isStuck ? 0 : 1_000
            isStuck = !write(Data("StubbornNetwork: \(message)\n".utf8), waitingAtMost: wait)
        }
    }

    /// The messages of `writeOnce(_:)`.
    static let written = Lock<Set<String>>([])

    /// Writes a message, unless this process has written the same one.
    package static func writeOnce(_ message: String) {
        if written.withLock({ $0.insert(message).inserted }) { write(message) }
    }

    /// Writes bytes, unless standard error is closed.
    ///
    /// In that case, `FileHandle` would end the process; without a reader, a signal would.
    ///
    /// Returns `false` if nobody reads within the time.
    private static func write(_ data: Data, waitingAtMost milliseconds: CInt) -> Bool {
        var (pipe, earlier, pending) = (sigset_t(), sigset_t(), sigset_t())
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &pipe, &earlier)
        defer {
            var signal: CInt = 0
            if sigpending(&pending) == 0, sigismember(&pending, SIGPIPE) == 1 { sigwait(&pipe, &signal) }
            pthread_sigmask(SIG_SETMASK, &earlier, nil)
        }
        return data.withUnsafeBytes { bytes in
            var rest = bytes
            while let base = rest.baseAddress, !rest.isEmpty {
                var output = pollfd(fd: 2, events: Int16(POLLOUT), revents: 0)
                if poll(&output, 1, milliseconds) == 0 { return false }
                // A pipe that can be written takes that many bytes without waiting (POSIX, `PIPE_BUF`).
                let count = Foundation.write(2, base, min(rest.count, 512))
                guard count > 0 else { return true }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
            return true
        }
    }
}

/// The processes of this machine.
package enum SystemProcess {
    /// The number of this process, including in a child of `fork()`.
    static var current: Int32 { getpid() }

    /// The name of this machine; empty if it is unknown.
    static let host: String = {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "" }
        return name.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }()

    /// Returns a Boolean value that indicates whether a process exists, regardless of who started it.
    package static func exists(_ process: Int32) -> Bool { kill(process, 0) == 0 || errno != ESRCH }
}
