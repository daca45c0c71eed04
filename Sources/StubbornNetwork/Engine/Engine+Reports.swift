import Foundation

extension Engine {
    /// The listener that gets the reports on unstubbed requests of networks without a handler; `nil` for standard error.
    static let unstubbedRequestListener = Lock<(@Sendable (_ report: String) -> Void)?>(nil)

    /// Returns the error that the client receives for an error of its exchange.
    ///
    /// A request that was not cancelled in time is reported like one that no stub answers.
    package func clientError(_ error: any Error, of request: StubRequest) -> any Error {
        guard error is NotCancelledInTime else { return error }
        log.noteUnstubbed(request)
        return inTest { [self] in unstubbed(request, by: settings.current, cause: .notCancelled) }
    }

    /// Reports an unstubbed request and returns the error that it fails with.
    ///
    /// If the cause is `nil`, it is determined here. A frame of a web socket is compared with those of the socket, in `frames`.
    package func unstubbed(
        _ request: StubRequest,
        by current: SettingsStore.Current,
        cause: UnstubbedRequestReport.Cause? = nil,
        among frames: StubSource? = nil
    ) -> StubbornNetworkError {
        let redactor = redactorForReports()
        let rules = current.settings.rules
        let subject = PatternSubject(
            ParsedRequest(request),
            options: rules.matchers,
            placeholders: rules.placeholders,
            redact: redactor.shownForm(of:)
        )
        let shown = subject.shown.request
        let report = UnstubbedRequestReport(
            UnstubbedLookup(
                request: request,
                shown: shown,
                mode: current.modeInForce,
                rules: rules,
                recorded: (frames.map { [$0] } ?? [recorded] + shared).reduce(into: LookupDiagnosis()) { sum, source in
                    sum.add(source.diagnose(request, shown: shown, by: rules))
                },
                shared: shared.compactMap(\.file),
                declared: request.isOnlyRecorded ? DeclaredDiagnosis() : declared.diagnose(subject),
                existed: recorded.existed,
                advice: recordingAdvice,
                isNeverRecorded: current.settings.filter.excludesHost(of: request),
                redact: redactor.redact(text:),
                knownCause: cause
            )
        )
        let isReported = send(report, on: request, to: current.settings)
        updateReport { $0.unstubbed = report }
        return .unstubbedRequest(report, url: shownURL(of: request), isReported: isReported)
    }

    /// Returns the URL of a request as reports show it, for an error about the request.
    func shownURL(of request: StubRequest) -> URL { redactorForReports().shownForm(of: request).url }

    /// Sends a report to the handlers; without one, to the listener or else to standard error.
    ///
    /// - Returns: A Boolean value that indicates whether the listener got the report.
    private func send(_ report: UnstubbedRequestReport, on request: StubRequest, to settings: NetworkSettings) -> Bool {
        let handlers = [settings.onUnstubbedRequestOfTest, settings.onUnstubbedRequest].compactMap(\.self)
        handlers.forEach { $0(report) }
        guard handlers.isEmpty else { return false }
        let listener = Self.unstubbedRequestListener.withLock { $0 }
        listener?(report.description)
        if listener == nil, isFirst(request) { StandardError.write(report.description) }
        return listener != nil
    }

    /// The ways to record with this network.
    var recordingAdvice: RecordingAdvice {
        RecordingAdvice(
            file: recorded.file,
            environment: environment,
            isConfiguredByEnvironment: isConfiguredByEnvironment,
            test: test.withLock { $0 }
        )
    }

    /// The ways to record the network's test again.
    package var fixesToRecordAgain: [UnstubbedRequestReport.Fix] {
        recordingAdvice.fixes("To record the test again", mode: .recording)
    }

    /// Returns a Boolean value that indicates whether no report on a request has been written to standard error yet.
    ///
    /// An app that repeats a request is reported once.
    private func isFirst(_ request: StubRequest) -> Bool {
        let key = RequestMatcherOptions.standard.key(of: request)
        return reportedRequests.withLock { reported in
            if reported.count >= 1_000 { reported = [] }
            return reported.insert(key).inserted
        }
    }

    // MARK: The run report

    /// Appends a line to the run report, if anything has changed since the previous line.
    ///
    /// The line is in the file before the client sees the outcome, so a kill loses no request that a client saw answered.
    func updateReport(_ exchange: Int? = nil, _ event: (inout RunReport.Line) -> Void = { _ in }) {
        guard let file = report else { return }
        file.state.withLock { state in
            var line = RunReport.Line(number: file.number, mode: recordMode, unstubbedCount: log.unstubbed.count)
            line.exchange = exchange
            line.outcome = exchange.flatMap(log.decision)
            let counts = line
            let (used, stored) = recorded.recorded.withLock { stubs in
                defer { stubs.unreported = ([], []) }
                return stubs.unreported
            }
            line.used = used.isEmpty ? nil : used
            // The end of the recording decides which errors are kept.
            let kept = stored.filter { !$0.response.endsWithError }
            let report = RecordingReport(recorded: kept, redactor: redactor.withLock { $0 })
            line.stored = kept.isEmpty ? nil : report.lines
            let byteCount = recorded.byteCount
            if byteCount != state.byteCount { line.network = reportedNetwork }
            event(&line)
            if line.unstubbed != nil, state.unstubbedCount.increment() > RunReport.maximumCount { line.unstubbed = nil }
            if line != state.last { file.append(line) }
            (state.last, state.byteCount) = (counts, byteCount)
        }
    }

    /// Adds the whole network: it begins or ends, its recording has ended, or the process exits.
    func reportNetwork() { updateReport { $0.network = reportedNetwork } }

    private var reportedNetwork: RunReport.Network {
        let unused = recorded.unusedStubs()
        let (kept, lost) = recorded.recordedStubs()
        let redactor = redactor.withLock { $0 }
        let report = RecordingReport(recorded: kept, discarded: lost, file: recorded.file, redactor: redactor)
        var network = RunReport.Network(mode: recordMode)
        network.test = test.withLock { $0.filter }
        network.file = recorded.file?.path
        network.pathInPackage = network.file.flatMap(StubDirectorySettings.pathInPackage)
        network.fileByteCount = recorded.byteCount
        network.shared = shared.map { source in
            let path = source.file?.path ?? ""
            let package = StubDirectorySettings.pathInPackage(of: path)
            let unused = source.unusedStubs().map(\.position)
            return .init(file: path, pathInPackage: package, fileByteCount: source.byteCount, unusedPositions: unused)
        }
        network.recorded = report.lines
        network.recordingReport = report.description.isEmpty ? nil : report.description
        network.redaction = redactor.report == RedactionReport() ? nil : redactor.report
        network.verification = network.mode == .verifying ? verify() : nil
        network.unused = unused.prefix(RunReport.maximumCount).map(\.request.description)
        network.unusedPositions = unused.map(\.position)
        return network
    }
}
