import Foundation

/// A writer that keeps what a network records before the client sees the end of the exchange.
///
/// Each recording is appended to a journal. The stub file is brought up to date (`StubFileGeneration`) at the end of the
/// recording, and when nothing was recorded for a moment. The latter writes no more than `pauseByteCount`, the file once,
/// and what was recorded once. So recording writes at most three times what is recorded and in the file.
final class StubFileWriter: Sendable {
    /// The number of bytes that a recording may write to the stub file at pauses, in addition to what it records and the
    /// file.
    static let pauseByteCount = 1 << 20

    fileprivate struct State {
        /// The journal; `nil` while nothing was recorded since the last end.
        var own: StubFileGeneration.Own?
        /// The last recording, with the current redactor and the current rules.
        var latest: Recording?
        /// The number of secrets that were known when the recordings were searched last, and the number of recordings.
        var searched = (secretCount: 0, recordingCount: 0)
        /// Recordings in which a secret was recognised, and whose journal still has it.
        var unclean: [StoredRecording] = []
        /// A Boolean value that indicates whether the run has made all its requests, as far as is known.
        var endsWell = true
        /// The error because of which a recording was not stored, until it is thrown.
        var lastError: StubbornNetworkError?
        var lastRecording = DispatchTime.now()
        var isUpdateScheduled = false
        /// The number of bytes that pauses may still write.
        var remainingByteCount = StubFileWriter.pauseByteCount
        /// The number of recordings in the stub file, and of the bytes that are not there yet.
        var writtenCount = 0
        var unwrittenByteCount = 0
        /// The request numbers of earlier errors that were not written.
        var discarded: Set<Int> = []
        /// The stubs that the end of the run has removed.
        var removed: [Stub] = []
        /// The journal that was removed, with what it had.
        var lost: JournalContent?

        var recordings: [Int: StoredRecording] { own?.content.recordings ?? lost?.recordings ?? [:] }

        /// A Boolean value that indicates whether secrets have to be searched for in all recordings again.
        ///
        /// In a long recording this waits for some more recordings, so that searching takes linear time.
        var isSearchDue: Bool {
            let count = recordings.count
            return latest.map { $0.redactor.knownSecretCount > searched.secretCount } == true
                && (count < 64 || count - searched.recordingCount > count / 8)
        }
    }

    let store: StubFileStore
    let run: Run
    private let state = Lock(State())
    /// The generation, which is used on `queue` only.
    private let generation: Lock<StubFileGeneration>
    private let queue = DispatchQueue(label: "StubbornNetwork.StubFileWriter")
    /// The seconds without a recording after which the stub file is brought up to date.
    private let quiet: Double

    init(store: StubFileStore, run: Run = .process, quiet: Double = 0.25) {
        self.store = store
        self.run = run
        self.quiet = quiet
        generation = Lock(StubFileGeneration(store))
        state.withLock { $0.remainingByteCount += Int(clamping: store.fingerprint?.size ?? 0) }
    }

    /// A Boolean value that indicates whether there is a journal.
    var isRecording: Bool { state.withLock { $0.own != nil } }

    /// Adds a recording, which then survives the end of this process.
    func add(_ recording: Recording) throws(StubbornNetworkError) {
        guard let stub = recording.stub else { return }
        do throws(StubbornNetworkError) {
            try recording.redactor.scan(stub)
            Self.register(self)
            state.withLock { $0.latest = recording }
            try removeSecrets()
            try join(for: recording)
            let entry = StubFileEntry(rendering: stub, bodyEncoding: recording.bodyEncoding)
            try store.access(.written) { () throws(SystemError) in
                let stored = StoredRecording(recording, try IdentifiedEntry(entry))
                try state.withLock { state throws(SystemError) in try state.append(stored, recording.rules) }
            }
        } catch {
            noteFailure(error)
            throw error
        }
        updateFileWhenQuiet()
    }

    /// Removes secrets that were recognised only after recordings with them were stored, in the journal and in the stub
    /// file.
    func removeLateSecrets() {
        // If this fails, nothing is recorded or written until it succeeds, and the end of the recording throws the error.
        try? removeSecrets()
    }

    /// Ends the recording: brings the stub file up to date, without the stubs that a run which recorded everything did not
    /// ask for.
    func finish() throws(StubbornNetworkError) {
        try queue.sync { Result { () throws(StubbornNetworkError) in try end() } }.get()
    }

    /// Ends the recording later, and writes an error to standard error.
    func finishSoon() {
        queue.async {
            do throws(StubbornNetworkError) { try self.end() } catch { StandardError.write(error.message) }
        }
    }

    /// Notes an error that prevented a recording.
    ///
    /// The end of the recording throws it.
    func noteFailure(_ error: StubbornNetworkError) {
        state.withLock { state in
            state.lastError = error
            state.endsWell = false
        }
    }

    /// Makes the end of the recording keep the stubs that it did not ask for.
    func keepUnrequested(_ keeps: Bool = true) {
        state.withLock { $0.endsWell = !keeps }
    }

