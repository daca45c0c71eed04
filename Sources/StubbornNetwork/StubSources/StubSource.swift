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

    /// A record of the stubs that there were to load: any, and any from before the run; `nil` until they are loaded.
    private let foundStubs = Lock<(any: Bool, beforeRun: Bool)?>(nil)
    /// The length of the stub file when it was loaded.
    private let loadedByteCount = Lock<Int?>(nil)

    let run: Run

    init(file: URL?, run: Run = .process) {
        self.file = file
        self.run = run
        writer = file.map { StubFileWriter(store: StubFileStore(file: $0), run: run) }
        if let file { Self.used.withLock { _ = $0.insert(file.standardizedFileURL.path) } }
    }

    deinit {
        writer?.finishSoon()
    }

    // MARK: Loading

    /// The size of a file, in bytes, that is read in less than a millisecond.
    private static let smallByteCount = 64 << 10

    /// A Boolean value that indicates whether `load()` takes little time: the file has been read, or it is small.
    var loadsQuickly: Bool {
        guard let store = writer?.store, foundStubs.withLock({ $0 == nil }) else { return true }
        // A journal is read under the lock of the directory, which another process may hold.
        if StubFileGeneration.hasCompanions(store) { return false }
        guard let file = try? FileSystem.fingerprint(at: store.file.path) else { return true }
        return file.isRegularFile && file.size <= Self.smallByteCount
    }

    /// A Boolean value that indicates whether there were stubs to load, which there never are in memory.
    var existed: Bool { foundStubs.withLock { $0?.any } ?? false }

    /// A Boolean value that indicates whether there were stubs to load that this run has not recorded.
    var existedBeforeRun: Bool { foundStubs.withLock { $0?.beforeRun } ?? false }

    /// The length of the stub file in bytes when it was loaded; `nil` where there was none.
    var byteCount: Int? { loadedByteCount.withLock { $0 } }

    /// Reads the stubs once, which may block; later calls return or throw the same at once.
    func load() throws(StubbornNetworkError) {
        let result = loaded.withLock { loaded in
            if let loaded { return loaded }
            let result = Result { () throws(StubbornNetworkError) in try readFile() }
            loaded = result
            foundStubs.withLock { $0 = $0 ?? (false, false) }
            return result
        }
        try result.get()
    }

    private func readFile() throws(StubbornNetworkError) {
        guard let writer else { return }
        let opened = try StubFileGeneration.open(writer.store, as: run)
        let used = run.usedStubs(of: writer.store.file)
        recorded.withLock { recorded in
            for stub in opened.stubs { recorded.append(stub.entry, isOfRun: stub.isOfRun) }
            recorded.markUsed(used)
            guard !run.isFounder else { return }
            recorded.onFirstUse = { [run] entry in
                if let identity = try? entry.identity() { run.noteUse(of: identity, in: writer.store.file) }
            }
        }
        foundStubs.withLock { $0 = (opened.existed, opened.existedBeforeRun) }
        let byteCount = writer.store.fingerprint.map { Int(clamping: $0.size) }
        loadedByteCount.withLock { $0 = byteCount }
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
        // A file that the test shares has it.
        if recording.isShared { return completion(nil) }
        do throws(StubbornNetworkError) {
            try writer?.add(recording)
            if let stub = recording.stub {
                recorded.withLock { $0.insert(stub, requestNumber: recording.requestNumber) }
            }
            completion(nil)
        } catch {
            completion(error)
        }
    }

    /// Removes secrets that were recognised only after recordings with them were stored.
    func removeLateSecrets() {
        writer?.removeLateSecrets()
    }

    /// Makes the end of the run keep the stubs that no request asked for: it is only a part of what the file is for.
    func keepUnrequested(_ keeps: Bool = true) {
        writer?.keepUnrequested(keeps)
    }

    /// Ends a recording run: everything that was recorded is in the file, and stubs that no request asked for may be
    /// removed.
    func finishRecording() throws(StubbornNetworkError) {
        try writer?.finish()
        recorded.withLock { $0.beginRun() }
    }

    /// Returns the number and the time of a recorded request that starts, in the order in which requests start.
    func startRequest() -> (number: Int, time: Int) {
        recorded.withLock { ($0.nextRequestNumber(), run.startTime()) }
    }

    // MARK: Looking up

    /// Returns the next stub that answers a request, and marks it as used; `nil` if there is none.
    ///
    /// Stubs are compared outside the lock: a custom matcher is the user's code, which may call the network.
    func take(for request: StubRequest, by rules: PlaybackRules) -> Stub? { answer(to: request, by: rules)?.stub }

    /// Returns the next stub that answers a request, with the live values that its placeholders stand for.
    func answer(to request: StubRequest, by rules: PlaybackRules) -> RecordedStubs.Answer? {
        while true {
            let (matchIndex, version) = recorded.withLock { $0.matchIndex(by: rules) }
            let matches = matchIndex.matches(request)
            let answer = recorded.withLock { stubs -> RecordedStubs.Answer?? in
                stubs.version == version ? .some(stubs.take(matches, for: request, by: rules)) : nil
            }
            if let answer { return answer }
        }
    }

    /// Returns what is known about a request that no stub answers; `shown` is the request without its secrets.
    func diagnose(_ request: StubRequest, shown: StubRequest? = nil, by rules: PlaybackRules) -> LookupDiagnosis {
        let (matchIndex, version) = recorded.withLock { $0.matchIndex(by: rules) }
        let matching = matchIndex.positions(of: matchIndex.matches(request))
        let found = matchIndex.nearest(to: request, shown: shown, limit: 1).first
        let path = ParsedRequest(request).url.path
        let here = (0..<matchIndex.count).filter { matchIndex.isHere($0, path: path) }
        return recorded.withLock { stubs in
            var diagnosis = LookupDiagnosis(count: stubs.count, pathCount: here.count)
            guard stubs.version == version else { return diagnosis }
            diagnosis.usedPathCount = here.filter { stubs.isUsed($0) }.count
            diagnosis.usedUp = matching.map { stubs.summary(at: $0) }
            diagnosis.nearest = found.map { (stubs.summary(at: $0.position), $0.differences) }
            for index in diagnosis.usedUp.indices { diagnosis.usedUp[index].file = file }
            diagnosis.nearest?.stub.file = file
            return diagnosis
        }
    }

    // MARK: Lists

    /// Returns all stubs, in their order.
    func stubs() -> [Stub] { recorded.withLock { $0.all } }

    /// A Boolean value that indicates whether a stub was there when the run began.
    var hasEarlierStubs: Bool { recorded.withLock { $0.hasEarlierStubs } }

    /// Returns the stubs that this process has recorded, and separately the errors that are not kept.
    ///
    /// Both are in the order in which their requests started. An error is not kept if no server has answered in the run,
    /// or if there is an earlier response.
    func recordedStubs() -> (kept: [Stub], discarded: [Stub]) {
        let discarded = writer?.discarded ?? []
        return recorded.withLock { $0.recorded(discarding: discarded) }
    }

    /// The stubs that were removed from the file at the end of the run, because no request asked for them.
    var removedStubs: [Stub] { writer?.removed ?? [] }

    /// Returns the first stub whose response gives a placeholder to the client; `nil` if there is none.
    func stub(giving placeholder: String) -> StubSummary? {
        var found = recorded.withLock { $0.summaries }
            .first { PlaceholderSearch.contains(placeholder, in: $0.stub.response) }
        found?.file = file
        return found
    }

    /// Returns the stubs that no request asked for, in their order, without those that this run has recorded.
    func unusedStubs() -> [StubSummary] { recorded.withLock { $0.unused } }

    /// The files of this process's networks.
    static let used = Lock<Set<String>>([])
}
