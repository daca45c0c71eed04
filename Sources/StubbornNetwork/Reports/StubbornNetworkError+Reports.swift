import Foundation

extension StubbornNetworkError {
    /// The diagnosis, for a request that no stub answers; `nil` for any other error.
    public var report: UnstubbedRequestReport? { detail as? UnstubbedRequestReport }

    /// Returns the error that an unstubbed request fails with; `url` is without secrets.
    ///
    /// The message is short if a test has already failed with the whole report.
    static func unstubbedRequest(_ report: UnstubbedRequestReport, url: URL, isReported: Bool = false) -> Self {
        let code: Code =
            switch report.cause {
            case .notCancelled: .notCancelled
            case .noStubFile: .stubFileNotFound
            default: .unstubbedRequest
            }
        let text = isReported ? UnstubbedRequestReport.shortText(of: report.description) : report.description
        return Self(code, text, url: url, file: report.file.map { URL(fileURLWithPath: $0) }, detail: report)
    }

    /// Returns the error for a request of `URLSession.shared` that no network intercepts, and for which a test has failed.
    static func withoutInterception(_ request: URLRequest) -> Self {
        let text = UnstubbedRequestReport.textWithoutInterception(of: request)
        let shown = StubRequest(request).map { Redactor(.standard, environment: [:]).shownForm(of: $0) }
        return Self(.unstubbedRequest, UnstubbedRequestReport.shortText(of: text), url: shown?.url)
    }

    /// Returns the error for a request of `URLSession.shared` that could be for any of the interceptions in force.
    static func ambiguousInterception(_ url: URL?, inForce names: [String]) -> Self {
        let report = UnstubbedRequestReport(ambiguous: url.map(name) ?? "no URL", inForce: names)
        return Self(.ambiguousInterception, report.description, url: url, detail: report)
    }

    /// Returns the error for a live request that contains a placeholder, with the stub that contained the placeholder
    /// first.
    static func placeholderInRequest(
        _ request: StubRequest,
        _ found: PlaceholderSearch.Found,
        origin: StubSummary?,
        file: URL?,
        fixes: [UnstubbedRequestReport.Fix]
    ) -> Self {
        let source = origin.map { stub in
            let location = stub.location.map { " (\($0))" } ?? ""
            return "It is from stub \(stub.position), \(stub.request.method) \(name(stub.request.url))\(location)."
        }
        let message = """
            \(request.method) \(name(request.url)) was not sent to the real server: its \(found.part.cut()) contains \
            \(found.text.cut()), which takes the place of a secret in a recording. \
            \(source ?? "No stub of this network contains it: the code under test has kept it from an earlier run.")
            \(fixes.lines.joined(separator: "\n"))
            """
        return Self(.placeholderInRequest, message, url: request.url, file: file)
    }
}
