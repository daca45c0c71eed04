import Foundation

/// A writer that stores the recordings of a network before the client sees the end of the exchange.
///
/// Each recording is appended to a journal. The stub file is brought up to date (`StubFileGeneration`) at the end of
/// the recording. So a recording is written twice, and the old content of the file once.
///
/// The threads of requests append to the journal, under the lock of `state`. Everything that reads or writes the stub file, or
/// creates a journal, is done on `queue`, one thing after another. Nothing waits for `queue` while it holds the lock.
final class StubFileWriter: Sendable {
    let store: StubFileStore
    let run: Run
    private let state: Lock<RecordingState>
    /// The generation, which is used on `queue` only after the file was loaded.
    private let generation: Lock<StubFileGeneration>
    let queue = DispatchQueue(label: "StubbornNetwork.StubFileWriter")

    init(store: StubFileStore, run: Run = .process) {
        (self.store, self.run) = (store, run)
        generation = Lock(StubFileGeneration(store))
        state = Lock(RecordingState())
    }

    /// The identities of the stubs in the file before the first recording; `nil` before it.
    var identitiesBeforeRecording: [UInt64]? { state.withLock { $0.identitiesBeforeRecording } }

    /// A Boolean value that indicates whether there is a journal.
    var isRecording: Bool { state.withLock { $0.own != nil } }

    /// Notes what the network has loaded.
    ///
    /// Stubs that other runs add later may equal the recordings of this run. The file is read again only if it changes.
    func noteLoaded(_ loaded: StubFileGeneration.LoadedStubs) {
        state.withLock { $0.loaded = loaded.stubs.filter { !$0.isOfRun }.map(\.entry) }
        generation.withLock { $0.file = loaded.file }
    }

    /// Adds a recording, which then survives the end of this process.
    func add(_ recording: Recording) throws(StubbornNetworkError) {
        guard let ended = recording.stub else { return }
        do throws(StubbornNetworkError) {
            let stub = try recording.redactor.scanned(ended, number: recording.requestNumber)
            Self.register(self)
            state.withLock { $0.latest = (recording.redactor, recording.rules) }
            if state.withLock({ $0.isRedactionDue }) {
                try onQueue { () throws(StubbornNetworkError) in try redactAgain(waitingAtMost: recording.longestWait) }
            }
            let entry = StubFileEntry(rendering: stub, bodyEncoding: recording.rules.bodyEncoding ?? .base64)
            let stored = StoredRecording(recording, entry)
            var isStored = false
            // The end of the recording may close the journal at any moment.
            while !isStored {
                if run.isOver { throw .processExits(stub.request.url) }
                if try !isJoined() {
                    try onQueue { () throws(StubbornNetworkError) in
                        try join(by: recording.rules, waitingAtMost: recording.longestWait)
                    }
                }
                isStored = try store.access(.written) { () throws(SystemError) in
                    try state.withLock { state throws(SystemError) in
                        guard state.own != nil, !run.isOver else { return false }
                        try state.append(stored, recording.rules)
                        // The recording may have ended since it was noted above.
                        Self.register(self)
                        return true
                    }
                }
            }
        } catch {
            if !run.isOver { noteFailure(error) }
            throw error
        }
    }

    /// Notes that the request of a recording is sent.
    func begin(_ number: Int) {
        // An end of the recording in between does not forget this writer.
        state.withLock { _ = $0.running.insert(number) }
        Self.register(self)
    }

    /// Notes that the exchange of a recording has ended, and has been stored by now or never will be.
    func end(_ number: Int) { state.withLock { _ = $0.running.remove(number) } }

    /// Removes secrets that were recognized only after recordings with them were stored, in the journal and in the stub
    /// file.
    func removeLateSecrets() {
        guard state.withLock({ $0.isRedactionDue }) else { return }
        // The recording may have ended.
        Self.register(self)
        // If this fails, nothing is recorded or written until it succeeds, and the end of the recording throws the error.
        queue.async { try? self.redactAgain() }
    }

    /// Ends the recording: brings the stub file up to date.
    ///
    /// Exchanges that have not ended still belong to the recording. A file that may be written later is written if it is due.
    func finish(mayWriteLater: Bool = false) throws(StubbornNetworkError) {
        try onQueue { () throws(StubbornNetworkError) in try end(mayWriteLater: mayWriteLater) }
    }

