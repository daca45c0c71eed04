import Foundation

extension Engine {
    /// Decides on a request and notes the decision in the request log, in the exchange with this number; a value has
    /// none.
    ///
    /// Reads the stub file if it has not been read. An error in the settings or in the stub file fails the request.
    func decide(_ request: StubRequest, exchange: Int? = nil) -> Decision {
        let decision = inTest { [self] in decide(request, exchange, by: settings.current) }
        let outcome = decision.outcome
        guard let exchange else { return decision }
        log.decide(exchange, outcome)
        // The end of the run forgets the error.
        updateReport(exchange) { $0.recordingError = outcome == .failed ? recorded.writer?.error?.message : nil }
        return decision
    }

    private func decide(_ request: StubRequest, _ exchange: Int?, by current: SettingsStore.Current) -> Decision {
        if let invalidSetting { return .fail(invalidSetting) }
        // A value contains no secrets, and its bodies are not processed. The frames of a web socket are not a body.
        let isValue = request.valueName != nil
        var processor = current.settings.bodyDataProcessor
        if processor != nil, isValue || request.isWebSocket { processor = nil }
        var processed = request
        if let processor {
            processed.body = processor.dataForStoringRequestBody(data: request.body, of: request.urlRequest)
        }
        var decision: Decision
        do throws(StubbornNetworkError) {
            decision = try lookUp(processed, live: request, exchange, by: current)
        } catch {
            if error.isAboutMissingStub { log.noteUnstubbed(request) }
            decision = .fail(error)
        }
        if let processor, case .play(var response, let isRecorded) = decision {
            let body = processor.dataForDeliveringResponseBody(data: response.body, of: request.urlRequest)
            response.replaceBody(with: body)
            decision = .play(response, isRecorded: isRecorded)
        }
        if isValue { return decision }
        // The redactor has the secrets of a request that is recorded.
        if decision.outcome != .recorded { learn(request, in: current.mode.rules) }
        guard decision.asksServer, let error = placeholderError(in: request) else { return decision }
        return .fail(error)
    }

    /// Finds the source that answers a request, in the order of priority: the mode, the declared stubs, the recorded
    /// stubs, and finally the action of the mode for a request that no stub answers.
    ///
    /// A lookup may read the stub file, and marks the stub that it finds as used, so needless lookups are avoided.
    private func lookUp(
        _ request: StubRequest,
        live: StubRequest,
        _ exchange: Int?,
        by current: SettingsStore.Current
    ) throws(StubbornNetworkError) -> Decision {
        var mode = current.mode.rules
        let playback = current.settings.rules
        if mode.passesThrough { return .passThrough }
        // A declared change of a recorded response.
        var change: StubResponse?
        switch declared.reply(to: request, matchers: playback.matchers, placeholders: playback.placeholders) {
        case .passThrough?: return .passThrough
        case .response(let response)? where response.recordedChange == nil:
            return .play(response, isRecorded: false)
        case .response(let response)?: change = response
        case nil: break
        }
        if mode.playsBackExistingFile {
            try recorded.load()
            mode = rules(of: current.mode)
        }
        // A shared stub that is found counts as used, so it is searched for once.
        lazy var isShared = sharedStub(for: request, by: playback) != nil
        // A value that is found answers in each mode. While a file is replaced, only the run's values are found.
        if request.valueName != nil { mode.recordedStubs = .answer }
        switch mode.recordedStubs {
        case .ignore: break
        case .count:
            try loadFiles()
            // The stub counts as used. A stub of a shared file is not kept in the network's own file.
            if !isShared { _ = recorded.answer(to: request, by: current.rules) }
        case .answer:
            if let stub = try recordedStub(for: request, by: current) { return Self.play(stub, changedBy: change) }
        }
        if mode.asksServer {
            if isTestEnded.withLock({ $0 }) { throw .testEnded(shownURL(of: live)) }
            // A stub file that cannot be read is never replaced.
            try loadFiles()
        }
        // An observing network sends only requests that match a pass-through rule, regardless of the mode.
        if current.settings.answersUnstubbedRequests {
            let response = StubResponse(head: ResponseHead(statusCode: 200))
            return request.valueName == nil ? .play(response, isRecorded: false) : .passThrough
        }
        guard mode.asksServer else {
            log.noteUnstubbed(live)
            return .fail(unstubbed(request, by: current))
        }
        var recording = recording(of: live, as: request, by: current)
        recording.onLeftOut = { [self] in
            guard let exchange else { return }
            log.leaveOut(exchange)
            updateReport(exchange)
        }
        recording.isShared = isShared
        return .record(recording)
    }

