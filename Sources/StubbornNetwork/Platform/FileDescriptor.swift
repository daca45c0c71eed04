import Foundation

/// An open file or directory, closed when this goes, or by `finish()` where the outcome matters.
final class FileDescriptor {
    private var number: CInt

    private init(_ number: CInt) {
        self.number = number
    }

    deinit {
        if number >= 0 { _ = close(number) }
    }

    /// Opens a file for reading. It does not wait for a writer where the file is a pipe.
    static func reading(_ path: String) throws(SystemError) -> FileDescriptor {
        try opened { open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
    }

    /// Makes a file that is not there yet, and opens it for writing.
    static func creating(_ path: String) throws(SystemError) -> FileDescriptor {
        try opened { open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) }
    }

    /// Opens a file that is there for writing.
    static func writing(_ path: String) throws(SystemError) -> FileDescriptor {
        try opened { open(path, O_WRONLY | O_CLOEXEC) }
    }

    private static func opened(_ open: () -> CInt) throws(SystemError) -> FileDescriptor {
        while true {
            let number = open()
            if number >= 0 { return FileDescriptor(number) }
            guard errno == EINTR else { throw .last }
        }
    }

    func fingerprint() throws(SystemError) -> FileFingerprint {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw .last }
        return FileFingerprint(status)
    }

    /// Everything from here to the end.
    func readToEnd(expectedCount: Int) throws(SystemError) -> Data {
        var data = Data()
        data.reserveCapacity(max(expectedCount, 0))
        var buffer = [UInt8](repeating: 0, count: min(max(expectedCount + 1, 4096), 1 << 20))
        while true {
            let count = buffer.withUnsafeMutableBytes { read(number, $0.baseAddress, $0.count) }
            if count == 0 { return data }
            if count > 0 {
                data.append(contentsOf: buffer[..<count])
            } else if errno != EINTR {
                throw .last
            }
        }
    }

    /// The file, to be read in parts later, also when this is closed.
    func reader() throws(SystemError) -> FileReader {
        let fingerprint = try fingerprint()
        let copy = dup(number)
        guard copy >= 0 else { throw .last }
        return FileReader(owning: copy, fingerprint)
    }

    func writeAll(_ data: Data) throws(SystemError) {
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(number, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw .last
            }
        }
    }

    /// Gives the file the permissions of another, and its owner where this process may.
    func adoptPermissions(of other: FileFingerprint) {
        _ = fchown(number, other.owner, other.group)
        _ = fchmod(number, other.permissions)
    }

    /// Waits until nobody else holds the lock on this file, and holds it until this is closed.
    ///
    /// The lock is advisory, holds between processes and between threads, and is given up by the system when the process
    /// ends. A file system that knows no locks is used without.
    func lock() throws(SystemError) {
        while flock(number, LOCK_EX) != 0 {
            switch errno {
            case EINTR: continue
            case ENOTSUP, EOPNOTSUPP, ENOSYS: return
            default: throw .last
            }
        }
    }

    /// Takes the lock of `lock()` if nobody else holds it; `false` where somebody does, or the file system knows no locks.
    func tryLock() -> Bool {
        while flock(number, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EINTR else { return false }
        }
        return true
    }

    /// Cuts off what is behind a place.
    func truncate(to byteCount: Int) throws(SystemError) {
        while ftruncate(number, off_t(byteCount)) != 0 {
            guard errno == EINTR else { throw .last }
        }
        guard lseek(number, off_t(byteCount), SEEK_SET) >= 0 else { throw .last }
    }

    /// Whether the file still has a name in a directory: what is written into one without is lost.
    var isLinked: Bool {
        var status = stat()
        return fstat(number, &status) == 0 && status.st_nlink > 0
    }

    func finish() throws(SystemError) {
        guard number >= 0 else { return }
        defer { number = -1 }
        guard close(number) == 0 || errno == EINTR else { throw .last }
    }
}
