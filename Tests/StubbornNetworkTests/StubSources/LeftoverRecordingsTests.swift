import Foundation
import Testing

@testable import StubbornNetwork

/// What a killed process left, at every moment at which it can be killed.
struct LeftoverRecordingsTests {
    private let directory = TemporaryDirectory()
    private var store: StubFileStore { StubFileStore(file: directory.file("Login.json")) }

    /// `a:1 b:2` are GET /a and /b, with these statuses.
    private func entries(_ shorthand: String) throws -> [StubFileEntry] {
        try shorthand.split(separator: " ").map { word in
            let parts = word.split(separator: ":")
            let stub = try Stub.get("http://a/\(parts[0])", .status(Int(parts[1]) ?? 0))
            return StubFileEntry(rendering: stub, bodyEncoding: .base64)
        }
    }

    private func write(_ shorthand: String) throws {
        try store.write(StubFileDocument(entries: entries(shorthand)).forEachChunk)
    }

    private func shorthand(_ document: StubFileDocument?) -> String {
        (document?.entries ?? []).map { entry in
            "\(entry.stub.request.url.path.dropFirst()):\(entry.stub.response.head?.statusCode ?? 0)"
        }.joined(separator: " ")
    }

    private func inFile() throws -> String {
        shorthand(try store.read())
    }

    /// A journal, whose process is dead when this returns.
    private func leaveJournal(
        base: Int = 0,
        replaces: Bool,
        _ recorded: String,
        then: (RecordingJournal) throws -> Void = { _ in }
    ) throws {
        let journal = try RecordingJournal(beside: store.file, baseCount: base)
        for (place, entry) in try entries(recorded).enumerated() {
            try journal.append(
                StoredRecording(entry: entry, requestNumber: place, replaces: replaces, keepsErrorsAlone: false)
            )
        }
        try then(journal)
    }

    private func takeOver() throws {
        try store.withExclusiveAccess { () throws(StubbornNetworkError) in try LeftoverRecordings.takeOver(store) }
    }

    struct Case: Sendable {
        var file: String?
        var base = 0
        var replaces = true
        var recorded: String
        /// How many of them the process had folded.
        var folded = 0
        var result: String
    }

    @Test(arguments: [
        Case(recorded: "a:1 b:2", result: "a:1 b:2"),
        Case(replaces: false, recorded: "a:1 b:2", result: "a:1 b:2"),
        // Recorded anew: each takes its place.
        Case(file: "a:1 b:1 c:1", base: 3, recorded: "b:2 d:2", result: "a:1 b:2 c:1 d:2"),
        Case(file: "a:1 b:2 c:1 d:2", base: 3, recorded: "b:2 d:2 c:2", folded: 2, result: "a:1 b:2 c:2 d:2"),
        Case(file: "a:1 b:2 c:2 d:2", base: 3, recorded: "b:2 d:2 c:2", folded: 3, result: "a:1 b:2 c:2 d:2"),
        // The first of two equal requests had been folded.
        Case(file: "a:5 a:2", base: 2, recorded: "a:5 a:6", folded: 1, result: "a:5 a:6"),
        // What others have added since is not replaced.
        Case(file: "a:5 b:7", base: 1, recorded: "a:5 b:6", folded: 1, result: "a:5 b:6 b:7"),
        Case(file: "b:7", recorded: "b:6", result: "b:6 b:7"),
        // Added to what is there, and not twice.
        Case(file: "a:1", base: 1, replaces: false, recorded: "a:1 b:2", result: "a:1 a:1 b:2"),
        Case(file: "a:1 b:2", base: 1, replaces: false, recorded: "b:2 c:3", folded: 1, result: "a:1 b:2 c:3"),
        Case(file: "a:1 b:2", base: 1, replaces: false, recorded: "b:2", folded: 1, result: "a:1 b:2"),
    ])
    func `journals of dead processes are merged into the file`(run: Case) throws {
        if let file = run.file { try write(file) }
        try leaveJournal(base: run.base, replaces: run.replaces, run.recorded) {
            $0.noteFolded(IndexSet(0..<run.folded))
        }
        #expect(shorthand(LeftoverRecordings.read(try document(), of: store).0) == run.result)
        try takeOver()
        #expect(try inFile() == run.result)
        #expect(directory.contents == ["Login.json"])
    }

    private func document() throws -> StubFileDocument {
        try store.read() ?? StubFileDocument()
    }

    @Test(arguments: [true, false], [true, false])
    func `recordings are merged once if a process was killed while folding`(hadTakenItsPlace: Bool, replaces: Bool)
        throws
    {
        try write("a:1")
        try leaveJournal(base: 1, replaces: replaces, "b:2 c:3") { journal in
            let document = StubFileDocument(entries: try entries("a:1 b:2 c:3"))
            let other = StubFileStore(file: directory.file("other"))
            try (hadTakenItsPlace ? store : other).write(document.forEachChunk) { file throws(SystemError) in
                try journal.noteFolding([0, 1], into: file)
            }
        }
        try takeOver()
        #expect(try inFile() == "a:1 b:2 c:3")
    }

    @Test func `a living process's journal is read and left alone`() throws {
        try write("a:1")
        try leaveJournal(base: 1, replaces: false, "b:2") { _ in
            try takeOver()
            #expect(try inFile() == "a:1")
            #expect(shorthand(LeftoverRecordings.read(try document(), of: store).0) == "a:1 b:2")
            #expect(RecordingJournal.paths(beside: store.file).count == 1)
        }
    }

    @Test func `several journals are merged together, and half-written files are removed`() throws {
        try leaveJournal(replaces: true, "a:1")
        try leaveJournal(replaces: true, "b:2")
        try directory.write("[", to: ".Login.json.5f3a91c2")
        try directory.write("", to: ".Login.json.5f3a91c3.journal")
        try directory.write("kept", to: ".Other.json.5f3a91c2")
        try takeOver()
        #expect(Set(try inFile().split(separator: " ")) == ["a:1", "b:2"])
        #expect(directory.contents == [".Other.json.5f3a91c2", "Login.json"])
    }

    @Test func `a journal that cannot be read is renamed`() throws {
        try leaveJournal(replaces: true, "a:1")
        let path = try #require(RecordingJournal.paths(beside: store.file).first)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        bytes.append(contentsOf: "what is this?\n".utf8)
        try bytes.write(to: URL(fileURLWithPath: path))
        try takeOver()
        #expect(try inFile() == "a:1")
        #expect(directory.contents.count == 2)
        #expect(directory.contents.first?.hasSuffix(".journal.damaged") == true)
        try takeOver()
        #expect(try inFile() == "a:1")
    }

    @Test func `a malformed stub file is an error, and nothing is lost`() throws {
        try directory.write("[{]", to: "Login.json")
        try leaveJournal(replaces: true, "a:1")
        let error = #expect(throws: StubbornNetworkError.self) { try takeOver() }
        #expect(error?.code == .malformedStubFile)
        #expect(RecordingJournal.paths(beside: store.file).count == 1)
        #expect(try directory.text(of: "Login.json") == "[{]")
    }
}
