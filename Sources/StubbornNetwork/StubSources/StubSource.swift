import Foundation

/// Where recorded stubs are kept.
///
/// Conform to it for another place than memory and stub files. The rules, which the contract suite tests for every
/// source: all functions may be called from any thread; a stub that was stored is found from then on; stubs stand in the
/// order in which their requests started; a look-up takes a stub, so that the next equal request gets the next one.
protocol StubSource: AnyObject, Sendable {
    /// The file that the stubs are in; `nil` for a source in memory.
    var file: URL? { get }

    /// A Boolean value that indicates whether `load()` takes little time: the file has been read, or it is small.
    var loadsQuickly: Bool { get }

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

/// An exchange with the real server, from the start of its request until a stub source has stored it.
struct Recording: Sendable {
    /// Its number in the order of requests, from `nextPlace()`.
    var place: Int
    /// The request as the code under test made it.
    var live: StubRequest
    /// The request as it is stored. It is redacted when it starts, so that the numbers of placeholders do not depend on the
    /// order of the responses.
    var request: StubRequest
    /// The response as it is stored; `nil` until the exchange has ended.
    var response: StubResponse?
    /// A Boolean value that indicates whether the run replaces the earlier recordings. Otherwise it adds to them.
    var replaces: Bool
    /// A Boolean value that indicates whether an error is stored although the server has not answered in this run.
    var keepsErrorsAlone: Bool
    /// A Boolean value that indicates whether the times of the response's parts are stored.
    var recordsTiming = false
    var bodyEncoding: BodyEncoding
    /// The processor of the body before redaction.
    var processor: (any BodyDataProcessor)?
    var redactor: Redactor
    /// The number of secrets that the redactor knew when it redacted the response.
    var secretCount = 0
    /// The rules by which the recording equals an earlier one.
    var rules = MergeRules()

    /// The stub that is stored; `nil` until the exchange has ended.
    var stub: Stub? { response.map { Stub(request: request, response: $0) } }

    /// A Boolean value that indicates whether the stub answers later requests of this run. An error does so only if it was
    /// recorded on purpose.
    var answersFromNow: Bool { response?.head != nil || keepsErrorsAlone }

    /// Sets the response: as the body data processor changes it, and redacted.
    mutating func end(with response: StubResponse) {
        var stub = Stub(request: request, response: response)
        if let processor {
            stub.response.changeBody { processor.dataForStoringResponseBody(data: $0, of: live.urlRequest) }
        }
        secretCount = redactor.knownSecretCount
        stub = redactor.redact(stub)
        request = stub.request
        self.response = stub.response
    }
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
