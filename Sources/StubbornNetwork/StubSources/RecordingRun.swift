import Foundation

/// What a run has recorded so far, and what that makes of the stub file. A plain value: nothing is written here.
struct RecordingRun: Sendable {
    /// A recorded stub, as it is written.
    struct Recorded: Sendable {
        /// In the order in which the requests started.
        var place: Int
        /// Whether it was recorded to replace what was recorded before.
        var replaces: Bool
        /// Whether an error is written although the server has not answered once in this run.
        var keepsErrorsAlone: Bool
        var entry: StubFileDocument.Entry

        init(_ recording: Recording, _ entry: StubFileDocument.Entry) {
            place = recording.place
            replaces = recording.replaces
            keepsErrorsAlone = recording.keepsErrorsAlone
            self.entry = entry
        }
    }

    /// The file as it was when the run began.
    var base = StubFileDocument()
    /// What others have added since.
    var foreign: [StubFileDocument.Entry] = []
    /// In the order of their places.
    private(set) var recorded: [Recorded] = []
    /// Whether the clean end may leave out what the run did not ask for.
    var mayDrop = true
    /// Whether what the run did not ask for is left out, as at its clean end.
    var dropsUnrequested = false

    mutating func add(_ new: [Recorded]) {
        recorded += new
        recorded.sort { $0.place < $1.place }
    }

    mutating func remove(_ old: [Recorded]) {
        let places = Set(old.map(\.place))
        recorded.removeAll { places.contains($0.place) }
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
            dropsUnrequested: dropsUnrequested
        ).document()
    }

    /// Whether the run can say what is no longer asked for: it recorded everything anew, got at least one answer, and no
    /// request that had an answer in the old file ended in an error now.
    var endsCleanly: Bool {
        guard mayDrop, replaces, hasAnswer else { return false }
        let answered = Set(base.entries.map(\.stub).filter { $0.response.failure == nil }.map(\.request.exchangeKey))
        return !recorded.contains { recorded in
            let stub = recorded.entry.stub
            return stub.response.failure != nil && answered.contains(stub.request.exchangeKey)
        }
    }

    private var replaces: Bool { recorded.contains(where: \.replaces) }
    private var hasAnswer: Bool { recorded.contains { $0.entry.stub.response.head != nil } }
}

extension StubRequest {
    /// What tells the requests of one file apart: the request without header fields.
    fileprivate var exchangeKey: StubRequest { StubRequest(method: method, url: url, body: body) }
}
