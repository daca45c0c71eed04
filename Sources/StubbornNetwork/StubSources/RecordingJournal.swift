import Foundation

/// The recordings of one run, in a file beside the stub file: `.Login.json.5f3a91c2.journal`.
///
/// A recording is appended when its exchange ends. That takes as long as the recording is, however large the stub file is;
/// the stub file is written from time to time. The journal has everything that its run recorded, in the order in which the
/// exchanges ended. Its process holds a lock on it. A journal without a lock is from a process that was killed, and the next
/// process that opens the stub file takes it over (`LeftoverRecordings`).
///
/// A record is a line, and after `recorded` the JSON of the stub. If the last record is incomplete, the others are valid.
///
///     the-stubborn-network-journal 1 12
///     recorded 0 replaces alone 431
///     { "request" : … }
///     folding 1835021 0-7,9
///     folded 0-7,9
final class RecordingJournal {
    static let nameEnding = ".journal"

    /// The path of the journal.
    let path: String

    private let descriptor: FileDescriptor
    private var byteCount = 0

    /// The paths of the journals beside a stub file, those of living processes and those of dead ones.
    static func paths(beside file: URL) -> [String] {
        let directory = FileSystem.directory(of: file.path)
        return FileSystem.names(in: directory, beginningWith: ".\(file.lastPathComponent).").filter { name in
            FileSystem.isTemporary(name, beside: file.lastPathComponent, ending: nameEnding)
        }.map { "\(directory)/\($0)" }
    }

    /// Creates a journal, and locks it.
    ///
    /// - Parameters:
    ///   - file: The stub file.
    ///   - baseCount: The number of stubs that were in the file when the run began.
    /// - Throws: The system's error if the journal cannot be written.
    init(beside file: URL, baseCount: Int) throws(SystemError) {
        try FileSystem.createDirectory(FileSystem.directory(of: file.path))
        (descriptor, path) = try Self.lockedFile(beside: file)
        try append(Data("\(JournalContent.magic) \(baseCount)\n".utf8))
    }

    /// Creates a file and locks it.
    ///
    /// If another process takes the file over before it is locked, this function tries again with another file.
    private static func lockedFile(beside file: URL) throws(SystemError) -> (FileDescriptor, String) {
        var made = try FileSystem.temporaryFile(beside: file.path, ending: nameEnding)
        for _ in 0..<100 where !(made.0.tryLock() && made.0.isLinked) {
            // On a file system without locks no process takes a journal over.
            if made.0.isLinked { break }
            made = try FileSystem.temporaryFile(beside: file.path, ending: nameEnding)
        }
        return (made.0, made.path)
    }

    /// A Boolean value that indicates whether recordings can be appended: not if the directory was removed.
    var isUsable: Bool { !isBroken && descriptor.isLinked }

    /// A Boolean value that indicates whether the journal ends with a part of a record that could not be removed.
    private var isBroken = false

    /// Adds a recording, which then survives the end of this process.
    ///
    /// If this function throws, no part of the recording is added.
    func append(_ recorded: StoredRecording) throws(SystemError) {
        var head = "recorded \(recorded.requestNumber)"
        if recorded.replaces { head += " replaces" }
        if recorded.keepsErrorsAlone { head += " alone" }
        head += " \(recorded.entry.byteCount)\n"
        try appendWhole { journal throws(SystemError) in
            var buffer = Data(head.utf8)
            try recorded.entry.forEachChunk { chunk throws(SystemError) in
                buffer.append(chunk)
                guard buffer.count >= 1 << 20 else { return }
                try journal.append(buffer)
                buffer.removeAll(keepingCapacity: true)
            }
            buffer.append(UInt8(ascii: "\n"))
            try journal.append(buffer)
        }
    }

    /// Adds a record that some recordings are in a file which is about to replace the stub file.
    func noteFolding(_ requestNumbers: IndexSet, into file: FileFingerprint) throws(SystemError) {
        try appendLine("folding \(file.inode) \(requestNumbers.journalText)")
    }

    /// Adds a record that the file has replaced the stub file.
    ///
    /// If this record cannot be written, the one before it is enough, because it names the stub file's inode.
    func noteFolded(_ requestNumbers: IndexSet) {
        folded = requestNumbers
        try? appendLine("folded \(requestNumbers.journalText)")
    }

    /// Adds a record that the file has not replaced the stub file.
    func noteNotFolded() {
        noteFolded(folded)
    }

    private var folded = IndexSet()

    func remove() {
        FileSystem.remove(path)
    }

    private func appendLine(_ line: String) throws(SystemError) {
        try appendWhole { journal throws(SystemError) in try journal.append(Data("\(line)\n".utf8)) }
    }

