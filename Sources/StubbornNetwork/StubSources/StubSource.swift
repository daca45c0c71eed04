import Foundation

/// Recorded stubs: in a stub file, or in memory for as long as the network exists.
///
/// These rules hold for both:
/// - All functions may be called from any thread.
/// - A stub that was stored is found from then on.
/// - The stubs are in the order in which their requests started.
/// - A look-up uses a stub, so that the next equal request gets the next one.
final class StubSource: Sendable {
    /// The file of the stubs; `nil` for a source in memory.
    let file: URL?

    /// The stubs that are loaded or recorded.
    let recorded = Lock(RecordedStubs())

    private let writer: StubFileWriter?

    /// The result of loading, locked while the file is read, so that the file is read once.
    private let loaded = Lock<Result<Void, StubbornNetworkError>?>(nil)

    /// A Boolean value that indicates whether there were stubs to load; `nil` until they are loaded.
    private let foundStubs = Lock<Bool?>(nil)

    init(file: URL?) {
        self.file = file
        writer = file.map { StubFileWriter(store: StubFileStore(file: $0)) }
        writer?.store.noteUse()
    }

    deinit {
        writer?.finishSoon()
    }

    // MARK: Loading

    /// The size of a file, in bytes, that is read in less than a millisecond.
    private static let smallByteCount = 64 << 10

    /// A Boolean value that indicates whether `load()` takes little time: the file has been read, or it is small.
    var loadsQuickly: Bool {
        guard let store = writer?.store, foundStubs.withLock({ $0 }) == nil else { return true }
        // A journal is taken over under the file's lock, which another process may hold.
        if StubFileFold.hasCompanions(store) { return false }
        guard let file = try? FileSystem.fingerprint(at: store.file.path) else { return true }
        return file.isRegularFile && file.size <= Self.smallByteCount
    }

    /// A Boolean value that indicates whether there were stubs to load, which there never are in memory.
    var existed: Bool { foundStubs.withLock { $0 } ?? false }

    /// Reads the stubs once, which may block; later calls return or throw the same at once.
    func load() throws(StubbornNetworkError) {
        let result = loaded.withLock { loaded in
            if let loaded { return loaded }
            let result = Result { () throws(StubbornNetworkError) in try readFile() }
            loaded = result
            foundStubs.withLock { $0 = $0 ?? false }
            return result
        }
        try result.get()
    }

    private func readFile() throws(StubbornNetworkError) {
        guard let writer else { return }
        StubFileWriter.fold(into: writer.store.file)
        let opened = try StubFileFold.open(writer.store)
        writer.begin(with: opened)
        guard opened.document != nil || !opened.entries.isEmpty else { return }
        recorded.withLock { recorded in
            for entry in opened.entries { recorded.append(entry) }
        }
        foundStubs.withLock { $0 = true }
    }

    // MARK: Recording

    /// Returns the reason why recordings cannot be stored, before a request is sent to the real server; `nil` if they
    /// can.
    func reasonNotToRecord() -> StubbornNetworkError? {
        // A run that is writing already finds out by writing.
        guard let writer, !writer.isRecording else { return nil }
        do throws(StubbornNetworkError) {
            try writer.store.prepareToWrite()
            return nil
        } catch {
            writer.noteFailure(error)
            return error
        }
    }

    /// Makes the end of the run throw an error because of which something was not recorded.
    func noteFailure(_ error: StubbornNetworkError) {
        writer?.noteFailure(error)
    }

    /// The error that the end of the run throws because something was not recorded; `nil` if there is none so far.
    var recordingError: StubbornNetworkError? { writer?.error }

    /// Stores a stub, and passes on the error if it could not be stored, on any thread.
    func store(_ recording: Recording, completion: @escaping @Sendable (StubbornNetworkError?) -> Void) {
        do throws(StubbornNetworkError) {
            try writer?.add(recording)
            recorded.insert(recording)
            completion(nil)
        } catch {
            completion(error)
        }
    }

    /// Makes the end of the run keep the stubs that no request asked for: it is only a part of what the file is for.
    func keepUnrequested() {
        writer?.keepUnrequested()
    }

    /// Ends a recording run: everything that was recorded is in the file, and stubs that no request asked for may be
    /// removed.
    func finishRecording() throws(StubbornNetworkError) {
        try writer?.finish()
        recorded.withLock { $0.beginRun() }
    }

    /// Returns the number of a recorded request that starts, in the order in which requests start.
    func nextRequestNumber() -> Int { recorded.withLock { $0.nextRequestNumber() } }

    // MARK: Stubs

    /// Returns the next stub that answers a request, and marks it as used; `nil` if there is none.
    func take(for request: StubRequest, by rules: PlaybackRules) -> Stub? { recorded.take(for: request, by: rules) }

    /// Returns what is known about a request that no stub answers.
    func diagnose(_ request: StubRequest, by rules: PlaybackRules) -> LookupDiagnosis {
        recorded.diagnose(request, by: rules)
    }

    /// Returns all stubs, in their order.
    func stubs() -> [Stub] { recorded.withLock { $0.all } }

    /// Returns the stubs that this process has recorded and that are kept, in the order in which their requests started.
    func recordedStubs() -> [Stub] {
        let discarded = writer?.discarded ?? []
        return recorded.withLock { $0.ofThisProcess { !discarded.contains($0) } }
    }

    /// Returns the errors that this process has recorded and that are not kept: no server has answered in the run, or there
    /// is an earlier response to the request.
    func discardedStubs() -> [Stub] {
        let discarded = writer?.discarded ?? []
        return discarded.isEmpty ? [] : recorded.withLock { $0.ofThisProcess(where: discarded.contains) }
    }

    /// Returns the first stub whose response gives a placeholder to the client; `nil` if there is none.
    func stub(giving placeholder: String) -> StubSummary? {
        let (stubs, summaries) = recorded.withLock { ($0.all, $0.summaries) }
        return zip(stubs, summaries).first { PlaceholderSearch.contains(placeholder, in: $0.0.response) }?.1
    }

    /// Returns the stubs that no request asked for, in their order, without those that this run has recorded.
    func unusedStubs() -> [Stub] { recorded.withLock { $0.unused } }

    /// Returns their positions, from 1.
    func unusedPositions() -> [Int] { recorded.withLock { $0.unusedPositions } }

    /// Returns the same stubs as reports list them.
    func unusedSummaries() -> [StubSummary] { recorded.withLock { $0.unusedSummaries } }
}
