import Foundation

/// The part of a network that sessions use: its stubs, its settings and the decision on each request.
///
/// The facade holds the engine, and so do the sessions that the library makes. The engine holds neither of them.
package final class Engine: Sendable {
    let environment: EnvironmentSettings
    let declared = DeclaredStubs()
    package let recorded: StubSource
    /// The stub files of other tests that answer what the network's own file does not; nothing is recorded into them.
    let shared: [StubSource]
    package let settings: SettingsStore
    let recorder: Recorder
    package let log = RequestLog()
    package let test: Lock<RunningTest>
    let verifier: Verifier

    /// A Boolean value that indicates whether the environment names the stub file.
    let isConfiguredByEnvironment: Bool
    /// The redactor of recordings.
    let redactor: Lock<Redactor>
    /// The redactor that hides the secrets of live requests in reports, and the number of requests that it knows.
    private let reportRedactor: Lock<(redactor: Redactor, count: Int)>
    /// The unstubbed requests that standard error has a report on.
    let reportedRequests = Lock<Set<ReportedRequest>>([])
    /// The requests that are about to be sent, and those that were cancelled and are being stored.
    let pending = PendingWork()
    /// Returns what was replaced, and what was left.
    let redactionReport: @Sendable () -> RedactionReport
    /// The network's entry in the process's run report, if there is a report.
    let report: RunReportEntry?

    /// The error of every request, if a setting is invalid or the network is for no test.
    let invalidSetting: StubbornNetworkError?
    private let hasLearnedPlaceholders = Lock(false)
    /// The JSON of the values that the test has made since the network or its recording began, by their names.
    let madeValues = Lock<[String: Data]>([:])
    /// A Boolean value that indicates whether the test has ended that the network records; nothing more is recorded then.
    let isTestEnded = Lock(false)

    init(
        _ configuration: StubbornNetworkConfiguration,
        environment variables: [String: String],
        refusal: StubbornNetworkError? = nil
    ) {
        let environment = EnvironmentSettings(variables)
        self.environment = environment
        test = Lock(RunningTest(filter: environment.testFilter))
        var settings = NetworkSettings()
        var location: StubFileLocation?
        var sharedLocations: [StubFileLocation] = []
        var problem: StubbornNetworkError?
        var isConfiguredByEnvironment = false
        do throws(InvalidSetting) {
            _ = try environment.recordMode()
            switch configuration.kind {
            case .ephemeral: break
            case .observing: settings.answersUnstubbedRequests = true
            case .persistent(let own, let shared): (location, sharedLocations) = (own, shared)
            case .unusable(let name, let directory): problem = .unusableName(name, inDirectory: directory)
            case .environment:
                isConfiguredByEnvironment = true
                location = try environment.location()
                sharedLocations = try environment.sharedLocations()
            }
            if let location { settings = try NetworkSettings(of: location.directory, environment: variables) }
        } catch {
            problem = StubbornNetworkError(error)
        }
        self.isConfiguredByEnvironment = isConfiguredByEnvironment
        invalidSetting = refusal ?? problem
        let recorded = StubSource(file: location?.file, run: .named(by: environment))
        self.recorded = recorded
        // A test that records a file as its own does not share it.
        let shared = sharedLocations.filter { $0.file != location?.file }
            .map { StubSource(file: $0.file, run: .named(by: environment)) }
        self.shared = shared
        // A stub file of several tests is not recorded whole by some of them.
        if variables == ProcessInfo.processInfo.environment, EnvironmentSettings.runsSomeTests {
            recorded.keepUnrequested()
        }
        recorder = Recorder(recorded)
        let redaction = settings.rules.redaction.knowing(environment: variables)
        settings.rules.redaction = redaction
        if let date = environment.sourceDate { settings.clock = { date } }
        let redactor = Lock(Redactor(redaction))
        self.redactor = redactor
        reportRedactor = Lock((Redactor(redaction), 0))
        self.settings = SettingsStore(settings, environment: environment)
        let mode = self.settings.current.mode
        let verifier = Verifier()
        self.verifier = verifier
        let redactionReport: @Sendable () -> RedactionReport = { redactor.withLock { $0 }.report }
        self.redactionReport = redactionReport
        report = environment.value(.report).map { path in
            RunReportEntry(
                path: path,
                mode: mode,
                recorded,
                shared: shared,
                verified: { verifier.stubs },
                verifier.group,
                redactor,
                redactionReport
            )
        }
    }

    /// Creates an engine that fails every request with an error.
    convenience init(refusingWith error: StubbornNetworkError) {
        self.init(.ephemeral, environment: [:], refusal: error)
    }

    deinit {
        report?.end()
    }

    // MARK: Settings

    /// The mode in force, which may differ from the mode that code has set.
    var recordMode: RecordMode { settings.current.mode }

    func setRecordMode(_ mode: RecordMode) {
        settings.withLock { $0.$recordMode.set(mode) }
        madeValues.withLock { $0 = [:] }
        let inForce = recordMode
        report?.setMode(inForce)
        guard mode.isRecording, inForce == .playback, environment.isContinuousIntegration else { return }
        ContinuousIntegrationWarning.writeOnce(mode)
    }

    func setRedaction(_ redaction: Redaction) {
        let redaction = settings.withLock { settings in
            settings.setRedaction(redaction.knowing(environment: environment.variables))
            return settings.rules.redaction
        }
        let new = Redactor(redaction)
        // The placeholders that this run has used stand for the secrets of before.
        recorded.recordedStubs().kept.forEach(new.learn(fromStored:))
        redactor.withLock { $0 = new }
        hasLearnedPlaceholders.withLock { $0 = false }
        reportRedactor.withLock { $0 = (Redactor(redaction), 0) }
    }

    /// Returns a redactor that knows the secrets of all requests so far, for showing them in reports.
    ///
    /// Comparing a request does not need it: logs are often public.
    func redactorForReports() -> Redactor {
        reportRedactor.withLock { state in
            let requests = log.requests(from: state.count)
            state.count += requests.count
            for request in requests { state.redactor.learn(fromLive: request) }
            return state.redactor
        }
    }

    // MARK: Stubs

    /// Ends the recording run, with the exchanges that clients have cancelled.
    func finishRecording() throws {
        // Storing what a client has cancelled takes a moment after it has seen the end.
        pending.wait()
        madeValues.withLock { $0 = [:] }
        try recorded.finishRecording()
    }

    /// Performs work on another thread, which the end of the recording and the exit of the process wait for.
    func perform(_ quality: DispatchQoS.QoSClass = .default, _ work: @escaping @Sendable () -> Void) {
        Run.endsAtExit
        pending.perform(quality, work)
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

    /// Reads the network's own stub file and those that it shares, which have to exist.
    func loadFiles() throws(StubbornNetworkError) {
        try recorded.load()
        for source in shared {
            try source.load()
            if !source.existed, let file = source.file { throw .sharedStubFileNotFound(file) }
        }
    }

    /// A Boolean value that indicates whether loading the stubs takes little time.
    var loadsQuickly: Bool { recorded.loadsQuickly && shared.allSatisfy(\.loadsQuickly) }

    /// Decides on a request and notes the decision in the request log, in the exchange of this number.
    ///
    /// Reads the stub file if it has not been read. An error in the settings or in the stub file fails the request.
    func decide(_ request: StubRequest, exchange: Int) -> Decision {
        var decision = decide(request, by: settings.current)
        if case .record(var recording) = decision {
            recording.onLeftOut = { [log, report] in
                log.leaveOut(exchange)
                report?.noteLeftOut()
            }
            decision = .record(recording)
        }
        let outcome = decision.outcome
        log.decide(exchange, outcome)
        report?.count(outcome)
        if outcome == .unstubbed { log.noteUnstubbed(request) }
        return decision
    }

    /// Notes the end of an exchange in the request log.
    func end(_ exchange: Int, isAnswered: Bool) {
        log.end(exchange, isAnswered: isAnswered)
        report?.noteEnd()
    }

    private func decide(_ request: StubRequest, by current: SettingsStore.Current) -> Decision {
        if let invalidSetting { return .fail(invalidSetting) }
        let decision = lookUp(request, by: current)
        if current.mode.rules.isRecording, !decision.asksServer {
            // A later response may echo a secret of this request.
            redactor(in: current.mode.rules).learn(fromLive: request)
            recorded.removeLateSecrets()
        }
        guard decision.asksServer, let error = placeholderError(in: request) else { return decision }
        return .fail(error)
    }

    private func lookUp(_ request: StubRequest, by current: SettingsStore.Current) -> Decision {
        let settings = current.settings
        var processed = request
        if let processor = settings.bodyDataProcessor {
            processed.body = processor.dataForStoringRequestBody(data: request.body, of: request.urlRequest)
        }
        let mode = current.mode.rules
        // A declared change of what is recorded.
        var changed: StubResponse?
        do throws(StubbornNetworkError) {
            let decision = try Decision(
                on: processed,
                by: mode,
                declared: {
                    let reply = declared.reply(to: processed, matchers: settings.rules.matchers)
                    guard case .response(let response)? = reply, response.recordedChange != nil else { return reply }
                    changed = response
                    return nil
                },
                stubFileExisted: { () throws(StubbornNetworkError) in
                    try recorded.load()
                    return recorded.existedBeforeRun
                },
                recorded: { () throws(StubbornNetworkError) in
                    try loadFiles()
                    let isReplacing = mode.recordedStubs == .count
                    // What a shared file has is not recorded into the own one, and not kept there.
                    if isReplacing, sharedStub(for: processed, by: settings.rules) != nil { return nil }
                    if let own = recordedStub(for: processed, by: current) { return own }
                    // In a run that records a new file the server answers, so that it accepts the requests that follow.
                    guard !isReplacing, !mode.isRecording || recorded.existedBeforeRun else { return nil }
                    return sharedStub(for: processed, by: settings.rules)
                },
                record: { () throws(StubbornNetworkError) in
                    if isTestEnded.withLock({ $0 }) { throw .testEnded(request.url) }
                    // A stub file that cannot be read is never replaced.
                    try loadFiles()
                    // An observing network sends only what it passes through, whatever the mode.
                    if settings.answersUnstubbedRequests { return .play(.emptyOK(to: processed), isRecorded: false) }
                    var recording = recording(of: request, as: processed, by: current)
                    recording.isShared = sharedStub(for: processed, by: settings.rules) != nil
                    return .record(recording)
                },
                unstubbed: {
                    if settings.answersUnstubbedRequests { return .play(.emptyOK(to: processed), isRecorded: false) }
                    return .fail(unstubbed(processed, mode: current.mode, settings: settings))
                }
            )
            guard case .play(let stub, let isRecorded) = decision else { return decision }
            var delivered = stub
            if let changed, isRecorded { delivered.response = changed.applied(to: stub) }
            if let processor = settings.bodyDataProcessor {
                delivered.response.changeBody {
                    processor.dataForDeliveringResponseBody(data: $0, of: request.urlRequest)
                }
            }
            guard mode.comparesWithServer, isRecorded else {
                // Times that code names are not scaled.
                let hasOwnTimes = changed.map { $0.pace != .immediate } ?? false
                return .play(delivered, isRecorded: isRecorded && !hasOwnTimes)
            }
            return .verify(
                delivered,
                Verification(stub: stub, recording: recording(of: request, as: processed, by: current))
            )
        } catch {
            return .fail(error)
        }
    }

    /// Returns the recorded stub that answers a request, and counts it as used.
    private func recordedStub(for request: StubRequest, by current: SettingsStore.Current) -> Stub? {
        let mode = current.mode.rules
        // Nothing has to be compared in a run that records a new file.
        if mode.order != nil, !recorded.hasEarlierStubs { return nil }
        guard let answer = recorded.answer(to: request, by: current.rules) else { return nil }
        // In a file that a run adds to, a secret keeps its placeholder.
        if mode.addsToFile { redactor(in: mode).adopt(answer.values) }
        return answer.stub
    }

    /// Returns the stub of a shared file that answers a request, and counts it as used.
    private func sharedStub(for request: StubRequest, by rules: PlaybackRules) -> Stub? {
        for source in shared {
            if let stub = source.take(for: request, by: rules) { return stub }
        }
        return nil
    }

    /// The date of the newest recorded stub, in a mode in which recorded stubs answer; `nil` where none has a date.
    var recordingDate: Date? {
        let mode = recordMode.rules
        guard invalidSetting == nil, !mode.passesThrough, (try? loadFiles()) != nil else { return nil }
        let mayAnswer = mode.recordedStubs == .answer || mode.playsBackExistingFile
        guard mayAnswer, !mode.isRecording || recorded.existedBeforeRun else { return nil }
        return ([recorded] + shared).flatMap { $0.stubs() }.compactMap(\.recordedAt).max()
    }

    // MARK: The real server

    /// Returns the error for a request that contains a placeholder for a secret; `nil` for any other request.
    ///
    /// The real server would refuse the placeholder, and its refusal would be recorded.
    func placeholderError(in request: StubRequest) -> StubbornNetworkError? {
        guard let found = PlaceholderSearch.placeholder(in: request) else { return nil }
        let error = StubbornNetworkError.placeholderInRequest(
            request,
            found,
            origin: ([recorded] + shared).lazy.compactMap { $0.stub(giving: found.text) }.first,
            file: recorded.file,
            fixes: recordingAdvice.fixes("To record the test again", mode: .recording)
        )
        if recordMode.rules.isRecording { recorded.noteFailure(error) }
        return error
    }

    /// Asks the real server what a stub was recorded for, and compares the two.
    ///
    /// A request with a placeholder is not sent.
    func verify(_ verification: Verification, _ request: URLRequest, bodyFrom source: RequestBodySource) {
        guard let request = verificationRequest(for: verification, request) else { return }
        let comparison = comparison
        verifier.begin(verification)
        report?.countVerification()
        recorder.receive(request, bodyFrom: source, as: verification.recording) { [verifier, report] received in
            verifier.end(verification, with: received, by: comparison)
            report?.noteVerification()
            verifier.group.leave()
        }
    }

    /// Returns the request with which the real server is asked; `nil` if that has a placeholder, which is noted.
    func verificationRequest(for verification: Verification, _ request: URLRequest) -> URLRequest? {
        let request = settings.current.settings.verificationRequest?(request) ?? request
        if let placeholder = StubRequest(request).flatMap({ PlaceholderSearch.placeholder(in: $0) }) {
            verifier.skip(verification, because: "the request has \(placeholder.text) in a secret's place")
            report?.noteVerification()
            return nil
        }
        return request
    }

    /// Compares recorded responses with those of the real server.
    var comparison: ResponseComparison {
        let settings = settings.current.settings
        return ResponseComparison(
            volatile: settings.volatileHeaderFields,
            ignoredKeys: (settings.rules.matchers.ignored.jsonKeys + settings.volatileJSONKeys).map { JSONKeyPath($0) }
        )
    }

    func recording(
        of request: StubRequest,
        as processed: StubRequest,
        by current: SettingsStore.Current
    ) -> Recording {
        let settings = current.settings
        let mode = current.mode.rules
        let redactor = redactor(in: mode)
        let matchers = settings.rules.matchers
        var ignored = matchers.ignored
        ignored.add(settings.directory.ignoredParts, \.headerFields)
        let start = recorded.startRequest()
        return Recording(
            requestNumber: start.number,
            started: start.time,
            recordedAt: Date(timeIntervalSince1970: settings.clock().timeIntervalSince1970.rounded(.down)),
            live: request,
            request: redactor.redact(processed.sortingCookies),
            replaces: mode.replacesFile,
            keepsErrorsAlone: mode.keepsErrorsAlone,
            recordsTiming: settings.recordsTiming,
            bodyEncoding: settings.bodyEncoding,
            filter: settings.filter,
            processor: settings.bodyDataProcessor,
            redactor: redactor,
            rules: MergeRules(
                volatileHeaderFields: settings.volatileHeaderFields,
                ignored: ignored,
                volatileJSONKeys: settings.volatileJSONKeys,
                bodyEncoding: settings.bodyEncoding,
                key: { matchers.key(of: $0.nameless) },
                generation: settings.rules.generation
            )
        )
    }

    /// Returns the redactor of a recording in a mode.
    ///
    /// In a run that adds to the file it continues the numbers of the placeholders there. A run that replaces the file
    /// starts at 1, so that the same exchanges give the same file.
    private func redactor(in mode: ModeRules) -> Redactor {
        let redactor = redactor.withLock { $0 }
        let learns = hasLearnedPlaceholders.withLock { hasLearned in
            defer { hasLearned = hasLearned || mode.addsToFile }
            return mode.addsToFile && !hasLearned
        }
        if learns { recorded.stubs().forEach(redactor.learn(fromStored:)) }
        return redactor
    }
}

extension StubResponse {
    /// Returns the response of a recorded stub, changed as this declared response says, and at its times if it has any.
    fileprivate func applied(to stub: Stub) -> StubResponse {
        var response = recordedChange?.response(stub) ?? stub.response
        if pace != .immediate { response.pace = pace }
        return response
    }
}

extension Stub {
    /// Returns the stub of an observing network for a request that no stub answers.
    fileprivate static func emptyOK(to request: StubRequest) -> Stub {
        Stub(request: request, response: StubResponse(head: ResponseHead(statusCode: 200)))
    }
}
