import Foundation

/// What a writer knows: the run, its journal, and what the file held last. Only behind the writer's lock.
struct StubFileWriterState {
    typealias Completion = @Sendable (StubbornNetworkError?) -> Void

    var run = RecordingRun()
    var policy = FoldPolicy()
    /// Of a run that has recorded something: it tells others that somebody is recording.
    var journal: RecordingJournal?
    /// Whether recordings are appended to it.
    private(set) var isJournaling = false
    /// The places of the recordings that are in the file.
    var folded = IndexSet()
    /// Recordings that are on the disk when the next fold has been written.
    var waiting: [(recording: Recording, completion: Completion)] = []
    /// What the file held when this process read or wrote it last, and what it looked like then.
    var known = StubFileDocument()
    var fingerprint: FileFingerprint?
    /// What kept a recording from being stored, until somebody has been told.
    var lastError: StubbornNetworkError?
    var isFoldScheduled = false
    var waitsForQuiet = false
    var lastRecording = DispatchTime.now()
    /// Whether anything has been recorded since the run last came to an end.
    var hasRecorded = false

    func newJournal(beside file: URL) throws(SystemError) -> RecordingJournal {
        try RecordingJournal(beside: file, baseCount: run.base.entries.count)
    }

    /// Appends a recording of the run to the journal, which begins with all that the run has recorded before: from there on
    /// it is what a killed process leaves.
    mutating func append(_ recording: Recording, toJournalBeside file: URL) throws(SystemError) {
        if isJournaling, let journal, journal.isUsable { return try journal.append(recording) }
        if isJournaling || journal?.isUsable != true { removeJournal() }
        do throws(SystemError) {
            let journal: RecordingJournal
            if let known = self.journal { journal = known } else { journal = try newJournal(beside: file) }
            self.journal = journal
            for earlier in run.recorded where folded.contains(earlier.place) { try journal.append(earlier) }
            journal.noteFolded(folded)
            for later in run.recorded where !folded.contains(later.place) { try journal.append(later) }
            isJournaling = true
        } catch {
            // One that has a part of it would be taken for the whole.
            removeJournal()
            throw error
        }
    }

    mutating func removeJournal() {
        journal?.remove()
        journal = nil
        isJournaling = false
    }
}
