import Foundation

/// The recordings of one process into one stub file, in a directory next to it: `.Login.json.journal/5f3a91c2.1.journal`.
///
/// The process holds a lock on the journal until it has finished recording. Each line is a `JournalLine` after an empty
/// line. The first one is the head.
final class Journal: Sendable {
    let path: String
    private let descriptor: FileDescriptor
    private let byteCount: Lock<Int>

    init(_ path: String, _ descriptor: FileDescriptor, byteCount: Int) {
        (self.path, self.descriptor, self.byteCount) = (path, descriptor, Lock(byteCount))
    }

    /// Creates an empty journal, and locks it; `nil` if another process has a journal at this path.
    static func creating(_ path: String) throws(SystemError) -> Journal? {
        let descriptor: FileDescriptor
        do throws(SystemError) {
            descriptor = try FileDescriptor.creating(path)
        } catch {
            guard error.number == EEXIST else { throw error }
            return nil
        }
        do throws(SystemError) {
            // A reader that checks the lock also holds it for a moment.
            _ = try descriptor.lock(forAtMost: 1)
            return Journal(path, descriptor, byteCount: 0)
        } catch {
            try? FileSystem.remove(path)
            throw error
        }
    }

    /// Opens the journal again after its recording has ended, without a lock; returns `nil` if it was removed.
    ///
    /// The lock of the directory must be held: this process may have appended lines since.
    func reopened() throws(SystemError) -> Journal? {
        guard try FileSystem.fingerprint(at: path) != nil else { return nil }
        let descriptor = try FileDescriptor.updating(path)
        let byteCount = Int(clamping: try descriptor.fingerprint().size)
        // Moves to the end.
        try descriptor.truncate(to: byteCount)
        return Journal(path, descriptor, byteCount: byteCount)
    }

    /// Returns a Boolean value that indicates whether the journal is where it was created, and not removed or moved.
    func isThere() throws(SystemError) -> Bool { try descriptor.isFile(at: path) }

    /// Releases the lock: this process has finished recording.
    func close() { try? descriptor.finish() }

    /// Appends a whole line, or nothing, and returns its range in the journal.
    func append(_ line: JournalLine, with entry: StubFileEntry? = nil) throws(SystemError) -> Range<Int> {
        try byteCount.withLock { byteCount throws(SystemError) in
            var output = FileDescriptor.Output(descriptor)
            do throws(SystemError) {
                // The line break ends a part of a line that could not be removed, which becomes a damaged line.
                "\n".withBytes { output.add($0) }
                try line.forEachPart(with: entry) { output.add($0) }
                try output.finish()
            } catch {
                if (try? descriptor.truncate(to: byteCount)) == nil {
                    // The part of the line remains, and the next line follows it.
                    byteCount = (try? descriptor.fingerprint().size).map(Int.init) ?? byteCount
                }
                throw error
            }
            let start = byteCount
            byteCount += output.byteCount
            return start..<byteCount
        }
    }

    /// Writes spaces over a line that a later line supersedes.
    func erase(_ line: Range<Int>) throws(SystemError) {
        // The line break at the end is kept.
        try descriptor.writeAll(Data(repeating: .space, count: line.dropLast().count), at: line.lowerBound)
    }
}

/// This process's journal in a generation.
struct OwnJournal: Sendable {
    let generation: String
    var journal: Journal
    var content: JournalContent
    var base: [StubFileEntry]
    /// The number of the last rules in the journal; `nil` without any.
    var rulesGeneration: Int?

    /// A Boolean value that indicates whether the journal has an exchange that ended with an error.
    var hasErrors: Bool { content.recordings.values.contains(where: \.response.endsWithError) }

    /// Appends a line without a stub.
    mutating func note(_ line: JournalLine) throws(SystemError) {
        content.note(line, in: try journal.append(line))
    }

    /// Appends the rules of the next recordings, if they differ from the previous rules.
    mutating func note(_ rules: MergeRules) throws(SystemError) {
        guard rules.generation != rulesGeneration else { return }
        try note(JournalLine(rules: JournalLine.Rules(rules, base: base)))
        rulesGeneration = rules.generation
    }

