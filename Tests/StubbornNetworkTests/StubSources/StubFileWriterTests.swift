import Foundation
import Testing

@testable import StubbornNetwork

/// What a writer leaves at any moment is all that whoever comes after a kill has.
@Suite(.timeLimit(.minutes(5)))
struct StubFileWriterTests {
    private let scene = RecordingScene()
    private var directory: TemporaryDirectory { scene.directory }

    private func add(
        _ path: String,
        _ status: Int,
        byteCount: Int = 10,
        replaces: Bool = true,
        number: Int = 0,
        to writer: StubFileWriter
    ) throws {
        try writer.add(
            RecordingScene.recording(path, status, byteCount: byteCount, replaces: replaces, number: number)
        )
    }

    private func foundAfterKill() throws -> String {
        let found = try scene.foundAfterKill()
        #expect(found.second == found.first)
        return found.first
    }

    @Test(arguments: [true, false])
    func `at every moment each recording is on the disk once`(replaces: Bool) throws {
        let writer = try scene.writer()
        let sizes = [100, 200, 60_000, 90_000, 100, 100, 100]
        var expected: [String] = []
        for (number, size) in sizes.enumerated() {
            // Each request twice, with another answer.
            try add("\(number / 2)", 200 + number, byteCount: size, replaces: replaces, number: number, to: writer)
            expected.append("\(number / 2):\(200 + number)")
            #expect(try foundAfterKill() == expected.joined(separator: " "))
            if number == 4 {
                writer.updateFileNow()
                #expect(try scene.inFile() == expected.joined(separator: " "))
                #expect(try foundAfterKill() == expected.joined(separator: " "))
            }
        }
        try writer.exit()
        #expect(try foundAfterKill() == expected.joined(separator: " "))
        #expect(directory.contents == ["a.json"])
    }

    @Test func `at every moment each stub is on the disk as the recording or as what it replaces`() throws {
        try scene.write("a:200 b:200 a:201 a:202")
        let writer = try scene.writer()
        for (number, result) in [
            "a:300 b:200 a:201 a:202", "a:300 b:200 a:301 a:202", "a:300 b:200 a:301 a:302",
        ].enumerated() {
            try add("a", 300 + number, number: number, to: writer)
            #expect(try foundAfterKill() == result)
            if number == 1 { writer.updateFileNow() }
            #expect(try foundAfterKill() == result)
        }
        try writer.exit()
        #expect(try foundAfterKill() == "a:300 a:301 a:302")
    }

    @Test func `the stub file is written at the end of a recording, and not before`() throws {
        try scene.write("a:1")
        let writer = try scene.writer()
        for number in 0..<20 { try add("\(number)", 200, number: number, to: writer) }
        #expect(try scene.inFile() == "a:1")
        try writer.finish()
        #expect(try scene.inFile().split(separator: " ").count == 21)
        try writer.exit()
    }

    @Test func `20,000 stubs that no request asked for are removed`() throws {
        try scene.write((0..<20_000).map { "s\($0):1" }.joined(separator: " "))
        let run = Run(name: directory.url.path + "-run", isFounder: true)
        let writer = try scene.writer(run)
        try add("a", 200, to: writer)
        try writer.finish()
        run.note(scene.store.file)
        run.end()
        #expect(try scene.inFile() == "a:200")
    }

    @Test func `a recording does not list the directory of its stub file, which may have many other files`() throws {
        try scene.write("a:1 b:1")
        let listed = Lock<Set<String>>([])
        scene.fail { operation, path in
            if operation == .list { listed.withLock { _ = $0.insert(path) } }
            return nil
        }
        let (writer, other) = (try scene.writer(), try scene.writer())
        for number in 0..<5 {
            try add("\(number)", 200, number: number, to: writer)
            writer.updateFileNow()
            try add("other\(number)", 200, number: number, to: other)
            try other.finish()
        }
        try other.exit()
        try writer.exit()
        #expect(listed.withLock { $0 } == [directory.file(".a.json.journal").path])
        #expect(try scene.inFile().split(separator: " ").count == 12)
        #expect(directory.contents == ["a.json"])
    }