    /// The stubs that were removed from the file, because no request of the run asked for them.
    var removed: [Stub] { state.withLock { $0.removed } }

    /// The error because of which something was not recorded since the last end of a recording.
    var error: StubbornNetworkError? { state.withLock { $0.lastError } }

    /// The request numbers of the errors that are not written: no server has responded, or the file has a response.
    var discarded: Set<Int> {
        let (own, earlier) = state.withLock { ($0.own, $0.discarded) }
        guard let own, own.content.recordings.values.contains(where: \.response.endsWithError) else { return earlier }
        let merge = queue.sync { generation.withLock { $0.preview(own) } }
        return earlier.union(merge.map { Self.discarded(in: $0, of: own) } ?? [])
    }

    private static func discarded(in merge: StubFileMerge, of own: StubFileGeneration.Own) -> Set<Int> {
        Set(merge.discarded.filter { $0.journal == own.journal.number }.map(\.number))
    }

    // MARK: The journal

    /// Creates a journal if there is none, or not any more: then it gets all recordings again.
    private func join(for recording: Recording) throws(StubbornNetworkError) {
        if try isJoined() { return }
        try queue.sync { Result { () throws(StubbornNetworkError) in try joinNow(by: recording.rules) } }.get()
    }

    /// Creates a journal if there is none, on `queue` only.
    private func joinNow(by rules: MergeRules) throws(StubbornNetworkError) {
        if try isJoined() { return }
        let earlier = state.withLock { state in
            let earlier = state.own?.content ?? state.lost
            state.own?.journal.close()
            (state.own, state.lost) = (nil, earlier)
            return earlier ?? JournalContent()
        }
        let own = try generation.withLock { generation throws(StubbornNetworkError) in
            try generation.join(as: run, by: rules, with: earlier)
        }
        state.withLock { ($0.own, $0.lost) = (own, nil) }
    }

    private func isJoined() throws(StubbornNetworkError) -> Bool {
        guard let own = state.withLock({ $0.own }) else { return false }
        return try store.access(.written) { () throws(SystemError) in
            guard try own.journal.isThere() else { return false }
            return try FileSystem.fingerprint(at: store.basePath(of: own.generation)) != nil
        }
    }

    /// Replaces recordings, in the journal and in the stub file, in which a secret was recognised only after them.
    private func removeSecrets() throws(StubbornNetworkError) {
        guard state.withLock({ $0.isSearchDue || !$0.unclean.isEmpty }) else { return }
        try queue.sync { Result { () throws(StubbornNetworkError) in try redactAgain() } }.get()
    }

    /// Appends the recordings without secrets that were recognised late, on `queue` only, and brings the stub file up to date.
    private func redactAgain() throws(StubbornNetworkError) {
        let isChanged = try store.access(.written) { () throws(SystemError) in
            try state.withLock { state throws(SystemError) in try state.redactAgain() }
        }
        if isChanged { try updateFile() }
    }

    // MARK: Bringing the file up to date

    private func updateFileWhenQuiet() {
        let isNew = state.withLock { state in
            defer { state.isUpdateScheduled = true }
            return !state.isUpdateScheduled
        }
        if isNew { updateFileIfQuiet(at: .now() + quiet) }
    }

    /// Brings the file up to date at a time if nothing was recorded shortly before it, or else later.
    private func updateFileIfQuiet(at time: DispatchTime) {
        queue.asyncAfter(deadline: time) { [weak self] in
            guard let self else { return }
            let next = state.withLock { state in
                let next = state.lastRecording + self.quiet
                state.isUpdateScheduled = next > .now()
                return state.isUpdateScheduled ? next : nil
            }
            if let next { updateFileIfQuiet(at: next) } else { updateFileIfAllowed() }
        }
    }

    /// Brings the file up to date if that writes no more than `remainingByteCount`, on `queue` only.
    private func updateFileIfAllowed() {
        let fileByteCount = Int(clamping: store.fingerprint?.size ?? 0)
        guard
            state.withLock({
                $0.unwrittenByteCount > 0 && fileByteCount + $0.unwrittenByteCount <= $0.remainingByteCount
            })
        else {
            return
        }
        // What could not be written is in the journal. The end of the recording tries again, and throws the error.
        guard (try? redactAgain()) != nil else { return }
        _ = try? updateFile()
    }

    /// Brings the file up to date as after a pause, for tests.
    func pause() {
        queue.sync { updateFileIfAllowed() }
    }

    /// Brings the file up to date, on `queue` only.
    @discardableResult
    private func updateFile() throws(StubbornNetworkError) -> StubFileMerge? {
        guard let own = state.withLock({ $0.own }) else { return nil }
        let update = try generation.withLock { generation throws(StubbornNetworkError) in try generation.updateFile(own)
        }
        state.withLock { state in
            // Recordings may have been appended meanwhile, but notes only by this function.
            for note in (update.own?.content.notes ?? []).dropFirst(state.own?.content.notes.count ?? 0) {
                state.own?.content.note(JournalLine(wrote: note), in: 0..<0)
            }
            if let base = update.own?.base { state.own?.base = base }
            state.remainingByteCount -= update.byteCount
            state.unwrittenByteCount = 0
            state.writtenCount = own.content.recordings.count
        }
        return update.merge
    }

