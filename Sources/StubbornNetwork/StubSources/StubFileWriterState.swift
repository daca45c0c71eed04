import Foundation

/// The state of a writer: the run, its journal, and the last content of the file.
///
/// The writer's lock guards it.
struct StubFileWriterState {
    typealias Completion = @Sendable (StubbornNetworkError?) -> Void

    var run = RecordingRun()
    var policy = FoldPolicy()
    /// The journal of a run that has recorded something.
    ///
    /// It shows other processes that this one is recording.
    var journal: RecordingJournal?
    /// A Boolean value that indicates whether recordings are appended to the journal.
    private(set) var isJournaling = false
    /// The request numbers of the recordings that are in the file.
    var folded = IndexSet()
    /// The recordings that the next fold writes.
    var waiting: [(recording: StoredRecording, completion: Completion)] = []
    /// The recordings of the fold that is being written and its new file; `nil` between folds.
    var folding: (requestNumbers: IndexSet, file: FileFingerprint)?
    /// The content of the file when this process read or wrote it last, and the state of the file then.
    var known = StubFileDocument()
    var fingerprint: FileFingerprint?
    /// The error because of which a recording was not stored, until it is thrown.
    var lastError: StubbornNetworkError?
    var isFoldScheduled = false
    var waitsForQuiet = false
    var lastRecording = DispatchTime.now()
    /// A Boolean value that indicates whether anything was recorded since the run ended last.
    var hasRecorded = false

    func newJournal(beside file: URL) throws(SystemError) -> RecordingJournal {
        try RecordingJournal(beside: file, baseCount: run.base.entries.count)
    }

    /// Appends a recording to the journal, after all earlier recordings of the run: a journal is read without the process
    /// that wrote it.
    mutating func append(_ recording: StoredRecording, toJournalBeside file: URL) throws(SystemError) {
        if isJournaling, let journal, journal.isUsable { return try journal.append(recording) }
        if isJournaling || journal?.isUsable != true { removeJournal() }
        do throws(SystemError) {
            let journal: RecordingJournal
            if let known = self.journal { journal = known } else { journal = try newJournal(beside: file) }
            self.journal = journal
            for earlier in run.recorded where folded.contains(earlier.requestNumber) { try journal.append(earlier) }
            journal.noteFolded(folded)
            // The new file may have replaced the old one already.
            if let folding { try journal.noteFolding(folding.requestNumbers, into: folding.file) }
            for later in run.recorded where !folded.contains(later.requestNumber) { try journal.append(later) }
            isJournaling = true
        } catch {
            // A journal with a part of the recordings would be read as the whole.
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
