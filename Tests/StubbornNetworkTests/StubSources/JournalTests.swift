import Foundation
import Testing

@testable import StubbornNetwork

struct JournalTests {
    private let directory = TemporaryDirectory()

    init() throws {
        try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
    }

    private var file: URL { directory.file("Login.json") }
    private let head = JournalLine(head: .init(run: "run", process: 4711, host: "mac", base: "0"))

    private func entry(_ number: Int, body: Int = 3) throws -> StubFileEntry {
        let stub = try Stub.get("http://a/\(number)", .status(200, body: String(repeating: "é\n", count: body)))
        return StubFileEntry(rendering: stub, bodyEncoding: .base64)
    }

    private func recording(_ number: Int, replaces: Bool = true, body: Int = 3) throws -> StoredRecording {
        let entry = try entry(number, body: body)
        var recording = Recording(entry.stub, requestNumber: number, replaces: replaces)
        recording.started = 1000 + number
        return StoredRecording(recording, entry)
    }

    private func journal(_ numbers: Int...) throws -> Journal {
        let path = directory.file("5f3a91c2.1.journal").path
        let journal = try #require(try Journal.creating(path))
        _ = try journal.append(head)
        for number in numbers { try append(recording(number), to: journal) }
        return journal
    }

    private func append(_ recording: StoredRecording, to journal: Journal) throws {
        _ = try journal.append(JournalLine(recording: recording.line), with: recording.entry)
    }