    /// Appends a recording to the journal, and then removes the version that it supersedes.
    mutating func append(_ recording: StoredRecording, insteadOf old: StoredRecording? = nil) throws(SystemError) {
        // A recording that is stored again is in one line.
        let (line, entry) = (JournalLine(recording: recording.line), recording.entry)
        content.note(line, entry, in: try journal.append(line, with: entry))
        // If this fails, the earlier version stays in the journal, where nobody reads it any more.
        for old in old.map({ [$0] + $0.parts }) ?? [] { try? journal.erase(old.lines) }
    }

    /// Appends the recordings with some numbers again, without secrets that were recognized late, and removes the numbers.
    mutating func redactAgain(_ late: inout Set<Int>, _ redactor: Redactor, _ rules: MergeRules) throws(SystemError) {
        let endsWell = content.endsWell
        for recording in content.recordings.values where late.contains(recording.number) {
            let redacted = redactor.redactAgain(recording.stub)
            let entry = StubFileEntry(rendering: redacted, bodyEncoding: rules.bodyEncoding ?? .base64)
            var new = recording
            new.supersede(by: entry, key: rules.key(redacted.request))
            try append(new, insteadOf: recording)
            late.remove(recording.number)
        }
        // A recording that ended without a known failure still has.
        if endsWell { try note(JournalLine(endsWell: true)) }
    }
}

/// A journal next to a stub file.
struct JournalFile: Sendable {
    let path: String
    var content: JournalContent
    /// A Boolean value that indicates whether the process that writes the journal is recording.
    let isRecording: Bool

    /// The journals that this process has read after their recordings had ended, by their paths.
    ///
    /// Hundreds of tests may record into one file, one after the other, and each of them reads the journals of those before.
    private static let ended = Lock<[String: (state: FileFingerprint, content: JournalContent)]>([:])

    init(_ number: Int, at path: String, of file: URL) throws(SystemError) {
        self.path = path
        if let known = Self.ended.withLock({ $0[path] }),
            let state = try FileSystem.fingerprint(at: path), state.hasSameContent(as: known.state)
        {
            (content, isRecording) = (known.content, false)
            return
        }
        // Some network file systems lock only files that are open for writing.
        let descriptor: FileDescriptor
        do throws(SystemError) { descriptor = try .appending(path) } catch { descriptor = try .reading(path) }
        var fingerprint = try descriptor.fingerprint()
        func read() throws(SystemError) -> JournalContent {
            JournalContent(number, try descriptor.availableData(in: 0..<Int(clamping: fingerprint.size)), of: file)
        }
        content = try read()
        let lock = try descriptor.tryLock()
        isRecording =
            switch lock {
            case .taken: false
            case .heldByOther: true
            case .unavailable: content.head?.isAlive(since: fingerprint.modification) ?? false
            }
        // The process may have appended more before it ended.
        let last = try descriptor.fingerprint()
        if !isRecording, !last.hasSameContent(as: fingerprint) {
            fingerprint = last
            content = try read()
        }
        if lock == .taken {
            let known = (fingerprint, content)
            Self.ended.withLock { $0[path] = known }
        }
        try? descriptor.finish()
    }

    func isOf(_ run: Run) -> Bool { content.head?.run == run.name }

    /// A Boolean value that indicates whether this process writes the journal, as far as can be seen without locks.
    var isOfThisProcess: Bool {
        content.head.map { ($0.process, $0.host) == (SystemProcess.current, SystemProcess.host) } ?? false
    }

    /// Removes a journal.
    static func remove(_ path: String) {
        try? FileSystem.remove(path)
        ended.withLock { _ = $0.removeValue(forKey: path) }
    }
}

