import Foundation

/// The recordings of a run, and the stub file that results from them.
///
/// This is a plain value, which writes nothing.
struct RecordingRun: Sendable {
    /// The stubs that were in the file when the run began, without those that were removed since.
    var base = StubFileDocument()
    /// The stubs that other processes have added since.
    var foreign: [StubFileEntry] = []
    /// The recordings, in the order of their request numbers.
    private(set) var recorded: [StoredRecording] = []
    /// The last recording of this process, whose redactor and rules are the current ones; `nil` for a run from a journal.
    var latest: Recording?
    /// A Boolean value that indicates whether the end of the run may remove the stubs that it did not ask for.
    var mayDrop = true
    /// A Boolean value that indicates whether `document` is without the stubs that the run did not ask for.
    var dropsUnrequested = false

    /// Adds a recording, in the order of the request numbers.
    mutating func add(_ new: StoredRecording) {
        var index = recorded.count
        while index > 0, recorded[index - 1].requestNumber > new.requestNumber { index -= 1 }
        recorded.insert(new, at: index)
    }

    /// Removes secrets from recordings that were recognised only after them.
    mutating func redactAgain() {
        guard let latest else { return }
        let count = latest.redactor.knownSecretCount
        for index in recorded.indices where recorded[index].secretCount < count {
            recorded[index].secretCount = count
            let stub = recorded[index].entry.stub
            let redacted = latest.redactor.redact(stub)
            guard redacted != stub else { continue }
            recorded[index].entry = StubFileEntry(rendering: redacted, bodyEncoding: latest.bodyEncoding)
        }
    }

    mutating func remove(_ old: [StoredRecording]) {
        let removed = Set(old.map(\.requestNumber))
        recorded.removeAll { removed.contains($0.requestNumber) }
    }

    /// Adopts the changes that other processes have made to the file: new stubs are foreign, and stubs that were removed are
    /// no longer in the base.
    mutating func adopt(_ document: StubFileDocument, insteadOf known: StubFileDocument) {
        foreign += document.entries(addedSince: known)
        for gone in known.entries(addedSince: document) {
            if let index = base.entries.firstIndex(of: gone) {
                base.entries.remove(at: index)
            } else if let index = foreign.firstIndex(of: gone) {
                foreign.remove(at: index)
            }
        }
        // Another process records into the file: a stub that this run did not ask for may be of that process.
        mayDrop = false
    }

    /// The request numbers of the errors that are not written: no server has responded, or the file has a response.
    var discarded: Set<Int> {
        let errors = recorded.filter { $0.entry.stub.response.isBroken }
        guard !errors.isEmpty else { return [] }
        let written = document?.entries.map(\.stub).filter(\.response.isBroken) ?? []
        let requests = Set(written.map(\.request.exchangeKey))
        return Set(errors.filter { !requests.contains($0.entry.stub.request.exchangeKey) }.map(\.requestNumber))
    }

    /// The content that the file should have now; `nil` if it should stay as it is, because no server has responded.
    ///
    /// A server that is down for a moment must not be what every later run plays back. Errors alone are written only if the
    /// file had no stubs and the run records on purpose.
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

    /// A Boolean value that indicates whether the run knows which stubs are no longer asked for.
    ///
    /// The run knows this if all of these are true:
    /// - It recorded everything again.
    /// - It got at least one response.
    /// - No request that had a response in the old file ended in an error.
    var endsCleanly: Bool {
        guard mayDrop, replaces, hasAnswer else { return false }
        let answered = Set(base.entries.map(\.stub).filter { $0.response.failure == nil }.map(\.request.exchangeKey))
        return !recorded.contains { recorded in
            recorded.entry.stub.response.isBroken && answered.contains(recorded.entry.stub.request.exchangeKey)
        }
    }

    private var replaces: Bool { recorded.contains(where: \.replaces) }
    /// A Boolean value that indicates whether an exchange was not ended by an error alone.
    private var hasAnswer: Bool {
        recorded.map(\.entry.stub.response).contains { $0.head != nil || $0.waitsToBeCancelled }
    }
}

extension StubRequest {
    /// The request without header fields: the part that differs between the requests of a file.
    fileprivate var exchangeKey: StubRequest { StubRequest(method: method, url: url, body: body) }
}