    /// Appends all that `body` appends, or nothing.
    private func appendWhole(_ body: (RecordingJournal) throws(SystemError) -> Void) throws(SystemError) {
        let start = byteCount
        do throws(SystemError) {
            try body(self)
        } catch {
            do throws(SystemError) { try descriptor.truncate(to: start) } catch { isBroken = true }
            byteCount = start
            throw error
        }
    }

    private func append(_ data: Data) throws(SystemError) {
        try descriptor.writeAll(data)
        byteCount += data.count
    }
}

/// A recording with its JSON, as its run writes it.
struct StoredRecording: Sendable {
    var entry: StubFileEntry
    var requestNumber: Int
    /// A Boolean value that indicates whether the run replaces the earlier recordings, as in `Recording`.
    var replaces: Bool
    var keepsErrorsAlone: Bool
    var secretCount = 0
}

/// The content of a journal.
struct JournalContent: Sendable {
    static let magic = "the-stubborn-network-journal 1"

    /// The number of stubs that were in the file when the run began.
    var baseCount = 0
    var recorded: [StoredRecording] = []
    /// The request numbers of the recordings that are in the stub file.
    var folded = IndexSet()
    /// The request numbers of the recordings that are in the stub file if its inode is this one.
    var folding: (requestNumbers: IndexSet, inode: UInt64)?
    /// The number of bytes at the end that cannot be read.
    ///
    /// The last record of a killed process may be incomplete.
    var unreadableByteCount = 0

    /// Reads as many records as can be read; `nil` for a file that is not a journal.
    init?(parsing data: Data, file: URL) {
        guard let header = Self.line(of: data, at: 0), header.text.hasPrefix(Self.magic + " "),
            let baseCount = Int(header.text.dropFirst(Self.magic.count + 1)), baseCount >= 0
        else { return nil }
        self.baseCount = baseCount
        var position = header.end
        while let next = readRecord(of: data, at: position, file: file) { position = next }
        unreadableByteCount = data.count - position
    }

    /// Returns a Boolean value that indicates whether bytes are the beginning of a record.
    ///
    /// They are when the process was killed while it wrote the record.
    func isCutOff(_ rest: Data) -> Bool {
        guard let line = Self.line(of: rest, at: 0) else { return true }
        let words = line.text.split(separator: " ")
        guard words.first == "recorded", words.count >= 3, let length = words.last.flatMap({ Int($0) }) else {
            return false
        }
        return rest.count - line.end <= length
    }

    /// Reads one record, and returns the offset of the next one; `nil` if there is no complete record.
    private mutating func readRecord(of data: Data, at position: Int, file: URL) -> Int? {
        guard let line = Self.line(of: data, at: position) else { return nil }
        let words = line.text.split(separator: " ").map(String.init)
        switch (words.first, words.count) {
        case ("folding", 3):
            guard let inode = UInt64(words[1]), let numbers = IndexSet(journalText: words[2]) else { return nil }
            folding = (numbers, inode)
            return line.end
        case ("folded", 2):
            guard let numbers = IndexSet(journalText: words[1]) else { return nil }
            folded = numbers
            folding = nil
            return line.end
        case ("recorded", 3...):
            guard let number = Int(words[1]), let length = Int(words[words.count - 1]), length >= 0,
                length < data.count - line.end, data[data.startIndex + line.end + length] == UInt8(ascii: "\n")
            else { return nil }
            let json = data[data.startIndex + line.end..<data.startIndex + line.end + length]
            let text = Data("[".utf8) + json + Data("]".utf8)
            let document = try? StubFileDocument(parsing: StubFileText(text, file: file))
            guard let entry = document?.entries.first else { return nil }
            recorded.append(
                StoredRecording(
                    entry: entry,
                    requestNumber: number,
                    replaces: words.contains("replaces"),
                    keepsErrorsAlone: words.contains("alone")
                )
            )
            return line.end + length + 1
        default: return nil
        }
    }

    /// Returns a line of text, and the offset after it.
    private static func line(of data: Data, at position: Int) -> (text: String, end: Int)? {
        let rest = data.dropFirst(position)
        guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        return (String(decoding: rest[..<end], as: UTF8.self), end + 1 - data.startIndex)
    }
}

extension IndexSet {
    /// The numbers as a journal has them: `0-7,9`, and `-` for none.
    fileprivate var journalText: String {
        if isEmpty { return "-" }
        return rangeView.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound - 1)" }
            .joined(separator: ",")
    }

    fileprivate init?(journalText: String) {
        self.init()
        if journalText == "-" { return }
        for part in journalText.split(separator: ",", omittingEmptySubsequences: false) {
            let bounds = part.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            guard bounds.count <= 2, let first = bounds.first.flatMap(\.self), let last = bounds.last.flatMap(\.self),
                first >= 0, first <= last, last < Int.max
            else { return nil }
            insert(integersIn: first...last)
        }
    }
}
