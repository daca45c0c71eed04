import Foundation

/// What becomes of a request that nothing answers.
extension NetworkEngine {
    func unstubbed(_ request: StubRequest, mode: RecordMode, settings: NetworkSettings) -> StubbornNetworkError {
        let report = report(on: request, mode: mode, settings: settings)
        if let handler = settings.onUnstubbedRequest {
            handler(report)
        } else if let tell = UnstubbedRequestWatch.tell {
            tell(report.description, [])
        } else if isFirst(request) {
            StandardError.write(report.description)
        }
        self.report?.add(report)
        let shown = seenSecrets.redactor(in: log).matchingForm(of: request).url
        return .unstubbedRequest(report, url: shown)
    }

    private func report(
        on request: StubRequest,
        mode: RecordMode,
        settings: NetworkSettings
    ) -> UnstubbedRequestReport {
        let redactor = mode == .playback ? seenSecrets.redactor(in: log) : redactor.withLock { $0 }
        let shown = redactor.matchingForm(of: request)
        let recorded = source.recorded.diagnose(shown, by: settings.rules)
        let declared = source.declared.diagnose(
            request,
            shown: shown,
            matchers: settings.rules.matchers,
            redact: redactor.matchingForm(of:)
        )
        let origins = origins.withLock { $0 }
        return UnstubbedRequestReport(
            UnstubbedLookup(
                request: request,
                mode: mode,
                settings: settings.rules,
                recorded: recorded,
                declared: declared,
                file: source.recorded.file,
                existed: source.recorded.existed,
                origins: origins,
                modeOrigin: environment.originOfMode(requested: settings.recordMode, origins.recordMode),
                environment: isConfiguredByEnvironment ? environment : nil,
                redact: redactor.redact(text:),
                shown: shown
            )
        )
    }

    /// Whether a request has not been written about: an app that tries again and again says one thing.
    private func isFirst(_ request: StubRequest) -> Bool {
        written.withLock { written in
            if written.count >= 1_000 { written = [] }
            return written.insert(WrittenRequest(request)).inserted
        }
    }
}

/// What tells the requests apart that standard error is written about.
struct WrittenRequest: Hashable {
    let method: String
    let url: URLParts
    let body: Data?

    init(_ request: StubRequest) {
        method = request.method
        url = URLParts(request.url)
        body = request.body
    }
}
