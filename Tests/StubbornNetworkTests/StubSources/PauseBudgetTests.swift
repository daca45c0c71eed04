import Testing

@testable import StubbornNetwork

/// What pauses may write, in bytes: a mebibyte more than the file and what is recorded.
struct PauseBudgetTests {
    private static let mebibyte = 1_048_576

    private func recording(byteCount: Int = 10) throws -> StoredRecording {
        let recording = RecordingScene.recording("a", 200, byteCount: byteCount, replaces: true, number: 0)
        let stub = try #require(recording.stub)
        return StoredRecording(
            recording,
            StubFileEntry(rendering: stub, bodyEncoding: recording.bodyEncoding)
        )
    }

    @Test func `a pause writes nothing before anything is recorded, and not twice what it has written`() throws {
        var budget = PauseBudget(fileByteCount: 100)
        #expect(!budget.allowsUpdate(fileByteCount: 100))
        budget.noteRecording(try recording())
        #expect(budget.allowsUpdate(fileByteCount: 100))
        budget.noteUpdate(100, of: budget.unwrittenByteCount)
        #expect(!budget.allowsUpdate(fileByteCount: 100))
    }

    @Test func `what is recorded while a pause writes is written by the next pause`() throws {
        var budget = PauseBudget(fileByteCount: 100)
        budget.noteRecording(try recording())
        let written = budget.unwrittenByteCount
        budget.noteRecording(try recording())
        budget.noteUpdate(100, of: written)
        #expect(budget.allowsUpdate(fileByteCount: 100))
    }

    @Test(arguments: [0, 5000]) func `a file may grow by a mebibyte before pauses do not write it any more`(
        byteCount: Int
    ) throws {
        var budget = PauseBudget(fileByteCount: byteCount)
        budget.noteRecording(try recording())
        #expect(budget.allowsUpdate(fileByteCount: byteCount + Self.mebibyte))
        #expect(!budget.allowsUpdate(fileByteCount: byteCount + Self.mebibyte + 1))
    }

    @Test func `what pauses write is no more than the budget, however many there are`() throws {
        var budget = PauseBudget(fileByteCount: 0)
        var (file, recorded, written) = (0, 0, 0)
        for _ in 0..<200 {
            let recording = try recording(byteCount: 20_000)
            budget.noteRecording(recording)
            recorded += recording.entry.json.count
            guard budget.allowsUpdate(fileByteCount: file) else { continue }
            file = recorded
            written += file
            budget.noteUpdate(file, of: budget.unwrittenByteCount)
        }
        #expect(written > Self.mebibyte)
        #expect(written <= Self.mebibyte + recorded)
    }
}
