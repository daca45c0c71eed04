import Foundation

/// A recording in a journal.
struct StoredRecording: Sendable {
    /// The number of the request in its network.
    let number: Int
    /// The time at which the request started, in milliseconds since 1970.
    let started: Int
    /// The key of the request: requests that the matchers take for the same have the same one.
    private(set) var key: UInt64
    /// A Boolean value that indicates whether the recording replaces one of an earlier run, rather than being added.
    let replaces: Bool
    /// A Boolean value that indicates whether an error is stored although no server has answered in the run.
    let keepsErrorsAlone: Bool
    let bodyEncoding: BodyEncoding
    /// The index of the rules by which the recording was made, in its journal; -1 without any.
    var rulesIndex = -1
    /// A Boolean value that indicates whether the response goes on, as far as this process knows.
    private(set) var isBeginning = false
    /// The stub.
    private(set) var entry: StubFileEntry
    /// The versions of the stub, the latest last.
    private(set) var versions: [JournalLine.Version]

    var stub: Stub { entry.stub }
    var response: StubResponse { stub.response }
    /// A Boolean value that indicates whether this is a value that a test made.
    var isValue: Bool { stub.valueName != nil }
    var lines: Range<Int> { versions.last?.lines ?? 0..<0 }

    init(_ recording: Recording, _ entry: StubFileEntry) {
        number = recording.requestNumber
        started = recording.started
        key = recording.rules.key(recording.request)
        replaces = recording.replaces
        keepsErrorsAlone = recording.keepsErrorsAlone
        bodyEncoding = recording.bodyEncoding
        isBeginning = recording.isBeginning
        self.entry = entry
        versions = [.init(entry)]
    }

    /// Creates the recording of a line, with the versions that it supersedes.
    init?(_ line: JournalLine.Recording, _ entry: StubFileEntry, in lines: Range<Int>) {
        guard let key = UInt64(line.key, radix: 16), let encoding = BodyEncoding(rawValue: line.bodyEncoding) else {
            return nil
        }
        number = line.number
        started = line.started
        self.key = key
        replaces = line.replaces ?? false
        keepsErrorsAlone = line.keepsErrorsAlone ?? false
        bodyEncoding = encoding
        self.entry = entry
        versions = (line.supersedes ?? []) + [.init(entry, in: lines)]
    }

    /// The fields of the line that stores the recording.
    var line: JournalLine.Recording {
        JournalLine.Recording(
            number: number,
            started: started,
            key: key.hexadecimal,
            replaces: replaces ? true : nil,
            keepsErrorsAlone: keepsErrorsAlone ? true : nil,
            bodyEncoding: bodyEncoding.rawValue,
            supersedes: versions.count > 1 ? versions.dropLast() : nil
        )
    }

    /// Replaces the stub by one with fewer secrets, and the key by that of its request.
    mutating func supersede(by entry: StubFileEntry, key: UInt64) {
        self.entry = entry
        self.key = key
        versions.append(.init(entry))
    }

    /// Replaces the beginning of a response by more of it.
    ///
    /// The earliest versions are forgotten: a long stream has thousands.
    mutating func supersede(by longer: StoredRecording) {
        supersede(by: longer.entry, key: longer.key)
        isBeginning = longer.isBeginning
        if versions.count > 16 { versions.removeFirst(versions.count - 16) }
    }

    /// Notes the part of the journal that has the latest version.
    mutating func store(in lines: Range<Int>) {
        versions[versions.count - 1].lines = lines
    }

    /// Returns a Boolean value that indicates whether the recording was in the first bytes of its journal.
    func isStored(before byteCount: Int) -> Bool { (versions.first?.lines.upperBound ?? .max) <= byteCount }
}
