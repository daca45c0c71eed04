import Foundation

/// A writer that stores the recordings of a run before the client sees the end of the exchange.
///
/// The recordings of other processes are kept. A recording is either folded at once, or appended to the run's journal
/// and folded later, as `FoldPolicy` says. To fold is to replace the stub file by one with all recordings, under a lock
/// that all processes use.
final class StubFileWriter: UnfinishedRecording {
    private let store: StubFileStore
    private let state = Lock(StubFileWriterState())
    private let queue = DispatchQueue(label: "StubbornNetwork.StubFileWriter")

    init(store: StubFileStore) {
        self.store = store
    }

    var file: URL { store.file }

    /// Begins a run with the current content of the file.
    ///
    /// - Parameters:
    ///   - document: The content of the file.
    ///   - ownCount: The number of stubs that were in the file before other processes began to record; `nil` if no
    ///     other process is recording now. The run replaces and removes only these.
    func begin(with document: StubFileDocument, ownCount: Int?) {
        state.withLock { state in
            state.run.base = StubFileDocument(entries: Array(document.entries.prefix(ownCount ?? .max)))
            state.run.foreign = Array(document.entries.dropFirst(ownCount ?? .max))
            if ownCount != nil { state.run.mayDrop = false }
            state.known = document
            state.fingerprint = document.fingerprint
            state.policy = FoldPolicy(fileByteCount: Int(clamping: document.fingerprint?.size ?? 0))
        }
    }

    /// Adds a recording.
    ///
    /// `completion` is called when the recording was written or could not be written, on this thread or on a global
    /// queue.
    func add(_ recording: Recording, completion: @escaping @Sendable (StubbornNetworkError?) -> Void) {
        guard let stub = recording.stub else { return completion(nil) }
        let entry = StubFileEntry(rendering: stub, bodyEncoding: recording.bodyEncoding)
        do throws(StubbornNetworkError) {
            try recording.redactor.scan(stub)
        } catch {
            noteFailure(error)
            return completion(error)
        }
        RecordingsAtExit.add(self)
        let stored = StoredRecording(
            entry: entry,
            requestNumber: recording.requestNumber,
            replaces: recording.replaces,
            keepsErrorsAlone: recording.keepsErrorsAlone,
            secretCount: recording.secretCount
        )
        let waits = state.withLock { state in
            state.run.latest = recording
            state.run.add(stored)
            state.policy.noteRecording(byteCount: entry.byteCount)
            state.lastRecording = .now()
            state.hasRecorded = true
            guard !state.isJournaling, state.policy.isFoldCheap else { return false }
            if state.journal == nil { state.journal = try? state.newJournal(beside: store.file) }
            state.waiting.append((stored, completion))
            return true
        }
        foldWhenQuiet()
        if waits { return foldSoon() }
        completion(journal(stored))
        if state.withLock({ $0.policy.isFoldDue }) { foldSoon() }
    }

    /// Ends the run: folds all recordings, and removes the stubs that a run which recorded everything did not ask for.
    func finish() throws(StubbornNetworkError) {
        try queue.sync { Result { () throws(StubbornNetworkError) in try end() } }.get()
    }

    /// Ends the run later.
    ///
    /// An error is written to standard error.
    func finishSoon() {
        queue.async {
            do throws(StubbornNetworkError) { try self.end() } catch { StandardError.write(error.message) }
        }
    }

    /// Folds all recordings.
    func fold() throws(StubbornNetworkError) {
        try queue.sync { Result { () throws(StubbornNetworkError) in try foldNow() } }.get()
    }

    /// Makes the end of the run throw an error because of which something was not recorded.
    func noteFailure(_ error: StubbornNetworkError) {
        state.withLock { state in
            state.lastError = error
            state.run.mayDrop = false
        }
    }

    /// Makes the end of the run keep the stubs that it did not ask for.
    func keepUnrequested() {
        state.withLock { $0.run.mayDrop = false }
    }

    /// The error because of which something was not recorded; `nil` if there is none, or the run has ended since.
    var error: StubbornNetworkError? { state.withLock { $0.lastError } }

    /// The request numbers of the errors that are not written.
    var discarded: Set<Int> { state.withLock { $0.run.discarded } }

    // MARK: The journal

    /// The path of the journal; `nil` while nothing was recorded.
    var journalPath: String? { state.withLock { $0.journal?.path } }

    /// A Boolean value that indicates whether recordings are appended to a journal that can be used.
    var isJournaling: Bool { state.withLock { $0.isJournaling && $0.journal?.isUsable == true } }

    private func journal(_ recording: StoredRecording) -> StubbornNetworkError? {
        state.withLock { state in
            do throws(SystemError) {
                try state.append(recording, toJournalBeside: store.file)
                return nil
            } catch {
                let error = StubbornNetworkError.stubFile(store.file, cannotBe: .written, error)
                state.run.remove([recording])
                state.run.mayDrop = false
                state.lastError = error
                return error
            }
        }
    }

    // MARK: Folding

    private func foldSoon() {
        let schedules = state.withLock { state in
            defer { state.isFoldScheduled = true }
            return !state.isFoldScheduled
        }
        guard schedules else { return }
        queue.async {
            self.state.withLock { $0.isFoldScheduled = false }
            // A recording that could not be folded is in the journal. The end of the run tries again, and throws the error.
            try? self.foldNow()
        }
    }

    /// Folds when nothing was recorded for a while, and then removes the journal.
    private func foldWhenQuiet() {
        let schedules = state.withLock { state in
            defer { state.waitsForQuiet = true }
            return !state.waitsForQuiet
        }
        if schedules { lookAgain(after: FoldPolicy.quiet.short) }
    }

