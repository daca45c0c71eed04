import Foundation

@testable import StubbornNetwork

/// A stub file with a run that records into it, in a directory where operations can be made to fail.
final class RecordingScene: Sendable {
    let directory: TemporaryDirectory
    private let name: String
    var store: StubFileStore { StubFileStore(file: directory.file(name)) }

    init(_ directory: TemporaryDirectory = TemporaryDirectory(), name: String = "a.json") {
        self.directory = directory
        self.name = name
    }

    deinit {
        fail(nil)
    }

    /// Makes operations in the directory fail; `nil` ends that.
    func fail(_ fault: (@Sendable (FileOperation, String) -> SystemError?)?) {
        FileOperation.faults.withLock { $0[directory.path] = fault }
    }

    /// Makes all operations from number `first` on fail, as if the process had been killed, or `count` of them.
    ///
    /// - Returns: The number of operations that were carried out or have failed.
    func fail(from first: Int, count: Int = .max, _ error: SystemError = SystemError(EIO)) -> Lock<Int> {
        let number = Lock(0)
        fail { _, _ in
            let next = number.withLock { number in
                number += 1
                return number - 1
            }
            return next >= first && next - first < count ? error : nil
        }
        return number
    }

    /// Opens the file as a process of a run, and begins to record, into the file when it is told to.
    ///
    /// Without a run file, a run is alive while one of its processes records.
    func writer(_ run: Run = Run(name: UUID().uuidString, isFounder: true)) throws -> StubFileWriter {
        let opened = try StubFileGeneration.open(store, as: run)
        let writer = StubFileWriter(store: store, run: run)
        writer.noteLoaded(opened)
        return writer
    }

    static func recording(
        _ path: String,
        _ status: Int,
        byteCount: Int = 10,
        replaces: Bool,
        number: Int,
        redactor: Redactor = Redactor(.none)
    ) -> Recording {
        let response = StubResponse(head: ResponseHead(statusCode: status), body: Data(repeating: 7, count: byteCount))
        let url = URL(string: "http://a/\(path)") ?? URL(fileURLWithPath: "/")
        let stub = Stub(request: StubRequest(url: url), response: response)
        return Recording(stub, requestNumber: number, replaces: replaces, redactor: redactor)
    }

    /// Writes stubs: `a:200 b:404`.
    func write(_ shorthand: String) throws {
        try store.write(StubFileDocument(entries: StubShorthand.entries(shorthand)).data)
    }

    /// The stubs of the file, as `a:200 b:404`.
    func inFile() throws -> String { StubShorthand.text(try store.read()?.entries) }

    /// A copy of the directory, as if all processes had been killed now: it has the journals without their locks.
    func killed() throws -> RecordingScene {
        let copy = RecordingScene(name: name)
        if FileManager.default.fileExists(atPath: directory.path) {
            try FileManager.default.copyItem(at: directory.url, to: copy.directory.url)
        }
        return copy
    }

    /// What somebody finds who opens the file after all processes have been killed now.
    ///
    /// A copy has the journals without their locks. It is opened twice, and nothing is left but the file.
    func foundAfterKill() throws -> (first: String, second: String, names: [String]) {
        let copy = try killed()
        let first = StubShorthand.text(try StubFileGeneration.open(copy.store).entries)
        let second = StubShorthand.text(try StubFileGeneration.open(copy.store).entries)
        return (first, try copy.inFile() == second ? second : "not in the file", copy.directory.contents)
    }
}

extension StubFileWriter {
    /// Ends the recording, and the process.
    func exit() throws {
        defer {
            var generation = StubFileGeneration(store)
            // A disk that fails has told so already.
            _ = try? generation.end(as: run)
        }
        try finish()
    }
}

extension StubFileWriter {
    /// Brings the file up to date while the recording goes on, as other recording processes do.
    func updateFileNow() {
        queue.sync {
            guard (try? redactAgain(waitingAtMost: 1)) != nil, isRecording else { return }
            _ = try? updateFile(waitingAtMost: 1)
        }
    }
}
