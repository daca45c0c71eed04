import Foundation

/// Recorded stubs: in a stub file, or in memory for as long as the network exists.
///
/// These rules apply to both:
/// - All functions may be called from any thread.
/// - A stub is found as soon as it is stored.
/// - The stubs are in the order in which their requests started.
/// - A lookup uses a stub, so that the next equal request gets the next one.
package final class StubSource: Sendable {
    /// The file of the stubs; `nil` for a source in memory.
    var file: URL? { writer?.store.file }

    /// The stubs that are loaded or recorded.
    let recorded: Lock<RecordedStubs>

    let writer: StubFileWriter?

    /// The result of loading, locked while the file is read, so that the file is read once.
    private let loaded = Lock<Result<Void, StubbornNetworkError>?>(nil)

    /// The findings of loading; `nil` until the stubs are loaded.
    private let found = Lock<(existed: Bool, existedBeforeRun: Bool, byteCount: Int?)?>(nil)

    /// The path of the file that is played instead of the stub file; `nil` for the stub file itself.
    private let replacement: String?

    let run: Run

    /// The paths of the network's own stub file and of this file.
    ///
    /// A launch continues after the stubs that earlier launches of its own test have used, not after those of other tests that share
    /// the file.
    private let paths: String

    init(file: URL?, of owner: URL? = nil, playing replacement: String? = nil, run: Run = .process) {
        recorded = Lock(RecordedStubs(file: file))
        paths = [owner ?? file, file].compactMap { $0?.standardizedFileURL.path }.joined(separator: " ")
        (self.replacement, self.run) = (replacement, run)
        writer = file.map { StubFileWriter(store: StubFileStore(file: $0), run: run) }
    }

    deinit { writer?.finishSoon() }

    // MARK: Loading

    /// The size of a file, in bytes, that is read in less than a millisecond.
    private static let smallByteCount = 64 << 10

    /// A Boolean value that indicates whether `load()` takes little time: the file has been read, or it is small.
    var loadsQuickly: Bool {
        guard let store = writer?.store, found.withLock({ $0 == nil }) else { return true }
        // A journal is read under the lock of the directory, which another process may hold.
        if store.hasSidecars { return false }
        guard let file = try? FileSystem.fingerprint(at: store.file.path) else { return true }
        return file.isRegularFile && file.size <= Self.smallByteCount
    }

    /// A Boolean value that indicates whether there were stubs to load, which is never the case in memory.
    var existed: Bool { found.withLock { $0?.existed } ?? false }

    /// A Boolean value that indicates whether there were stubs to load that this run has not recorded.
    var existedBeforeRun: Bool { found.withLock { $0?.existedBeforeRun } ?? false }

    /// The length of the stub file in bytes when it was loaded; `nil` if there was none.
    var byteCount: Int? { found.withLock { $0?.byteCount } }

    /// Reads the stubs once, which may block; later calls return or throw the same result at once.
    func load() throws(StubbornNetworkError) {
        let result = loaded.withLock { loaded in
            loaded.orSet {
                defer { found.withLock { $0 = $0 ?? (false, false, nil) } }
                return Result { () throws(StubbornNetworkError) in try readFile() }
            }
        }
        try result.get()
    }

    private func readFile() throws(StubbornNetworkError) {
        guard let writer else { return }
        let opened = try StubFileGeneration.open(writer.store, as: run, playing: replacement)
        writer.noteLoaded(opened)
        let used = run.usedStubs(of: paths)
        recorded.withLock { recorded in
            for stub in opened.stubs { recorded.append(stub.entry, isOfRun: stub.isOfRun) }
            recorded.markUsed(used)
            guard !run.isFounder else { return }
            recorded.onFirstUse = { [run, paths] entry in run.noteUse(of: entry.identity, in: paths) }
        }
        found.withLock { $0 = (opened.existed, opened.existedBeforeRun, writer.store.byteCount) }
    }

    // MARK: Recording

    /// Begins a recording before its request is sent to the real server, or throws an error if it cannot be stored.
    func begin(_ recording: Recording) throws(StubbornNetworkError) {
        guard let writer else { return }
        if run.isOver { throw .processExits(recording.request.url) }
        do throws(StubbornNetworkError) {
            // A run that has begun writing gets the error when it writes.
            if !writer.isRecording { try writer.store.prepareToWrite() }
            writer.begin(recording.requestNumber)
        } catch {
            writer.noteFailure(error)
            throw error
        }
    }

    /// Stores a stub, which may block.
    func store(_ recording: Recording) throws(StubbornNetworkError) {
        // A file that the test shares contains the stub.
        if recording.isShared { return }
        // A web socket has been stored in parts.
        if !recording.continues { try writer?.add(recording) }
        guard var stub = recording.stub else { return }
        if recording.continues { stub = try recording.redactor.scanned(stub, number: recording.requestNumber) }
        recorded.withLock { $0.insert(stub, requestNumber: recording.requestNumber) }
    }

    /// Ends a recording: everything that was recorded is in the file, or, if it may be written later, in its journals.
    func finishRecording(mayWriteLater: Bool = false) throws(StubbornNetworkError) {
        try writer?.finish(mayWriteLater: mayWriteLater)
        recorded.withLock { $0.beginRun() }
    }

    /// Returns the number and the time of a recorded request that starts, in the order in which requests start.
    func startRequest() -> (number: Int, time: Int) {
        recorded.withLock { ($0.nextRequestNumber(), run.startTime()) }
    }

    // MARK: Lists

    /// Returns all stubs, in their order.
    package func stubs() -> [Stub] { recorded.withLock { $0.all } }

    /// Returns the stubs that this process has recorded, and separately the errors that are not kept.
    ///
    /// Both are in the order in which their requests started. An error is not kept if no server has answered in the run,
    /// or if there is an earlier response.
    func recordedStubs() -> (kept: [Stub], discarded: [Stub]) {
        let discarded = writer?.discarded ?? []
        return recorded.withLock { $0.recorded(discarding: discarded) }
    }

    /// Returns the first stub whose response contains a placeholder; `nil` if there is none.
    func stub(giving placeholder: String) -> StubSummary? {
        recorded.withLock { $0.summaries }.first { PlaceholderSearch.contains(placeholder, in: $0.stub.response) }
    }

    /// The number of stubs of earlier runs that have answered.
    package var usedCount: Int { recorded.withLock { $0.usedCount } }

    /// Returns the stubs that no request used, in their order, except stubs that this run has recorded.
    func unusedStubs() -> [StubSummary] { recorded.withLock { $0.unused } }

    // MARK: Looking up

    /// Returns the next stub that answers a request, and marks it as used; `nil` if there is none.
    ///
    /// Stubs are compared outside the lock: a custom matcher is the user's code, which may call the network.
    package func take(for request: StubRequest, by rules: PlaybackRules) -> Stub? {
        answer(to: request, by: rules)?.stub
    }

    /// Returns the next stub that answers a request, with the live values that its placeholders stand for.
    func answer(to request: StubRequest, by rules: PlaybackRules) -> RecordedStubs.Answer? {
        let live = MatchIndex.Live(request, by: rules.matchers)
        while true {
            let (groups, version) = recorded.withLock { $0.groups(for: live, by: rules) }
            let matches = rules.matchers.matches(live, groups)
            let answer = recorded.withLock { stubs -> RecordedStubs.Answer?? in
                stubs.version == version ? .some(stubs.take(matches, for: request, by: rules)) : nil
            }
            if let answer { return answer }
        }
    }

    /// Returns the findings about a request that no stub answers; `shown` is the request without its secrets.
    package func diagnose(_ request: StubRequest, shown: StubRequest? = nil, by rules: PlaybackRules) -> LookupDiagnosis
    {
        if request.valueName != nil { return LookupDiagnosis(count: recorded.withLock { $0.count }) }
        let stubs = recorded.withLock { stubs in
            stubs.bringIndexUpToDate(rules)
            return stubs
        }
        let matchIndex = stubs.matchIndex
        let matching = matchIndex.positions(request)
        let used = Set((0..<matchIndex.count).filter(stubs.isUsed))
        let path = ParsedRequest(request).url.path
        let samePath = (0..<matchIndex.count).filter { matchIndex.hasPath($0, path) }
        let found = matchIndex.nearest(to: request, shown: shown ?? request, samePath: samePath, used: used)
        return LookupDiagnosis(
            count: stubs.count,
            pathCount: samePath.count,
            usedPathCount: samePath.filter(used.contains).count,
            usedUp: matching.map(stubs.summary),
            nearest: found.map { (stubs.summary(at: $0.position), $0.differences, $0.areConstant) },
            isGiven: found.map { givesAny(of: $0.differences.compactMap(\.madeValues).flatMap(\.self)) } ?? false
        )
    }

    /// Returns a Boolean value that indicates whether a response contains any of the new values, so that the client did
    /// not generate it.
    private func givesAny(of values: [RequestDifference.MadeValue]) -> Bool {
        let texts = values.isEmpty ? [] : stubs().flatMap(\.response.texts)
        return values.contains { value in texts.contains { $0.data.range(of: Data(value.requested.utf8)) != nil } }
    }
}

