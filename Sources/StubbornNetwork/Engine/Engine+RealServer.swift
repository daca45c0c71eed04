import Foundation

// The requests that are sent to the real server, and their recordings.
extension Engine {
    /// Returns the error for a request that contains a placeholder for a secret; `nil` for any other request.
    ///
    /// The real server would refuse the placeholder, and its refusal would be recorded.
    func placeholderError(in request: StubRequest) -> StubbornNetworkError? {
        guard let found = PlaceholderSearch.placeholder(in: withoutPlayedCookies(request)) else { return nil }
        let error = StubbornNetworkError.placeholderInRequest(
            redactorForReports().shownForm(of: request),
            found,
            origin: ([recorded] + shared).lazy.compactMap { $0.stub(giving: found.text) }.first,
            file: recorded.file,
            fixes: fixesToRecordAgain
        )
        if recordMode.rules.isRecording { recorded.writer?.noteFailure(error) }
        return error
    }

    /// Returns a request as the real server gets it: without cookies that are placeholders if the request has other
    /// credentials.
    private func withoutPlayedCookies(_ request: StubRequest) -> StubRequest {
        guard let cookies = request.headerFields["Cookie"], cookies.withBytes(Placeholder.isIn) else { return request }
        var rest = request
        rest.headerFields["Cookie"] = nil
        guard PlaceholderSearch.placeholder(in: rest) == nil, redactor.withLock({ $0 }).redact(rest) != rest else {
            return request
        }
        let kept = cookies.split(separator: ";").filter { !String($0).withBytes(Placeholder.isIn) }
        if !kept.isEmpty {
            rest.headerFields["Cookie"] = kept.joined(separator: ";").trimmingCharacters(in: .whitespaces)
        }
        return rest
    }

    /// Returns a request as the real server gets it.
    ///
    /// - Parameters:
    ///   - request: The request, with the header fields of the session, which were missing when the engine decided.
    ///   - decided: The request on which the engine decided: its body has no placeholder.
    /// - Returns: the request, without cookies that are placeholders.
    /// - Throws: `StubbornNetworkError` for a request that contains a placeholder for a secret.
    func requestForServer(_ request: URLRequest, decided: StubRequest) throws(StubbornNetworkError) -> URLRequest {
        guard let recorded = StubRequest(request) else { return request }
        var unsearched = recorded
        if recorded.body == decided.body { unsearched.body = nil }
        if recorded.headerFields != decided.headerFields { learn(unsearched, in: recordMode.rules) }
        guard PlaceholderSearch.placeholder(in: unsearched) != nil else { return request }
        if let error = placeholderError(in: recorded) { throw error }
        var sent = request
        sent.setValue(withoutPlayedCookies(recorded).headerFields["Cookie"], forHTTPHeaderField: "Cookie")
        return sent
    }

    /// Learns the secrets of a request that is not recorded, or not with these header fields: a later response may repeat them.
    func learn(_ request: StubRequest, in mode: ModeRules) {
        guard mode.asksServer else { return }
        redactor(in: mode).learn(fromLive: request.sortingCookies)
        recorded.writer?.removeLateSecrets()
    }

    /// Returns the recording of a request, without its response.
    func recording(of request: StubRequest, as processed: StubRequest, by current: SettingsStore.Current) -> Recording {
        let settings = current.settings
        let mode = current.mode.rules
        let redactor = redactor(in: mode)
        let start = recorded.startRequest()
        var filter = settings.filter
        if let change = filter.change {
            filter.change = { [self] exchange in inTest { change(exchange) } }
        }
        var recording = Recording(
            requestNumber: start.number,
            started: start.time,
            recordedAt: Date(timeIntervalSince1970: settings.clock().timeIntervalSince1970.rounded(.down)),
            live: request,
            request: redactor.redact(processed.sortingCookies),
            replaces: mode.recordedStubs == .count,
            recordsTiming: settings.recordsTiming,
            filter: filter,
            processor: request.isWebSocket ? nil : settings.bodyDataProcessor,
            redactor: redactor,
            rules: settings.mergeRules
        )
        if mode.comparesWithServer {
            recording.compare = { [received] stub in received.withLock { $0[start.number] = stub } }
        }
        return recording
    }

    /// Returns the redactor of a recording in a mode.
    ///
    /// In a run that adds to the file, it continues the numbers of the placeholders in the file. A run that replaces
    /// the file starts at 1, so that the same exchanges give the same file.
    func redactor(in mode: ModeRules) -> Redactor {
        let redactor = redactor.withLock { $0 }
        guard mode.addsToFile else { return redactor }
        // Requests on other threads wait until all numbers are known.
        hasLearnedPlaceholders.withLock { hasLearned in
            // A declared stub answers before the file is read.
            guard hasLearned.setOnce(), (try? recorded.load()) != nil else { return }
            recorded.stubs().forEach(redactor.learn(fromStored:))
        }
        return redactor
    }
}
