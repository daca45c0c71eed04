import Foundation

/// The part of a network that sessions use: its stubs, its settings and the decision on each request.
///
/// The facade holds the engine, and so do the sessions that the library makes. The engine holds neither of them.
package final class Engine: Sendable {
    package let environment: EnvironmentSettings
    let declared = DeclaredStubs()
    package let recorded: StubSource
    /// The stub files of other tests, for requests that the network's own file does not answer; nothing is recorded
    /// into them.
    let shared: [StubSource]
    package let settings: SettingsStore
    let recorder: Recorder
    package let log = RequestLog()
    package let test: Lock<RunningTest>
    /// The exchanges of `.verifying`, by the numbers of their requests.
    let received = Lock<[Int: Stub]>([:])
    /// Runs code in the context of the network's test; `nil` if the network belongs to no test.
    package let testContext = Lock<TestContext?>(nil)
    /// The holds of the test, the earliest first.
    let holds = Lock<[HeldRequests]>([])
    /// The cookies that responses of this network have put into the storage that all sessions share.
    let sharedCookies = Lock<[HTTPCookie]>([])

    /// A Boolean value that indicates whether the environment specifies the stub file.
    let isConfiguredByEnvironment: Bool
    /// The redactor of recordings.
    let redactor: Lock<Redactor>
    /// The redactor for the secrets of live requests in reports, and the number of requests that it knows.
    private let reportRedactor: Lock<(redactor: Redactor, count: Int)>
    /// The keys, by the standard matchers, of the unstubbed requests that were reported on standard error.
    let reportedRequests = Lock<Set<UInt64>>([])
    /// The requests that are about to be sent, and those that were cancelled and are being stored.
    let pending = PendingWork()
    /// The process's run report, if there is one.
    let report: RunReportFile?

    /// The error that every request fails with, if a setting is invalid or the network belongs to no test.
    let invalidSetting: StubbornNetworkError?
    let hasLearnedPlaceholders = Lock(false)
    /// The JSON of the values that the test has made since the network or its recording began, by their names.
    let madeValues = Lock<[String: Data]>([:])
    /// A Boolean value that indicates whether the test that the network records has ended.
    ///
    /// Nothing is recorded afterwards.
    let isTestEnded = Lock(false)

    init(_ configuration: StubbornNetworkConfiguration, environment variables: [String: String]) {
        let environment = EnvironmentSettings(variables)
        self.environment = environment
        test = Lock(RunningTest(filter: environment.testFilter))
        var settings = NetworkSettings()
        // The network's own stub file is the first one.
        var locations: [StubFileLocation] = []
        var problem: StubbornNetworkError?
        var replacements: [String: String] = [:]
        do throws(StubbornNetworkError) {
            _ = try environment.recordMode()
            replacements = try environment.replacements()
            switch configuration.kind {
            case .ephemeral: break
            case .observing: settings.answersUnstubbedRequests = true
            case .persistent(let all): locations = all
            case .unusable(let error): problem = error
            case .environment: locations = try environment.locations()
            }
            if let own = locations.first { settings = try NetworkSettings(of: own.directory, environment: variables) }
            locations = locations.map(environment.copy)
        } catch {
            problem = error
        }
        isConfiguredByEnvironment = if case .environment = configuration.kind { true } else { false }
        invalidSetting = problem
        let owner = locations.first?.file
        let source = { (location: StubFileLocation?) -> StubSource in
            let replacement = location.flatMap { replacements[$0.file.path] }
            return StubSource(file: location?.file, of: owner, playing: replacement, run: .named(by: environment))
        }
        let recorded = source(locations.first)
        self.recorded = recorded
        // A test that owns the file does not share it.
        shared = locations.dropFirst().filter { $0.file != recorded.file }.map(source)
        // A test that shares a stub file may record only a part of it.
        if variables == ProcessInfo.processInfo.environment, EnvironmentSettings.runsSomeTests {
            recorded.writer?.keepUnrequested()
        }
        recorder = Recorder(recorded)
        let redaction = settings.rules.redaction.knowing(environment: variables)
        settings.rules.redaction = redaction
        if let date = environment.sourceDate { settings.clock = { date } }
        redactor = Lock(Redactor(redaction))
        reportRedactor = Lock((Redactor(redaction), 0))
        self.settings = SettingsStore(settings, environment: environment)
        report = environment.value(.report).map(RunReportFile.init)
        guard let report else { return }
        reportNetwork()
        Run.atExit { [weak self] in
            self?.reportNetwork()
            report.append(RunReport.Line(number: report.number, hasExited: true))
        }
    }

    /// Creates an engine that fails every request with an error.
    convenience init(refusingWith error: StubbornNetworkError) {
        self.init(StubbornNetworkConfiguration(kind: .unusable(error)), environment: [:])
    }

    deinit { reportNetwork() }

    // MARK: Settings

    /// The mode in force, which may differ from the mode that code has set.
    var recordMode: RecordMode { settings.current.mode }

    func setRecordMode(_ mode: RecordMode) {
        settings.withLock { $0.$recordMode.set(mode) }
        madeValues.withLock { $0 = [:] }
        updateReport()
        guard mode.isRecording, recordMode == .playback, environment.isContinuousIntegration else { return }
        StandardError.writeOnce(.notRecorded(by: mode))
    }

    func setRedaction(_ redaction: Redaction) {
        let redaction = settings.withLock { settings in
            settings.setRedaction(redaction.knowing(environment: environment.variables))
            return settings.rules.redaction
        }
        let new = Redactor(redaction)
        // The placeholders that this run has used already stand for other secrets.
        recorded.recordedStubs().kept.forEach(new.learn(fromStored:))
        redactor.withLock { $0 = new }
        hasLearnedPlaceholders.withLock { $0 = false }
        reportRedactor.withLock { $0 = (Redactor(redaction), 0) }
    }

    /// Returns a redactor that knows the secrets of all requests so far, for showing them in reports; in a recording, those of the
    /// responses, too.
    ///
    /// Comparing a request does not need it: logs are often public.
    package func redactorForReports() -> Redactor {
        let mode = recordMode.rules
        if mode.isRecording { return redactor(in: mode) }
        return reportRedactor.withLock { state in
            let new = log.all.dropFirst(state.count)
            state.count += new.count
            for exchange in new { state.redactor.learn(fromLive: exchange.request) }
            return state.redactor
        }
    }

    // MARK: Stubs

    /// Ends the recording run, with the exchanges that clients have cancelled.
    ///
    /// If later tests may also record into the file, it is written now only if enough is new. Everything else stays in the
    /// journals until the process exits.
    package func finishRecording(mayWriteLater: Bool = false) throws {
        // Storing a cancelled exchange takes a moment after the client has seen its end. In playback nothing is stored, and the
        // body of a cancelled request may never end.
        let isRecording = rules(of: recordMode).isRecording || recorded.writer?.isRecording == true
        if !pending.wait(), isRecording, let file = recorded.file {
            recorded.writer?.noteFailure(.stubFile(file, cannotBe: .written, .late))
        }
        madeValues.withLock { $0 = [:] }
        defer { reportNetwork() }
        try recorded.finishRecording(mayWriteLater: mayWriteLater)
    }

    /// Compares the stub files with the server's responses so far, in `.verifying`.
    func verify() -> VerificationReport {
        let redactor = redactor.withLock { $0 }
        // A secret that only a later request shows is replaced first, as in a recording.
        let stubs = received.withLock { $0 }.sorted { $0.key < $1.key }.map { redactor.redactAgain($0.value) }
        return recorded.verificationReport(shared: shared, of: stubs, settings.current.settings.mergeRules)
    }

    /// Performs work on another thread.
    ///
    /// The end of the recording and the exit of the process wait for this work.
    func perform(on queue: DispatchQueue = .global(), _ work: @escaping @Sendable () -> Void) {
        Run.endsAtExit
        pending.perform(on: queue, work)
    }

    /// Reads the stubs that the mode needs.
    ///
    /// - Throws: the error in the environment or in the stub file. In playback, an error if there is no stub file.
    func load() throws {
        if let invalidSetting { throw invalidSetting }
        try loadFiles()
        guard recordMode.rules.requiresFile, let file = recorded.file, !recorded.existed, shared.isEmpty else { return }
        throw StubbornNetworkError.stubFileNotFound(file)
    }

    /// Reads the network's own stub file and its shared files, which must exist.
    ///
    /// A recording continues without a missing shared file, because its test may be recorded at the same time. The end
    /// of the recording reports the missing file.
    func loadFiles() throws(StubbornNetworkError) {
        try recorded.load()
        for source in shared {
            try source.load()
            guard !source.existed, let file = source.file else { continue }
            let isRecording = rules(of: recordMode).isRecording
            let error = StubbornNetworkError.sharedStubFileNotFound(file, isRecording: isRecording)
            guard isRecording else { throw error }
            recorded.writer?.noteFailure(error)
        }
    }

    /// Returns the rules of a mode after the stub file has been read: the rules of playback, if the mode plays back a file that
    /// existed.
    func rules(of mode: RecordMode) -> ModeRules {
        mode.rules.playsBackExistingFile && recorded.existedBeforeRun ? RecordMode.playback.rules : mode.rules
    }

    /// A Boolean value that indicates whether loading the stubs takes little time.
    var loadsQuickly: Bool { recorded.loadsQuickly && shared.allSatisfy(\.loadsQuickly) }

    /// Runs the user's code in the context of the network's test, on this thread.
    func inTest<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result {
        guard let context = testContext.withLock({ $0 }) else { return body() }
        let result = Lock<Result?>(nil)
        context {
            let value = body()
            result.withLock { $0 = value }
        }
        // A context runs the code before it returns, even after the end of its test.
        return result.withLock { $0 } ?? body()
    }

    /// Notes the end of an exchange in the request log.
    func end(_ exchange: Int, isAnswered: Bool, with response: URLResponse? = nil) {
        log.end(exchange, isAnswered: isAnswered, with: response)
        updateReport(exchange)
    }
}

/// A function that runs code with the task-local values of a test, on the calling thread.
package typealias TestContext = @Sendable (_ body: @escaping @Sendable () -> Void) -> Void
