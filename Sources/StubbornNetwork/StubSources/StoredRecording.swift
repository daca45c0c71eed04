/// A recording in a journal.
struct StoredRecording: Sendable {
    /// The fields of the line that stores the recording, next to the stub.
    private(set) var line: JournalLine.Recording
    /// The key of the request: requests that the matchers take for the same have the same one.
    private(set) var key: UInt64
    /// The index of the rules by which the recording was made, in its journal; -1 without any.
    var rulesIndex = -1
    /// A Boolean value that indicates whether the response goes on, as far as this process knows.
    private(set) var isBeginning = false
    /// The stub.
    private(set) var entry: StubFileEntry
    /// The part of the journal that has the stub.
    var lines = 0..<0

    var number: Int { line.number }
    var started: Int { line.started }
    var replaces: Bool { line.replaces ?? false }
    var keepsErrorsAlone: Bool { line.keepsErrorsAlone ?? false }
    var stub: Stub { entry.stub }
    var response: StubResponse { stub.response }
    /// A Boolean value that indicates whether this is a value that a test made.
    var isValue: Bool { stub.valueName != nil }

    init(_ recording: Recording, _ entry: StubFileEntry) {
        key = recording.rules.key(recording.request)
        line = JournalLine.Recording(
            number: recording.requestNumber,
            started: recording.started,
            key: key.hexadecimal,
            replaces: recording.replaces ? true : nil,
            keepsErrorsAlone: recording.keepsErrorsAlone ? true : nil
        )
        isBeginning = recording.isBeginning
        self.entry = entry
    }

    /// Creates the recording of a line that was read.
    init?(_ line: JournalLine.Recording, _ entry: StubFileEntry, in lines: Range<Int>) {
        guard let key = UInt64(line.key, radix: 16) else { return nil }
        (self.line, self.key, self.entry, self.lines) = (line, key, entry, lines)
    }

    /// Replaces the stub by one with fewer secrets, and the key by that of its request.
    mutating func supersede(by entry: StubFileEntry, key: UInt64) {
        let identities = [self.entry.identity, self.entry.valueIdentity].map(\.hexadecimal)
        line.supersedes = (line.supersedes ?? []) + [.init(identities: identities, end: lines.upperBound)]
        line.key = key.hexadecimal
        (self.entry, self.key) = (entry, key)
    }

    /// Replaces the beginning of a response by more of it.
    ///
    /// The earliest versions are forgotten: a long stream has thousands.
    mutating func supersede(by longer: StoredRecording) {
        supersede(by: longer.entry, key: longer.key)
        isBeginning = longer.isBeginning
        line.supersedes = line.supersedes?.suffix(15)
    }

    /// The identities of all versions of the stub, those that were superseded too.
    var identities: [UInt64] {
        (line.supersedes ?? []).flatMap(\.identities).compactMap { UInt64($0, radix: 16) }
            + [entry.identity, entry.valueIdentity]
    }

    /// Returns a Boolean value that indicates whether the recording was in the first bytes of its journal.
    func isStored(before byteCount: Int) -> Bool { (line.supersedes?.first?.end ?? lines.upperBound) <= byteCount }
}
