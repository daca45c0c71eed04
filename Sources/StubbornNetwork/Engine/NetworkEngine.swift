import Foundation

/// What stands behind a network: its stubs, its settings, and the decision what becomes of a request.
///
/// Sessions that the library makes hold the engine, never the facade, which may hold the session in turn.
final class NetworkEngine: Sendable {
    /// What becomes of a request, with all that is needed for it.
    enum Decision: Sendable {
        case play(StubResponse, isRecorded: Bool)
        case record(Recorder.Keeping)
        case passThrough
        case fail(any Error)
    }

    let environment: EnvironmentSettings
    let source: CombinedStubSource
    let settings: SettingsStore
    let log = RequestLog()
    let origins = Lock(SettingOrigins())
    let route: ProtocolRoute

    let isConfiguredByEnvironment: Bool
    let redactor: Lock<Redactor>
    let seenSecrets: SeenSecrets
    let written = Lock<Set<WrittenRequest>>([])
    private let hasLearned = Lock(false)
    /// Of the first session that this network answers; without our own protocol class.
    private let sessionConfiguration = Lock<UncheckedTransfer<URLSessionConfiguration>?>(nil)
    private let adoptedCookies = Lock<CookieJar?>(nil)
    private let recorderStorage = Lock<Recorder?>(nil)
    /// This network's part in the process's run report, where there is one.
    let report: RunReportEntry?
    /// Why no request can be answered: a setting that makes no sense.
    private let invalidSetting: StubbornNetworkError?

    init(
        _ configuration: StubbornNetworkConfiguration,
        environment variables: [String: String],
        pool: ProtocolClassPool = .shared
    ) {
        route = ProtocolRoute(pool)
        let environment = EnvironmentSettings(variables)
        self.environment = environment
        var settings = NetworkSettings()
        var location: StubFileLocation?
        var problem: StubbornNetworkError?
        do throws(InvalidSetting) {
            _ = try environment.recordMode()
            switch configuration.kind {
            case .ephemeral: break
            case .observing: settings.answersUnstubbedRequests = true
            case .persistent(let persistent): location = persistent
            case .environment: location = try environment.location()
            }
        } catch {
            problem = StubbornNetworkError(error)
        }
        source = CombinedStubSource(recorded: location.map(PersistentStubSource.init) ?? EphemeralStubSource())
        redactor = Lock(Redactor(settings.rules.redaction, environment: variables))
        seenSecrets = SeenSecrets(settings.rules.redaction, environment: variables)
        settings.rules.redaction = settings.rules.redaction.knowing(environment: variables)
        if case .environment = configuration.kind {
            isConfiguredByEnvironment = true
        } else {
            isConfiguredByEnvironment = false
        }
        self.settings = SettingsStore(settings, environment: environment)
        invalidSetting = problem
        let mode = (try? environment.modeInForce(requested: settings.recordMode)) ?? settings.recordMode
        report = environment.value(.report).map { RunReportEntry(path: $0, mode: mode, stubFile: location?.file) }
        report?.setUnused { [recorded = source.recorded] in recorded.unusedStubs().map(\.request.description) }
    }

    deinit {
        report?.end()
        route.giveBack()
    }

    /// The mode in force, whatever code asks for.
    var recordMode: RecordMode { settings.current.mode }

    func setRecordMode(_ mode: RecordMode) {
        settings.withLock { $0.recordMode = mode }
        let inForce = recordMode.rawValue
        report?.note { $0.mode = inForce }
        origins.withLock { $0.recordMode = .code }
        guard mode.isRecording, recordMode == .playback, environment.isContinuousIntegration else { return }
        ContinuousIntegrationWarning.giveOnce(mode)
    }

    func setRedaction(_ redaction: Redaction) {
        settings.withLock { $0.rules.redaction = redaction.knowing(environment: environment.variables) }
        redactor.withLock { $0 = Redactor(redaction, environment: environment.variables) }
        seenSecrets.begin(redaction)
    }

    /// Has the real server asked as a session of this configuration would: by its proxy, its timeouts, its security.
    ///
    /// - Parameter copy: makes a copy that nobody else holds. Called for the first session alone, which counts.
    func adopt(_ copy: () -> URLSessionConfiguration) {
        sessionConfiguration.withLock { adopted in
            guard adopted == nil else { return }
            let configuration = copy()
            adoptedCookies.withLock { $0 = CookieJar(configuration) }
            adopted = UncheckedTransfer(configuration)
        }
    }

    /// The cookies of the first session.
    var cookies: CookieJar? { adoptedCookies.withLock { $0 } }

    /// The way to the real server, made when it is first needed.
    var recorder: Recorder {
        recorderStorage.withLock { recorder in
            if let recorder { return recorder }
            let configuration = sessionConfiguration.withLock { $0 }?.value ?? .ephemeral
            let made = Recorder(server: RealServer(configuration))
            recorder = made
            return made
        }
    }

    /// Reads the stubs, as far as the mode needs them.
    ///
    /// - Throws: what is wrong with the environment, the stub file or, in playback, that there is none.
    func load() throws {
        if let invalidSetting { throw invalidSetting }
        try source.recorded.load()
        guard recordMode == .playback, let file = source.recorded.file, !source.recorded.existed else { return }
        throw StubbornNetworkError.stubFileNotFound(file)
    }

    /// Decides what becomes of a request. Reads the stub file if it has not been read.
    func decide(_ request: StubRequest, exchange: Int) -> Decision {
        let decision = decide(request, by: settings.current)
        note(decision, of: request, exchange: exchange)
        return decision
    }

