import Foundation

/// A writer that keeps the recordings of a run before the client sees the end of the exchange.
///
/// Each recording is appended to the journal of the run. The stub file is brought up to date (`StubFileFold`) at the
/// end of the run, and when nothing was recorded for a moment. The latter writes no more than `foldAllowance` and three
/// times what was recorded. So recording writes a few times what is recorded, however large the file is.
final class StubFileWriter: Sendable {
    /// The number of bytes that a run may write to the stub file, beside three times what it records and the file once.
    static let foldAllowance = 1 << 20

    private struct State {
        var run = RecordingRun()
        /// The journal of the run; `nil` while nothing was recorded since the last end.
        var journal: RecordingJournal?
        /// The file as the network has read it, until the first recording that may replace stubs of it.
        var opened: StubFileFold.Opened?
        /// The last recording, whose redactor is the current one.
        var latest: Recording?
        /// A Boolean value that indicates whether the end of the run may remove the stubs that it did not ask for.
        var mayDrop = true
        /// The error because of which a recording was not stored, until it is thrown.
        var lastError: StubbornNetworkError?
        var lastRecording = DispatchTime.now()
        var isFoldScheduled = false
        /// The number of bytes that folds may still write before the end of the run.
        var allowance = StubFileWriter.foldAllowance
        var unfoldedByteCount = 0
        /// The request numbers of the errors of earlier runs that were not written.
        var discarded: Set<Int> = []

        /// Appends a recording to the journal, which is created if it is not there, or not any more.
        mutating func append(_ recording: StoredRecording, beside store: StubFileStore) throws(SystemError) {
            if let opened {
                run.base = opened.base
                self.opened = nil
            }
            // A journal that is created below has it.
            if recording.replaces, !run.replaces { try journal?.append(base: run.base) }
            run.add(recording)
            do throws(SystemError) {
                if try !repairJournal(beside: store) { try journal?.append(recording) }
            } catch {
                run.remove(recording.requestNumber)
                throw error
            }
            lastRecording = .now()
            unfoldedByteCount += recording.entry.byteCount
            allowance += 3 * recording.entry.byteCount
        }

        /// Creates a journal with the whole run if there is none; returns `false` if there is one.
        mutating func repairJournal(beside store: StubFileStore) throws(SystemError) -> Bool {
            if let journal, try journal.isThere() { return false }
            guard !run.recorded.isEmpty else { return true }
            if journal != nil { run.doubtPlaces() }
            journal = try .creating(run, beside: store)
            return true
        }

        /// A Boolean value that indicates whether the run has to be folded at its end, and not into a directory that
        /// was removed since.
        var isUnfinished: Bool {
            !run.recorded.isEmpty && (!run.isFolded || (try? journal?.isThere()) != false)
        }

        /// A Boolean value that indicates whether secrets have to be searched for in all recordings again.
        ///
        /// In a long run this waits for some more recordings, so that searching takes linear time.
        var isSearchDue: Bool {
            let count = run.recorded.count
            return latest.map { $0.redactor.knownSecretCount > run.searched.secretCount } == true
                && (count < 64 || count - run.searched.recordingCount > count / 8)
        }
    }

    let store: StubFileStore
    private let state = Lock(State())
    /// The file, which is used on `queue` only.
    private let stubFile: Lock<StubFileFold>
    private let queue = DispatchQueue(label: "StubbornNetwork.StubFileWriter")
    /// The seconds without a recording after which the stub file is brought up to date.
    private let quiet: Double

    init(store: StubFileStore, quiet: Double = 0.25) {
        self.store = store
        self.quiet = quiet
        stubFile = Lock(StubFileFold(store))
    }

    /// Begins a run with the current content of the file.
    func begin(with opened: StubFileFold.Opened) {
        state.withLock { state in
            state.opened = opened
            state.allowance += Int(clamping: opened.document?.fingerprint?.size ?? 0)
            if !opened.living.isEmpty { state.mayDrop = false }
        }
    }

