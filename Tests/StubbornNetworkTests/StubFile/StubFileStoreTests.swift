import Foundation
import Testing

@testable import StubbornNetwork

/// Tests of the stub file store, each in a directory of its own.
///
/// Some run as a user whose permissions have no limits. To make an operation fail, a test therefore puts a directory in
/// a file's place, a file in a directory's place, or uses a device.
final class StubFileStoreTests {
    private let directory = FileManager.default.temporaryDirectory
        .appendingPathComponent("StubFileStoreTests-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    private func store(_ path: String) -> StubFileStore {
        StubFileStore(file: directory.appendingPathComponent(path))
    }

    private func names(in path: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.appendingPathComponent(path).path).sorted()
    }

    private func message(_ error: StubbornNetworkError?) -> String? {
        error?.message.replacingOccurrences(of: directory.path + "/", with: "")
    }

    @Test func `a file that was written is read back, and no other file is left`() throws {
        let store = store("a.json")
        #expect(try store.read() == nil)
        try store.write(Data("one".utf8))
        #expect(store.content == Data("one".utf8))
        try store.write(Data())
        #expect(store.content == Data())
        let large = Data(repeating: 7, count: 3_000_000)
        try store.write(large)
        #expect(store.content == large)
        #expect(try names() == ["a.json"])
    }

    @Test func `directories are created by writing, and not by reading`() throws {
        let store = store("Stubs/Deep/a b.json")
        #expect(try store.read() == nil)
        #expect(try names().isEmpty)
        try store.write(Data("one".utf8))
        #expect(try names(in: "Stubs/Deep") == ["a b.json"])
    }

    @Test func `a file keeps its permissions, and a new one has the usual ones`() throws {
        let store = store("a.json")
        try store.write(Data("one".utf8))
        #expect(try FileSystem.fingerprint(at: store.file.path)?.permissions != 0o600)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: store.file.path)
        try store.write(Data("two".utf8))
        #expect(try FileSystem.fingerprint(at: store.file.path)?.permissions == 0o640)
    }

    @Test(arguments: [true, false])
    func `a symbolic link is replaced by a file, and what it leads to stays`(targetExists: Bool) throws {
        if targetExists { try store("outside.json").write(Data("old".utf8)) }
        try store("Stubs/x").write(Data())
        let link = directory.appendingPathComponent("Stubs/link.json").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "../outside.json")
        let store = store("Stubs/link.json")
        try store.write(Data("new".utf8))
        #expect(store.content == Data("new".utf8))
        #expect(self.store("outside.json").content == (targetExists ? Data("old".utf8) : nil))
        #expect(try names(in: "Stubs") == ["link.json", "x"])
    }

    @Test func `a directory with the name of the file is neither read nor replaced`() throws {
        try store("a.json/inside").write(Data("one".utf8))
        let store = store("a.json")
        let reading = #expect(throws: StubbornNetworkError.self) { try store.read() }
        #expect(reading?.code == .unreadableStubFile)
        #expect(
            message(reading)
                == "a.json cannot be read: Is a directory. Something else is at this path. Move it, or choose a different name."
        )
        let writing = #expect(throws: StubbornNetworkError.self) { try store.write(Data("two".utf8)) }
        #expect(writing?.code == .unwritableStubFile)
        #expect(
            message(writing)
                == "a.json cannot be written: Is a directory. Something else is at this path. Move it, or choose a different name."
        )
        #expect(try names() == ["a.json"])
        #expect(try names(in: "a.json") == ["inside"])
    }

    @Test func `a file with the name of the directory is an error`() throws {
        try store("Stubs").write(Data("one".utf8))
        let store = store("Stubs/a.json")
        let advice = "Move the file that is in the directory's place, or choose a different stub directory."
        let reading = #expect(throws: StubbornNetworkError.self) { try store.read() }
        #expect(message(reading) == "Stubs/a.json cannot be read: Not a directory. \(advice)")
        let writing = #expect(throws: StubbornNetworkError.self) { try store.write(Data("two".utf8)) }
        #expect(message(writing) == "Stubs/a.json cannot be written: Not a directory. \(advice)")
        let locking = #expect(throws: StubbornNetworkError.self) { try store.withDirectoryLock { _ in } }
        #expect(message(locking) == "Stubs/a.json cannot be written: Not a directory. \(advice)")
        #expect(self.store("Stubs").content == Data("one".utf8))
    }

    @Test func `a device is neither read nor replaced`() throws {
        let store = StubFileStore(file: URL(fileURLWithPath: "/dev/zero"))
        let reading = #expect(throws: StubbornNetworkError.self) { try store.read() }
        #expect(
            message(reading)
                == "/dev/zero cannot be read: Not a regular file. Something else is at this path. Move it, or choose a different name."
        )
        #expect(throws: StubbornNetworkError.self) { try store.write(Data("two".utf8)) }
    }

    @Test func `a circle of links cannot be read, and a name that is too long is an error`() throws {
        let link = directory.appendingPathComponent("a.json").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "a.json")
        #expect(throws: StubbornNetworkError.self) { try store("a.json").read() }
        let long = String(repeating: "x", count: 300)
        #expect(throws: StubbornNetworkError.self) { try store(long).read() }
        let naming = #expect(throws: StubbornNetworkError.self) { try store(long).write(Data()) }
        #expect(message(naming)?.hasSuffix("File name too long. Choose a shorter name.") == true)
    }

    @Test func `a full disk is an error of the system`() throws {
        guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
        let full = try FileDescriptor.appending("/dev/full")
        let cause = #expect(throws: SystemError.self) { try full.writeAll(Data("one".utf8)) }
        #expect(cause == SystemError(ENOSPC))
        let error = StubbornNetworkError.stubFile(
            URL(fileURLWithPath: "Stubs/Login.json"),
            cannotBe: .written,
            SystemError(ENOSPC)
        )
        #expect(
            error.message
                == "Stubs/Login.json cannot be written: No space left on device. Free some space on the disk, then record again."
        )
        #expect((error.underlyingError as? POSIXError)?.code == .ENOSPC)
    }

    @Test func `a write that fails at its end leaves nothing behind`() throws {
        // A file does not take a directory's place.
        try store("a.json/inside").write(Data("one".utf8))
        let store = store("a.json")
        let new = try store.newPath()
        _ = try FileSystem.createFile(at: new) { output in "two".withBytes { output.add($0) } }
        let cause = #expect(throws: SystemError.self) { try FileSystem.replaceFile(at: store.file.path, by: new) }
        #expect(cause == SystemError(EISDIR))
        store.removeSidecarDirectory()
        #expect(try names() == ["a.json"])
    }

    @Test func `a write by another process changes the fingerprint`() throws {
        let store = store("a.json")
        #expect(store.fingerprint == nil)
        try store.write(Data("one".utf8))
        let first = store.fingerprint
        #expect(first != nil)
        #expect(store.fingerprint == first)
        try store.write(Data("one".utf8))
        #expect(store.fingerprint != first)
    }

    @Test func `writes under exclusive access do not overlap`() async throws {
        let store = store("Stubs/a.json")
        try store.write(Data())
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<25 {
                        try? store.withDirectoryLock { _ throws(StubbornNetworkError) in
                            try store.write((store.content ?? Data()) + Data("x".utf8))
                        }
                    }
                }
            }
        }
        #expect(store.content?.count == 200)
        #expect(try names(in: "Stubs") == ["a.json"])
    }

    @Test func `the directory is locked during exclusive access only`() throws {
        let store = store("Stubs/a.json")
        try store.withDirectoryLock { _ in
            #expect(isLocked(store.file.deletingLastPathComponent()))
        }
        #expect(!isLocked(store.file.deletingLastPathComponent()))
        #expect(try names(in: "Stubs").isEmpty)
    }

    /// Whether another process, or anybody who opens the directory again, would have to wait.
    private func isLocked(_ directory: URL) -> Bool {
        let descriptor = open(directory.path, O_RDONLY)
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    @Test func `a wait for the lock ends with an error when its time is over`() throws {
        let store = store("Stubs/a.json")
        try store.withDirectoryLock { _ throws(StubbornNetworkError) in
            let error = #expect(throws: StubbornNetworkError.self) {
                try store.withDirectoryLock(waitingAtMost: 0.02) { _ in }
            }
            #expect(
                message(error) == """
                    Stubs/a.json cannot be written: Another process has held the lock of its directory for too long. Let \
                    the other process continue, or end it.
                    """
            )
        }
    }

    // On Darwin, ENOTSUP is not EOPNOTSUPP.
    @Test(arguments: [ENOLCK, ENOTSUP, EOPNOTSUPP, ENOSYS, EBADF, EINVAL])
    func `a file system without locks can be used`(error: CInt) throws {
        let store = store("a.json")
        FileOperation.faults.withLock { faults in
            faults[directory.path] = { operation, _ in operation == .lock ? SystemError(error) : nil }
        }
        defer { FileOperation.faults.withLock { _ = $0.removeValue(forKey: directory.path) } }
        #expect(try store.withDirectoryLock { _ in 5 } == 5)
        #expect(try FileDescriptor.reading(directory.path).tryLock() == .unavailable)
    }

    @Test func `closing a file frees its lock, also if a child that is being started has a copy`() throws {
        let path = directory.appendingPathComponent("locked").path
        let file = try FileDescriptor.creating(path)
        #expect(try file.tryLock() == .taken)
        // What a child has from its fork until it runs its program.
        let copy = dup(file.number)
        #expect(copy >= 0)
        defer { close(copy) }
        #expect(try FileDescriptor.reading(path).tryLock() == .heldByOther)
        try file.finish()
        #expect(try FileDescriptor.reading(path).tryLock() == .taken)
    }

    @Test func `an editor that lays a stub out again does not change its identity`() throws {
        let stub = try Stub.get("http://a/b", .status(200, ["X": "a\\\"b/c"], body: "a body"))
        let entry = StubFileEntry(rendering: stub, bodyEncoding: .readable)
        let array = try #require(try JSONSerialization.jsonObject(with: Data("[\(entry.text)]".utf8)) as? [Any])
        for options in [[.sortedKeys], [.sortedKeys, .prettyPrinted]] as [JSONSerialization.WritingOptions] {
            let other = try StubFileDocument(try JSONSerialization.data(withJSONObject: array, options: options))
            #expect(other.entries.first?.identity == entry.identity)
            #expect(other.entries.first != entry)
        }
        let changed = try Stub.get("http://a/b", .status(200, ["X": "a\\\"b/c"], body: "abody"))
        #expect(StubFileEntry(rendering: changed, bodyEncoding: .readable).identity != entry.identity)
    }

    @Test func `an error ends exclusive access, and is thrown`() throws {
        let store = store("a.json")
        let inside = StubbornNetworkError(.invalidStub, "inside")
        let error = #expect(throws: StubbornNetworkError.self) {
            try store.withDirectoryLock { _ throws(StubbornNetworkError) in throw inside }
        }
        #expect(error?.message == "inside")
        #expect(try store.withDirectoryLock { _ in 5 } == 5)
    }
}