    private func bytes(_ journal: Journal) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: journal.path)) }

    private func content(_ data: Data) -> JournalContent { JournalContent(1, data, of: file) }

    private func numbers(_ content: JournalContent) -> [Int] { content.recordings.keys.sorted() }

    @Test func `what was appended is read back`() throws {
        let journal = try journal()
        for number in [1, 0, 2] { try append(recording(number, replaces: number != 2), to: journal) }
        _ = try journal.append(JournalLine(wrote: .init(digest: "1", base: "0", read: ["1": 7])))
        let content = content(try bytes(journal))
        #expect(content.head?.run == "run")
        #expect(content.notes.map(\.read) == [["1": 7]])
        let read = [0, 1, 2].compactMap { content.recordings[$0] }
        #expect(read.map(\.line.started) == [1000, 1001, 1002])
        #expect(read.map(\.replaces) == [true, true, false])
        #expect(read.map(\.key) == [0, 1, 2].map { try? recording($0).key })
        #expect(try read.map(\.entry.json) == [0, 1, 2].map { try entry($0).json })
        #expect(content.damageCount == 0)
        #expect(content.byteCount == (try bytes(journal).count))
    }

    @Test func `a journal is JSON, a line for each recording`() throws {
        let journal = try journal(4)
        let lines = String(decoding: try bytes(journal), as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 2)
        for line in lines {
            _ = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        #expect(
            lines[0].hasPrefix(
                #"{"head":{"base":"0","host":"mac","process":4711,"run":"run"},"checksum":""#
            )
        )
        #expect(
            lines[1].contains(
                #""stub":{"data" : "w6kKw6kKw6kK","request" : {"method" : "GET","url" : "http://a/4"},"response" : {"statusCode" : 200}},"checksum":""#
            )
        )
    }

    @Test func `a recording keeps the rules under which its request started, also if it is stored again later`() throws
    {
        let journal = try journal()
        for (rules, numbers) in [("X-First", [1]), ("X-Second", [1, 2])] {
            let line = JournalLine.Rules(keys: [:], volatileHeaders: [rules], ignored: IgnoredParts())
            _ = try journal.append(JournalLine(rules: line))
            for number in numbers { try append(recording(number), to: journal) }
        }
        let content = content(try bytes(journal))
        #expect([1, 2].map { content.recordings[$0]?.rulesIndex } == [0, 1])
    }

    @Test func `a line that supersedes another one erases it, and says how it is known in a file`() throws {
        let journal = try journal(0)
        let length = try bytes(journal).count
        var own = OwnJournal(
            generation: "",
            journal: journal,
            content: content(try bytes(journal)),
            base: [],
            rulesGeneration: 0
        )
        let earlier = try #require(own.content.recordings[0])
        var later = earlier
        later.supersede(by: try entry(0, body: 9), key: earlier.key)
        try own.append(later, insteadOf: earlier)
        let whole = try bytes(journal)
        for content in [content(whole), own.content] {
            #expect(try content.recordings[0]?.entry.json == entry(0, body: 9).json)
            #expect(content.recordings[0]?.identities.first == earlier.entry.identity)
            #expect(content.cut(to: length).recordings.count == 1)
            #expect(content.cut(to: length - 1).recordings.isEmpty)
            #expect(content.damageCount == 0)
        }
        #expect(String(decoding: whole, as: UTF8.self).components(separatedBy: "http://a/0").count == 2)
    }

    @Test func `a run has ended well if that is the last line but for notes`() throws {
        let journal = try journal(0)
        let note = JournalLine(wrote: .init(digest: "1", base: "0", read: [:]))
        for (line, endsWell) in [(note, false), (JournalLine(endsWell: true), true), (note, true)] {
            _ = try journal.append(line)
            #expect(try content(bytes(journal)).endsWell == endsWell)
        }
        try append(recording(1), to: journal)
        #expect(try !content(bytes(journal)).endsWell)
    }

    @Test func `a journal that is cut short is read up to its last whole line, and does not count as damaged`() throws {
        let journal = try journal()
        var ends: [Int] = []
        for number in 0..<3 {
            try append(recording(number), to: journal)
            ends.append(try bytes(journal).count)
        }
        let whole = try bytes(journal)
        for count in 0...whole.count {
            let content = content(whole.prefix(count))
            #expect(content.recordings.count == ends.filter { $0 <= count }.count)
            #expect(content.damageCount == 0)
        }
        // Zeros are what a power cut leaves.
        #expect(content(whole.dropLast(9) + Data(count: 9)).damageCount == 1)
    }

    /// The number of mutated journals; `STUBBORN_NETWORK_MUTATIONS` sets another one.
    private static let mutationCount =
        ProcessInfo.processInfo.environment["STUBBORN_NETWORK_MUTATIONS"].flatMap { Int($0) } ?? 400

    @Test func `a damaged line is skipped and noticed, and all others are read`() throws {
        let journal = try journal()
        var ends = [try bytes(journal).count]
        for number in 0..<5 {
            try append(recording(number), to: journal)
            ends.append(try bytes(journal).count)
        }
        let whole = try bytes(journal)
        var generator = Generator(seed: 11)
        for _ in 0..<Self.mutationCount {
            var mutated = whole
            // Not the last line break: without it the last line counts as cut off.
            let index = Int.random(in: 0..<whole.count - 1, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: mutated[index] = mutated[index] ^ UInt8.random(in: 1...255, using: &generator)
            case 1: mutated.remove(at: index)
            case 2: mutated.insert(contentsOf: Data("9\n{\"checksum\":\"0\"}\n".utf8), at: index)
            default: mutated.insert(UInt8.random(in: 0...255, using: &generator), at: index)
            }
            let content = content(mutated)
            // A byte at an end belongs to the line before it or to the one after it.
            let untouched = (0..<5).filter { !(ends[$0] - 1...ends[$0 + 1]).contains(index) }
            #expect(Set(numbers(content)).isSuperset(of: untouched), "byte \(index)")
            for (number, recording) in content.recordings {
                #expect(try recording.entry.json == entry(number).json)
            }
            if content.recordings.count < 5 { #expect(content.damageCount > 0, "byte \(index)") }
        }
    }

    @Test func `a journal is locked until it is closed`() throws {
        let journal = try journal(0)
        #expect(try FileDescriptor.reading(journal.path).tryLock() == .heldByOther)
        #expect(try journal.isThere())
        journal.close()
        #expect(try FileDescriptor.reading(journal.path).tryLock() == .taken)
        try FileManager.default.removeItem(at: directory.url)
    }

    @Test func `a line that could not be written does not count as damage`() throws {
        let journal = try journal(0)
        for failing in [[FileOperation.write], [.write, .truncate]] {
            let count = Lock(0)
            FileOperation.faults.withLock { faults in
                faults[directory.path] = { operation, _ in
                    guard failing.contains(operation) else { return nil }
                    let isFirst = count.withLock { count in
                        count += 1
                        return count <= failing.count
                    }
                    return isFirst ? SystemError(ENOSPC) : nil
                }
            }
            #expect(throws: SystemError(ENOSPC)) { try append(recording(1), to: journal) }
            FileOperation.faults.withLock { _ = $0.removeValue(forKey: directory.path) }
        }
        try append(recording(2), to: journal)
        let content = content(try bytes(journal))
        #expect(numbers(content) == [0, 2])
        #expect(content.damageCount == 0)
    }

    @Test func `a part of a line that cannot be removed takes no other line with it`() throws {
        let path = try journal(0).path
        let descriptor = try FileDescriptor.appending(path)
        let journal = Journal(path, descriptor, byteCount: Int(try descriptor.fingerprint().size))
        // A failing write leaves a part of its line; it is removed unless that fails too.
        for (number, failing) in [(1, [FileOperation.write, .truncate]), (3, [.write])] {
            FileOperation.faults.withLock { faults in
                faults[directory.path] = { operation, _ in
                    guard failing.contains(operation) else { return nil }
                    if operation == .write {
                        let file = FileHandle(forWritingAtPath: path)
                        file?.seekToEndOfFile()
                        file?.write(Data("\n{\"recording\"".utf8))
                    }
                    return SystemError(ENOSPC)
                }
            }
            #expect(throws: SystemError(ENOSPC)) { try append(recording(number), to: journal) }
            FileOperation.faults.withLock { _ = $0.removeValue(forKey: directory.path) }
            try append(recording(number + 1), to: journal)
        }
        let content = content(try bytes(journal))
        #expect(numbers(content) == [0, 2, 4])
        #expect(content.damageCount == 1)
    }
}