    /// Ends the recording, on `queue` only, if anything was recorded since the last end.
    private func end() throws(StubbornNetworkError) {
        Self.unfinished.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(self)) }
        let latest = state.withLock { state in state.recordings.isEmpty ? nil : state.latest }
        if let latest {
            do throws(StubbornNetworkError) {
                try finish(latest)
            } catch {
                Self.register(self)
                throw state.withLock { state in
                    // The error that is thrown here is enough.
                    state.lastError = nil
                    let journal = state.own.flatMap { (try? $0.journal.isThere()) == true ? $0.journal.path : nil }
                    return .recordingKept(error, in: journal, state.writtenCount, of: state.recordings.count)
                }
            }
        }
        let error = state.withLock { state in
            defer { state.lastError = nil }
            return state.lastError
        }
        if let error { throw error }
    }

    private func finish(_ latest: Recording) throws(StubbornNetworkError) {
        try redactAgain()
        try joinNow(by: latest.rules)
        try store.access(.written) { () throws(SystemError) in
            try state.withLock { state throws(SystemError) in
                if state.endsWell { try state.own?.note(JournalLine(endsWell: true)) }
            }
        }
        guard let merge = try updateFile() else { return }
        let isEnd = state.withLock { state in
            // A recording that was added meanwhile is in the journal, and is in the file when the network is quiet.
            guard let own = state.own, own.content.recordings.count == state.writtenCount else { return false }
            state.discarded.formUnion(Self.discarded(in: merge, of: own))
            state.removed = merge.removed.map(\.stub)
            own.journal.close()
            (state.own, state.writtenCount) = (nil, 0)
            state.searched.recordingCount = 0
            return true
        }
        if !isEnd { return Self.register(self) }
        guard run.isOfOneNetwork else { return }
        try generation.withLock { generation throws(StubbornNetworkError) in try generation.end(as: run) }
    }

    // MARK: Unfinished recordings

    /// The writers of this process whose recordings have not ended.
    ///
    /// Those that are left when the process exits end then. When the process is killed they do not: the file and the
    /// journal have all that was recorded, and the stubs that the run did not ask for stay in the file.
    private static let unfinished = Lock<[ObjectIdentifier: StubFileWriter]>([:])

    private static func register(_ writer: StubFileWriter) {
        writer.run.note(writer.store.file)
        unfinished.withLock { $0[ObjectIdentifier(writer)] = writer }
    }

    /// Ends all recordings, because the process exits.
    static func finishAll() {
        for writer in unfinished.withLock({ Array($0.values) }) {
            do throws(StubbornNetworkError) { try writer.finish() } catch { StandardError.write(error.message) }
        }
    }
}

extension StubFileWriter.State {
    /// Appends a recording to the journal.
    fileprivate mutating func append(_ recording: StoredRecording, _ rules: MergeRules) throws(SystemError) {
        try own?.note(rules)
        try own?.appendNext(recording)
        lastRecording = .now()
        remainingByteCount += recording.entry.entry.byteCount
        // A value alone is no reason to write the file: its run stores nothing if no server answers.
        if !recording.isValue { unwrittenByteCount += recording.entry.entry.byteCount }
    }

    /// Appends the recordings in which a secret was recognised, and returns a Boolean value that indicates whether there
    /// were any.
    fileprivate mutating func redactAgain() throws(SystemError) -> Bool {
        if let latest, latest.redactor.knownSecretCount > searched.secretCount {
            searched = (latest.redactor.knownSecretCount, recordings.count)
            let known = Set(unclean.map(\.number))
            for recording in recordings.values where !known.contains(recording.number) {
                let redacted = latest.redactor.redact(recording.entry.entry.stub)
                if redacted != recording.entry.entry.stub { unclean.append(recording) }
            }
        }
        guard let latest, !unclean.isEmpty else { return false }
        while let recording = unclean.last {
            let redacted = latest.redactor.redact(recording.entry.entry.stub)
            let entry = StubFileEntry(rendering: redacted, bodyEncoding: recording.bodyEncoding)
            try own?.supersede(recording, by: try IdentifiedEntry(entry))
            unclean.removeLast()
        }
        return true
    }
}

extension StubFileGeneration.Own {
    /// Appends a line without a stub.
    mutating func note(_ line: JournalLine) throws(SystemError) {
        content.note(line, in: try journal.append(line))
    }

    /// Appends the rules of the next recordings, if they are not those of the recordings before.
    mutating func note(_ rules: MergeRules) throws(SystemError) {
        guard rules.generation != rulesGeneration else { return }
        try note(JournalLine(rules: JournalLine.Rules(rules, base: base)))
        rulesGeneration = rules.generation
    }
}
