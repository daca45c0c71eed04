import Foundation

/// An open file or directory.
///
/// It is closed when the last reference to it is released, or by `finish()`, which throws errors.
final class FileDescriptor: Sendable {
    /// The result of asking for a lock.
    enum LockState { case taken, heldByOther, unavailable }

    let number: CInt
    private let path: String
    private let isClosed = Lock(false)

    private init(opening path: String, _ flags: CInt) throws(SystemError) {
        self.path = path
        number = CInt(try FileOperation.open.perform(path) { Int(open(path, flags | O_CLOEXEC, 0o666)) })
    }

    deinit { try? finish() }

    /// Opens a file or a directory for reading, without waiting for a writer if it is a pipe.
    static func reading(_ path: String) throws(SystemError) -> FileDescriptor {
        try FileDescriptor(opening: path, O_RDONLY | O_NONBLOCK)
    }

    /// Creates a file that must not exist, and opens it for reading and writing.
    static func creating(_ path: String) throws(SystemError) -> FileDescriptor {
        try FileDescriptor(opening: path, O_RDWR | O_CREAT | O_EXCL)
    }

    /// Opens an existing file for reading, and for writing at its end.
    static func appending(_ path: String) throws(SystemError) -> FileDescriptor {
        try FileDescriptor(opening: path, O_RDWR | O_APPEND | O_NONBLOCK)
    }

    /// Opens an existing file for reading, and for writing anywhere.
    ///
    /// On Linux, a descriptor that was opened for writing at the end writes nowhere else.
    static func updating(_ path: String) throws(SystemError) -> FileDescriptor {
        try FileDescriptor(opening: path, O_RDWR | O_NONBLOCK)
    }

    /// Returns the current state of the file.
    func fingerprint() throws(SystemError) -> FileFingerprint {
        var status = stat()
        try FileOperation.status.perform(path) { Int(fstat(number, &status)) }
        return FileFingerprint(status)
    }

    /// Returns a Boolean value that indicates whether this is the file at a path, and was not removed or moved.
    func isFile(at path: String) throws(SystemError) -> Bool {
        guard let found = try FileSystem.fingerprint(at: path) else { return false }
        let own = try fingerprint()
        return found.device == own.device && found.inode == own.inode
    }

    /// Calls `body` with the content of the file in parts of a megabyte, and returns the state of the file.
    ///
    /// Throws `SystemError.cutShort` or `.changed` if the file is written in the meantime.
    func forEachPart(_ body: (UnsafeBufferPointer<UInt8>) -> Void) throws(SystemError) -> FileFingerprint {
        let state = try fingerprint()
        let byteCount = Int(clamping: state.size)
        for start in stride(from: 0, to: byteCount, by: Output.partByteCount) {
            let part = try availableData(in: start..<min(start + Output.partByteCount, byteCount))
            part.withUnsafeBytes { body($0.bindMemory(to: UInt8.self)) }
        }
        let current = try fingerprint()
        if current.size < state.size { throw .cutShort }
        guard current.hasSameContent(as: state) else { throw .changed }
        return state
    }

    /// Returns a part of the file, which may be shorter at the end of the file.
    func availableData(in range: Range<Int>) throws(SystemError) -> Data {
        guard let memory = malloc(max(range.count, 1)) else { throw SystemError(ENOMEM) }
        do throws(SystemError) {
            var done = 0
            while done < range.count {
                let (start, rest) = (off_t(range.lowerBound + done), range.count - done)
                let count = try FileOperation.read.perform(path) { pread(number, memory + done, rest, start) }
                if count == 0 { break }
                done += count
            }
            return Data(bytesNoCopy: memory, count: done, deallocator: .free)
        } catch {
            free(memory)
            throw error
        }
    }

    /// Writes all of the data at an offset of the file; by default, at the current offset.
    func writeAll(_ data: Data, at offset: Int? = nil) throws(SystemError) {
        var done = 0
        while done < data.count {
            done += try FileOperation.write.perform(path) { () -> Int in
                data.withUnsafeBytes { bytes in
                    // On Android, `pwrite` does not accept a null pointer. Data that is not empty has an address.
                    guard let start = bytes.baseAddress else { return -1 }
                    let (rest, count) = (start + done, bytes.count - done)
                    return offset.map { pwrite(number, rest, count, off_t($0 + done)) } ?? write(number, rest, count)
                }
            }
        }
    }

    /// Bytes that are written to a file in parts of a megabyte, so that there is no copy of all of them.
    struct Output {
        private let descriptor: FileDescriptor
        private var part: [UInt8] = []
        private var failure: SystemError?
        /// The number of bytes that were added.
        private(set) var byteCount = 0
        fileprivate static let partByteCount = 1 << 20

        init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

        mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
            byteCount += bytes.count
            for start in stride(from: 0, to: bytes.count, by: Self.partByteCount) {
                part.append(contentsOf: bytes[start..<min(start + Self.partByteCount, bytes.count)])
                if part.count >= Self.partByteCount { write() }
            }
        }

        private mutating func write() {
            do throws(SystemError) {
                if failure == nil { try descriptor.writeAll(Data(part)) }
            } catch {
                failure = error
            }
            part.removeAll(keepingCapacity: true)
        }

        /// Writes what is left, or throws the first error.
        mutating func finish() throws(SystemError) {
            write()
            if let failure { throw failure }
        }
    }

    /// Copies the permissions of another file, and its owner too if this process is allowed to.
    func adoptPermissions(of other: FileFingerprint) {
        _ = fchown(number, other.owner, other.group)
        _ = fchmod(number, other.permissions)
    }

    /// Waits for the advisory lock on this file, between processes and threads, and holds it until the file is closed
    /// or the process ends.
    func lock(forAtMost seconds: Double) throws(SystemError) -> LockState {
        let end = DispatchTime.now() + seconds
        while true {
            let state = try tryLock()
            guard state == .heldByOther, DispatchTime.now() < end else { return state }
            usleep(5_000)
        }
    }

    /// Takes the lock of `lock()` if it is free.
    func tryLock() throws(SystemError) -> LockState {
        do throws(SystemError) {
            try FileOperation.lock.perform(path) { Int(flock(number, LOCK_EX | LOCK_NB)) }
            return .taken
        } catch {
            switch error.number {
            case EWOULDBLOCK: return .heldByOther
            // Some network file systems have no lock service, or allow locks only for descriptors that may write.
            case ENOTSUP, EOPNOTSUPP, ENOSYS, ENOLCK, EBADF, EINVAL: return .unavailable
            default: throw error
            }
        }
    }

    /// Removes everything after a number of bytes, and moves to this offset.
    func truncate(to byteCount: Int) throws(SystemError) {
        try FileOperation.truncate.perform(path) { Int(ftruncate(number, off_t(byteCount))) }
        try FileOperation.truncate.perform(path) { Int(lseek(number, off_t(byteCount), SEEK_SET)) }
    }

    /// Closes the file, unless it is closed.
    func finish() throws(SystemError) {
        guard isClosed.withLock({ $0.setOnce() }) else { return }
        // A child process that is being started has a copy of the descriptor, and would keep the lock until it closes
        // the copy. Without a lock, this does nothing.
        _ = flock(number, LOCK_UN)
        // After an interruption, the file is closed anyway.
        let failure = close(number) == 0 || errno == EINTR ? nil : SystemError.last
        // Throws the fault that a test has set.
        try FileOperation.close.perform(path) { 0 }
        if let failure { throw failure }
    }
}

/// The system's operations on files that this library uses.
///
/// Each of them may fail.
enum FileOperation: CaseIterable, Sendable {
    case open, close, status, read, write, truncate, lock, list, createDirectory, link, rename, remove

    /// The faults that tests set for a directory, by its path.
    ///
    /// A fault makes an operation fail before it is carried out.
    static let faults = Lock<[String: @Sendable (FileOperation, _ path: String) -> SystemError?]>([:])

    /// Carries out the operation with a call of the C library that returns `nil` for an error, and repeats the call if a signal
    /// interrupts it.
    func perform<Result>(_ path: String, _ call: () -> Result?) throws(SystemError) -> Result {
        while true {
            let findFault = Self.faults.withLock { faults in faults.first { path.hasPrefix($0.key) }?.value }
            let fault = findFault?(self, path)
            if fault == nil, let result = call() { return result }
            let failure = fault ?? .last
            if failure.number != EINTR { throw failure }
        }
    }

    /// Carries out the operation with a call whose negative results stand for errors.
    @discardableResult
    func perform(_ path: String, _ call: () -> Int) throws(SystemError) -> Int {
        try perform(path) { () -> Int? in
            let result = call()
            return result < 0 ? nil : result
        }
    }
}

/// An error of the operating system, by its number.
package struct SystemError: Error, Equatable {
    package let number: CInt

    package init(_ number: CInt) { self.number = number }

    /// The error of the last call of the C library on this thread.
    static var last: SystemError { SystemError(errno) }

    // Errors for which the system has no number.
    static let notRegularFile = SystemError(-1)
    static let cutShort = SystemError(-2)
    package static let changed = SystemError(-3)
    static let busy = SystemError(-4)
    static let late = SystemError(-5)

    /// The reason in the system's words: `Permission denied`.
    var reason: String {
        switch self {
        case .notRegularFile: "Not a regular file"
        case .cutShort: "It was cut short while it was in use"
        case .changed: "It was changed while it was in use"
        case .busy: "Another process has held the lock of its directory for too long"
        case .late: "A response that a client has cancelled was still being stored after 10 seconds"
        default: String(cString: strerror(number))
        }
    }
}
