import Foundation
import Testing

@testable import StubbornNetwork

struct RecordingJournalTests {
    private let directory = TemporaryDirectory()

    private var store: StubFileStore { StubFileStore(file: directory.file("Login.json")) }

    private func entry(_ number: Int, body: Int = 3) throws -> StubFileEntry {
        let stub = try Stub.get("http://a/\(number)", .status(200, body: String(repeating: "é\n", count: body)))
        return StubFileEntry(rendering: stub, bodyEncoding: .base64)
    }

    private func recording(_ number: Int, replaces: Bool = true) throws -> StoredRecording {
        .init(try entry(number), requestNumber: number, replaces: replaces, keepsErrorsAlone: number == 1)
    }

    private func journal(base: [UInt64: Int] = [:], _ numbers: Int...) throws -> RecordingJournal {
        var run = RecordingRun()
        run.base = base
        for number in numbers { run.add(try recording(number)) }
        return try RecordingJournal.creating(run, beside: store)
    }

    private func bytes(_ journal: RecordingJournal) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: journal.path))
    }

    private func content(_ data: Data, existing: Set<String> = []) throws -> JournalContent {
        try JournalContent(data, file: store.file) { existing.contains($0) }
    }

    @Test func `recordings that were appended are read back, in the order of their requests`() throws {
        let journal = try journal(base: [7: 2, .max: 1])
        try journal.append(base: [7: 2, .max: 1])
        for number in [1, 0, 2] { try journal.append(recording(number, replaces: number != 2)) }
        let content = try content(bytes(journal))
        #expect(content.processNumber == getpid())
        #expect(content.run.base == [7: 2, .max: 1])
        #expect(content.run.recorded.map(\.requestNumber) == [0, 1, 2])
        #expect(content.run.recorded.map(\.replaces) == [true, true, false])
        #expect(content.run.recorded.map(\.keepsErrorsAlone) == [false, true, false])
        #expect(try content.run.recorded.map(\.entry.text) == [0, 1, 2].map { try entry($0).text })
        #expect(!content.run.recorded.contains { $0.isFolded })
        #expect(content.damageCount == 0)
        try journal.remove()
        #expect(directory.contents.isEmpty)
    }

    @Test func `a journal is text that a person can read`() throws {
        let journal = try journal()
        let stub = Stub(request: StubRequest(url: try URL.parsed("http://a")), response: .status(204))
        let entry = StubFileEntry(rendering: stub, bodyEncoding: .base64)
        try journal.append(StoredRecording(entry, requestNumber: 4, replaces: false, keepsErrorsAlone: true))
        try journal.append(voidOf: ".Login.json.5f3a91c2.new.journal")
        let text = String(decoding: try bytes(journal), as: UTF8.self)
            .replacingOccurrences(of: "journal 2 \(getpid())", with: "journal 2 4711")
        #expect(
            text.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix("<") }.joined(
                separator: "\n"
            )
                == """


                > journal 2 4711 0


                > stub 4 alone 129
                {
                    "request" : {
                      "method" : "GET",
                      "url" : "http://a"
                    },
                    "response" : {
                      "statusCode" : 204
                    }
                  }


                > void .Login.json.5f3a91c2.new.journal 0

                """
        )
    }

    @Test func `recordings are in the stub file when the new file has been renamed`() throws {
        let journal = try journal(0, 1)
        var placed = try recording(1)
        placed.place = .init(identity: 0xABC, isAdded: true)
        try journal.append(places: [try recording(0), placed], "fold new")
        let waiting = try content(bytes(journal), existing: ["new"])
        #expect(waiting.run.recorded.map(\.isFolded) == [false, false])
        #expect(waiting.unfinished == ["new"])
        let folded = try content(bytes(journal))
        #expect(folded.run.recorded.map(\.isFolded) == [false, true])
        #expect(folded.run.recorded.last?.place == placed.place)
        try journal.append(voidOf: "new")
        #expect(try content(bytes(journal)).run.recorded.map(\.isFolded) == [false, false])
    }

    @Test func `a recording that was changed after it was folded is to be folded again`() throws {
        var run = RecordingRun()
        var folded = try recording(0)
        folded.place = .init(identity: folded.identity, isAdded: true)
        folded.isFolded = true
        var changed = folded
        changed.requestNumber = 1
        changed.change(to: try entry(5))
        run.add(folded)
        run.add(changed)
        let read = try content(bytes(try RecordingJournal.creating(run, beside: store))).run.recorded
        #expect(read.map(\.isFolded) == [true, false])
        #expect(read.map(\.place) == [folded.place, folded.place])
    }

    @Test func `a journal that is replaced keeps its name and its lock`() throws {
        let journal = try journal(0)
        var run = RecordingRun()
        run.add(try recording(3))
        let new = try journal.replaced(by: run, beside: store)
        #expect(new.path == journal.path)
        #expect(try !journal.isThere())
        #expect(try new.isThere())
        try new.append(recording(4))
        #expect(try content(bytes(new)).run.recorded.map(\.requestNumber) == [3, 4])
        #expect(try FileDescriptor.reading(new.path).tryLock() == .heldByOther)
        #expect(directory.contents.count == 1)
    }

    @Test func `a journal that is cut short is read up to its last whole record, and does not count as damaged`() throws
    {
        let journal = try journal()
        var ends = [try bytes(journal).count]
        for number in 0..<3 {
            try journal.append(recording(number))
            ends.append(try bytes(journal).count)
        }
        let whole = try bytes(journal)
        for count in 0...whole.count {
            let content = try content(whole.prefix(count))
            // The last line break is not missed.
            #expect(content.run.recorded.count == ends.dropFirst().filter { $0 <= count + 1 }.count)
            #expect(content.damageCount == 0)
        }
    }

    /// The number of mutated journals; `STUBBORN_NETWORK_MUTATIONS` sets another one.
    private static let mutationCount =
        ProcessInfo.processInfo.environment["STUBBORN_NETWORK_MUTATIONS"].flatMap { Int($0) } ?? 400

    @Test func `a damaged record is skipped and noticed, and all others are read`() throws {
        let journal = try journal()
        var ends = [try bytes(journal).count]
        for number in 0..<5 {
            try journal.append(recording(number))
            ends.append(try bytes(journal).count)
        }
        let whole = try bytes(journal)
        var generator = Generator(seed: 11)
        for _ in 0..<Self.mutationCount {
            var mutated = whole
            // The first byte of a record is its line break, which nothing depends on.
            let index = Int.random(in: 0..<whole.count, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: mutated[index] = mutated[index] ^ UInt8.random(in: 1...255, using: &generator)
            case 1: mutated.remove(at: index)
            case 2: mutated.insert(contentsOf: Data("9\n< 0\n> ".utf8), at: index)
            default: mutated.insert(UInt8.random(in: 0...255, using: &generator), at: index)
            }
            let content = try content(mutated)
            let numbers = content.run.recorded.map(\.requestNumber)
            // A byte at an end belongs to the record before it or to the one after it.
            let untouched = (0..<5).filter { !(ends[$0] - 1...ends[$0 + 1]).contains(index) }
            #expect(Set(numbers).isSuperset(of: untouched), "byte \(index)")
            #expect(Set(numbers).count == numbers.count)
            for recording in content.run.recorded {
                #expect(try recording.entry.text == entry(recording.requestNumber).text)
            }
            if numbers.count < 5 { #expect(content.damageCount > 0, "byte \(index)") }
        }
    }

    @Test func `a journal is locked while its process runs`() throws {
        let journal = try journal(0)
        let other = try FileDescriptor.reading(journal.path)
        #expect(try other.tryLock() == .heldByOther)
        #expect(try journal.isThere())
        try FileManager.default.removeItem(at: directory.url)
        #expect(try !journal.isThere())
    }

    @Test func `a record that could not be written does not count as damage`() throws {
        let journal = try journal(0)
        for failing in [[FileOperation.write], [.write, .truncate]] {
            let count = Lock(0)
            FileOperation.faults.withLock { faults in
                faults[directory.path] = { operation, _ in
                    guard failing.contains(operation),
                        count.withLock({
                            $0 += 1; return $0
                        }) <= failing.count
                    else {
                        return nil
                    }
                    return SystemError(ENOSPC)
                }
            }
            #expect(throws: SystemError(ENOSPC)) { try journal.append(recording(1)) }
            FileOperation.faults.withLock { _ = $0.removeValue(forKey: directory.path) }
        }
        try journal.append(recording(2))
        let content = try content(bytes(journal))
        #expect(content.run.recorded.map(\.requestNumber) == [0, 2])
        #expect(content.damageCount == 0)
    }
}