    /// Has the request log tell what was decided.
    func note(_ decision: Decision, of request: StubRequest, exchange: Int) {
        let outcome = decision.outcome
        log.decide(exchange, outcome)
        report?.note { $0.count(outcome) }
        if outcome == .unstubbed { log.noteUnstubbed(request) }
    }

    /// Has the run report count a request that a stub has answered.
    func noteServed() {
        report?.note { $0.served += 1 }
    }

    /// The decision alone, of which the request log does not know.
    func decide(_ request: StubRequest, by current: SettingsStore.Current) -> Decision {
        if let invalidSetting { return .fail(invalidSetting) }
        var processed = request
        if let processor = current.settings.bodyDataProcessor {
            processed.body = processor.dataForStoringRequestBody(data: request.body, of: request.urlRequest)
        }
        do throws(StubbornNetworkError) {
            let (disposition, found) = try source.decide(processed, mode: current.mode, rules: current.settings.rules)
            var answer = found
            if answer == nil, disposition == .fail || current.mode == .recordingMissing,
                let known = seenSecrets.form(of: processed, in: log),
                let stub = source.recorded.take(for: known, by: current.settings.rules)
            {
                // It holds a secret that an earlier request has told, where no rule would look for one.
                answer = CombinedStubSource.Answer(response: stub.response, isRecorded: true)
            }
            if let answer {
                return .play(delivered(answer.response, to: request, by: current), isRecorded: answer.isRecorded)
            }
            switch disposition {
            case .record:
                // An observing network never asks the real server, whatever the mode.
                if current.settings.answersUnstubbedRequests { break }
                return .record(keeping(request, stored: processed, mode: current.mode, settings: current.settings))
            case .passThrough: return .passThrough
            case .playDeclared, .playRecorded, .fail: break
            }
        } catch {
            return .fail(error)
        }
        if current.settings.answersUnstubbedRequests {
            return .play(StubResponse(head: ResponseHead(statusCode: 200)), isRecorded: false)
        }
        return .fail(unstubbed(processed, mode: current.mode, settings: current.settings))
    }

    /// A stub's response with the body that the body data processor, if there is one, makes of it.
    private func delivered(
        _ response: StubResponse,
        to request: StubRequest,
        by current: SettingsStore.Current
    ) -> StubResponse {
        guard let processor = current.settings.bodyDataProcessor else { return response }
        var response = response
        response.body = processor.dataForDeliveringResponseBody(data: response.body, of: request.urlRequest)
        return response
    }

    private func keeping(
        _ request: StubRequest,
        stored: StubRequest,
        mode: RecordMode,
        settings: NetworkSettings
    ) -> Recorder.Keeping {
        let recorded = source.recorded
        let redactor = redactor.withLock { $0 }
        if mode == .recordingMissing { learnPlaceholders(redactor) }
        let requestNumber = recorded.nextRequestNumber()
        // Redacted as it starts, so that numbers do not depend on which response comes first.
        let stored = redactor.redact(stored)
        return Recorder.Keeping(request: stored, recordsTiming: settings.recordsTiming) { stub, completion in
            var stub = stub
            if let processor = settings.bodyDataProcessor {
                stub.response.body = processor.dataForStoringResponseBody(
                    data: stub.response.body,
                    of: request.urlRequest
                )
            }
            let secretCount = redactor.knownSecretCount
            let redaction = settings.rules.redaction
            let recording = Recording(
                stub: redactor.redact(stub),
                requestNumber: requestNumber,
                replaces: mode != .recordingMissing,
                keepsErrorsAlone: mode == .recording,
                bodyEncoding: settings.bodyEncoding,
                secretCount: secretCount,
                rules: MergeRules(
                    volatileHeaderFields: settings.volatileHeaderFields,
                    requestForm: redaction.matchingForm(of:),
                    stubForm: redaction.namelessForm(of:)
                ),
                redaction: RecordingRedaction(
                    check: redactor.scan,
                    secretCount: { redactor.knownSecretCount },
                    redact: redactor.redact
                )
            )
            recorded.store(recording) { completion($0) }
        }
    }

    /// What is added to a file goes on behind the placeholders that are in it. What replaces a file begins anew, so that the
    /// same recording comes out the same.
    private func learnPlaceholders(_ redactor: Redactor) {
        let isFirst = hasLearned.withLock { hasLearned in
            defer { hasLearned = true }
            return !hasLearned
        }
        guard isFirst else { return }
        for stub in source.recorded.stubs() { redactor.learn(fromStored: stub) }
    }
}

extension NetworkEngine.Decision {
    fileprivate var outcome: Exchange.Outcome {
        switch self {
        case .play: .stubbed
        case .record: .recorded
        case .passThrough: .passedThrough
        case .fail(let error as StubbornNetworkError) where error.isAboutMissingStub: .unstubbed
        case .fail: .failed
        }
    }
}

extension RunReport.Network {
    /// Counts a request by what has been decided about it. Unstubbed ones are counted with their diagnosis.
    fileprivate mutating func count(_ outcome: Exchange.Outcome) {
        switch outcome {
        case .stubbed: served += 1
        case .recorded:
            recorded += 1
            networkAttempts += 1
        case .passedThrough:
            passedThrough += 1
            networkAttempts += 1
        case .unstubbed: break
        case .failed: failed += 1
        }
    }
}
