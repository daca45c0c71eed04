import Foundation

/// What a run has recorded so far, and what that makes of the stub file. A plain value: nothing is written here.
struct RecordingRun: Sendable {
    /// The file as it was when the run began.
    var base = StubFileDocument()
    /// What others have added since.
    var foreign: [StubFileEntry] = []
    /// In the order of their places.
    private(set) var recorded: [Recording] = []
    /// The recording that was added last, whatever its place.
    private var latest: Recording?
    /// Whether the clean end may leave out what the run did not ask for.
    var mayDrop = true
    /// Whether what the run did not ask for is left out, as at its clean end.
    var dropsUnrequested = false

    /// Adds a recording at its place: most come last, or nearly so.
    mutating func add(_ new: Recording) {
        latest = new
        var index = recorded.count
        while index > 0, recorded[index - 1].place > new.place { index -= 1 }
        recorded.insert(new, at: index)
    }

    /// Takes out of each recording what was recognised as a secret only after it.
    mutating func redactAgain() {
        guard let latest else { return }
        let count = latest.redaction.secretCount()
        for index in recorded.indices where recorded[index].secretCount < count {
            recorded[index].secretCount = count
            let stub = recorded[index].stub
            let redacted = latest.redaction.redact(stub)
            guard redacted != stub else { continue }
            recorded[index].entry = StubFileEntry(rendering: redacted, bodyEncoding: latest.bodyEncoding)
        }
    }

    mutating func remove(_ old: [Recording]) {
        let places = Set(old.map(\.place))
        recorded.removeAll { places.contains($0.place) }
    }

    /// What others have made of the file since: what is new there is foreign, what is gone is no longer in the base.
    mutating func adopt(_ document: StubFileDocument, insteadOf known: StubFileDocument) {
        foreign += document.entries(addedSince: known)
        for gone in known.entries(addedSince: document) {
            if let index = base.entries.firstIndex(of: gone) {
                base.entries.remove(at: index)
            } else if let index = foreign.firstIndex(of: gone) {
                foreign.remove(at: index)
            }
        }
        // Somebody else records here too: what this run did not ask for may be theirs.
        mayDrop = false
    }

    /// The file as it should be now; `nil` where it should stay as it is, because the server has not answered once.
    ///
    /// A server that is off for a moment must not be what every later run plays back. Errors alone make a file only where
    /// there was none and the run records on purpose.
    var document: StubFileDocument? {
        guard hasAnswer || (base.entries.isEmpty && recorded.allSatisfy(\.keepsErrorsAlone)) else { return nil }
        return StubFileMerge(
            base: base.entries,
            foreign: foreign,
            recorded: recorded.map(\.entry),
            replaces: replaces,
            dropsUnrequested: dropsUnrequested,
            rules: latest?.rules ?? MergeRules()
        ).document()
    }

    /// Whether the run can say what is no longer asked for: it recorded everything anew, got at least one answer, and no
    /// request that had an answer in the old file ended in an error now.
    var endsCleanly: Bool {
        guard mayDrop, replaces, hasAnswer else { return false }
        let answered = Set(base.entries.map(\.stub).filter { $0.response.failure == nil }.map(\.request.exchangeKey))
        return !recorded.contains { recorded in
            recorded.stub.response.failure != nil && answered.contains(recorded.stub.request.exchangeKey)
        }
    }

    private var replaces: Bool { recorded.contains(where: \.replaces) }
    private var hasAnswer: Bool { recorded.contains { $0.stub.response.head != nil } }
}

extension StubRequest {
    /// What tells the requests of one file apart: the request without header fields.
    fileprivate var exchangeKey: StubRequest { StubRequest(method: method, url: url, body: body) }
}
