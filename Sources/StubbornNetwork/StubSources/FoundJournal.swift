import Foundation

/// A journal beside a stub file, as another process or the next run finds it.
struct FoundJournal: Sendable {
    let journal: RecordingJournal
    var content: JournalContent
    /// A Boolean value that indicates whether the process that writes the journal is alive.
    let isAlive: Bool
    /// A Boolean value that indicates whether this process may append to the journal.
    let isWritable: Bool

    /// Finds the journals beside a stub file, but for one, and locks those of dead processes for as long as the result
    /// exists; those of living processes have no content unless `readsLiving` is `true`.
    static func all(beside store: StubFileStore, except own: String? = nil, readsLiving: Bool = false)
        throws(SystemError) -> [FoundJournal]
    {
        var found: [FoundJournal] = []
        for path in try store.paths(.journal) where path != own {
            do throws(SystemError) {
                if let journal = try FoundJournal(at: path, beside: store, readsLiving) { found.append(journal) }
            } catch {
                // Removed meanwhile, or of another user, who keeps it to himself.
                guard [ENOENT, EACCES, EPERM].contains(error.number) else { throw error }
            }
        }
        return found
    }

    private init?(at path: String, beside store: StubFileStore, _ readsLiving: Bool) throws(SystemError) {
        let descriptor: FileDescriptor
        do throws(SystemError) {
            descriptor = try .appending(path)
            isWritable = true
        } catch {
            guard [EACCES, EPERM, EROFS].contains(error.number) else { throw error }
            descriptor = try .reading(path)
            isWritable = false
        }
        let fingerprint = try descriptor.fingerprint()
        guard fingerprint.isRegularFile else { return nil }
        let lock = try descriptor.tryLock()
        guard try descriptor.isFile(at: path) else { return nil }
        if lock == .heldByOther, !readsLiving {
            journal = RecordingJournal(path, descriptor)
            content = JournalContent()
            isAlive = true
            return
        }
        let data = try descriptor.availableData(in: 0..<Int(clamping: fingerprint.size))
        journal = RecordingJournal(path, descriptor, byteCount: data.count)
        content = try JournalContent(data, file: store.file) { name throws(SystemError) in
            try FileSystem.fingerprint(at: store.path(of: name)) != nil
        }
        switch lock {
        case .taken: isAlive = false
        case .heldByOther: isAlive = true
        // Without locks, the process is alive if there is one with its number.
        case .unavailable: isAlive = content.processNumber.map { kill($0, 0) == 0 || errno != ESRCH } ?? false
        }
    }
}

/// The content of a journal.
struct JournalContent: Sendable {
    private(set) var run = RecordingRun()
    /// The number of the process that writes the journal; `nil` if that record is damaged.
    private(set) var processNumber: Int32?
    /// The new stub files that exist and have not replaced the old one.
    private(set) var unfinished: Set<String> = []
    /// The number of places that no process writes, not even one that is killed.
    private(set) var damageCount = 0

    fileprivate init() {}

