import Foundation

/// Functions for the testing product only.
extension StubbornNetwork {
    /// A Boolean value that indicates whether a request of `URLSession.shared` is assigned to the task that starts it.
    package static var tellsSharedSessionTasksApart: Bool { SharedSessionHook.asksOnceInTask }

    /// Reports every unstubbed request of `URLSession.shared`, and of networks without a handler, to one listener.
    ///
    /// Requests of `URLSession.shared` that no interception handles fail from now on. With `nil` they reach the real
    /// server again.
    ///
    /// - Parameter listener: called with the diagnosis, in the context of the request.
    package static func watchUnstubbedRequests(_ listener: (@Sendable (String) -> Void)?) {
        Engine.unstubbedRequestListener.withLock { $0 = listener }
        SharedSessionInterceptions.shared.install()
    }

    /// Reports an unstubbed request in the same way as a request of a network without a handler.
    package static func reportUnhandled(_ report: String) {
        let listener = Engine.unstubbedRequestListener.withLock { $0 }
        listener?(report) ?? StandardError.write(report)
    }

    /// Changes settings, and notes their origin: `the closure of .stubbed at LoginTests.swift:12`.
    package func changeSettings(as origin: String, _ body: () throws -> Void) rethrows {
        try SettingOrigin.$ofCode.withValue("set by \(origin)", operation: body)
    }

    /// Sets the names of the running test, for the advice in reports.
    ///
    /// - Parameters:
    ///   - filter: The test, in the form for `swift test --filter`.
    ///   - target: The code that makes the settings.
    ///   - mayShareFile: A Boolean value that indicates whether other tests may use the stub file. If so, a run of this
    ///     test removes nothing from it.
    package func setTest(filter: String, target: AdviceTarget = .network, mayShareFile: Bool = false) {
        engine.test.withLock { test in
            (test.filter, test.target) = (filter, target)
            if mayShareFile { test.keepsUnrequestedStubs = true }
        }
    }

    /// The report on the recordings so far, in which secrets that were recognized later are redacted too.
    package var recordingReport: RecordingReport {
        let recorded = engine.recorded.recordedStubs()
        return RecordingReport(
            recorded: recorded.kept,
            discarded: recorded.discarded,
            leftOutCount: engine.log.leftOutCount,
            file: stubFile,
            mayHideContinuousIntegration: engine.environment.mayHideContinuousIntegration,
            redactor: engine.redactor.withLock { $0 }
        )
    }

    /// The identities of the stubs in the file before the first recording; `nil` before it.
    package var identitiesBeforeRecording: [UInt64]? { engine.recorded.writer?.identitiesBeforeRecording }

    /// Sets the functions of the network's test.
    ///
    /// - Parameters:
    ///   - reportUnstubbed: called for each unstubbed request, before the handler that code sets; `nil` if none is reported.
    ///   - fail: fails the test with a text.
    package func setTest(
        reportUnstubbed: (@Sendable (UnstubbedRequestReport) -> Void)?,
        fail: @escaping @Sendable (String) -> Void
    ) {
        engine.settings.withLock { settings in
            (settings.onUnstubbedRequestOfTest, settings.onFailureOfTest) = (reportUnstubbed, fail)
        }
    }

    /// Sets the context in which the network runs the user's code; `nil` for the context of the calling thread.
    package func setContext(_ context: TestContext?) { engine.testContext.withLock { $0 = context } }

    /// Fails the requests that the test still holds, and returns the messages.
    package func failHeldRequests() -> [String] {
        engine.holds.withLock { $0.takeAll() }.compactMap { holds in
            holds.endTest { engine.redactorForReports().shownForm(of: $0) }
        }
    }

    /// Removes the cookies that responses of this network have put into the storage that all sessions share, unless another
    /// test has replaced them.
    package func removeSharedCookies() {
        let cookies = engine.sharedCookies.withLock { $0.takeAll() }
        let stored = HTTPCookieStorage.shared.cookies ?? []
        // Not by `==`, because a storage may contain copies.
        let identity = { (cookie: HTTPCookie) in [cookie.name, cookie.value, cookie.domain, cookie.path] }
        let ours = Set(cookies.map(identity))
        stored.filter { ours.contains(identity($0)) }.forEach(HTTPCookieStorage.shared.deleteCookie)
    }

    /// Writes all recorded stubs, and keeps unused stubs, because the test has failed.
    ///
    /// An old stub in the place of the response that the test failed with would hide the cause.
    package func noteFailedTest() {
        keepUnrequestedStubs()
        engine.recorded.writer?.noteFailedTest()
    }

    /// Completes the stub file with the recordings of this process, because the test runs again.
    package func beginAgain() { if let stubFile { engine.recorded.run.beginAgain(stubFile) } }

    /// Ends the recording of requests: those that start later fail, and the real server is not called.
    package func endTest() { engine.isTestEnded.withLock { $0 = true } }

    /// Waits until cancelled exchanges are stored, for ten seconds at most.
    package func waitForPendingWork() async { await engine.pending.end() }

    /// The requests in the order in which they started, with secrets redacted by the network's rules.
    package var redactedRequests: [StubRequest] {
        // While recording, the placeholders are the same as in the stub file, as during playback. Otherwise a new redactor numbers
        // them in the order of the requests.
        let redactor =
            recordMode.isRecording
            ? engine.redactor.withLock { $0 } : Redactor(redaction, environment: engine.environment.variables)
        return exchanges.map { exchange in
            redactor.redact(Stub(request: exchange.request, response: .status(200))).request
        }
    }
}

extension StubRequest {
    /// The URL as the matchers compare it: in one spelling, its query items sorted.
    package var comparableURL: String { URLParts(url).comparable.text }
}

extension JSONValue {
    /// The value as indented text, keys sorted, with a line feed at its end.
    package var indentedText: Data {
        var writer = JSONWriter(.indented(level: 0))
        writer.value(self)
        return writer.output + Data("\n".utf8)
    }

    /// Returns the differences from an expected value by key path, which begins with `part`, one line each:
    /// `body.user.name: expected "Ada", was "Eve"`.
    package func differences(from expected: JSONValue, in part: String) -> [String] {
        JSONDifference.all(expected, self, in: part).map { difference in
            let texts = difference.texts
            return "\(difference.part.cut()): expected \(texts.old ?? "none"), was \(texts.new ?? "none")"
        }
    }
}
