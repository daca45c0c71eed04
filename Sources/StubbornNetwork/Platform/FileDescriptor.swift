import Foundation

/// An open file or directory.
///
/// It is closed when the last reference to it is released, or by `finish()`, which throws the error of closing.
final class FileDescriptor: Sendable {
    private let number: CInt
    private let isOpen = Lock(true)

    private init(_ number: CInt) {
        self.number = number
    }

    deinit {
        try? finish()
    }

    /// Opens a file or a directory for reading.
    ///
    /// Does not wait for a writer if the file is a pipe.
    static func reading(_ path: String) throws(SystemError) -> FileDescriptor {
        try opened { open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
    }

    /// Creates a file and opens it for writing.
    ///
    /// Throws if it exists.
    static func creating(_ path: String) throws(SystemError) -> FileDescriptor {
        try opened { open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) }
    }

    /// Opens an existing file for writing.
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

    /// Returns the current state of the file.
    func fingerprint() throws(SystemError) -> FileFingerprint {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw .last }
        return FileFingerprint(status)
    }

    /// Returns everything from the current offset to the end.
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

    /// Returns a part of the file.
    ///
    /// - Throws: `SystemError.cutShort` if the file ends before the range.
    func data(in range: Range<Int>) throws(SystemError) -> Data {
        guard let memory = malloc(max(range.count, 1)) else { throw SystemError(ENOMEM) }
        let buffer = UnsafeMutableRawBufferPointer(start: memory, count: range.count)
        do throws(SystemError) {
            guard try fill(buffer, from: range.lowerBound) == range.count else { throw .cutShort }
        } catch {
            free(memory)
            throw error
        }
        return Data(bytesNoCopy: memory, count: range.count, deallocator: .free)
    }

    /// Reads from an offset on, up to the end of the buffer or of the file.
    ///
    /// - Returns: The number of bytes that were read.
    func fill(_ buffer: UnsafeMutableRawBufferPointer, from offset: Int) throws(SystemError) -> Int {
        var done = 0
        while done < buffer.count, let base = buffer.baseAddress {
            let count = pread(number, base + done, buffer.count - done, off_t(offset + done))
            if count > 0 {
                done += count
            } else if count == 0 {
                break
            } else if errno != EINTR {
                throw .last
            }
        }
        return done
    }

    /// Throws `SystemError.cutShort` or `.changed` if the file was written since a fingerprint was taken.
    func checkContent(isThatOf fingerprint: FileFingerprint) throws(SystemError) {
        let current = try self.fingerprint()
        if current.size < fingerprint.size { throw .cutShort }
        guard current.hasSameContent(as: fingerprint) else { throw .changed }
    }

    /// Writes all of the data at the current offset.
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

    /// Sets the permissions to those of another file, and the owner too if this process is allowed to.
    func adoptPermissions(of other: FileFingerprint) {
        _ = fchown(number, other.owner, other.group)
        _ = fchmod(number, other.permissions)
    }

    /// Waits for the lock on this file, and holds it until the file is closed.
    ///
    /// The lock is advisory. It works between processes and between threads, and the system releases it when the
    /// process ends. On a file system without locks this does nothing.
    func lock() throws(SystemError) {
        while flock(number, LOCK_EX) != 0 {
            switch errno {
            case EINTR: continue
            case ENOTSUP, EOPNOTSUPP, ENOSYS: return
            default: throw .last
            }
        }
    }

    /// Takes the lock of `lock()` if it is free.
    ///
    /// - Returns: `false` if somebody else holds it, and on a file system without locks.
    func tryLock() -> Bool {
        while flock(number, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EINTR else { return false }
        }
        return true
    }

    /// Removes what is after a number of bytes, and moves there.
    func truncate(to byteCount: Int) throws(SystemError) {
        while ftruncate(number, off_t(byteCount)) != 0 {
            guard errno == EINTR else { throw .last }
        }
        guard lseek(number, off_t(byteCount), SEEK_SET) >= 0 else { throw .last }
    }

    /// A Boolean value that indicates whether the file still has a name in a directory.
    ///
    /// What is written into a file without a name is lost.
    var isLinked: Bool {
        var status = stat()
        return fstat(number, &status) == 0 && status.st_nlink > 0
    }

    /// Closes the file.
    ///
    /// Does nothing if it is closed.
    func finish() throws(SystemError) {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        guard wasOpen, close(number) != 0, errno != EINTR else { return }
        throw .last
    }
}
