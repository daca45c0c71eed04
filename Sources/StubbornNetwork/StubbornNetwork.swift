import Foundation

/// A network that answers requests with stubs.
///
/// It plays back stubs that are declared in code or recorded in a stub file, or records the responses of the real
/// server. Its sessions are ordinary `URLSession`s, so your code doesn't change.
///
///     let network = StubbornNetwork(.persistent(named: "testLogin", in: "Stubs"))
///     network.stub(.get("https://api.example.com/users/42"), with: .json(["id": 42]))
///     let (data, response) = try await network.session.data(from: url)
///
/// A process may use any number of networks, each with its own stubs for the same URLs. All properties and functions
/// may be used from any thread. A network is freed when nothing refers to it or to one of its sessions; its recording
/// run ends then. On Apple's platforms, a session that is not invalidated may never be freed. Call `finishRecording()`
/// to end the run; it also ends when the process exits.
public final class StubbornNetwork: Sendable {
    /// The network's engine, and the protocol class of its sessions.
    let route: ProtocolRoute
    private let ownSession = Lock<URLSession?>(nil)

    /// Creates a network.
    ///
    /// The stub file is read at the first request, or when you call `loadStubs()`.
    ///
    /// - Parameters:
    ///   - configuration: the storage of the stubs.
    ///   - environment: the variables to use, such as `STUB_NAME`, `STUB_PATH`, `STUB_RECORD_MODE` and `CI`; those of
    ///     the process by default. They are read once.
    public init(
        _ configuration: StubbornNetworkConfiguration,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        route = ProtocolRoute(Engine(configuration, environment: environment))
    }

    /// Creates a network that fails every request with an error, whatever stubs are declared in it.
    package init(refusingWith error: StubbornNetworkError) {
        route = ProtocolRoute(Engine(refusingWith: error))
    }

    package var engine: Engine { route.engine }

    private static let standardNetwork = Lock<StubbornNetwork?>(nil)

    /// The process's network, configured by the environment at its first use.
    ///
    /// It can be replaced.
    ///
    ///     let session = ProcessInfo.processInfo.testing ? StubbornNetwork.standard.session : .shared
    public static var standard: StubbornNetwork {
        get {
            standardNetwork.withLock { network in
                network.orSet {
                    let new = StubbornNetwork(.environment)
                    new.engine.test.withLock { $0.target = .standard }
                    return new
                }
            }
        }
        set { standardNetwork.withLock { $0 = newValue } }
    }

    // MARK: Sessions

    /// A session of this network; every call returns the same one.
    ///
    /// It has no cookies or credentials from earlier runs.
    ///
    /// Create other sessions with `makeSession`, not from this session's `configuration`: such a session does not keep
    /// the network alive. When the network has been freed, its requests fail with
    /// `StubbornNetworkError.Code.networkGone`.
    public var session: URLSession {
        ownSession.withLock { $0.orSet { makeSession() } }
    }

    /// Returns a new session of this network.
    ///
    /// - Parameters:
    ///   - configuration: the configuration, which is copied; `.ephemeral` by default. The session has no URL cache.
    ///     Requests to the real server use the proxy and security settings of the network's first session.
    ///   - delegate: the session's delegate.
    ///   - delegateQueue: a serial queue by default, as in `URLSession`'s initializer.
    /// - Returns: the session, which keeps the network alive.
    public func makeSession(
        configuration: URLSessionConfiguration = .ephemeral,
        delegate: (any URLSessionDelegate)? = nil,
        delegateQueue: OperationQueue? = nil
    ) -> URLSession {
        route.makeSession(configuration: configuration, delegate: delegate, delegateQueue: delegateQueue)
    }

    // MARK: Recording and playing back

    /// The record mode in force; `.playback` by default.
    ///
    /// `STUB_RECORD_MODE` overrides a mode that is set here. When `CI` is set and `STUB_RECORD_MODE` is not, a
    /// recording mode becomes `.playback`, with one warning on standard error.
    public var recordMode: RecordMode {
        get { engine.recordMode }
        set { engine.setRecordMode(newValue) }
    }

    /// The stub file, which may not exist yet; `nil` for a network that keeps its stubs in memory.
    public var stubFile: URL? { engine.recorded.file }

