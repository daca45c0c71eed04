import Foundation

/// The recording that a `StubFileWriter` keeps: its journal, its known secrets, and the state of its end.
struct RecordingState {
    /// The journal; `nil` while nothing was recorded since the last end.
    var own: OwnJournal?
    /// The identities of the stubs in the file before the first recording; `nil` before it.
    private(set) var before: [UInt64]?
    /// The contents of the journal that was removed.
    var lost: OwnJournal?
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

    /// The number of known secrets, and the length of the journal, at the last search.
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
        before = before ?? own.base.map(\.identity)
        (self.own, lost) = (own, nil)
    }

    /// Closes the journal, because its recording has ended.
    mutating func closeJournal() {
        own?.journal.close()
        own = nil
        searched.byteCount = 0
    }

    // MARK: Secrets that were recognized late

    /// A Boolean value that indicates whether recordings have to be redacted again.
    ///
    /// In a long recording, the searches are batched, so that they take linear time.
    var isRedactionDue: Bool {
        if !unclean.isEmpty { return true }
        return hasNewSecrets && (byteCount < 1 << 16 || byteCount - searched.byteCount > byteCount / 8)
    }

    private var byteCount: Int { (own ?? lost)?.content.byteCount ?? 0 }

    private var hasNewSecrets: Bool { latest.map { $0.redactor.knownSecretCount > searched.secretCount } == true }

    /// Appends the recordings in which a secret was recognized, and returns a Boolean value that indicates whether
    /// there were any.
    mutating func redactAgain() throws(SystemError) -> Bool {
        guard let latest else { return false }
        if hasNewSecrets {
            searched = (latest.redactor.knownSecretCount, byteCount)
            unclean.formUnion(
                recordings.values.filter { latest.redactor.redactAgain($0.stub) != $0.stub }.map(\.number)
            )
        }
        guard own != nil, !unclean.isEmpty else { return false }
        for recording in recordings.values where unclean.contains(recording.number) {
            let redacted = latest.redactor.redactAgain(recording.stub)
            let entry = StubFileEntry(rendering: redacted, bodyEncoding: latest.rules.bodyEncoding ?? .base64)
            var new = recording
            new.supersede(by: entry, key: latest.rules.key(redacted.request))
            try own?.append(new, insteadOf: recording)
            unclean.remove(recording.number)
        }
        return true
    }
}
