import Foundation

/// The content of a journal.
struct JournalContent: Sendable {
    /// The number of the journal in its generation, from 1.
    let number: Int
    private(set) var head: JournalLine.Head?
    /// The identities of the stubs of other runs that the network has loaded; `nil` if no recording needs them.
    private(set) var loaded: Set<UInt64>?
    /// The rules by which recordings were made, one after the other.
    private(set) var rules: [MergeRules] = []
    private(set) var recordings: [Int: StoredRecording] = [:]
    var notes: [JournalLine.Note] = []
    /// A Boolean value that indicates whether the recording ended without a known failure.
    private(set) var endsWell = false
    /// A Boolean value that indicates whether the test failed, so that all its stubs are written.
    private(set) var isOfFailedTest = false
    /// A Boolean value that indicates whether the whole run ended successfully, according to the process that began it.
    private(set) var endsRun = false
    /// The number of corrupt lines.
    private(set) var damageCount = 0
    /// The length of the journal, without an incomplete last line.
    private(set) var byteCount = 0

    init(_ number: Int) { self.number = number }

    /// Reads all complete lines.
    init(_ number: Int, _ data: Data, of file: URL) {
        self.number = number
        data.withBytes { bytes in
            while let end = bytes.position(of: .lineFeed, from: byteCount) {
                let lines = byteCount..<end + 1
                let part = bytes.part(byteCount..<end)
                byteCount = end + 1
                // A line that was erased, or the line break before a line.
                if part.end(from: 0, while: { $0 == .space }) == part.count { continue }
                if let (line, stub) = JournalLine.read(part) {
                    let start = lines.lowerBound
                    add(line, data.part(start + stub.lowerBound..<start + stub.upperBound), of: file, in: lines)
                } else {
                    damageCount += 1
                }
            }
            // A kill cuts off a line. Some file systems leave zeros after a power cut.
            if bytes.part(byteCount..<bytes.count).contains(0) { damageCount += 1 }
        }
    }

    private mutating func add(_ line: JournalLine, _ stub: Data, of file: URL, in lines: Range<Int>) {
        guard line.recording != nil else { return note(line, in: lines) }
        let read = (try? StubFileText(stub, file: file)).flatMap(StubFileDocument.entry)
        // In the journal the stub has no line breaks.
        let entry = read.map { StubFileEntry(rendering: $0.stub, bodyEncoding: $0.bodyEncoding ?? .base64) }
        if entry == nil { damageCount += 1 }
        note(line, entry, in: lines)
    }

    // MARK: The own journal

    /// Adds a line that this process has appended to its own journal, in this part of it; a recording has a stub.
    mutating func note(_ line: JournalLine, _ entry: StubFileEntry? = nil, in lines: Range<Int>) {
        byteCount = max(byteCount, lines.upperBound)
        if let head = line.head { self.head = head }
        if let loaded = line.loaded { self.loaded = Set(loaded) }
        if let rules = line.rules { self.rules.append(MergeRules(rules)) }
        if let note = line.wrote {
            notes.append(note)
        } else if line.endsRun == true {
            endsRun = true
        } else {
            endsWell = line.endsWell ?? false
            if line.endsWell == false { isOfFailedTest = true }
        }
        guard let recording = line.recording, let entry else { return }
        var stored = StoredRecording(recording, entry, in: lines)
        if recording.continues == true {
            recordings[stored.number]?.parts.append(stored)
            return
        }
        stored.rulesIndex = recordings[stored.number]?.rulesIndex ?? rules.count - 1
        recordings[stored.number] = stored
    }

    /// Returns the content of the first bytes of the journal.
    func cut(to byteCount: Int) -> JournalContent {
        var result = self
        result.recordings = recordings.filter { $0.value.isStored(before: byteCount) }
        for number in result.recordings.keys {
            result.recordings[number]?.parts.removeAll { $0.lines.upperBound > byteCount }
        }
        return result
    }
}

/// A recording in a journal.
struct StoredRecording: Sendable {
    /// The fields of the line that stores the recording, next to the stub.
    private(set) var line: JournalLine.Recording
    /// The index of the rules by which the recording was made, in its journal; -1 without any.
    var rulesIndex = -1
    /// The stub, as it is in the first of its lines.
    private var first: StubFileEntry
    /// The part of the journal that has the stub.
    var lines = 0..<0
    /// The parts of an open web socket that were stored after the first one.
    fileprivate(set) var parts: [StoredRecording] = []

    var number: Int { line.number }
    /// The key of the request: requests that the matchers treat as equal have the same key.
    var key: UInt64 { line.key }
    var replaces: Bool { line.replaces ?? false }
    /// The stub.
    var stub: Stub {
        var stub = first.stub
        guard let last = parts.last else { return stub }
        stub.response.body = Data(([stub] + parts.map(\.first.stub)).compactMap(\.response.body).joined())
        stub.response.failure = last.first.stub.response.failure
        return stub
    }
    /// The stub as text, which takes more time to make for a web socket.
    var entry: StubFileEntry {
        parts.isEmpty ? first : StubFileEntry(rendering: stub, bodyEncoding: first.bodyEncoding ?? .base64)
    }
    var response: StubResponse { stub.response }
    /// A Boolean value that indicates whether this is a value that a test made.
    var isValue: Bool { first.stub.valueName != nil }

    init(_ recording: Recording, _ entry: StubFileEntry) {
        line = JournalLine.Recording(
            number: recording.requestNumber,
            started: recording.started,
            key: recording.rules.key(entry.stub.request),
            replaces: recording.replaces ? true : nil,
            continues: recording.continues ? true : nil
        )
        first = entry
    }

    /// Creates the recording of a line that was read.
    fileprivate init(_ line: JournalLine.Recording, _ entry: StubFileEntry, in lines: Range<Int>) {
        (self.line, first, self.lines) = (line, entry, lines)
    }

    /// Replaces the stub with one that has fewer secrets, and the key with the key of the new stub's request.
    mutating func supersede(by entry: StubFileEntry, key: UInt64) {
        let identities = [self.entry.identity, self.entry.valueIdentity]
        line.supersedes = (line.supersedes ?? []) + [.init(identities: identities, end: lines.upperBound)]
        line.key = key
        (first, parts) = (entry, [])
    }

    /// The identities of all versions of the stub, including superseded ones.
    var identities: [UInt64] { (line.supersedes ?? []).flatMap(\.identities) + [entry.identity] }

    /// Returns a Boolean value that indicates whether the recording was in the first bytes of its journal.
    func isStored(before byteCount: Int) -> Bool { (line.supersedes?.first?.end ?? lines.upperBound) <= byteCount }
}
