import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork

/// Recordings with somebody else at the same directory: an editor, a kill, a process that may only read.
@Suite(.timeLimit(.minutes(5)))
struct InterruptedRecordingTests {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer { .text("\($0.path) \($0.nextNumber(for: $0.path))") }
    }

    private func network(_ mode: RecordMode, in directory: TemporaryDirectory) -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: "a", path: directory.path)!, environment: .newRun)
        network.recordMode = mode
        network.onUnstubbedRequest = { _ in }
        return network
    }

    @discardableResult
    private func ask(_ network: StubbornNetwork, _ path: String) async throws -> String {
        String(decoding: try await network.session.data(from: server.url(path)).0, as: UTF8.self)
    }

    /// Returns a directory with a stub file that an earlier run has recorded.
    private func recorded(_ path: String) async throws -> TemporaryDirectory {
        let directory = TemporaryDirectory()
        let recording = network(.recording, in: directory)
        try await ask(recording, path)
        try recording.finishRecording()
        return directory
    }

    /// Returns what the stub file holds, by a parser that is not ours: `/b /b 2` for a stub of `/b` with that body.
    private func inFile(_ directory: TemporaryDirectory) throws -> [String] {
        let content = try JSONSerialization.jsonObject(with: Data(contentsOf: directory.file("a.json")))
        return try #require(content as? [[String: Any]]).map { stub in
            let url = ((stub["request"] as? [String: Any])?["url"] as? String).flatMap(URL.init(string:))
            let body = (stub["data"] as? String).flatMap { Data(base64Encoded: $0) } ?? Data()
            return "\(url?.path ?? "") \(String(decoding: body, as: UTF8.self))"
        }
    }

    /// Returns what the next process finds if all processes are killed now: the files, without the locks.
    private func copy(of directory: TemporaryDirectory) throws -> TemporaryDirectory {
        let copy = TemporaryDirectory()
        try FileManager.default.copyItem(at: directory.url, to: copy.url)
        return copy
    }

    /// Lets `fault` decide about each operation in a directory while `body` runs.
    private func failing(
        in directory: TemporaryDirectory,
        _ fault: @escaping @Sendable (FileOperation, String) -> SystemError?,
        _ body: () async throws -> Void
    ) async throws {
        FileOperation.faults.withLock { $0[directory.path] = fault }
        defer { FileOperation.faults.withLock { _ = $0.removeValue(forKey: directory.path) } }
        try await body()
    }

    @Test func `an edit by hand is not lost, whenever it is made during a recording`() async throws {
        let template = try await recorded("/old")
        let edit = """
            { "request" : { "method" : "GET", "url" : "http://a/by-hand" }, "response" : { "statusCode" : 200 } }
            """

        var (number, isEdited) = (0, true)
        while isEdited {
            let directory = try copy(of: template)
            let file = directory.file("a.json")
            let count = Lock(0)
            let edited = Lock(false)
            // Between the last look at the file and its replacement nobody can edit it: a rename looks and replaces.
            let editAtOperation: @Sendable (FileOperation, String) -> SystemError? = { [number] operation, _ in
                let next = count.withLock { count in
                    count += operation == .rename ? 0 : 1
                    return operation == .rename ? -1 : count - 1
                }
                guard next == number, let text = try? String(contentsOf: file, encoding: .utf8) else { return nil }
                let end = text.lastIndex(of: "]") ?? text.endIndex
                try? Data("\(text[..<end].trimmingCharacters(in: .whitespacesAndNewlines)),\n\(edit)\n]\n".utf8)
                    .write(to: file, options: .atomic)
                edited.withLock { $0 = true }
                return nil
            }
            try await failing(in: directory, editAtOperation) {
                let recording = network(.recordingMissing, in: directory)
                try await ask(recording, "/new")
                try recording.finishRecording()
            }
            isEdited = edited.withLock { $0 }
            let paths = try inFile(directory).map { $0.prefix { $0 != " " } }
            let expected = ["/old", "/new"] + (isEdited ? ["/by-hand"] : [])
            #expect(Set(paths) == Set(expected.map { $0[...] }), "edited at operation \(number)")
            #expect(paths.count == expected.count, "edited at operation \(number)")
            number += 1
        }
        #expect(number > 10)
    }

    @Test func `a kill at any moment loses nothing, also where somebody who may only read it opens the file first`()
        async throws
    {
        let template = try await recorded("/old")
        var (number, isKilled) = (0, true)
        while isKilled {
            let directory = try copy(of: template)
            let count = Lock(0)
            // From this operation on, nothing reaches the disk.
            let kill: @Sendable (FileOperation, String) -> SystemError? = { [number] _, _ in
                count.withLock { count in
                    count += 1
                    return count > number ? SystemError(EIO) : nil
                }
            }
            var answered = ["/old /old 1"]
            var killed = directory
            try await failing(in: directory, kill) {
                let recording = network(.recordingMissing, in: directory)
                for path in ["/one", "/two"] {
                    if let answer = try? await ask(recording, path) { answered.append("\(path) \(answer)") }
                }
                try? recording.finishRecording()
                killed = try copy(of: directory)
            }
            isKilled = count.withLock { $0 } > number
            // Of each two times that a journal is opened, the first is for writing.
            let openCount = Lock(0)
            let refuseToWrite: @Sendable (FileOperation, String) -> SystemError? = { operation, path in
                guard operation == .open, path.hasSuffix(".journal"), !path.hasSuffix(".new.journal") else {
                    return nil
                }
                return openCount.withLock { count in
                    count += 1
                    return count % 2 == 1 ? SystemError(EACCES) : nil
                }
            }
            try await failing(in: killed, refuseToWrite) { _ = try? network(.playback, in: killed).loadStubs() }
            let found = network(.playback, in: killed)
            _ = try? found.loadStubs()
            let stored = (try? inFile(killed)) ?? []
            for answer in answered { #expect(stored.contains(answer), "killed at operation \(number)") }
            #expect(Set(stored).count == stored.count, "killed at operation \(number)")
            number += 1
        }
        #expect(number > 20)
    }

    @Test func `stubs are replaced, not doubled, where the mode was changed during a run that was killed`()
        async throws
    {
        let directory = try await recorded("/a")
        let second = network(.recordingMissing, in: directory)
        #expect(try await ask(second, "/b") == "/b 1")
        second.recordMode = .recording
        #expect(try await ask(second, "/a") == "/a 2")
        let killed = try copy(of: directory)
        try network(.playback, in: killed).loadStubs()
        #expect(try inFile(killed) == ["/a /a 2", "/b /b 1"])
        try second.finishRecording()
        #expect(try inFile(directory) == ["/a /a 2", "/b /b 1"])
    }

    @Test func `playback does not wait long for a process that holds the lock, and plays what was killed`()
        async throws
    {
        let directory = TemporaryDirectory()
        let recording = network(.recordingMissing, in: directory)
        try await ask(recording, "/a")
        let killed = try copy(of: directory)
        try recording.finishRecording()
        // As another process would that writes the stub file just now.
        let lock = open(killed.path, O_RDONLY)
        #expect(flock(lock, LOCK_EX) == 0)
        let (answer, isOver) = (Lock<String?>(nil), Lock(false))
        let playing = network(.playback, in: killed)
        let request = URLRequest(url: server.url("/a"))
        // On a thread that may be left waiting, if it has to.
        Thread.detachNewThread {
            let data = try? playing.response(to: request).0
            answer.withLock { $0 = data.map { String(decoding: $0, as: UTF8.self) } }
            isOver.withLock { $0 = true }
        }
        let hasEnded = try await comesToHold { isOver.withLock { $0 } }
        close(lock)
        #expect(hasEnded)
        #expect(answer.withLock { $0 } == "/a 1")
    }

    @Test(arguments: [RecordMode.recording, .recordingMissing, .recordingOnce])
    func `a request that cannot be recorded changes nothing on the server`(mode: RecordMode) async throws {
        let directory = TemporaryDirectory()
        let stubs = directory.file("Stubs").path
        let network = StubbornNetwork(.persistent(name: "a", path: stubs)!, environment: .newRun)
        network.recordMode = mode
        network.onUnstubbedRequest = { _ in }
        var request = URLRequest(url: server.url("/orders"))
        request.httpMethod = "POST"
        request.httpBody = Data("one book".utf8)
        let isForbidden: @Sendable (FileOperation, String) -> SystemError? = { operation, _ in
            operation == .createDirectory ? SystemError(EACCES) : nil
        }
        try await failing(in: directory, isForbidden) {
            let error = await #expect(throws: StubbornNetworkError.self) {
                try await network.session.data(for: request)
            }
            #expect(error?.code == .unwritableStubFile)
        }
        #expect(server.requests.isEmpty)
    }
}
