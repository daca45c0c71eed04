import Foundation
import Testing

@testable import StubbornNetwork

struct RecordingJournalTests {
    private let directory = TemporaryDirectory()

    private var file: URL { directory.file("Login.json") }

    private func entry(_ place: Int, body: Int = 30, replaces: Bool = true) throws -> StoredRecording {
        let stub = try Stub.get("http://a/\(place)", .status(200, body: String(repeating: "é\n", count: body)))
        let entry = StubFileEntry(rendering: stub, bodyEncoding: .base64)
        return StoredRecording(entry: entry, requestNumber: place, replaces: replaces, keepsErrorsAlone: place == 1)
    }

    private func bytes(_ journal: RecordingJournal) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: journal.path))
    }

    @Test func `recordings that were appended are read back`() throws {
        let journal = try RecordingJournal(beside: file, baseCount: 12)
        for place in [1, 0, 2] { try journal.append(entry(place, replaces: place != 2)) }
        let content = try #require(JournalContent(parsing: bytes(journal), file: file))
        #expect(content.baseCount == 12)
        #expect(content.recorded.map(\.requestNumber) == [1, 0, 2])
        #expect(content.recorded.map(\.replaces) == [true, true, false])
        #expect(content.recorded.map(\.keepsErrorsAlone) == [true, false, false])
        #expect(try content.recorded.map(\.entry.text) == [1, 0, 2].map { try entry($0).entry.text })
        #expect(content.folded.isEmpty)
        #expect(content.unreadableByteCount == 0)
        #expect(directory.contents.count == 1)
        journal.remove()
        #expect(directory.contents.isEmpty)
    }

    @Test func `a journal that begins while a new stub file is written names that file`() throws {
        try directory.write("[]", to: "new.json")
        let new = try #require(try FileSystem.fingerprint(at: directory.file("new.json").path))
        var state = StubFileWriterState()
        state.run.add(try entry(0))
        state.folding = ([0], new)
        try state.append(try entry(0), toJournalBeside: file)
        let journal = try #require(state.journal)
        let content = try #require(JournalContent(parsing: bytes(journal), file: file))
        #expect(content.folding?.inode == new.inode)
        #expect(content.folding?.requestNumbers == [0])
    }

    @Test func `an incomplete journal is read up to its last complete record`() throws {
        let journal = try RecordingJournal(beside: file, baseCount: 0)
        var ends = [try bytes(journal).count]
        for place in 0..<3 {
            try journal.append(entry(place, body: 5))
            ends.append(try bytes(journal).count)
        }
        let whole = try bytes(journal)
        for count in 0...whole.count {
            let content = JournalContent(parsing: whole.prefix(count), file: file)
            guard count >= ends[0] else {
                #expect(content == nil)
                continue
            }
            let parsed = try #require(content)
            #expect(parsed.recorded.count == ends.dropFirst().filter { $0 <= count }.count)
            #expect(
                parsed.isCutOff(whole.prefix(count).suffix(parsed.unreadableByteCount))
                    || parsed.unreadableByteCount == 0
            )
        }
    }

    @Test func `a journal tells which recordings are in the file, before and after the file is replaced`() throws {
        let journal = try RecordingJournal(beside: file, baseCount: 0)
        try journal.append(entry(0))
        try directory.write("x", to: "other")
        let other = try #require(try FileSystem.fingerprint(at: directory.file("other").path))
        try journal.noteFolding([0, 3, 4, 5], into: other)
        var content = try #require(JournalContent(parsing: bytes(journal), file: file))
        #expect(content.folding?.requestNumbers == [0, 3, 4, 5])
        #expect(content.folding?.inode == other.inode)
        #expect(content.folded.isEmpty)
        journal.noteFolded([0, 2])
        try journal.append(entry(1))
        try journal.noteFolding([0, 1, 2], into: other)
        journal.noteNotFolded()
        content = try #require(JournalContent(parsing: bytes(journal), file: file))
        #expect(content.folding == nil)
        #expect(content.folded == [0, 2])
        #expect(content.recorded.count == 2)
    }

    @Test func `a journal of random bytes is read without a crash`() throws {
        let journal = try RecordingJournal(beside: file, baseCount: 0)
        for place in 0..<3 { try journal.append(entry(place, body: 5)) }
        let whole = try bytes(journal)
        var generator = Generator(seed: 11)
        for _ in 0..<2_000 {
            var mutated = whole
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: 0..<mutated.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: mutated[index] = UInt8.random(in: 0...255, using: &generator)
                case 1:
                    mutated.removeSubrange(
                        index..<min(index + Int.random(in: 1...40, using: &generator), mutated.count)
                    )
                default: mutated.insert(contentsOf: Data("99999999999999999999 9223372036854775807-".utf8), at: index)
                }
                if mutated.isEmpty { mutated = whole }
            }
            let content = JournalContent(parsing: mutated, file: file)
            #expect(content?.recorded.count ?? 0 <= 3)
        }
    }

    @Test func `a journal is locked while its process runs`() throws {
        let journal = try RecordingJournal(beside: file, baseCount: 0)
        let other = try FileDescriptor.reading(journal.path)
        #expect(!other.tryLock())
        #expect(journal.isUsable)
        try FileManager.default.removeItem(at: directory.url)
        #expect(!journal.isUsable)
    }
}
