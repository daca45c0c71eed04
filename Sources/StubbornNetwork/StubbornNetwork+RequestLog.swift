import Foundation

extension StubbornNetwork {
    /// The requests of this network and their outcomes, in the order in which the requests started.
    ///
    /// Requests that are still running are included.
    public var exchanges: [Exchange] { engine.log.all }

    /// Returns the exchanges whose requests match a pattern.
    ///
    ///     network.exchanges(matching: .path("/login")).count
    public func exchanges(matching pattern: RequestPattern) -> [Exchange] {
        let matchers = requestMatcherOptions
        return exchanges.filter { pattern.match($0.request, options: matchers) != nil }
    }

    /// Waits for a request that matches a pattern, and returns its exchange.
    ///
    ///     button.tap()
    ///     let login = try await network.waitForExchange(matching: .post("https://api.example.com/login"))
    ///     #expect(try login.request.decodedBody(as: Login.self).user == "ada")
    ///
    /// The exchange is returned as soon as the request has arrived; its response may still be on its way, and its `outcome` is
    /// `nil` until then.
    ///
    /// - Parameters:
    ///   - pattern: the requests to wait for.
    ///   - timeout: the longest time to wait; ten seconds by default.
    /// - Returns: the first matching exchange, logged already or later.
    /// - Throws: `StubbornNetworkError.Code.noSuchExchange` after that time, with the requests that were made instead;
    ///   `CancellationError` when the task is cancelled.
    @discardableResult
    public func waitForExchange(
        matching pattern: RequestPattern,
        timeout: DispatchTimeInterval = .seconds(10)
    ) async throws -> Exchange {
        let matchers = requestMatcherOptions
        let found = await engine.log.firstExchange(within: timeout) { exchange in
            pattern.match(exchange.request, options: matchers) != nil
        }
        if let found { return found }
        try Task.checkCancellation()
        throw StubbornNetworkError.noSuchExchange(pattern.description, requests: redactedRequests.map(\.description))
    }

    /// The requests that no stub answered, in the order in which they failed.
    ///
    /// After a redirect, this is the request that the redirect led to.
    public var unstubbedRequests: [StubRequest] { engine.log.unstubbed }

    /// The stubs that this process has recorded: responses and errors, each redirect and each answer to a challenge, in
    /// the order in which the requests started.
    ///
    /// The array is empty if nothing was stored. An error that does not replace a response of the stub file is not
    /// listed.
    public var recordedStubs: [Stub] { engine.recorded.recordedStubs().kept }

    /// The recorded stubs that no request has used, except those that this run recorded.
    ///
    /// In `.recording`, a stub counts as used if its request is sent, and recorded again. The array is empty until the
    /// stub file is read.
    public var unusedStubs: [Stub] { engine.recorded.unusedStubs().map(\.stub) }

    /// The declared stubs that no request has used, in the order of their declaration.
    package var unusedDeclaredStubs: [DeclaredStub] { engine.declared.unused.map(\.handle) }

    /// The numbers of requests so far, by their outcome, and of unused stubs.
    ///
    ///     print(network.summary)      // 12 requests: 10 stubbed, 1 recorded, 1 unstubbed. 3 stubs unused.
    public var summary: RunSummary {
        let unused = engine.recorded.unusedStubs().count + unusedDeclaredStubs.count
        return RunSummary(exchanges.map(\.outcome), unused: unused)
    }

    /// The stubs that no request has used, recorded before declared ones.
    ///
    /// The report on an unstubbed request shows the stub that was meant for it.
    package var unusedStubReports: [UnusedStubReport] {
        let advice = engine.recordingAdvice
        let isRemovedByRecording = advice.unwritableDirectory == nil && !engine.test.withLock(\.keepsUnrequestedStubs)
        let removal = isRemovedByRecording ? advice.fixes("To remove it", mode: .recording) : nil
        let redactor = engine.redactorForReports()
        let recorded = engine.recorded.unusedStubs().map {
            UnusedStubReport($0.name, at: $0.location, redactor, removal: removal)
        }
        let declared = unusedDeclaredStubs.map {
            UnusedStubReport("declared stub \($0.pattern)", at: $0.location, redactor, isDeclared: true)
        }
        return recorded + declared
    }

    /// The handler for unstubbed requests.
    ///
    /// It is called with the whole diagnosis before the request fails, on any thread. It must not block, because other
    /// requests wait for this thread. On Linux, the process crashes if the handler creates, resumes or cancels a task
    /// of any session.
    ///
    /// Without a handler, the default, the diagnosis is written to standard error, once for each method, URL and body.
    /// With a handler, nothing is written. A test's network still fails its test: the handler is called in addition.
    public var onUnstubbedRequest: (@Sendable (UnstubbedRequestReport) -> Void)? {
        get { engine.settings.withLock { $0.onUnstubbedRequest } }
        set { engine.settings.withLock { $0.onUnstubbedRequest = newValue } }
    }
}

extension StubRequest {
    /// Returns the body, decoded from JSON.
    ///
    ///     let login = try exchange.request.decodedBody(as: Login.self)
    ///
    /// - Throws: `StubbornNetworkError.Code.undecodableBody` when there is no body, or the decoder fails. The message
    ///   includes the request and the reason.
    public func decodedBody<Value: Decodable>(
        as type: Value.Type = Value.self,
        decoder: JSONDecoder = JSONDecoder()
    ) throws -> Value {
        do {
            return try decoder.decode(type, from: body ?? Data())
        } catch {
            let cause = body?.isEmpty == false ? error : nil
            throw StubbornNetworkError.undecodableBody(of: Redactor(.standard).shownForm(of: self), type, cause)
        }
    }
}