    /// Reads all records that are whole; `exists` returns whether a file with a name is beside the stub file.
    init(
        _ data: Data,
        file: URL,
        exists: (String) throws(SystemError) -> Bool = { _ in false }
    ) throws(SystemError) {
        var records: [JournalRecord] = []
        (records, damageCount) = data.withBytes { JournalRecord.all(in: $0) }
        let voids = Set(records.filter { $0.words.first == "void" }.compactMap(\.words.last))
        var recorded: [Int: StoredRecording] = [:]
        var places: [Int: StoredRecording.Place] = [:]
        func read(_ texts: ArraySlice<String>) {
            for text in texts {
                let parts = text.split(separator: ":")
                guard parts.count == 3, let number = Int(parts[0]), let identity = UInt64(parts[1], radix: 16) else {
                    continue
                }
                places[number] = .init(identity: identity, isAdded: parts[2] == "added")
                recorded[number]?.isFolded = true
            }
        }
        for record in records {
            switch (record.words.first, record.words.count) {
            case ("journal", 3): processNumber = Int32(record.words[2])
            case ("base", _):
                for line in String(decoding: record.content, as: UTF8.self).split(separator: "\n") {
                    if let identity = UInt64(line, radix: 16) { run.base[identity, default: 0] += 1 }
                }
            case ("stub", 2...):
                if let recording = record.recording(file: file) {
                    recorded[recording.requestNumber] = recording
                } else {
                    damageCount += 1
                }
            case ("in", _): read(record.words.dropFirst())
            case ("fold", 2...):
                let name = record.words[1]
                if voids.contains(name) { continue }
                if try exists(name) { unfinished.insert(name) } else { read(record.words.dropFirst(2)) }
            case ("void", _): break
            default: damageCount += 1
            }
        }
        for (number, var recording) in recorded {
            recording.place = places[number]
            run.add(recording)
        }
        // A damaged record may have named stubs of the file.
        if damageCount > 0 { run.doubtPlaces(ofAll: true) }
    }
}

/// A record of a journal, whose checksum is right.
private struct JournalRecord {
    /// The words of the first line, without the length.
    let words: [String]
    let content: Data

    /// Returns the records that are whole, and the number of the others, without a last one that was cut off by a kill.
    static func all(in bytes: Bytes) -> (records: [JournalRecord], damageCount: Int) {
        var records: [JournalRecord] = []
        var damageCount = 0
        var start = 0
        while true {
            start = bytes.end(from: start) { $0 == .lineFeed }
            guard start < bytes.count else { return (records, damageCount) }
            let end = bytes.position(of: "\n\n", from: start) ?? bytes.count
            let part = bytes.part(start..<end)
            if let record = JournalRecord(part) {
                records.append(record)
            } else if end < bytes.count || !isCutOff(part) {
                damageCount += 1
            }
            start = end
        }
    }

    private init?(_ part: Bytes) {
        guard let (words, content, checksumStart) = Self.firstLine(of: part), checksumStart < part.count else {
            return nil
        }
        var checksum = Checksum()
        checksum.add(part.part(0..<checksumStart))
        let line = "< \(checksum.value.hexadecimal)"
        guard [line, line + "\n"].contains(part.part(checksumStart..<part.count).text) else { return nil }
        self.words = words
        self.content = Data(part.part(content))
    }

    /// Returns the words of the first line, and where the content and the line with the checksum are.
    private static func firstLine(of part: Bytes) -> (words: [String], content: Range<Int>, checksumStart: Int)? {
        guard let end = part.position(of: .lineFeed, from: 0) else { return nil }
        var words = part.part(1..<end).text.split(separator: " ").map(String.init)
        guard let length = words.popLast().flatMap({ Int($0) }), 0..<(1 << 40) ~= length else { return nil }
        let content = end + 1..<end + 1 + length
        return (words, content, content.upperBound + (length > 0 ? 1 : 0))
    }

    /// Returns a Boolean value that indicates whether the last record ends before all of it was written.
    private static func isCutOff(_ part: Bytes) -> Bool {
        guard let (_, _, checksumStart) = firstLine(of: part) else { return !part.contains(.lineFeed) }
        let lastLine = part.start(before: part.count - 1) { $0 != .lineFeed }
        let hasChecksum = part.at(lastLine) == UInt8(ascii: "<") && part.last == .lineFeed
        return part.count < checksumStart + 18 && !hasChecksum
    }

    /// Returns the recording of a `stub` record; `nil` if it is none.
    func recording(file: URL) -> StoredRecording? {
        let text = Data("[".utf8) + content + Data("]".utf8)
        guard let number = Int(words[1]), let text = try? StubFileText(text, file: file),
            let entry = (try? StubFileDocument(parsing: text))?.entries.first
        else { return nil }
        return StoredRecording(
            entry,
            requestNumber: number,
            replaces: words.contains("replaces"),
            keepsErrorsAlone: words.contains("alone")
        )
    }
}
