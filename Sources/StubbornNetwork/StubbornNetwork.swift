import Foundation

/// A stubbed network: requests go in, stubs come out.
///
/// A network plays back what is declared in code or recorded in a stub file, or records what the real server says. Its
/// sessions are ordinary `URLSession`s; the code that uses them does not change.
///
///     let network = StubbornNetwork(.persistent(name: "testLogin", path: "Stubs")!)
///     network.stub(.get("https://api.example.com/users/42"), with: .json(["id": 42]))
///     let (data, response) = try await network.session.data(from: url)
///
/// Any number of networks live side by side in a process, each with its own stubs for the same URLs. All properties and
/// functions may be used from any thread. A network is freed when nobody holds it or one of its sessions; the recording
/// that it has made comes to its end then.
public final class StubbornNetwork: Sendable {
    /// The network's engine, and the protocol class of its sessions.
    let route: ProtocolRoute
    private let ownSession = Lock<URLSession?>(nil)

    /// A network that keeps its stubs as `configuration` says.
    ///
    /// Nothing is read yet: the stub file is at the first request, or by `loadStubs()`.
    ///
    /// - Parameter environment: the variables that are looked at, `STUB_NAME`, `STUB_PATH`, `STUB_RECORD_MODE` and `CI`
    ///   among them; the process's by default. They are read once.
    public init(
        _ configuration: StubbornNetworkConfiguration,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        route = ProtocolRoute(Engine(configuration, environment: environment))
    }

    var engine: Engine { route.engine }

    private static let standardNetwork = Lock<StubbornNetwork?>(nil)

    /// The process's network, configured by its environment when it is first used. Settable.
    ///
    ///     let session = ProcessInfo.processInfo.testing ? StubbornNetwork.standard.session : .shared
    public static var standard: StubbornNetwork {
        get {
            standardNetwork.withLock { network in
                if let network { return network }
                let made = StubbornNetwork(.environment)
                network = made
                return made
            }
        }
        set { standardNetwork.withLock { $0 = newValue } }
    }

    // MARK: Sessions

    /// A session of this network, without cookies or credentials of earlier runs. The same at every call.
    ///
    /// To make another, ask `makeSession`: a session made from this one's `configuration` is not known to the library, and
    /// when the network has gone another may answer it.
    public var session: URLSession {
        ownSession.withLock { session in
            if let session { return session }
            let made = makeSession()
            session = made
            return made
        }
    }

    /// A new session of this network, which keeps it alive.
    ///
    /// - Parameters:
    ///   - configuration: copied, never changed; `.ephemeral` by default. The session has no URL cache: a stub is its
    ///     own cache. For the way to the real server, proxy and security are those of the network's first session.
    ///   - delegateQueue: a serial queue by default, as in `URLSession`'s initializer.
    public func makeSession(
        configuration: URLSessionConfiguration = .ephemeral,
        delegate: (any URLSessionDelegate)? = nil,
        delegateQueue: OperationQueue? = nil
    ) -> URLSession {
        route.makeSession(configuration: configuration, delegate: delegate, delegateQueue: delegateQueue)
    }

    /// Has the sessions that are made with `configuration` from now on answered by this network.
    ///
    /// Keep the network for as long as they are used: when it has gone their requests fail, saying so. They never reach
    /// another network, nor the real one.
    public func insertStubbedSessionURLProtocol(into configuration: URLSessionConfiguration) {
        route.register(in: configuration)
    }

    // MARK: Recording and playing back

    /// What is done with requests; `.playback` by default.
    ///
    /// Reading it gives the mode in force. `STUB_RECORD_MODE` wins over what is set here. Where `CI` is set and
    /// `STUB_RECORD_MODE` is not, recording modes are `.playback`, and standard error says so once.
    public var recordMode: RecordMode {
        get { engine.recordMode }
        set { engine.setRecordMode(newValue) }
    }

    /// The stub file, whether or not it is there yet; `nil` for a network that keeps its stubs in memory.
    public var stubFile: URL? { engine.recorded.file }

