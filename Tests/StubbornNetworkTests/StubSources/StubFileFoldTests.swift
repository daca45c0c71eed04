import Foundation
import Testing

@testable import StubbornNetwork

/// What a killed process left, at every moment at which it can be killed.
struct StubFileFoldTests {
    private let directory = TemporaryDirectory()
    private var store: StubFileStore { StubFileStore(file: directory.file("Login.json")) }

    private func write(_ shorthand: String) throws {
        try store.write(StubFileDocument(entries: StubShorthand.entries(shorthand)).forEachChunk)
    }

    private func inFile() throws -> String {
        StubShorthand.text(try store.read()?.entries)
    }

    /// Leaves a journal, whose process is dead when this returns.
    ///
    /// Of the recordings, the process has folded the first `folded` ones. `base` was in the file when the run began.
    private func leaveJournal(
        base: String = "",
        replaces: Bool,
        _ recorded: String,
        folded: Int = 0,
        isAdded: Bool = true,
        then: (RecordingJournal) throws -> Void = { _ in }
    ) throws {
        var run = RecordingRun()
        for entry in try StubShorthand.entries(base) { run.base[try entry.identity(), default: 0] += 1 }
        for (number, entry) in try StubShorthand.entries(recorded).enumerated() {
            var recording = StoredRecording(entry, requestNumber: number, replaces: replaces, keepsErrorsAlone: false)
            if number < folded {
                recording.place = .init(identity: try entry.identity(), isAdded: isAdded)
                recording.isFolded = true
            }
            run.add(recording)
        }
        try then(try RecordingJournal.creating(run, beside: store))
    }

    /// What somebody gets who opens the file, and takes over what dead processes have left.
    private func opened() throws -> String {
        StubShorthand.text(try StubFileFold.open(store).entries)
    }

    struct Case: Sendable {
        var file: String?
        var base = ""
        var replaces = true
        var recorded: String
        /// How many of them the process had folded, and whether they are new in the file.
        var folded = 0
        var isAdded = false
        var result: String
    }

    @Test(arguments: [
        Case(recorded: "a:1 b:2", result: "a:1 b:2"),
        Case(replaces: false, recorded: "a:1 b:2", result: "a:1 b:2"),
        // Recorded anew: each takes its place.
        Case(file: "a:1 b:1 c:1", base: "a:1 b:1 c:1", recorded: "b:2 d:2", result: "a:1 b:2 c:1 d:2"),
        Case(file: "a:1 b:2 c:1", base: "a:1 b:1 c:1", recorded: "b:2 d:2 c:2", folded: 1, result: "a:1 b:2 c:2 d:2"),
        Case(file: "a:1 b:2 c:2", base: "a:1 b:1 c:1", recorded: "b:2 c:2", folded: 2, result: "a:1 b:2 c:2"),
        // The first of two equal requests had been folded.
        Case(file: "a:5 a:2", base: "a:1 a:2", recorded: "a:5 a:6", folded: 1, result: "a:5 a:6"),
        // What others have added or replaced since is not replaced.
        Case(file: "a:5 b:7", base: "a:1", recorded: "a:5 b:6", folded: 1, result: "a:5 b:7 b:6"),
        Case(file: "b:7", recorded: "b:6", result: "b:7 b:6"),
        Case(file: "a:7", base: "a:1", recorded: "a:6", result: "a:7 a:6"),
        // Added to what is there, and not twice.
        Case(file: "a:1", replaces: false, recorded: "a:1 b:2", result: "a:1 a:1 b:2"),
        Case(file: "a:1 b:2", replaces: false, recorded: "b:2 c:3", folded: 1, isAdded: true, result: "a:1 b:2 c:3"),
        Case(file: "a:1 b:2", replaces: false, recorded: "b:2", folded: 1, isAdded: true, result: "a:1 b:2"),
        // What somebody has removed or changed since is not added again.
        Case(file: "a:1", replaces: false, recorded: "b:2", folded: 1, isAdded: true, result: "a:1"),
        Case(file: "a:1 b:9", replaces: false, recorded: "b:2", folded: 1, isAdded: true, result: "a:1 b:9"),
        // Without a file nothing is folded.
        Case(replaces: false, recorded: "b:2 c:3", folded: 1, isAdded: true, result: "b:2 c:3"),
    ])
    func `journals of dead processes are merged into the file, once`(run: Case) throws {
        if let file = run.file { try write(file) }
        try leaveJournal(
            base: run.base,
            replaces: run.replaces,
            run.recorded,
            folded: run.folded,
            isAdded: run.isAdded
        )
        for _ in 0..<2 {
            #expect(try opened() == run.result)
            #expect(try inFile() == run.result)
            #expect(directory.contents == ["Login.json"])
        }
    }

    @Test func `a living process's journal is read and left alone`() throws {
        try write("a:1")
        try leaveJournal(base: "a:1", replaces: false, "b:2") { _ in
            let (found, kept) = (try opened(), try inFile())
            #expect(found == "a:1 b:2")
            #expect(kept == "a:1")
            #expect(directory.contents.count == 2)
        }
    }