/// The recording that a `StubFileWriter` keeps: its journal, its known secrets, and the state of its end.
struct RecordingState {
    /// The journal; `nil` while nothing was recorded since the last end.
    var own: OwnJournal?
    /// The identities of the stubs in the file before the first recording; `nil` before it.
    private(set) var identitiesBeforeRecording: [UInt64]?
    /// The contents of the journal that was removed.
    var lost: OwnJournal?
    /// The closed journals of the recordings that have ended, in which a secret may be recognized later.
    private var ended: [OwnJournal] = []
    /// The stubs of other runs that the network has loaded; `nil` for a network that has not loaded any.
    var loaded: [StubFileEntry]?
    /// The redactor and the rules of the last recording, which are the current ones.
    var latest: (redactor: Redactor, rules: MergeRules)?

    /// A Boolean value that indicates whether the recording is complete, as far as is known.
    var endsWell = true
    /// A Boolean value that indicates whether the test has failed.
    var isOfFailedTest = false
    /// The numbers of the requests that were sent, and whose exchanges have not ended.
    var running: Set<Int> = []
    /// The error that prevented a recording, until it is thrown.
    var lastError: StubbornNetworkError?
    /// The request numbers of earlier errors that were not written.
    var discarded: Set<Int> = []

    /// The number of known secrets, and the length of the journals, at the last search.
    private var searched = (secretCount: 0, byteCount: 0)
    /// The numbers of the recordings in which a secret was recognized, and whose lines in the journal still contain it.
    private var unclean: Set<Int> = []

    var recordings: [Int: StoredRecording] { (own ?? lost)?.content.recordings ?? [:] }

    /// Appends a recording to the journal.
    mutating func append(_ recording: StoredRecording, _ rules: MergeRules) throws(SystemError) {
        try own?.note(rules)
        if !recording.replaces, let loaded, let own, own.content.loaded == nil {
            try self.own?.note(JournalLine(loaded: loaded.map(\.identity)))
        }
        try own?.append(recording)
    }

    /// Sets the journal to one that was created.
    mutating func setJournal(_ own: OwnJournal) {
        identitiesBeforeRecording = identitiesBeforeRecording ?? own.base.map(\.identity)
        (self.own, lost) = (own, nil)
    }

    /// Closes the journal, because its recording has ended.
    mutating func closeJournal() {
        guard let own = own.take() else { return }
        own.journal.close()
        ended.append(own)
    }

    // MARK: Secrets that were recognized late

    /// A Boolean value that indicates whether recordings have to be redacted again.
    ///
    /// In a long recording, the searches are batched, so that they take linear time.
    var isRedactionDue: Bool {
        if !unclean.isEmpty { return true }
        let isDue = own == nil ? true : byteCount < 1 << 16 || byteCount - searched.byteCount > byteCount / 8
        return hasNewSecrets && isDue
    }

    private var journals: [OwnJournal] { ended + [own ?? lost].compactMap { $0 } }

    private var byteCount: Int { journals.reduce(0) { $0 + $1.content.byteCount } }

    private var hasNewSecrets: Bool { latest.map { $0.redactor.knownSecretCount > searched.secretCount } == true }

    /// Searches for the recordings in which a secret was recognized, and returns a Boolean value that indicates whether
    /// there are any.
    mutating func findLateSecrets() -> Bool {
        if hasNewSecrets, let redactor = latest?.redactor {
            searched = (redactor.knownSecretCount, byteCount)
            let recordings = journals.flatMap { $0.content.recordings.values }
            unclean.formUnion(recordings.filter { redactor.redactAgain($0.stub) != $0.stub }.map(\.number))
        }
        return !unclean.isEmpty
    }

    /// Appends these recordings without the secrets to their journals, under the lock of the directory.
    mutating func redactAgain() throws(SystemError) {
        guard let (redactor, rules) = latest else { return }
        try own?.redactAgain(&unclean, redactor, rules)
        for index in ended.indices.reversed() where !unclean.isDisjoint(with: ended[index].content.recordings.keys) {
            guard let journal = try ended[index].journal.reopened() else {
                // The generation has ended, or somebody has removed the journal.
                unclean.subtract(ended.remove(at: index).content.recordings.keys)
                continue
            }
            defer { journal.close() }
            ended[index].journal = journal
            try ended[index].redactAgain(&unclean, redactor, rules)
        }
    }
}