    /// Reads the stub file now rather than at the first request.
    ///
    /// Further calls do nothing.
    ///
    /// - Throws: `StubbornNetworkError` for an invalid environment, for a stub file that cannot be read and, in
    ///   `.playback`, for one that does not exist.
    public func loadStubs() throws {
        try engine.load()
    }

    /// Ends the recording: writes everything recorded so far to the stub file.
    ///
    /// In `.recording`, stubs that no request used stay in the file until the process exits, because other tests may still
    /// use them.
    ///
    /// The recording also ends when the network is freed or the process exits, but then no error can be thrown.
    ///
    /// - Throws: `StubbornNetworkError` when a recording could not be stored.
    public func finishRecording() throws {
        try engine.finishRecording()
    }

    /// Keeps unused stubs when the recording run ends, because the run was not the whole test.
    package func keepUnrequestedStubs(_ keeps: Bool = true) {
        engine.recorded.writer?.keepUnrequested(keeps)
        engine.test.withLock { $0.keepsUnrequestedStubs = keeps }
    }

    /// The matchers that compare a live request with recorded ones; `.standard`, which is method, URL and body, by
    /// default.
    public var requestMatcherOptions: RequestMatcherOptions {
        get { engine.settings.withLock { $0.rules.matchers } }
        set { engine.settings.withLock { $0.setMatchers(newValue) } }
    }

    /// The order in which matching recorded stubs answer; `.sequenceThenLast` by default.
    public var playbackOrder: PlaybackOrder {
        get { engine.settings.withLock { $0.rules.order } }
        set { engine.settings.withLock { $0.rules.$order.set(newValue) } }
    }

    /// A Boolean value that indicates whether the timing of responses is recorded; `false` by default.
    public var recordsTiming: Bool {
        get { engine.settings.withLock { $0.recordsTiming } }
        set { engine.settings.withLock { $0.recordsTiming = newValue } }
    }

    /// The speed at which stubs with recorded timing are played; `.immediate` by default.
    public var playbackSpeed: PlaybackSpeed {
        get { engine.settings.withLock { $0.playbackSpeed } }
        set { engine.settings.withLock { $0.playbackSpeed = newValue } }
    }

    /// The time that a request waits to be cancelled, if the client cancelled it when it was recorded; two seconds by default.
    ///
    /// Everything that had arrived is delivered first. A request that is not cancelled within this time fails with an
    /// explanatory error, or earlier at its own timeout.
    public var cancellationTimeout: DispatchTimeInterval {
        get { engine.settings.withLock { $0.cancellationTimeout } }
        set { engine.settings.withLock { $0.cancellationTimeout = newValue } }
    }

    /// The encoding of bodies in the stub file; `.base64` by default.
    ///
    /// Every encoding can be read.
    public var bodyEncoding: BodyEncoding {
        get { engine.settings.withLock { $0.bodyEncoding } }
        set { engine.settings.withLock { $0.bodyEncoding = newValue } }
    }

    /// The header fields that differ between responses with the same content, such as `Date`; `.standard` by default.
    ///
    ///     network.volatileHeaderFields = .standard.including("X-Build-Number")
    ///
    /// A stub that is recorded again and differs only in these fields keeps its bytes in the stub file, so that the
    /// diff shows only what changed. The fields are recorded and played back like any other.
    public var volatileHeaderFields: VolatileHeaderFields {
        get { engine.settings.withLock { $0.volatileHeaderFields } }
        set { engine.settings.withLock { $0.setVolatileHeaderFields(newValue) } }
    }

    /// The key paths of JSON members that differ between responses with the same content, such as `generatedAt`; empty
    /// by default.
    ///
    ///     network.volatileJSONKeyPaths = ["generatedAt", "items.updatedAt"]
    ///
    /// A stub that is recorded again and differs only in these members keeps its bytes in the stub file. The members
    /// are recorded and played back like any other. Dots separate the keys of a path. A path passes through arrays.
    public var volatileJSONKeyPaths: [String] {
        get { engine.settings.withLock { $0.volatileJSONKeyPaths } }
        set { engine.settings.withLock { $0.setVolatileJSONKeyPaths(newValue) } }
    }

