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

    /// A Boolean value that indicates whether `load()` takes little time: the file has been read, or it is small.
    var loadsQuickly: Bool { get }

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

/// An exchange with the real server, from the start of its request until a stub source has stored it.
struct Recording: Sendable {
    /// The number in the order of requests, from `nextRequestNumber()`.
    var requestNumber: Int
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