    @Test func `a run that is idle keeps its stubs when another one ends`() throws {
        try scene.write("a:1 b:1")
        let idle = try scene.writer()
        for (number, path) in ["a", "x", "y"].enumerated() { try add(path, 7, number: number, to: idle) }
        idle.updateFileNow()
        try add("z", 7, number: 3, to: idle)
        let other = try scene.writer()
        for (number, path) in ["a", "b", "w"].enumerated() { try add(path, 8, number: number, to: other) }
        try other.exit()
        // The run that began later wins where both asked for the same.
        let all: Set<Substring> = ["b:8", "x:7", "y:7", "z:7", "a:8", "w:8"]
        #expect(Set(try foundAfterKill().split(separator: " ")) == all)
        try idle.exit()
        #expect(Set(try scene.inFile().split(separator: " ")) == all)
        #expect(directory.contents == ["a.json"])
    }

    @Test(arguments: [[.prettyPrinted, .sortedKeys], [.sortedKeys]] as [JSONSerialization.WritingOptions])
    func `a file that an editor lays out again during a run has each stub once`(
        options: JSONSerialization.WritingOptions
    ) throws {
        try scene.write("a:1 b:1 c:1 d:1")
        let writer = try scene.writer()
        for (number, path) in ["a", "b", "n"].enumerated() { try add(path, 200, number: number, to: writer) }
        writer.updateFileNow()
        let array = try JSONSerialization.jsonObject(with: Data(contentsOf: scene.store.file))
        try JSONSerialization.data(withJSONObject: array, options: options).write(to: scene.store.file)
        for (number, path) in ["c", "m"].enumerated() { try add(path, 200, number: 3 + number, to: writer) }
        #expect(try foundAfterKill() == "a:200 b:200 n:200 c:200 m:200 d:1")
        try writer.exit()
        #expect(try scene.inFile() == "a:200 b:200 n:200 c:200 m:200")
    }

    @Test(arguments: [true, false], [true, false])
    func `a directory that is removed during a run is created again with all recordings of the run`(
        folds: Bool,
        isMoved: Bool
    ) throws {
        let writer = try scene.writer()
        try add("a", 200, to: writer)
        if folds { writer.updateFileNow() }
        let moved = TemporaryDirectory()
        if isMoved {
            try FileManager.default.moveItem(at: directory.url, to: moved.url)
        } else {
            try FileManager.default.removeItem(at: directory.url)
        }
        try add("b", 200, number: 1, to: writer)
        #expect(try foundAfterKill() == "a:200 b:200")
        try writer.exit()
        #expect(try scene.inFile() == "a:200 b:200")
        #expect(directory.contents == ["a.json"])
        if isMoved { #expect(try RecordingScene(moved).foundAfterKill().first == "a:200") }
    }

    @Test func `a directory that is replaced by an older one gets all recordings of the run, once`() throws {
        try scene.write("a:1")
        let older = TemporaryDirectory()
        try FileManager.default.copyItem(at: directory.url, to: older.url)
        let writer = try scene.writer()
        try add("a", 200, to: writer)
        writer.updateFileNow()
        try FileManager.default.removeItem(at: directory.url)
        try FileManager.default.moveItem(at: older.url, to: directory.url)
        try add("b", 200, number: 1, to: writer)
        #expect(try foundAfterKill() == "a:200 b:200")
        try writer.exit()
        #expect(try scene.inFile() == "a:200 b:200")
    }

    @Test func `if the directory cannot be created again, the error says what was not stored`() throws {
        let writer = try scene.writer()
        for (number, path) in ["a", "b"].enumerated() { try add(path, 200, number: number, to: writer) }
        try FileManager.default.removeItem(at: directory.url)
        try Data().write(to: directory.url)
        #expect(throws: StubbornNetworkError.self) { try add("c", 200, number: 2, to: writer) }
        let error = #expect(throws: StubbornNetworkError.self) { try writer.exit() }
        #expect(
            error?.message.hasSuffix("not in the stub file were not stored, because the journal was removed.") == true
        )
        try FileManager.default.removeItem(at: directory.url)
        try writer.exit()
        #expect(try scene.inFile() == "a:200 b:200")
    }