    /// A Boolean value that indicates whether the run has a journal.
    var isRecording: Bool { state.withLock { $0.journal != nil } }

    /// Adds a recording, which then survives the end of this process.
    func add(_ recording: Recording) throws(StubbornNetworkError) {
        guard let stub = recording.stub else { return }
        let entry = StubFileEntry(rendering: stub, bodyEncoding: recording.bodyEncoding)
        do throws(StubbornNetworkError) {
            try recording.redactor.scan(stub)
            Self.register(self)
            state.withLock { state in
                state.latest = recording
                state.run.rules = recording.rules
            }
            removeLateSecrets()
            let stored = StoredRecording(
                entry,
                requestNumber: recording.requestNumber,
                replaces: recording.replaces,
                keepsErrorsAlone: recording.keepsErrorsAlone,
                secretCount: recording.secretCount
            )
            try store.access(.written) { () throws(SystemError) in
                try state.withLock { state throws(SystemError) in try state.append(stored, beside: store) }
            }
        } catch {
            noteFailure(error)
            throw error
        }
        foldWhenQuiet()
    }

    /// Removes secrets that were recognised only after recordings with them were stored, in the journal and in the stub
    /// file.
    func removeLateSecrets() {
        guard state.withLock({ $0.isSearchDue }) else { return }
        // On the queue, so that no fold notes anything in the old journal meanwhile.
        queue.sync {
            redactAgain()
            // If this fails, the next fold does it, and the end of the run throws the error.
            if state.withLock({ $0.run.isOutdated }) { try? foldNow() }
        }
    }

    /// Ends the run: folds all recordings, and removes the stubs that a run which recorded everything did not ask for.
    func finish() throws(StubbornNetworkError) {
        try queue.sync { Result { () throws(StubbornNetworkError) in try end() } }.get()
    }

    /// Ends the run later, and writes an error to standard error.
    func finishSoon() {
        queue.async {
            do throws(StubbornNetworkError) { try self.end() } catch { StandardError.write(error.message) }
        }
    }

    /// Makes the end of the run throw an error because of which something was not recorded.
    func noteFailure(_ error: StubbornNetworkError) {
        state.withLock { state in
            state.lastError = error
            state.mayDrop = false
        }
    }

    /// Makes the end of the run keep the stubs that it did not ask for.
    func keepUnrequested() {
        state.withLock { $0.mayDrop = false }
    }

    /// The error because of which something was not recorded since the last end of a run.
    var error: StubbornNetworkError? { state.withLock { $0.lastError } }

    /// The request numbers of the errors that are not written: no server has responded, or the file has a response.
    var discarded: Set<Int> {
        let (run, earlier) = state.withLock { ($0.run, $0.discarded) }
        return run.hasErrors ? earlier.union(stubFile.withLock { $0.previewing(run).discarded }) : earlier
    }

    // MARK: Folding

    private func foldWhenQuiet() {
        let isNew = state.withLock { state in
            defer { state.isFoldScheduled = true }
            return !state.isFoldScheduled
        }
        if isNew { look(at: .now() + quiet) }
    }

    private func look(at time: DispatchTime) {
        queue.asyncAfter(deadline: time) { [weak self] in
            guard let self else { return }
            let next = state.withLock { state in
                let next = state.lastRecording + self.quiet
                state.isFoldScheduled = next > .now()
                return state.isFoldScheduled ? next : nil
            }
            if let next { look(at: next) } else { foldIfAllowed() }
        }
    }

    /// Folds all recordings if that writes no more than recording has earned, on `queue` only.
    private func foldIfAllowed() {
        let fileByteCount = Int(clamping: store.fingerprint?.size ?? 0)
        guard state.withLock({ fileByteCount + $0.unfoldedByteCount <= $0.allowance }) else { return }
        // A recording that could not be folded is in the journal. The end of the run tries again, and throws the error.
        try? foldNow()
    }