/// The settings that decide which recorded stub answers.
package struct PlaybackRules: Sendable {
    /// A number that changes with the matchers, the redaction, and the rules that compare recordings.
    ///
    /// An index is rebuilt, and the rules are written to a journal again, only when this number changes.
    var generation = 0
    @Setting package var matchers: RequestMatcherOptions = .standard { didSet { generation += 1 } }
    @Setting package var redaction: Redaction = .standard { didSet { generation += 1 } }
    /// The header fields that differ each time, from the settings and the stub directory.
    ///
    /// A response may repeat fields that a client generates for each request.
    var givenBackHeaderFields: VolatileHeaderFields = .standard { didSet { generation += 1 } }
    /// The strings that stand for any value in recorded stubs: `<API_KEY>`.
    var placeholders: [String] = [] { didSet { generation += 1 } }
    @Setting package var order: PlaybackOrder = .sequenceThenLast

    /// The header fields that differ each time, including the fields that the matchers ignore.
    var volatileHeaderFields: VolatileHeaderFields { givenBackHeaderFields.including(matchers.ignored.headerFields) }
}

/// The findings of the recorded stubs about a request that none of them answers.
package struct LookupDiagnosis {
    /// The number of stubs.
    var count = 0
    /// The number of stubs for the request's path, on any host, and the number of those that have answered.
    var pathCount = 0
    var usedPathCount = 0
    /// The stubs that match, but are used up.
    package var usedUp: [StubSummary] = []
    /// The stub with the fewest differences, and whether these are in parts that do not distinguish stubs.
    var nearest: (stub: StubSummary, differences: [RequestDifference], areConstant: Bool)?
    /// A Boolean value that indicates whether a recorded response contains a value that differs.
    var isGiven = false

    /// Adds the findings of the stubs of a file that the test shares.
    mutating func add(_ shared: LookupDiagnosis) {
        count += shared.count
        pathCount += shared.pathCount
        usedPathCount += shared.usedPathCount
        usedUp += shared.usedUp
        let own = nearest?.differences.count ?? .max
        if let other = shared.nearest, other.differences.count < own { nearest = other }
        isGiven = isGiven || shared.isGiven
    }
}

/// A recorded stub as reports list it.
package struct StubSummary: Sendable {
    /// The number of the stub in its source, from 1.
    package let position: Int
    let entry: StubFileEntry
    /// The stub file; `nil` in memory.
    let file: URL?
    /// A Boolean value that indicates whether the stub has answered a request.
    package let isUsed: Bool

    var stub: Stub { entry.stub }
    var request: StubRequest { stub.request }
    /// The stub in a sentence: `stub 3, GET https://api.example.com/users`.
    ///
    /// A frame of a web socket is one of those that are left.
    var name: String { request.isFrame ? "frame \(position) of those left" : "stub \(position), \(request)" }

    /// The file and line: `Stubs/Login.json:42`; `nil` in memory, and for a stub that this run has recorded.
    var location: String? {
        guard let file, let line = entry.line else { return nil }
        return "\(file.relativeDisplayPath):\(line)"
    }
}