    @Test func `an exchange whose recording cannot be written is not stored, and those before it stay`() throws {
        let writer = try scene.writer()
        try add("a", 200, to: writer)
        scene.fail { operation, _ in [.write, .truncate, .open].contains(operation) ? SystemError(ENOSPC) : nil }
        let error = #expect(throws: StubbornNetworkError.self) { try add("b", 200, number: 1, to: writer) }
        let end = "No space left on device. Free some space on the disk, then record again."
        #expect(error?.message.hasSuffix(end) == true)
        #expect(try foundAfterKill() == "a:200")
        scene.fail(nil)
        try add("c", 200, number: 2, to: writer)
        #expect(try foundAfterKill() == "a:200 c:200")
        #expect(throws: StubbornNetworkError.self) { try writer.exit() }
        #expect(try scene.inFile() == "a:200 c:200")
    }

    @Test func `if the file cannot be written at the end, the journal has everything and the error says so`() throws {
        let writer = try scene.writer()
        for number in 0..<2 { try add("\(number)", 200, number: number, to: writer) }
        writer.updateFileNow()
        try add("2", 200, number: 2, to: writer)
        let file = try Data(contentsOf: scene.store.file)
        // A directory in its place is not replaced.
        try FileManager.default.removeItem(at: scene.store.file)
        try FileManager.default.createDirectory(at: scene.store.file, withIntermediateDirectories: true)
        let error = #expect(throws: StubbornNetworkError.self) { try writer.finish() }
        // What cannot be read is not overwritten.
        #expect(error?.code == .unreadableStubFile)
        #expect(
            error?.message.contains(
                "The recorded exchanges that are not in the stub file are kept in "
            ) == true
        )
        #expect(error?.message.hasSuffix(".journal, and the next process that opens the stub file adds them.") == true)
        try FileManager.default.removeItem(at: scene.store.file)
        try file.write(to: scene.store.file)
        #expect(try foundAfterKill() == "0:200 1:200 2:200")
        try writer.exit()
        #expect(directory.contents == ["a.json"])
    }

    @Test func `a file that is removed during a run is written again`() throws {
        let writer = try scene.writer()
        try add("a", 200, to: writer)
        writer.updateFileNow()
        try FileManager.default.removeItem(at: scene.store.file)
        #expect(try foundAfterKill() == "a:200")
        try add("b", 200, number: 1, to: writer)
        try writer.exit()
        #expect(try scene.inFile() == "a:200 b:200")
    }

    @Test func `a run that has ended does not create a file again that somebody removes`() throws {
        let writer = try scene.writer()
        try add("a", 200, to: writer)
        try writer.exit()
        try FileManager.default.removeItem(at: directory.url)
        try writer.exit()
        #expect(!FileManager.default.fileExists(atPath: directory.path))
    }

    @Test func `a run that continues after its end keeps what it has recorded`() throws {
        let earlier = try scene.writer()
        for (number, path) in ["a", "b", "c"].enumerated() { try add(path, 1, number: number, to: earlier) }
        try earlier.exit()
        let writer = try scene.writer()
        for (number, path) in ["a", "b"].enumerated() {
            try add(path, number == 0 ? 1 : 200, number: number, to: writer)
        }
        try writer.finish()
        #expect(try scene.inFile() == "a:1 b:200 c:1")
        for (number, path) in ["a", "b", "d"].enumerated() { try add(path, 300, number: 2 + number, to: writer) }
        // A run that was killed has not ended well: what it did not ask for stays.
        #expect(try foundAfterKill() == "a:1 b:200 a:300 b:300 d:300 c:1")
        try writer.exit()
        #expect(try scene.inFile() == "a:1 b:200 a:300 b:300 d:300")
    }

    @Test func `without locks a run is recorded, and counts as running as long as its process runs`() throws {
        scene.fail { operation, _ in operation == .lock ? SystemError(ENOLCK) : nil }
        let idle = try scene.writer()
        try add("a", 200, to: idle)
        let other = try scene.writer()
        try add("b", 200, number: 1, to: other)
        try other.exit()
        #expect(try scene.inFile() == "b:200 a:200")
        try idle.exit()
        #expect(try scene.inFile() == "b:200 a:200")
    }

    @Test(arguments: [true, false])
    func `a secret that is recognised later is removed from earlier recordings`(folds: Bool) throws {
        let writer = try scene.writer()
        let redactor = Redactor(.standard, environment: [:])
        let secret = "f3c9a17b22e84d"
        let hidden = Data("ticket \(secret)".utf8).base64EncodedString()
        func texts() throws -> [String] { try directory.contents.map { try directory.text(of: $0) } }
        // A neutral name first, then one that tells.
        try writer.add(
            Recording(
                try .get("http://a/1", .text("ticket \(secret)")),
                requestNumber: 0,
                replaces: true,
                redactor: redactor
            )
        )
        if folds { writer.updateFileNow() }
        #expect(try texts().contains { $0.contains(hidden) })
        var request = StubRequest(url: URL(string: "http://a/2")!)
        request.headerFields["Authorization"] = "Bearer \(secret)"
        let naming = Stub(request: request, response: .status(200))
        try writer.add(Recording(naming, requestNumber: 1, replaces: true, redactor: redactor))
        #expect(try !texts().contains { $0.contains(hidden) })
        // A kill now, and whoever comes then, leaves no copy of it.
        let copy = RecordingScene()
        try FileManager.default.copyItem(at: directory.url, to: copy.directory.url)
        for _ in 0..<2 { #expect(try StubFileGeneration.open(copy.store).entries.count == 2) }
        #expect(try !copy.directory.text(of: "a.json").contains(hidden))
        try writer.exit()
        #expect(try !texts().contains { $0.contains(hidden) })
        #expect(try foundAfterKill() == "1:200 2:200")
        let body = try store().entries.first?.stub.response.bytes.map { String(decoding: $0, as: UTF8.self) }
        #expect(body?.hasPrefix("ticket REDACTED-") == true)
    }

    @Test(arguments: [true, false])
    func `a secret that is recognised after the end of a recording is removed from what it stored`(
        recordsAgain: Bool
    ) throws {
        try scene.write("stale:1")
        let writer = try scene.writer()
        let redactor = Redactor(.standard, environment: [:])
        let secret = "f3c9a17b22e84d"
        let hidden = Data("ticket \(secret)".utf8).base64EncodedString()
        func texts() throws -> [String] { try directory.contents.map { try directory.text(of: $0) } }
        let ticket = try Stub.get("http://a/1", .text("ticket \(secret)"))
        try writer.add(Recording(ticket, requestNumber: 0, replaces: true, redactor: redactor))
        try writer.finish()
        #expect(try texts().contains { $0.contains(hidden) })
        var request = StubRequest(url: URL(string: "http://a/2")!)
        request.headerFields["Authorization"] = "Bearer \(secret)"
        if recordsAgain {
            let naming = Stub(request: request, response: .status(200))
            try writer.add(Recording(naming, requestNumber: 1, replaces: true, redactor: redactor))
        } else {
            redactor.learn(fromLive: request)
            writer.removeLateSecrets()
            writer.queue.sync {}
        }
        let stored = recordsAgain ? "1:200 2:200" : "1:200"
        // A kill now, and whoever comes then, leaves no copy of it.
        let copy = try scene.killed()
        #expect(StubShorthand.text(try StubFileGeneration.open(copy.store).entries).contains(stored))
        #expect(try !copy.directory.text(of: "a.json").contains(hidden))
        try writer.finish()
        #expect(try !texts().contains { $0.contains(hidden) })
        // The recordings have still ended well.
        try writer.exit()
        #expect(try scene.inFile() == stored)
        #expect(try !directory.text(of: "a.json").contains(hidden))
    }

    @Test func `the exit of the process removes a secret that was recognised after the last recording`() throws {
        let run = Run(name: UUID().uuidString, isFounder: true)
        let writer = try scene.writer(run)
        let redactor = Redactor(.standard, environment: [:])
        let secret = "f3c9a17b22e84d"
        let ticket = try Stub.get("http://a/1", .text("ticket \(secret)"))
        try writer.add(Recording(ticket, requestNumber: 0, replaces: true, redactor: redactor))
        try writer.finish()
        var request = StubRequest(url: URL(string: "http://a/2")!)
        request.headerFields["Authorization"] = "Bearer \(secret)"
        redactor.learn(fromLive: request)
        try writer.queue.sync { try writer.redactAgain() }
        run.end()
        let hidden = Data("ticket \(secret)".utf8).base64EncodedString()
        #expect(try !directory.text(of: "a.json").contains(hidden))
        #expect(directory.contents == ["a.json"])
    }

    private func store() throws -> StubFileDocument { try #require(try scene.store.read()) }

    // MARK: Waiting for another process

    /// Holds the lock of the stub directory, as a process that is stopped in a debugger while it writes.
    private func whileLocked(_ work: () throws -> Void) throws {
        let other = try FileDescriptor.reading(directory.path)
        defer { try? other.finish() }
        #expect(try other.tryLock() == .taken)
        try work()
    }

    private static let busy = "Another process has held the lock of its directory for too long"

    @Test func `the end of a recording waits for another process for a limited time, and says so`() throws {
        let writer = try scene.writer()
        try add("a", 200, to: writer)
        try whileLocked {
            StubFileStore.$longestWait.withValue(0.02) {
                let error = #expect(throws: StubbornNetworkError.self) { try writer.finish() }
                #expect(error?.message.contains(Self.busy) == true)
                #expect(error?.message.contains("are kept in") == true)
            }
        }
        #expect(try foundAfterKill() == "a:200")
        try writer.exit()
        #expect(try scene.inFile() == "a:200")
    }

    @Test func `a request that needs the lock fails when its own time is over`() throws {
        let writer = try scene.writer()
        try directory.write("", to: "other")
        try whileLocked {
            var recording = RecordingScene.recording("a", 200, byteCount: 10, replaces: true, number: 0)
            recording.longestWait = 0.02
            let error = #expect(throws: StubbornNetworkError.self) { try writer.add(recording) }
            #expect(error?.message.contains(Self.busy) == true)
        }
        #expect(throws: StubbornNetworkError.self) { try writer.finish() }
    }

    @Test func `a request waits for what its own process writes, however long that takes`() throws {
        let writer = try scene.writer()
        try add("a", 200, to: writer)
        let (isWriting, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        scene.fail { operation, _ in
            if operation == .rename {
                isWriting.signal()
                mayGoOn.wait()
            }
            return nil
        }
        let done = DispatchGroup()
        DispatchQueue.global().async(group: done) { writer.updateFileNow() }
        isWriting.wait()
        try FileManager.default.removeItem(at: directory.file(".a.json.journal"))
        let error = Lock<(any Error)?>(nil)
        let hasFailed = DispatchSemaphore(value: 0)
        DispatchQueue.global().async(group: done) {
            var recording = RecordingScene.recording("b", 200, replaces: true, number: 1)
            recording.longestWait = 0
            do {
                try writer.add(recording)
            } catch let failure {
                error.withLock { $0 = failure }
                hasFailed.signal()
            }
        }
        // A request that does not wait fails at once.
        #expect(hasFailed.wait(timeout: .now() + 0.05) == .timedOut)
        for _ in 0..<8 { mayGoOn.signal() }
        done.wait()
        #expect(error.withLock { $0 } == nil)
        scene.fail(nil)
        try writer.exit()
        #expect(try scene.inFile() == "a:200 b:200")
    }

    @Test func `after one wait that was too long, nothing waits for that directory again so soon`() throws {
        let store = StubFileStore(file: directory.file("b.json"))
        try directory.write("", to: "other")
        try whileLocked {
            StubFileStore.$longestWait.withValue(0.5) {
                for _ in 0..<400 {
                    #expect(throws: StubbornNetworkError.self) {
                        try store.withDirectoryLock(waitingAtMost: StubFileStore.longestWait) { _ in }
                    }
                }
            }
        }
        #expect(try store.withDirectoryLock { _ in 5 } == 5)
    }

    @Test func `a lock that was free again after a wait that was too long is waited for`() throws {
        let store = StubFileStore(file: directory.file("b.json"))
        try directory.write("", to: "other")
        try StubFileStore.$longestWait.withValue(0.5) {
            try whileLocked {
                #expect(throws: StubbornNetworkError.self) { try store.withDirectoryLock { _ in } }
            }
            #expect(try store.withDirectoryLock { _ in 5 } == 5)
            let other = try FileDescriptor.reading(directory.path)
            #expect(try other.tryLock() == .taken)
            let attempts = Lock(0)
            scene.fail { operation, _ in
                if operation == .lock, attempts.withLock({ $0.increment() }) == 2 { try? other.finish() }
                return nil
            }
            #expect(try store.withDirectoryLock { _ in 5 } == 5)
        }
    }
}