    /// Ends the recording later, and writes an error to standard error.
    func finishSoon() {
        queue.async {
            // Recordings that the end of a test has left in the journals are not written here.
            let isEnded = self.state.withLock { $0.recordings.isEmpty }
            let end = Result { () throws(StubbornNetworkError) in try self.end(mayWriteLater: isEnded) }
            if case .failure(let error) = end { StandardError.write(error.message) }
        }
    }

    /// Notes an error that prevented a recording.
    ///
    /// The end of the recording throws it.
    func noteFailure(_ error: StubbornNetworkError) { state.withLock { ($0.lastError, $0.endsWell) = (error, false) } }

    /// Makes the end of the run keep unused stubs.
    func keepUnrequested(_ keeps: Bool = true) { state.withLock { $0.endsWell = !keeps } }

    /// Makes the end of the recording write all recorded stubs, and keep the other stubs, because the test has failed.
    func noteFailedTest() { state.withLock { ($0.endsWell, $0.isOfFailedTest) = (false, true) } }

    /// The error that prevented a recording since the last end of a recording.
    var error: StubbornNetworkError? { state.withLock { $0.lastError } }

    /// The request numbers of the errors that are not written: no server has responded, or the file has a response.
    var discarded: Set<Int> {
        let (own, earlier) = state.withLock { ($0.own, $0.discarded) }
        guard let own else { return earlier }
        return earlier.union(queue.sync { generation.withLock { $0.discarded(of: own) } })
    }

    /// Performs work on `queue`, and waits for it.
    ///
    /// Each step on `queue` ends: it waits for another process for a limited time. Writing a large file may take longer.
    private func onQueue(_ work: () throws(StubbornNetworkError) -> Void) throws(StubbornNetworkError) {
        try queue.sync { Result { () throws(StubbornNetworkError) in try work() } }.get()
    }

    // MARK: The journal

    /// Creates a journal, on `queue` only, if there is none.
    ///
    /// If the journal was removed, the new one gets all recordings again.
    private func join(by rules: MergeRules, waitingAtMost seconds: Double) throws(StubbornNetworkError) {
        if try isJoined() { return }
        let lost = state.withLock { state in
            state.own?.journal.close()
            (state.own, state.lost) = (nil, state.own ?? state.lost)
            return state.lost
        }
        let own = try generation.withLock { generation throws(StubbornNetworkError) in
            try generation.join(as: run, by: rules, insteadOf: lost, waitingAtMost: seconds)
        }
        state.withLock { $0.setJournal(own) }
    }

    private func isJoined() throws(StubbornNetworkError) -> Bool {
        guard let own = state.withLock({ $0.own }) else { return false }
        return try store.access(.written) { () throws(SystemError) in
            guard try own.journal.isThere() else { return false }
            return try FileSystem.fingerprint(at: store.basePath(of: own.generation)) != nil
        }
    }

    /// Appends the recordings without secrets that were recognized late, on `queue` only.
    ///
    /// This brings the stub file up to date, if it has recordings.
    func redactAgain(waitingAtMost seconds: Double = StubFileStore.longestWait) throws(StubbornNetworkError) {
        guard state.withLock({ $0.findLateSecrets() }) else { return }
        try store.withDirectoryLock(waitingAtMost: seconds) { _ throws(StubbornNetworkError) in
            try store.access(.written) { () throws(SystemError) in
                try state.withLock { state throws(SystemError) in try state.redactAgain() }
            }
        }
        _ = try updateFile(ifWritten: isRecording, waitingAtMost: seconds)
    }

    // MARK: Bringing the file up to date

    /// Brings the file up to date, on `queue` only.
    func updateFile(
        ifWritten: Bool = false,
        waitingAtMost seconds: Double = StubFileStore.longestWait
    ) throws(StubbornNetworkError) -> StubFileGeneration.FileUpdate? {
        let own = state.withLock { $0.own }
        let update = try generation.withLock { generation throws(StubbornNetworkError) in
            try generation.updateFile(own, ifWritten: ifWritten, waitingAtMost: seconds)
        }
        state.withLock { state in
            // Recordings may have been appended in the meantime, but notes only by this function.
            if let own = update?.found.own {
                state.own?.content.notes = own.content.notes
                state.own?.base = own.base
            }
        }
        return update
    }