    /// Reads the stub file now rather than at the first request. May be called again; the file is read once.
    ///
    /// - Throws: `StubbornNetworkError`: what is wrong with the environment or the stub file or, in `.playback`, that
    ///   there is none.
    public func loadStubs() throws {
        try engine.load()
    }

    /// Ends the recording run: everything recorded so far is in the stub file and, where everything was recorded anew,
    /// stubs that were not asked for are gone from it.
    ///
    /// The same happens, without a caller to tell what goes wrong, when the network is freed and when the process exits.
    ///
    /// - Throws: `StubbornNetworkError`: what kept a recording from being stored.
    public func finishRecording() throws {
        try engine.recorded.finishRecording()
    }

    /// Has the end of the recording run keep the stubs that were not asked for: the run was not the whole of the test.
    package func keepUnrequestedStubs() {
        engine.recorded.keepUnrequested()
    }

    /// By what recorded requests are matched; `.standard`, method, URL and body, by default.
    public var requestMatcherOptions: RequestMatcherOptions {
        get { engine.settings.withLock { $0.rules.matchers } }
        set {
            engine.settings.withLock { $0.rules.matchers = newValue }
            engine.origins.withLock { $0.matchers = .code }
        }
    }

    /// Which of several matching recorded stubs answers; `.sequenceThenLast` by default.
    public var playbackOrder: PlaybackOrder {
        get { engine.settings.withLock { $0.rules.order } }
        set {
            engine.settings.withLock { $0.rules.order = newValue }
            engine.origins.withLock { $0.order = .code }
        }
    }

    /// Whether the times of a response's parts are recorded; `false` by default.
    public var recordsTiming: Bool {
        get { engine.settings.withLock { $0.recordsTiming } }
        set { engine.settings.withLock { $0.recordsTiming = newValue } }
    }

    /// How fast stubs come whose times were recorded; `.immediate` by default.
    public var playbackSpeed: PlaybackSpeed {
        get { engine.settings.withLock { $0.playbackSpeed } }
        set { engine.settings.withLock { $0.playbackSpeed = newValue } }
    }

    /// How bodies are written; `.base64` by default. All ways are read.
    public var bodyEncoding: BodyEncoding {
        get { engine.settings.withLock { $0.bodyEncoding } }
        set { engine.settings.withLock { $0.bodyEncoding = newValue } }
    }

    /// Header fields that change from answer to answer though nothing has changed, such as `Date`; `.standard` by default.
    ///
    ///     network.volatileHeaderFields = .standard.including("X-Build-Number")
    ///
    /// When everything is recorded again, a stub that differs in these alone keeps its bytes in the stub file, so that the
    /// diff shows what has changed. They are recorded and played back like any other.
    public var volatileHeaderFields: VolatileHeaderFields {
        get { engine.settings.withLock { $0.volatileHeaderFields } }
        set { engine.settings.withLock { $0.volatileHeaderFields = newValue } }
    }

    /// The stub for a request, without a session, at once: delays are left out, redirects are followed.
    ///
    ///     let (data, response) = try network.response(to: request)
    ///
    /// Reads the stub file if it has not been read. The request counts in the log like any other.
    ///
    /// - Throws: the stub's error, if it is one; `StubbornNetworkError` where no stub answers, or where the mode in force
    ///   would ask the real server. Its `callStack` says who asked.
    public func response(to request: URLRequest) throws -> (Data, URLResponse) {
        try engine.response(to: request)
    }

    // MARK: Keeping secrets out

    /// What is replaced before anything is stored; `.standard` by default.
    ///
    /// Set it before the first request: what has been recorded stays as it is, and numbering starts anew.
    public var redaction: Redaction {
        get { engine.settings.withLock { $0.rules.redaction } }
        set { engine.setRedaction(newValue) }
    }

    /// Changes bodies on their way into and out of stubs, before redaction; none by default.
    public var bodyDataProcessor: (any BodyDataProcessor)? {
        get { engine.settings.withLock { $0.bodyDataProcessor } }
        set { engine.settings.withLock { $0.bodyDataProcessor = newValue } }
    }
}
