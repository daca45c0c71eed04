import Foundation

// The requests that are sent to the real server, and their recordings.
extension Engine {
    /// Returns the error for a request that contains a placeholder for a secret; `nil` for any other request, and where the
    /// server can be asked for the secret.
    ///
    /// The real server would refuse the placeholder, and its refusal would be recorded.
    func placeholderError(in request: StubRequest, asksLogins: Bool = true) -> StubbornNetworkError? {
        guard let found = PlaceholderSearch.placeholder(in: live(request)) else { return nil }
        let played = asksLogins ? logins.withLock(\.played) : []
        if played.contains(where: { PlaceholderSearch.contains(found.text, in: $0.stub.response) }) { return nil }
        let error = StubbornNetworkError.placeholderInRequest(
            request,
            found,
            origin: ([recorded] + shared).lazy.compactMap { $0.stub(giving: found.text) }.first,
            file: recorded.file,
            fixes: recordingAdvice.fixes("To record the test again", mode: .recording)
        )
        if recordMode.rules.isRecording { recorded.writer?.noteFailure(error) }
        return error
    }

    /// Notes a stub that answers in a run which adds to its file, if it gives placeholders to later requests.
    func noteLogin(_ stub: Stub, _ recording: @autoclosure () -> Recording) {
        let hasPlaceholder = stub.response.texts.contains { $0.data.withBytes(Placeholder.isIn) }
        if hasPlaceholder { logins.withLock { $0.played.append(Verification(stub: stub, recording: recording())) } }
    }

    /// Returns a request as the real server gets it: with the live secrets that are known, and without cookies that are
    /// placeholders if it has credentials of its own.
    func live(_ request: StubRequest) -> StubRequest {
        guard PlaceholderSearch.placeholder(in: request) != nil else { return request }
        let request = verifier.withSecrets(request)
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

    /// Performs work with a request in which live secrets are in the places of placeholders.
    ///
    /// If it has any, the real server is first asked, by `login`, for what the run has played, such as a login: the response
    /// has the secrets. The work is done behind that, on another thread.
    func addSecrets(
        to request: URLRequest,
        from login: @escaping Recorder.Connection,
        _ work: @escaping @Sendable (Result<URLRequest, StubbornNetworkError>) -> Void
    ) {
        guard let recorded = StubRequest(request), PlaceholderSearch.placeholder(in: recorded) != nil else {
            return work(.success(request))
        }
        // The header fields of the session were not there when the engine decided.
        if let error = placeholderError(in: recorded) { return work(.failure(error)) }
        let played = logins.withLock { logins in
            defer { logins.askedCount = logins.played.count }
            return logins.played.dropFirst(logins.askedCount)
        }
        for verification in played { verify(verification, verification.recording.live.urlRequest, by: login) }
        perform(on: verifier.queue) { [self] in
            if let error = placeholderError(in: recorded, asksLogins: false) { return work(.failure(error)) }
            work(.success(request.sending(live(recorded))))
        }
    }

    /// Asks the real server for the same as a recorded stub answers, and compares the two responses.
    ///
    /// The request is sent with live values. One in which a placeholder is left is not sent.
    func verify(_ verification: Verification, _ request: URLRequest, by connection: @escaping Recorder.Connection) {
        let request = settings.current.settings.verificationRequest?(request) ?? request
        let stub = verification.stub
        guard !stub.response.waitsToBeCancelled || stub.response.head != nil, let recorded = StubRequest(request) else {
            return skip(verification, because: "the client cancelled it before the server answered")
        }
        verifier.begin(verification, recorded) { [self] live in
            guard let live = live.map(self.live) else {
                return skip(verification, because: "the request changes something, and may name another thing now")
            }
            if let placeholder = PlaceholderSearch.placeholder(in: live) {
                return skip(verification, because: "the request has \(placeholder.text) in place of a secret")
            }
            report?.countVerification()
            let count = verification.cancelledByteCount
            recorder.receive(request.sending(live), by: connection, cancelledAfter: count) { [self] received in
                verifier.end(verification, with: received)
                report?.noteVerification()
            }
        }
    }

    /// Notes that the real server is not asked for the same as a recorded stub answers.
    func skip(_ verification: Verification, because reason: String) {
        verifier.skip(verification, because: reason)
        report?.noteVerification()
    }

    /// Returns the recording of a request, without its response.
    func recording(
        of request: StubRequest,
        as processed: StubRequest,
        by current: SettingsStore.Current
    ) -> Recording {
        let settings = current.settings
        let mode = current.mode.rules
        let redactor = redactor(in: mode)
        let start = recorded.startRequest()
        return Recording(
            requestNumber: start.number,
            started: start.time,
            recordedAt: Date(timeIntervalSince1970: settings.clock().timeIntervalSince1970.rounded(.down)),
            live: request,
            request: redactor.redact(processed.sortingCookies),
            replaces: mode.recordedStubs == .count,
            keepsErrorsAlone: mode.recordedStubs == .count,
            recordsTiming: settings.recordsTiming,
            filter: settings.filter,
            processor: settings.bodyDataProcessor,
            redactor: redactor,
            rules: settings.mergeRules
        )
    }

    /// Returns the redactor of a recording in a mode.
    ///
    /// In a run that adds to the file it continues the numbers of the placeholders there. A run that replaces the file
    /// starts at 1, so that the same exchanges give the same file.
    func redactor(in mode: ModeRules) -> Redactor {
        let redactor = redactor.withLock { $0 }
        if mode.addsToFile, hasLearnedPlaceholders.withLock({ $0.setOnce() }) {
            recorded.stubs().forEach(redactor.learn(fromStored:))
        }
        return redactor
    }
}

extension URLRequest {
    /// Returns the request with the URL, the header fields and the body of another one.
    fileprivate func sending(_ other: StubRequest) -> URLRequest {
        var request = self
        request.url = other.url
        request.allHTTPHeaderFields = other.headerFields.combined
        if other.headerFields["Cookie"] == nil { request.setValue(nil, forHTTPHeaderField: "Cookie") }
        if other.body != nil { request.httpBody = other.body }
        return request
    }
}
