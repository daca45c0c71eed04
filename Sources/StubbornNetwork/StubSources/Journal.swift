import Foundation

/// The recordings of one process into one stub file, in a file next to it: `.Login.json.5f3a91c2.1.journal`.
///
/// The process holds a lock on the journal until it has finished recording. Each line is a `JournalLine`. The first one is
/// the head.
final class Journal: Sendable {
    let path: String
    /// The number of the journal in its generation, from 1.
    let number: Int

    private let descriptor: FileDescriptor
    private let state: Lock<(byteCount: Int, isTorn: Bool)>

    init(_ path: String, number: Int, _ descriptor: FileDescriptor, byteCount: Int, isTorn: Bool = false) {
        self.path = path
        self.number = number
        self.descriptor = descriptor
        state = Lock((byteCount, isTorn))
    }

    /// Creates a journal with its first lines, and locks it; `nil` if another process has a journal of this path.
    static func creating(
        _ path: String,
        number: Int,
        _ lines: [JournalLine]
    ) throws(SystemError) -> Journal? {
        let descriptor: FileDescriptor
        do throws(SystemError) {
            descriptor = try FileDescriptor.creating(path)
        } catch {
            guard error.number == EEXIST else { throw error }
            return nil
        }
        do throws(SystemError) {
            // A reader that looks whether it is locked holds the lock for a moment.
            _ = try descriptor.lock(forAtMost: 1)
            let journal = Journal(path, number: number, descriptor, byteCount: 0)
            for line in lines { _ = try journal.append(line) }
            return journal
        } catch {
            try? FileSystem.remove(path)
            throw error
        }
    }

    /// Returns a Boolean value that indicates whether the journal is where it was created, and not removed or moved.
    func isThere() throws(SystemError) -> Bool { try descriptor.isFile(at: path) }

    /// Gives the lock up: this process has finished recording.
    func close() { try? descriptor.finish() }

    /// Appends a whole line, or nothing, and returns the part of the journal that has it.
    func append(_ line: JournalLine, with entry: StubFileEntry? = nil) throws(SystemError) -> Range<Int> {
        try state.withLock { state throws(SystemError) in
            // A part of a line that could not be removed becomes a damaged line.
            var buffer = state.isTorn ? Data("\n".utf8) : Data()
            var written = 0
            func flush() throws(SystemError) {
                try descriptor.writeAll(buffer)
                written += buffer.count
                buffer.removeAll(keepingCapacity: true)
            }
            do throws(SystemError) {
                try line.forEachChunk(with: entry) { chunk throws(SystemError) in
                    buffer.append(chunk)
                    if buffer.count >= 1 << 20 { try flush() }
                }
                try flush()
                let start = state.byteCount
                state = (start + written, false)
                return start..<state.byteCount
            } catch {
                do throws(SystemError) {
                    try descriptor.truncate(to: state.byteCount)
                } catch {
                    state.isTorn = true
                }
                throw error
            }
        }
    }

    /// Writes spaces over a line, whose number a later line has.
    func erase(_ line: Range<Int>) throws(SystemError) {
        // The line break stays.
        for start in stride(from: line.lowerBound, to: line.upperBound - 1, by: 1 << 20) {
            let count = min(1 << 20, line.upperBound - 1 - start)
            try descriptor.overwrite(with: Data(repeating: .space, count: count), at: start)
        }
    }
}

/// The content of a journal.
struct JournalContent: Sendable {
    private(set) var head: JournalLine.Head?
    /// The rules by which recordings were made, one after the other.
    private(set) var rules: [MergeRules.Stored] = []
    private(set) var recordings: [Int: StoredRecording] = [:]
    private(set) var notes: [JournalLine.Note] = []
    /// A Boolean value that indicates whether the process has made all its requests, and knows of no failure.
    private(set) var endsWell = false
    /// The number of corrupt lines.
    private(set) var damageCount = 0
    /// The length of the journal, without a line that is not whole yet.
    private(set) var byteCount = 0
    /// A Boolean value that indicates whether the last line is not whole.
    private(set) var isCutOff = false

    init() {}

    /// Reads all lines that are whole.
    init(_ data: Data, of file: URL) {
        data.withBytes { bytes in
            while let end = bytes.position(of: .lineFeed, from: byteCount) {
                let lines = byteCount..<end + 1
                let part = bytes.part(byteCount..<end)
                byteCount = end + 1
                // A line that was erased.
                if part.end(from: 0, while: { $0 == .space }) == part.count { continue }
                if let read = JournalLine.read(part) {
                    add(read.line, read.stub.map { Self.entry($0, of: file) } ?? nil, in: lines)
                } else {
                    damageCount += 1
                }
            }
            isCutOff = byteCount < bytes.count
            // A kill cuts a line off. Zeros are what some file systems leave after a power cut.
            if bytes.part(byteCount..<bytes.count).contains(0) { damageCount += 1 }
        }
    }

    private static func entry(_ text: Data, of file: URL) -> StubFileEntry? {
        let array = Data("[".utf8) + text + Data("]".utf8)
        guard let text = try? StubFileText(array, file: file) else { return nil }
        return (try? StubFileDocument(parsing: text))?.entries.first
    }

    private mutating func add(_ line: JournalLine, _ read: StubFileEntry?, in lines: Range<Int>) {
        noteFields(of: line)
        guard let recording = line.recording else { return }
        let encoding = BodyEncoding(rawValue: recording.bodyEncoding) ?? .base64
        guard let read,
            let entry = try? IdentifiedEntry(StubFileEntry(rendering: read.stub, bodyEncoding: encoding)),
            var stored = StoredRecording(recording, entry, in: lines)
        else {
            damageCount += 1
            return
        }
        stored.rulesIndex = recordings[stored.number]?.rulesIndex ?? rules.count - 1
        recordings[stored.number] = stored
    }

    // MARK: The own journal

    /// Adds a line that this process has appended to its own journal, in this part of it.
    mutating func note(_ line: JournalLine, _ recording: StoredRecording? = nil, in lines: Range<Int>) {
        byteCount = max(byteCount, lines.upperBound)
        noteFields(of: line)
        guard var recording else { return }
        recording.store(in: lines)
        recording.rulesIndex = recordings[recording.number]?.rulesIndex ?? rules.count - 1
        recordings[recording.number] = recording
    }

    private mutating func noteFields(of line: JournalLine) {
        if let head = line.head { self.head = head }
        if let rules = line.rules { self.rules.append(MergeRules.Stored(rules)) }
        if let note = line.wrote { notes.append(note) } else { endsWell = line.endsWell ?? false }
    }

    /// Returns the content of the first bytes of the journal.
    func cut(to byteCount: Int) -> JournalContent {
        var result = self
        result.recordings = recordings.filter { $0.value.isStored(before: byteCount) }
        return result
    }
}
