import Foundation

/// Where recorded stubs are kept.
///
/// Conform to it for another place than memory and stub files. The rules, which the contract suite tests for every
/// source: all functions may be called from any thread; a stub that was stored is found from then on; stubs stand in the
/// order in which their requests started; a look-up takes a stub, so that the next equal request gets the next one.
protocol StubSource: AnyObject, Sendable {
    /// The file that the stubs are in; `nil` for a source in memory.
    var file: URL? { get }

    /// Whether look-ups answer without reading a file first.
    var isLoaded: Bool { get }

    /// Reads what is there, once; later calls return, or throw, the same at once. May take its time.
    func load() throws(StubbornNetworkError)

    /// Whether there was something to read when the source was loaded: an ephemeral source never has.
    var existed: Bool { get }

    /// Why the source cannot take recordings, found out before the real server is asked; `nil` where it can.
    func reasonNotToRecord() -> StubbornNetworkError?

    /// The next stub that answers a request, which is used by this; `nil` when none does.
    func take(for request: StubRequest, by rules: PlaybackRules) -> Stub?

    /// What is known about a request that no stub answers.
    func diagnose(_ request: StubRequest, by rules: PlaybackRules) -> LookupDiagnosis

    /// The place of a recording in the order of requests. Called when a request starts.
    func nextPlace() -> Int

    /// Keeps a stub, then calls back, on any thread, with the error that kept it from being kept.
    func store(_ recording: Recording, completion: @escaping @Sendable (StubbornNetworkError?) -> Void)

    /// Has the end of the run keep what it did not ask for: it is not the whole of what belongs in the file.
    func keepUnrequested()

    /// Ends a recording run: all that was recorded is in the file; what the run did not ask for goes, if it was a
    /// recording of everything and came to a clean end.
    func finishRecording() throws(StubbornNetworkError)

    /// All stubs, in their order.
    func stubs() -> [Stub]

    /// The stubs that were never taken, in their order.
    func unusedStubs() -> [Stub]

    /// The same, with their places, less what this run has recorded: that was asked for.
    func unusedPlaces() -> [StubPlace]
}

/// Where a recorded stub stands, and what it answers.
struct StubPlace: Sendable {
    /// Its place among the stubs, from 1.
    var number: Int
    /// Its line in the file; `nil` in memory, and for what this run has recorded.
    var line: Int?
    var request: StubRequest
    /// Whether it has answered.
    var isUsed = false
}

/// A recorded exchange on its way into a stub source, and from there into a journal and a stub file.
struct Recording: Sendable {
    /// The stub, with its JSON.
    var entry: StubFileEntry
    /// From `nextPlace()`.
    var place: Int
    /// Whether this run replaces what was recorded before, rather than adding to it.
    var replaces: Bool
    /// Whether an error is kept although the server has not answered once in this run.
    var keepsErrorsAlone: Bool
    var bodyEncoding = BodyEncoding.base64
    /// How many secrets were known when it was redacted.
    var secretCount = 0
    /// By what it is the same as an earlier recording.
    var rules = MergeRules()
    var redaction = RecordingRedaction()

    var stub: Stub { entry.stub }

    /// Whether the stub answers later requests of this run: an error does only where it was recorded on purpose.
    var answersFromNow: Bool { stub.response.head != nil || keepsErrorsAlone }
}

extension Recording {
    init(
        stub: Stub,
        place: Int,
        replaces: Bool,
        keepsErrorsAlone: Bool,
        bodyEncoding: BodyEncoding,
        secretCount: Int = 0,
        rules: MergeRules = MergeRules(),
        redaction: RecordingRedaction = RecordingRedaction()
    ) {
        self.init(
            entry: StubFileEntry(rendering: stub, bodyEncoding: bodyEncoding),
            place: place,
            replaces: replaces,
            keepsErrorsAlone: keepsErrorsAlone,
            bodyEncoding: bodyEncoding,
            secretCount: secretCount,
            rules: rules,
            redaction: redaction
        )
    }
}

/// What keeps secrets out of a recording that has been redacted once.
struct RecordingRedaction: Sendable {
    /// Refuses the bytes that would be written where they hold a secret.
    var check: @Sendable (Data) throws(StubbornNetworkError) -> Void = { _ in }
    /// How many secrets are known by now.
    var secretCount: @Sendable () -> Int = { 0 }
    /// Redacts a stub by all of them.
    var redact: @Sendable (Stub) -> Stub = { $0 }
}

/// What decides which recorded stub answers.
struct PlaybackRules: Sendable {
    /// Changes whenever the matchers or the redaction do, so that an index is built anew only then.
    var generation = 0
    var matchers: RequestMatcherOptions = .standard { didSet { generation += 1 } }
    var redaction: Redaction = .standard { didSet { generation += 1 } }
    var order: PlaybackOrder = .sequenceThenLast
}

/// What is known about a request that no recorded stub answers.
struct LookupDiagnosis: Sendable {
    /// How many stubs there are.
    var count = 0
    /// How many of them are for the request's path, on any host, and how many of these have answered.
    var pathCount = 0
    var usedPathCount = 0
    /// Those that match and are used up.
    var usedUp: [StubPlace] = []
    /// The stub that comes closest.
    var nearest: Nearest?
    /// The request as it was compared, without its secrets.
    var compared: StubRequest?

    struct Nearest: Sendable {
        var place: StubPlace
        var differences: [RequestDifference]
    }
}