    @Test func `several journals are merged together, and half-written files are removed`() throws {
        try leaveJournal(replaces: true, "a:1")
        try leaveJournal(replaces: true, "b:2")
        try directory.write("[", to: ".Login.json.5f3a91c2.new.journal")
        try directory.write("", to: ".Login.json.5f3a91c3.journal")
        try directory.write("kept", to: ".Other.json.5f3a91c2.journal")
        #expect(Set(try opened().split(separator: " ")) == ["a:1", "b:2"])
        #expect(directory.contents == [".Other.json.5f3a91c2.journal", "Login.json"])
    }

    @Test func `what a kill leaves beside a symbolic link is removed`() throws {
        try directory.write("[]", to: "real.json")
        try FileManager.default.createDirectory(at: directory.file("Deep"), withIntermediateDirectories: true)
        try FileManager.default.moveItem(at: directory.file("real.json"), to: directory.file("Deep/real.json"))
        try FileManager.default.createSymbolicLink(atPath: store.file.path, withDestinationPath: "Deep/real.json")
        try leaveJournal(replaces: true, "a:1")
        try directory.write("[", to: ".Login.json.5f3a91c2.new.journal")
        #expect(try opened() == "a:1")
        #expect(directory.contents == ["Deep", "Login.json"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.file("Deep").path) == ["real.json"])
    }

    @Test func `the new file that a kill left unfinished is not taken for folded`() throws {
        try write("a:1")
        try directory.write("[", to: ".Login.json.5f3a91c2.new.journal")
        try leaveJournal(replaces: false, "b:2") { journal in
            var recording = StoredRecording(
                try StubShorthand.entries("b:2")[0],
                requestNumber: 0,
                replaces: false,
                keepsErrorsAlone: false
            )
            recording.place = .init(identity: recording.identity, isAdded: true)
            try journal.append(places: [recording], "fold .Login.json.5f3a91c2.new.journal")
        }
        for _ in 0..<2 { #expect(try opened() == "a:1 b:2") }
        #expect(directory.contents == ["Login.json"])
    }

    @Test func `a damaged journal is kept aside, and what is whole of it is in the file`() throws {
        try leaveJournal(replaces: true, "a:1 b:2 c:3")
        let path = try #require(try store.paths(.journal).first)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try text.replacingOccurrences(of: "http://a/b", with: "http://a/x").write(
            toFile: path,
            atomically: false,
            encoding: .utf8
        )
        for _ in 0..<2 {
            #expect(try opened() == "a:1 c:3")
            #expect(try inFile() == "a:1 c:3")
            #expect(directory.contents.count == 2)
            #expect(directory.contents.first?.hasSuffix(".damaged.journal") == true)
        }
    }

    @Test func `recordings of a damaged journal that are in the file are not added again`() throws {
        try write("a:1 b:2")
        try leaveJournal(replaces: false, "a:1 b:2", folded: 2)
        let path = try #require(try store.paths(.journal).first)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try text.replacingOccurrences(of: "> in ", with: "> on ").write(
            toFile: path,
            atomically: false,
            encoding: .utf8
        )
        #expect(try opened() == "a:1 b:2")
    }

    /// Lets operations on journals fail while `body` runs.
    private func failing(
        _ fault: @escaping @Sendable (FileOperation, String) -> SystemError?,
        _ body: () throws -> Void
    ) throws {
        FileOperation.faults.withLock { $0[directory.path] = fault }
        defer { FileOperation.faults.withLock { _ = $0.removeValue(forKey: directory.path) } }
        try body()
    }

    @Test func `a journal that cannot be removed changes nothing when it is read again`() throws {
        try write("a:1")
        try leaveJournal(replaces: false, "b:2 c:3")
        try failing({ operation, path in operation == .remove && path.hasSuffix(".journal") ? SystemError(EPERM) : nil }
        ) {
            for _ in 0..<3 {
                let (found, kept) = (try opened(), try inFile())
                #expect(found == "a:1 b:2 c:3")
                #expect(kept == "a:1 b:2 c:3")
            }
        }
        #expect(directory.contents.count == 2)
    }

    @Test func `a journal that cannot be written is read, and the file stays as it is`() throws {
        try write("a:1")
        try leaveJournal(replaces: false, "b:2 c:3")
        // Of each two times that a journal is opened, the first is for writing.
        let count = Lock(0)
        try failing({ operation, path in
            guard operation == .open, path.hasSuffix(".journal") else { return nil }
            return count.withLock { count in
                count += 1
                return count % 2 == 1 ? SystemError(EACCES) : nil
            }
        }) {
            for _ in 0..<3 {
                let (found, kept) = (try opened(), try inFile())
                #expect(found == "a:1 b:2 c:3")
                #expect(kept == "a:1")
            }
        }
    }

    @Test func `a malformed stub file is an error, and nothing is lost`() throws {
        try directory.write("[{]", to: "Login.json")
        try leaveJournal(replaces: true, "a:1")
        let error = #expect(throws: StubbornNetworkError.self) { try opened() }
        #expect(error?.code == .malformedStubFile)
        #expect(try store.paths(.journal).count == 1)
        #expect(try directory.text(of: "Login.json") == "[{]")
    }
}
