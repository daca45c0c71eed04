import Foundation

/// What one recording run has recorded, in a file of its own beside the stub file: `.Login.json.5f3a91c2.journal`.
///
/// A recording is appended here when its exchange ends, so that it costs what it is long, however large the stub file is;
/// the stub file takes it over now and then. The journal holds everything that its run has recorded, in the order in which
/// the exchanges ended. Its process holds a lock on it for as long as it lives: a journal that nobody has locked is what a
/// killed process left behind, and whoever opens the stub file next takes it over (`LeftoverRecordings`).
///
/// It is text: a line that says what follows, then the stub's JSON. A journal whose last record is cut off is whole up to
/// there.
///
///     the-stubborn-network-journal 1 12
///     recorded 0 replaces alone 431
///     { "request" : … }
///     folding 1835021 0-7,9
///     folded 0-7,9
final class RecordingJournal {
    static let nameEnding = ".journal"

    /// Its name, for texts.
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

    /// Makes a journal that this process alone holds.
    ///
    /// - Parameter baseCount: how many stubs the file held when the run began: those it may replace.
    init(beside file: URL, baseCount: Int) throws(SystemError) {
        try FileSystem.createDirectory(FileSystem.directory(of: file.path))
        (descriptor, path) = try Self.lockedFile(beside: file)
        try append(Data("\(JournalContent.magic) \(baseCount)\n".utf8))
    }

    /// Whoever takes journals over may hold a new one for one that was left behind, before it is locked.
    private static func lockedFile(beside file: URL) throws(SystemError) -> (FileDescriptor, String) {
        var made = try FileSystem.temporaryFile(beside: file.path, ending: nameEnding)
        for _ in 0..<100 where !(made.0.tryLock() && made.0.isLinked) {
            // Left where it is on a file system without locks: nobody can take it for left behind.
            if made.0.isLinked { break }
            made = try FileSystem.temporaryFile(beside: file.path, ending: nameEnding)
        }
        return (made.0, made.path)
    }

    /// Whether more can be appended, where others find it. Not when somebody has removed the directory.
    var isUsable: Bool { !isBroken && descriptor.isLinked }

    /// Whether it ends with a part of a record that could not be taken away.
    private var isBroken = false

    /// Adds a recording. It is safe from the end of this process when this returns; what fails leaves no part behind.
    func append(_ recorded: Recording) throws(SystemError) {
        var head = "recorded \(recorded.place)"
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

    /// Says that the recordings of some places are in a file that is about to take the stub file's place.
    func noteFolding(_ places: IndexSet, into file: FileFingerprint) throws(SystemError) {
        try appendLine("folding \(file.inode) \(places.journalText)")
    }

    /// Says that it has taken that place. Where that cannot be written, the line before it tells it by the file's number.
    func noteFolded(_ places: IndexSet) {
        folded = places
        try? appendLine("folded \(places.journalText)")
    }

    /// Says that it has not.
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

    /// Appends all that `body` does, or nothing.
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

/// What a journal says.
struct JournalContent: Sendable {
    static let magic = "the-stubborn-network-journal 1"

    /// How many stubs the file held when the run began.
    var baseCount = 0
    var recorded: [Recording] = []
    /// The places of those that are in the stub file for certain.
    var folded = IndexSet()
    /// The places of those that are in it if it is the file of this number.
    var folding: (places: IndexSet, inode: UInt64)?
    /// How many bytes at its end make no sense. The last record of a killed process may be cut off.
    var unreadableByteCount = 0

    /// Reads as much as can be read. `nil` for what is no journal.
    init?(parsing data: Data, file: URL) {
        guard let header = Self.line(of: data, at: 0), header.text.hasPrefix(Self.magic + " "),
            let baseCount = Int(header.text.dropFirst(Self.magic.count + 1)), baseCount >= 0
        else { return nil }
        self.baseCount = baseCount
        var position = header.end
        while let next = readRecord(of: data, at: position, file: file) { position = next }
        unreadableByteCount = data.count - position
    }

    /// Whether a rest is the beginning of a record: what a process leaves that is killed while it writes one.
    func isCutOff(_ rest: Data) -> Bool {
        guard let line = Self.line(of: rest, at: 0) else { return true }
        let words = line.text.split(separator: " ")
        guard words.first == "recorded", words.count >= 3, let length = words.last.flatMap({ Int($0) }) else {
            return false
        }
        return rest.count - line.end <= length
    }

    /// Reads one record, and says where the next one begins; `nil` where there is none that is whole.
    private mutating func readRecord(of data: Data, at position: Int, file: URL) -> Int? {
        guard let line = Self.line(of: data, at: position) else { return nil }
        let words = line.text.split(separator: " ").map(String.init)
        switch (words.first, words.count) {
        case ("folding", 3):
            guard let inode = UInt64(words[1]), let places = IndexSet(journalText: words[2]) else { return nil }
            folding = (places, inode)
            return line.end
        case ("folded", 2):
            guard let places = IndexSet(journalText: words[1]) else { return nil }
            folded = places
            folding = nil
            return line.end
        case ("recorded", 3...):
            guard let place = Int(words[1]), let length = Int(words[words.count - 1]), length >= 0,
                length < data.count - line.end, data[data.startIndex + line.end + length] == UInt8(ascii: "\n")
            else { return nil }
            let json = data[data.startIndex + line.end..<data.startIndex + line.end + length]
            let text = Data("[".utf8) + json + Data("]".utf8)
            let document = try? StubFileDocument(parsing: StubFileText(text, file: file))
            guard let entry = document?.entries.first else { return nil }
            recorded.append(
                Recording(
                    entry: entry,
                    place: place,
                    replaces: words.contains("replaces"),
                    keepsErrorsAlone: words.contains("alone")
                )
            )
            return line.end + length + 1
        default: return nil
        }
    }

    /// A line of text, and the place behind it.
    private static func line(of data: Data, at position: Int) -> (text: String, end: Int)? {
        let rest = data.dropFirst(position)
        guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        return (String(decoding: rest[..<end], as: UTF8.self), end + 1 - data.startIndex)
    }
}

extension IndexSet {
    /// `0-7,9`, and `-` for none.
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