    private func lookAgain(after seconds: Double) {
        queue.asyncAfter(deadline: .now() + seconds) { [weak self] in
            guard let self else { return }
            if let wait = state.withLock({ $0.policy.quietBeforeFold }), quiet >= wait { try? foldNow() }
            let quiet = quiet
            let next = state.withLock { state -> Double? in
                let wait =
                    state.policy.quietBeforeFold
                    ?? (state.isJournaling ? FoldPolicy.quiet.long : FoldPolicy.quiet.short)
                if quiet < wait { return wait - quiet }
                state.waitsForQuiet = false
                if state.policy.quietBeforeFold == nil, state.waiting.isEmpty { state.removeJournal() }
                return nil
            }
            if let next { lookAgain(after: next) }
        }
    }

    /// The seconds since the last recording.
    private var quiet: Double {
        state.withLock { state in
            let now = max(DispatchTime.now(), state.lastRecording)
            return Double(now.uptimeNanoseconds - state.lastRecording.uptimeNanoseconds) / 1e9
        }
    }

    /// Ends the run, on `queue` only.
    ///
    /// This function does nothing if nothing was recorded since the last end.
    private func end() throws(StubbornNetworkError) {
        RecordingsAtExit.remove(self)
        let hasRecorded = state.withLock { state in
            defer { state.hasRecorded = false }
            return state.hasRecorded
        }
        if hasRecorded { try endRun() }
        let error = state.withLock { state in
            defer { state.lastError = nil }
            return state.lastError
        }
        if let error { throw error }
    }

    private func endRun() throws(StubbornNetworkError) {
        do throws(StubbornNetworkError) {
            try foldNow()
            // The second look comes after the changes of other processes were read.
            if state.withLock({ $0.run.endsCleanly }) { try rewrite { $0.dropsUnrequested = $0.endsCleanly } }
        } catch {
            let journal = state.withLock { state in
                state.hasRecorded = true
                // The error that is thrown here is enough.
                state.lastError = nil
                return state.isJournaling ? state.journal?.path : nil
            }
            guard let journal else { throw error }
            throw .recordingKept(error, in: journal)
        }
        let isDone = state.withLock { state in
            // A recording that was added meanwhile is in the journal, and is folded when the network is quiet.
            guard state.policy.quietBeforeFold == nil, state.waiting.isEmpty else { return false }
            state.removeJournal()
            return true
        }
        if !isDone { RecordingsAtExit.add(self) }
    }

    /// Folds all recordings that are not in the file, on `queue` only.
    private func foldNow() throws(StubbornNetworkError) {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        guard !waiting.isEmpty || state.withLock({ $0.policy.quietBeforeFold != nil }) else { return }
        do throws(StubbornNetworkError) {
            try rewrite { _ in }
            for (_, completion) in waiting { tell(completion, nil) }
        } catch {
            state.withLock { state in
                state.run.remove(waiting.map(\.recording))
                if !waiting.isEmpty {
                    state.run.mayDrop = false
                    state.lastError = error
                }
            }
            for (_, completion) in waiting { tell(completion, error) }
            throw error
        }
    }

    /// Calls a completion on another queue: it may call the user's code, which may finish the recording.
    private func tell(_ completion: @escaping StubFileWriterState.Completion, _ error: StubbornNetworkError?) {
        DispatchQueue.global(qos: .userInitiated).async { completion(error) }
    }

    /// Applies a change to the run, and writes the file if that changes it, on `queue` only.
    private func rewrite(_ change: @Sendable (inout RecordingRun) -> Void) throws(StubbornNetworkError) {
        try store.withExclusiveAccess { () throws(StubbornNetworkError) in
            try LeftoverRecordings.takeOver(store)
            try adoptForeignEntries()
            let onDisk = store.fingerprint
            let (run, known, isThere, content) = state.withLock { state in
                change(&state.run)
                state.run.redactAgain()
                let isThere = onDisk != nil && onDisk == state.fingerprint
                let content = state.policy.contentByteCount
                return (state.run, state.known, isThere, content)
            }
            guard let document = run.document, !isThere || document != known else {
                return state.withLock { $0.policy.noteFold(of: content, byteCount: 0) }
            }
            let requestNumbers = IndexSet(run.recorded.map(\.requestNumber))
            do throws(StubbornNetworkError) {
                try store.write(document.forEachChunk) { file throws(SystemError) in
                    try state.withLock { state throws(SystemError) in
                        state.folding = (requestNumbers, file)
                        try state.journal?.noteFolding(requestNumbers, into: file)
                    }
                }
            } catch {
                state.withLock { state in
                    state.folding = nil
                    state.journal?.noteNotFolded()
                }
                throw error
            }
            let fingerprint = store.fingerprint
            state.withLock { state in
                state.folding = nil
                state.folded = requestNumbers
                state.journal?.noteFolded(requestNumbers)
                state.policy.noteFold(of: content, byteCount: Int(clamping: fingerprint?.size ?? 0))
                state.known = document
                state.fingerprint = fingerprint
            }
        }
    }

    /// Reads the changes that other processes have made to the file since this one read or wrote it.
    private func adoptForeignEntries() throws(StubbornNetworkError) {
        guard store.fingerprint != state.withLock({ $0.fingerprint }), let document = try store.read() else { return }
        state.withLock { state in
            state.run.adopt(document, insteadOf: state.known)
            state.known = document
            state.fingerprint = document.fingerprint
        }
    }
}
