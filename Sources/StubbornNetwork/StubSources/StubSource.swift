import Foundation

/// Recorded stubs, and where they are stored.
///
/// Conform to it to store stubs elsewhere than in memory or in a stub file. The contract suite tests these rules for every
/// source:
/// - All functions may be called from any thread.
/// - A stub that was stored is found from then on.
/// - The stubs are in the order in which their requests started.
/// - A look-up uses a stub, so that the next equal request gets the next one.
protocol StubSource: AnyObject, Sendable {
    /// The file of the stubs; `nil` for a source in memory.
    var file: URL? { get }

    /// The stubs that are loaded or recorded.
    var recorded: Lock<RecordedStubs> { get }

    /// A Boolean value that indicates whether look-ups answer without reading a file first.
    var isLoaded: Bool { get }

    /// Reads the stubs, once. Later calls return, or throw, the same at once. May block.
    func load() throws(StubbornNetworkError)

    /// A Boolean value that indicates whether there were stubs to load. Always `false` for a source in memory.
    var existed: Bool { get }

    /// Returns the reason why the source cannot store recordings; `nil` if it can. Called before the real server is asked.
    func reasonNotToRecord() -> StubbornNetworkError?

    /// Stores a stub. Calls `completion` on any thread, with the error if the stub could not be stored.
    func store(_ recording: Recording, completion: @escaping @Sendable (StubbornNetworkError?) -> Void)

    /// Makes the end of the run keep the stubs that no request asked for: the run is only a part of what the file is for.
    func keepUnrequested()

    /// Ends a recording run: everything that was recorded is in the file then. The stubs that no request asked for are
    /// removed, if the run recorded everything anew and ended without errors.
    func finishRecording() throws(StubbornNetworkError)
}

extension StubSource {
    /// Returns the next stub that answers a request, and marks it as used; `nil` if there is none.
    func take(for request: StubRequest, by rules: PlaybackRules) -> Stub? { recorded.take(for: request, by: rules) }

    /// Returns what is known about a request that no stub answers.
    func diagnose(_ request: StubRequest, by rules: PlaybackRules) -> LookupDiagnosis {
        recorded.diagnose(request, by: rules)
    }

    /// Returns the number of a request in the order in which requests start. Called when a request that is recorded starts.
    func nextRequestNumber() -> Int { recorded.withLock { $0.nextRequestNumber() } }

    /// Returns all stubs, in their order.
    func stubs() -> [Stub] { recorded.withLock { $0.all } }

    /// Returns the stubs that no request asked for, in their order, without those that this run has recorded.
    func unusedStubs() -> [Stub] { recorded.withLock { $0.unused } }

    /// Returns the same stubs as reports list them.
    func unusedSummaries() -> [StubSummary] { recorded.withLock { $0.unusedSummaries } }
}

/// A recorded stub as reports list it.
struct StubSummary: Sendable {
    /// The number of the stub in its source, from 1.
    var position: Int
    /// The line in the file; `nil` in memory, and for a stub that this run has recorded.
    var line: Int?
    var request: StubRequest
    /// A Boolean value that indicates whether the stub has answered a request.
    var isUsed = false
}

/// A recorded exchange on its way into a stub source, and from there into a journal and a stub file.
struct Recording: Sendable {
    /// The stub, with its JSON.
    var entry: StubFileEntry
    /// The number of the request, from `nextRequestNumber()`.
    var requestNumber: Int
    /// A Boolean value that indicates whether this run replaces earlier recordings, instead of adding to them.
    var replaces: Bool
    /// A Boolean value that indicates whether an error is stored also when no server has responded in this run.
    var keepsErrorsAlone: Bool
    var bodyEncoding = BodyEncoding.base64
    /// The number of secrets that were known when the stub was redacted.
    var secretCount = 0
    var rules = MergeRules()
    var redaction = RecordingRedaction()

    var stub: Stub { entry.stub }

    /// A Boolean value that indicates whether the stub answers later requests of this run. An error does only if the run
    /// records on purpose.
    var answersFromNow: Bool { stub.response.head != nil || keepsErrorsAlone }
}

extension Recording {
    /// Creates a recording of a stub, and renders the stub.
    init(
        stub: Stub,
        requestNumber: Int,
        replaces: Bool,
        keepsErrorsAlone: Bool,
        bodyEncoding: BodyEncoding,
        secretCount: Int = 0,
        rules: MergeRules = MergeRules(),
        redaction: RecordingRedaction = RecordingRedaction()
    ) {
        self.init(
            entry: StubFileEntry(rendering: stub, bodyEncoding: bodyEncoding),
            requestNumber: requestNumber,
            replaces: replaces,
            keepsErrorsAlone: keepsErrorsAlone,
            bodyEncoding: bodyEncoding,
            secretCount: secretCount,
            rules: rules,
            redaction: redaction
        )
    }
}

/// The functions that keep secrets out of a recording which was redacted once.
struct RecordingRedaction: Sendable {
    /// Throws if bytes that would be written contain a secret.
    var check: @Sendable (Data) throws(StubbornNetworkError) -> Void = { _ in }
    /// Returns the number of secrets that are known now.
    var secretCount: @Sendable () -> Int = { 0 }
    /// Returns a stub without any of them.
    var redact: @Sendable (Stub) -> Stub = { $0 }
}

/// The settings that decide which recorded stub answers.
struct PlaybackRules: Sendable {
    /// A number that changes with the matchers and the redaction. An index is built again only then.
    var generation = 0
    var matchers: RequestMatcherOptions = .standard { didSet { generation += 1 } }
    var redaction: Redaction = .standard { didSet { generation += 1 } }
    var order: PlaybackOrder = .sequenceThenLast
}

/// The recorded stubs as they are seen from a request that none of them answers.
struct LookupDiagnosis: Sendable {
    /// The number of stubs.
    var count = 0
    /// The number of stubs for the request's path, on any host, and the number of those that have answered.
    var pathCount = 0
    var usedPathCount = 0
    /// The stubs that match, and are used already.
    var usedUp: [StubSummary] = []
    /// The stub with the fewest differences.
    var nearest: Nearest?
    /// The request as it was compared, without its secrets.
    var compared: StubRequest?

    struct Nearest: Sendable {
        var stub: StubSummary
        var differences: [RequestDifference]
    }
}
