import Foundation

extension StubbornNetworkError {
    /// The errors for requests that no stub source is asked about.
    static func networkGone(_ url: URL?) -> Self {
        Self(
            .networkGone,
            """
            The network that \(url.map(name) ?? "this request")'s session was configured with is gone, so nothing can \
            answer it. The real server was not asked. Keep the StubbornNetwork for as long as the session is used.
            """,
            url: url
        )
    }

    static func unsupportedRequest(_ url: URL?) -> Self {
        guard let url else {
            return Self(.unsupportedRequest, "The request has no URL. Give it an http or https URL.")
        }
        let reason =
            switch (url.scheme?.lowercased(), url.host) {
            case (nil, _): "its URL has no scheme"
            case ("http", _), ("https", _): "its URL has no host"
            case (let scheme?, _): "stubs answer http and https, not \(scheme)"
            }
        return Self(
            .unsupportedRequest,
            """
            The request for "\(name(url))" was refused: \(reason). The real server was not asked. Give the request an \
            absolute http or https URL.
            """,
            url: url
        )
    }

    static func unreadableBody(_ url: URL) -> Self {
        Self(
            .unsupportedTask,
            """
            The body of the upload to \(name(url)) cannot be read: this version of Foundation keeps it to itself. Sending \
            the request without it would be wrong. Use a data task with `httpBody`.
            """,
            url: url
        )
    }

    static func stubFileNotFound(_ file: URL) -> Self {
        let directory = file.deletingLastPathComponent()
        let isThere = FileManager.default.fileExists(atPath: directory.path)
        return Self(
            .stubFileNotFound,
            """
            There is no stub file at \(file.relativeDisplayPath)\(isThere ? "" : "; nor is there its directory"). To record \
            it, run again with STUB_RECORD_MODE=recording-missing.
            """,
            file: file
        )
    }

    /// Whether the error says that no stub answers a request.
    var isAboutMissingStub: Bool { code == .unstubbedRequest || code == .stubFileNotFound }

    static func needsServer(_ url: URL, mode: RecordMode) -> Self {
        Self(
            .unstubbedRequest,
            """
            No stub answers \(name(url)), and in the mode \(mode.rawValue) the real server would be asked, which takes a \
            session. Ask through network.session, or play back.
            """,
            url: url
        )
    }

    static func statusCodeOutOfRange(_ statusCode: Int, _ url: URL) -> Self {
        Self(
            .invalidStub,
            "The stub for \(name(url)) has the status code \(statusCode). Give it one from 0 to 999.",
            url: url
        )
    }

    static func nothingToAnswerWith(_ url: URL) -> Self {
        Self(
            .invalidStub,
            "The stub for \(name(url)) has neither a response nor an error. Give it one of them.",
            url: url
        )
    }

    /// A URL for a text: bounded, without user, password and query.
    static func name(_ url: URL) -> String {
        var components = URLComponents(url: url, resolvingAgainstBaseURL: false)
        components?.user = nil
        components?.password = nil
        // What a query holds may be a secret.
        components?.query = nil
        return String((components?.string ?? url.absoluteString).prefix(512))
    }
}