    /// Returns the decision to play a recorded stub with a declared change.
    private static func play(_ stub: Stub, changedBy change: StubResponse?) -> Decision {
        var response = change?.recordedChange?(stub) ?? stub.response
        guard let pace = change?.pace, pace != .immediate else { return .play(response, isRecorded: true) }
        // Times that code specifies are not scaled.
        response.pace = pace
        return .play(response, isRecorded: false)
    }

    /// Returns the recorded stub that answers a request, from the network's own file or a shared file, and counts it as
    /// used.
    private func recordedStub(
        for request: StubRequest,
        by current: SettingsStore.Current
    ) throws(StubbornNetworkError) -> Stub? {
        try loadFiles()
        if let name = request.valueName { return value(named: name, by: rules(of: current.mode)) }
        let mode = current.mode.rules
        if let answer = recorded.answer(to: request, by: current.rules) {
            // If a run adds to a file, a secret keeps its placeholder.
            if mode.addsToFile { redactor(in: mode).adopt(answer.values) }
            return answer.stub
        }
        // While a new file is recorded, the server must see every request, so that it accepts later ones.
        guard !mode.isRecording || recorded.existedBeforeRun else { return nil }
        return sharedStub(for: request, by: current.settings.rules)
    }

    /// Returns the recorded value of a name, and counts it as used.
    ///
    /// A run that replaces the file makes its own values. Values of shared files are not replaced.
    private func value(named name: String, by mode: ModeRules) -> Stub? {
        let isReplacing = mode.isRecording && !mode.addsToFile
        for source in [recorded] + shared {
            let isOfRun = isReplacing && source === recorded
            if let stub = source.recorded.withLock({ $0.takeValue(named: name, isOfRun: isOfRun) }) { return stub }
        }
        return nil
    }

    /// Returns the stub of a shared file that answers a request, and counts it as used.
    private func sharedStub(for request: StubRequest, by rules: PlaybackRules) -> Stub? {
        if request.valueName != nil { return nil }
        for source in shared {
            if let stub = source.take(for: request, by: rules) { return stub }
        }
        return nil
    }

    /// The date of the newest recorded stub, in a mode in which recorded stubs answer; `nil` if none has a date.
    var recordingDate: Date? {
        guard invalidSetting == nil, !recordMode.rules.passesThrough, (try? loadFiles()) != nil else { return nil }
        let mode = rules(of: recordMode)
        guard mode.recordedStubs == .answer, !mode.isRecording || recorded.existedBeforeRun else { return nil }
        return ([recorded] + shared).flatMap { $0.stubs() }.compactMap(\.recordedAt).max()
    }
}

/// The action to take for a request.
enum Decision: Sendable {
    /// Play the response of a stub.
    case play(StubResponse, isRecorded: Bool)
    /// Send the request to the real server and store the exchange.
    indirect case record(Recording)
    /// Send the request to the real server and store nothing.
    case passThrough
    /// Fail the request. Nothing is sent.
    case fail(StubbornNetworkError)

    /// A Boolean value that indicates whether the request is sent to the real server.
    var asksServer: Bool { [.recorded, .passedThrough].contains(outcome) }

    /// The outcome of the request in the request log, if the request is answered.
    var outcome: Exchange.Outcome {
        switch self {
        case .play: .stubbed
        case .record(let recording): recording.isShared ? .passedThrough : .recorded
        case .passThrough: .passedThrough
        case .fail(let error): error.isAboutMissingStub ? .unstubbed : .failed
        }
    }
}