    /// Ends the recording, on `queue` only, if anything was recorded since the last end, or was not written then.
    private func end(mayWriteLater: Bool) throws(StubbornNetworkError) {
        let (isEmpty, rules, endsWell) = state.withLock { ($0.recordings.isEmpty, $0.latest?.rules, $0.endsWell) }
        if !endsWell { run.keepUnrequested(in: store.file) }
        if isEmpty { try redactAgain() }
        let isComplete = mayWriteLater || !run.hasUnwritten(in: store.file)
        if let rules, !(isEmpty && isComplete) {
            do throws(StubbornNetworkError) {
                try finish(by: rules, mayWriteLater: mayWriteLater)
            } catch {
                throw state.withLock { state in
                    // The error that is thrown here is enough.
                    state.lastError = nil
                    let journal = state.own.flatMap { (try? $0.journal.isThere()) == true ? $0.journal.path : nil }
                    return .recordingKept(error, in: journal)
                }
            }
        }
        // Until then the exit of the process waits for this end, and may not end the generation at the same time.
        state.withLock { state in
            if state.own == nil, state.running.isEmpty { Self.forget(self) }
        }
        if let error = state.withLock({ $0.lastError.take() }) { throw error }
    }

    private func finish(by rules: MergeRules, mayWriteLater: Bool) throws(StubbornNetworkError) {
        try join(by: rules, waitingAtMost: StubFileStore.longestWait)
        try redactAgain()
        try store.access(.written) { () throws(SystemError) in
            try state.withLock { state throws(SystemError) in
                if state.isOfFailedTest {
                    try state.own?.note(JournalLine(endsWell: false))
                } else if state.endsWell, state.running.isEmpty {
                    try state.own?.note(JournalLine(endsWell: true))
                }
            }
        }
        guard let written = try write(mayWriteLater: mayWriteLater) else { return }
        let isEnd = state.withLock { state in
            // Recordings that are added now are in the journal, and will be in the file at the next end.
            guard let own = state.own, own.content.recordings.count == written.count, state.running.isEmpty else {
                return false
            }
            state.discarded.formUnion(written.discarded)
            state.closeJournal()
            return true
        }
        guard isEnd, run.isOfOneNetwork else { return }
        _ = try generation.withLock { generation throws(StubbornNetworkError) in try generation.end(as: run) }
    }

    /// Writes the file, unless the run does that later.
    ///
    /// Returns the number of recordings, and the errors that are left out.
    private func write(mayWriteLater: Bool) throws(StubbornNetworkError) -> (count: Int, discarded: Set<Int>)? {
        guard let own = state.withLock({ $0.own }) else { return nil }
        let recordings = own.content.recordings
        if mayWriteLater, !run.isDue(store.file, adding: recordings.values.reduce(0) { $0 + $1.lines.count }) {
            return (recordings.count, generation.withLock { $0.discarded(of: own) })
        }
        guard let update = try updateFile(), let written = update.found.own else { return nil }
        run.noteWritten(store.file, WrittenFile(byteCount: store.byteCount ?? 0, final: update.final(by: run)))
        return (written.content.recordings.count, update.merge.discarded(of: written.content.number))
    }

    // MARK: Unfinished recordings

    /// The writers of this process whose recordings have not ended.
    ///
    /// They end when the process exits. If it is killed, the file and the journal contain all that was recorded.
    private static let unfinished = Lock<[ObjectIdentifier: StubFileWriter]>([:])

    private static let finishesAtExit: Void = Run.atExit(finishAll)

    private static func register(_ writer: StubFileWriter) {
        finishesAtExit
        writer.run.note(writer.store.file)
        unfinished.withLock { $0[ObjectIdentifier(writer)] = writer }
    }

    private static func forget(_ writer: StubFileWriter) {
        unfinished.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(writer)) }
    }

    /// Ends all recordings, because the process exits.
    @Sendable private static func finishAll() {
        for writer in unfinished.withLock({ Array($0.values) }) {
            // A request that is still running has requested a stub that is kept.
            if writer.state.withLock({ !$0.running.isEmpty }) { writer.run.keepUnrequested(in: writer.store.file) }
            do throws(StubbornNetworkError) {
                try writer.finish()
            } catch {
                StandardError.write(error.message)
                // A failed write is not tried again here. The next process that opens the file tries again.
                if writer.isRecording { writer.run.forget(writer.store.file) }
            }
        }
    }
}