    /// Sets the live value of a placeholder in recorded stubs.
    ///
    ///     network.bind("REDACTED-api_key-2", to: key)
    ///
    /// A placeholder stands for any value. Requests that differ only in placeholders are answered in the recorded
    /// order, until a request shows the live value of a placeholder. With this call, the value is known from the
    /// beginning. If two users send the same request with different keys, each gets the response that was recorded for
    /// that user. Placeholders in shared stub files are also set.
    ///
    /// - Parameters:
    ///   - placeholder: The placeholder, as it is in the stub file.
    ///   - value: The value that the code under test sends in its place.
    public func bind(_ placeholder: String, to value: String) {
        for source in [engine.recorded] + engine.shared {
            source.recorded.withLock { $0.bind(placeholder, to: value) }
        }
    }

    /// Returns the stub for a request, without a session and without delays.
    ///
    /// Redirects are followed.
    ///
    ///     let (data, response) = try network.response(to: request)
    ///
    /// The stub file is read if necessary, and the request is logged like any other.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - file: the file of the caller, for the error.
    ///   - line: the line of the caller, for the error.
    /// - Returns: the body and the response.
    /// - Throws: the error of a stub that fails; `StubbornNetworkError` when no stub answers, or when the mode in force
    ///   would call the real server. Its message shows the file and line of this call.
    public func response(
        to request: URLRequest,
        file: StaticString = #fileID,
        line: UInt = #line
    ) throws -> (Data, URLResponse) {
        try engine.response(to: request, caller: "\(file):\(line)")
    }

    // MARK: Verifying

    /// Returns the differences between the stub file and the real server's current responses, in `.verifying`.
    ///
    /// Exchanges that have not ended are not included. In any other mode, the report is empty.
    public func verificationReport() async -> VerificationReport { engine.verify() }

    // MARK: Keeping secrets out

    /// The rules for secrets, which are replaced before anything is stored; `.standard` by default.
    ///
    /// Set it before the first request. Stubs that have been recorded already do not change, and placeholders are
    /// numbered from 1 again.
    public var redaction: Redaction {
        get { engine.settings.withLock { $0.rules.redaction } }
        set { engine.setRedaction(newValue) }
    }

    /// The report on the redaction of this network's recordings.
    ///
    /// It lists what was replaced, and what looks random and was kept.
    ///
    ///     print(network.redactionReport)
    ///     // 1 field was replaced:
    ///     //   request header Authorization, token (headers): GET https://api.example.com/me, REDACTED-token-1
    ///
    /// Read it before you commit a recording. It starts over when you set `redaction`.
    public var redactionReport: RedactionReport { engine.redactor.withLock { $0 }.report }

    /// The date of the newest recorded stub; `nil` if no recorded stub has a date.
    ///
    /// Use it as the clock of the code under test.
    ///
    ///     let now = network.recordingDate ?? Date()
    ///
    /// It is also `nil` in `.live` and `.verifying`, and while a file is recorded from the start. The getter reads the
    /// stub file if necessary. An error in the file is reported at the first request.
    public var recordingDate: Date? { engine.recordingDate }

    /// The filter for recorded exchanges, which returns the exchange, changed or unchanged, or `nil` to leave it out.
    ///
    ///     network.recordingFilter = { exchange in exchange.response?.statusCode == 429 ? nil : exchange }
    ///
    /// It is called when an exchange with the real server has ended, before redaction, on any thread. The client still
    /// gets the server's response. An exchange that is left out counts as passed through, and no stub answers its
    /// request on playback. With a filter, a stream is stored when it has ended. If the filter changes a request, a
    /// live request must equal the changed one. Without a filter, everything is recorded except what the stub
    /// directory's settings exclude.
    public var recordingFilter: (@Sendable (RecordedExchange) -> RecordedExchange?)? {
        get { engine.settings.withLock { $0.recordingFilter } }
        set { engine.settings.withLock { $0.recordingFilter = newValue } }
    }

    /// The processor that changes bodies before they are redacted and stored, and before they are delivered; none by default.
    public var bodyDataProcessor: (any BodyDataProcessor)? {
        get { engine.settings.withLock { $0.bodyDataProcessor } }
        set { engine.settings.withLock { $0.bodyDataProcessor = newValue } }
    }
}
