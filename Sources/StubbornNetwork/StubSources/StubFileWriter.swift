import Foundation

/// Writes what a run records into a stub file, so that it is there before the client sees the end of the exchange, and
/// beside what other processes write there.
///
/// Each write is a new file that takes the old one's place, under a lock that all processes respect. Recordings that
/// arrive while one is being written share the next.
final class StubFileWriter: Sendable {
    private typealias Completion = @Sendable (StubbornNetworkError?) -> Void

    private struct State {
        var waiting: [(recording: Recording, completion: Completion)] = []
        var isScheduled = false
        var run = RecordingRun()
        /// What the file held when this process read or wrote it last, and what it looked like then.
        var known = StubFileDocument()
        var fingerprint: FileFingerprint?
        var lastError: StubbornNetworkError?
        var hasTidied = false
    }

    private let store: StubFileStore
    private let state = Lock(State())
    private let queue = DispatchQueue(label: "StubbornNetwork.StubFileWriter")

    init(store: StubFileStore) {
        self.store = store
    }

    /// Begins a run with the file as it is.
    func begin(with document: StubFileDocument, _ fingerprint: FileFingerprint) {
        state.withLock { state in
            state.run.base = document
            state.known = document
            state.fingerprint = fingerprint
        }
    }

    /// Adds a recording. `completion` is called, on a global queue, when it is on the disk or cannot be.
    func add(_ recording: Recording, completion: @escaping @Sendable (StubbornNetworkError?) -> Void) {
        let schedules = state.withLock { state in
            state.waiting.append((recording, completion))
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        guard schedules else { return }
        RecordingsAtExit.add(self)
        queue.async { self.writeWaiting() }
    }

    /// Everything recorded so far is in the file; what a recording of everything did not ask for goes.
    func finish() throws(StubbornNetworkError) {
        try queue.sync { Result { () throws(StubbornNetworkError) in try end() } }.get()
    }

    /// As `finish()`, from a place that cannot wait. What goes wrong is said on standard error.
    func finishSoon() {
        queue.async {
            do throws(StubbornNetworkError) { try self.end() } catch { StandardError.write(error.message) }
        }
    }

    /// Only on `queue`.
    private func end() throws(StubbornNetworkError) {
        writeWaiting()
        RecordingsAtExit.remove(self)
        if let error = state.withLock({ $0.lastError }) { throw error }
        guard state.withLock({ $0.run.endsCleanly }) else { return }
        // Asked again when it is known what others have written.
        try rewrite { $0.dropsUnrequested = $0.endsCleanly }
    }

    private func writeWaiting() {
        let waiting = state.withLock { state in
            state.isScheduled = false
            defer { state.waiting = [] }
            return state.waiting
        }
        guard !waiting.isEmpty else { return }
        var accepted: [(recorded: RecordingRun.Recorded, completion: Completion)] = []
        for (recording, completion) in waiting {
            let entry = StubFileDocument.Entry(rendering: recording.stub, bodyEncoding: recording.bodyEncoding)
            do throws(StubbornNetworkError) {
                for part in entry.source.parts { try recording.check(part) }
                let recorded = RecordingRun.Recorded(recording, entry)
                accepted.append((recorded, completion))
            } catch {
                state.withLock { $0.lastError = error }
                tell(completion, error)
            }
        }
        let error = write(accepted.map(\.recorded))
        for (_, completion) in accepted { tell(completion, error) }
    }

    /// Not on this queue: what comes of it may be the user's code, which may want to finish the recording.
    private func tell(_ completion: @escaping Completion, _ error: StubbornNetworkError?) {
        DispatchQueue.global(qos: .userInitiated).async { completion(error) }
    }

    /// Has the end of the run throw an error that kept something from being recorded.
    func noteFailure(_ error: StubbornNetworkError) {
        state.withLock { $0.lastError = error }
    }

    /// Has the clean end keep what this run does not ask for.
    func keepUnrequested() {
        state.withLock { $0.run.mayDrop = false }
    }

    /// Adds recordings to the run and writes it; takes them back where that fails.
    private func write(_ recorded: [RecordingRun.Recorded]) -> StubbornNetworkError? {
        do throws(StubbornNetworkError) {
            try rewrite { $0.add(recorded) }
            return nil
        } catch {
            state.withLock { state in
                state.run.remove(recorded)
                state.lastError = error
            }
            return error
        }
    }

    /// Applies a change to the run and brings the file up to date with it. Only on `queue`.
    private func rewrite(_ change: @Sendable (inout RecordingRun) -> Void) throws(StubbornNetworkError) {
        try store.withExclusiveAccess { () throws(StubbornNetworkError) in
            if state.withLock({ state in
                defer { state.hasTidied = true }
                return !state.hasTidied
            }) {
                store.removeLeftovers()
            }
            try adoptForeignEntries()
            let onDisk = store.fingerprint
            let document = state.withLock { state -> StubFileDocument? in
                change(&state.run)
                let isThere = onDisk != nil && onDisk == state.fingerprint
                guard let document = state.run.document, !isThere || document != state.known else { return nil }
                return document
            }
            guard let document else { return }
            try store.write(document.forEachChunk)
            let fingerprint = store.fingerprint
            state.withLock { state in
                state.known = document
                state.fingerprint = fingerprint
            }
        }
    }

    /// Reads what others have written into the file since this process looked last.
    private func adoptForeignEntries() throws(StubbornNetworkError) {
        guard store.fingerprint != state.withLock({ $0.fingerprint }), let text = try store.text() else { return }
        let document = try StubFileDocument(parsing: text)
        state.withLock { state in
            state.run.foreign += document.entries(addedSince: state.known)
            // Somebody else records here too: what this run did not ask for may be theirs.
            state.run.mayDrop = false
            state.known = document
            state.fingerprint = text.fingerprint
        }
    }
}
