import Foundation

extension Engine {
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
                    // A stub of a shared file is neither recorded into the network's own file nor kept there.
                    if isReplacing, sharedStub(for: processed, by: settings.rules) != nil { return nil }
                    if let own = recordedStub(for: processed, by: current) { return own }
                    // While a new file is recorded, the server has to see every request, to accept those that follow.
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
        // A run that records a new file has nothing to compare with.
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
        let mayAnswer = mode.recordedStubs == .answer || mode.playsBackExistingFile
        guard mayAnswer, invalidSetting == nil, (try? loadFiles()) != nil else { return nil }
        guard !mode.isRecording || recorded.existedBeforeRun else { return nil }
        return ([recorded] + shared).flatMap { $0.stubs() }.compactMap(\.recordedAt).max()
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