    /// Does now what is done after a pause.
    func pause() {
        queue.sync { foldIfAllowed() }
    }

    /// Folds all recordings, on `queue` only.
    private func foldNow(isEnd: Bool = false) throws(StubbornNetworkError) {
        redactAgain()
        guard isEnd || state.withLock({ !$0.run.isFolded }) else { return }
        try store.withExclusiveAccess { () throws(StubbornNetworkError) in
            var (run, journal, mayDrop) = try store.access(.written) { () throws(SystemError) in
                try state.withLock { state throws(SystemError) in
                    _ = try state.repairJournal(beside: store)
                    return (state.run, state.journal, state.mayDrop)
                }
            }
            let byteCount = try stubFile.withLock { fold throws(StubbornNetworkError) in
                try fold.fold(&run, of: journal, dropsUnrequested: isEnd && mayDrop)
            }
            let merged = run
            state.withLock { state in
                state.run.adoptPlaces(of: merged)
                state.allowance -= byteCount
                state.unfoldedByteCount = 0
                guard isEnd, state.run.recorded.count == merged.recorded.count else { return }
                state.discarded.formUnion(state.run.discarded)
                // Whoever reads a journal that cannot be removed finds all of it folded.
                try? state.journal?.remove()
                state.journal = nil
                state.run.end()
            }
        }
    }

    /// Ends the run, on `queue` only, if anything was recorded since the last end.
    private func end() throws(StubbornNetworkError) {
        Self.unfinished.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(self)) }
        if state.withLock({ $0.isUnfinished }) {
            do throws(StubbornNetworkError) {
                try foldNow(isEnd: true)
            } catch {
                Self.register(self)
                throw state.withLock { state in
                    // The error that is thrown here is enough.
                    state.lastError = nil
                    let journal = state.journal.flatMap { (try? $0.isThere()) == true ? $0.path : nil }
                    let foldedCount = state.run.recorded.filter(\.isFolded).count
                    return .recordingKept(error, in: journal, foldedCount, of: state.run.recorded.count)
                }
            }
            // A recording that was added meanwhile is in the journal, and is folded when the network is quiet.
            if isRecording { Self.register(self) }
        }
        let error = state.withLock { state in
            defer { state.lastError = nil }
            return state.lastError
        }
        if let error { throw error }
    }

    /// Removes secrets from the recordings, in the journal too, that were recognised only after them, on `queue` only.
    private func redactAgain() {
        state.withLock { state in
            guard let latest = state.latest, state.run.redactAgain(like: latest), let journal = state.journal else {
                return
            }
            // If this fails, the fold, which follows, brings them into the file without the secrets.
            if let new = try? journal.replaced(by: state.run, beside: store) { state.journal = new }
        }
    }

    // MARK: Unfinished runs

    /// The writers of this process whose runs have not ended.
    ///
    /// Those that are left when the process exits end then. When the process is killed they do not: the file and the
    /// journal have all that was recorded, and the stubs that the run did not ask for stay in the file.
    private static let unfinished = Lock<[ObjectIdentifier: StubFileWriter]>([:])

    private static let registration: Void = {
        atexit {
            for writer in StubFileWriter.unfinished.withLock({ Array($0.values) }) {
                do throws(StubbornNetworkError) { try writer.finish() } catch { StandardError.write(error.message) }
            }
        }
    }()

    private static func register(_ writer: StubFileWriter) {
        _ = registration
        unfinished.withLock { $0[ObjectIdentifier(writer)] = writer }
    }

    /// Brings a file up to date with what this process records into it, before it is read.
    static func fold(into file: URL) {
        for writer in unfinished.withLock({ Array($0.values) }) where writer.store.file.path == file.path {
            // The end of the recording tells what went wrong.
            writer.queue.sync { try? writer.foldNow() }
        }
    }
}
