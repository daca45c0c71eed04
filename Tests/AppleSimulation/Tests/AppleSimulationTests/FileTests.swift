import Foundation
import Testing

@testable import StubbornNetwork

/// Files, under the names and the numbers of Darwin's headers.
struct FileTests {
    @Test func `the fingerprint of a file has the time when it was changed`() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("file-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data().write(to: file)
        // Read at another time.
        let times = [
            timespec(tv_sec: 2_000_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000_000, tv_nsec: 123_456_789),
        ]
        #expect(utimensat(AT_FDCWD, file.path, times, 0) == 0)
        var status = stat()
        #expect(stat(file.path, &status) == 0)
        #expect(FileFingerprint(status).modification == 1_000_000_000_123_456_789)
    }

    /// `ENOTSUP` is 45 on Darwin, and `EOPNOTSUPP` is 102.
    @Test(arguments: [45, 102] as [CInt])
    func `a file system without locks can be used`(error: CInt) throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("file-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data().write(to: file)
        FileOperation.faults.withLock { faults in
            faults[file.path] = { operation, _ in operation == .lock ? SystemError(error) : nil }
        }
        defer { FileOperation.faults.withLock { _ = $0.removeValue(forKey: file.path) } }
        #expect(try FileDescriptor.reading(file.path).tryLock() == .unavailable)
    }
}
