import Foundation

/// The errors for requests that are never looked up in a stub source, and for stubs that cannot answer.
extension StubbornNetworkError {
    static func networkGone(_ url: URL?) -> Self {
        let message = """
            The network for the session of \(url.map(name) ?? "this request") has been freed, so nothing can answer the \
            request. The real server was not called. Keep a reference to the StubbornNetwork as long as the session is used.
            """
        return Self(.networkGone, message, url: url)
    }

    /// Returns the error for a request that starts after the end of the test that its network records.
    static func testEnded(_ url: URL) -> Self {
        let message = """
            The request for \(name(url)) was not recorded: it started after the end of its \
            test. The real server was not called. In the test, await or cancel every task, such as a task that polls.
            """
        return Self(.networkGone, message, url: url)
    }

    static func processExits(_ url: URL) -> Self {
        let message = """
            The request for \(name(url)) was not recorded: the process is exiting. Await or cancel the requests before it exits.
            """
        return Self(.networkGone, message, url: url)
    }

    static func unsupportedRequest(_ url: URL?, schemes: String = "http and https") -> Self {
        let message = """
            The request for \(url.map(name)?.quoted() ?? "no URL") was refused: stubs answer only \(schemes) URLs with a \
            host. The real server was not called. Correct the URL of the request.
            """
        return Self(.unsupportedRequest, message, url: url)
    }

    static func webSocket(_ url: URL) -> Self {
        let message = """
            The WebSocket to \(name(url)) was refused: stubs cannot answer a session's WebSocket task. The real server was not \
            called. Let your code take `any WebSocketConnection`, and pass it `network.webSocket(to: url)` in the test.
            """
        return Self(.unsupportedRequest, message, url: url)
    }

    /// Returns the error for a web socket to the real server on a platform that has none.
    static func webSocketsUnavailable(_ url: URL?) -> Self {
        let message = """
            The WebSocket to \(url.map(name) ?? "no URL") was not opened: this URLSession has no WebSockets, because its libcurl \
            has none. To record here, connect with a different client: network.webSocket(with: request) { request in … }.
            """
        return Self(.unsupportedRequest, message, url: url)
    }

    /// Returns the error for a version of a different library that lacks a private part that this library reads.
    package static func unsupportedVersion(of library: String, without part: String, url: URL? = nil) -> Self {
        let message = """
            This version of \(library) is not supported yet: \(part), which The Stubborn Network reads, is missing or \
            different. Use a version of Swift that Documentation/Architecture.md lists, or a newer version of The Stubborn Network.
            """
        return Self(.unsupportedVersion, message, url: url)
    }

    static func unreadableBody(_ url: URL?) -> Self {
        let message = """
            The body of the upload to \(url.map(name) ?? "no URL") cannot be read: this version of Foundation does not \
            expose it. The request was refused, because it would have been sent without its body. Use a data task with \
            `httpBody`.
            """
        return Self(.unsupportedRequest, message, url: url)
    }

    /// Returns the error for a request whose interception has ended, with the name of the interception.
    static func interceptionEnded(_ url: URL?, name interception: String) -> Self {
        let message = """
            The request for \(url.map(name) ?? "no URL") through URLSession.shared was refused: it was started in the task \
            of an interception that has ended, while others are in force.
              \(interception)
            No server and no other network was called. Await the requests that are started inside \
            interceptingSharedSession before it returns.
            """
        return Self(.networkGone, message, url: url)
    }

    static func stubFileNotFound(_ file: URL) -> Self {
        let exists = FileSystem.exists(FileSystem.directory(of: file.path))
        let message = """
            There is no stub file at \(file.relativeDisplayPath)\(exists ? "" : ", and its directory does not exist"). To \
            record it, run again with STUB_RECORD_MODE=recording-missing.
            """
        return Self(.stubFileNotFound, message, file: file)
    }

    /// Returns the error for a stub file that a test shares, and that does not exist.
    static func sharedStubFileNotFound(_ file: URL, isRecording: Bool) -> Self {
        let name = file.deletingPathExtension().lastPathComponent
        let recorded = "The shared exchanges were recorded into the test's own file. Record that file again afterwards."
        let message = """
            There is no stub file at \(file.relativeDisplayPath), which this network shares. Correct the name, or record the \
            file with the test that it belongs to: STUB_RECORD_MODE=recording-missing. In that test, pass \
            named: \(name.quoted()).\(isRecording ? " \(recorded)" : "")
            """
        return Self(.stubFileNotFound, message, file: file)
    }

    /// Returns the error for faults of a pattern that no recorded stub matches.
    static func nothingForFaults(_ pattern: String, stubCount: Int, file: URL?) -> Self {
        let stubs = [file?.relativeDisplayPath, stubCount.counting("stub")].compactMap(\.self).joined(separator: ", ")
        let message = """
            No fault can be tried, because no recorded stub matches \(pattern.cut()) (\(stubs)). Correct the pattern, or record \
            the test with STUB_RECORD_MODE=recording-missing.
            """
        return Self(.unstubbedRequest, message, file: file)
    }

    /// A Boolean value that indicates whether the error means that no stub answers a request.
    var isAboutMissingStub: Bool { code == .unstubbedRequest || code == .stubFileNotFound }

    /// Returns the error for a request of `response(to:)` that the mode would send; `nil` stands for a pass-through
    /// rule.
    static func needsServer(_ url: URL, mode: String?) -> Self {
        let reason = mode.map { "The mode \($0)" } ?? "passThrough(_:)"
        let message = """
            No stub answers \(name(url)). \(reason) sends such a request to the real server, but response(to:) cannot. \
            Use network.session, or \(mode == nil ? "declare a stub" : "play back").
            """
        return Self(.unstubbedRequest, message, url: url)
    }

    static func statusCodeOutOfRange(_ statusCode: Int, _ url: URL) -> Self {
        let message = "The stub for \(name(url)) has the status code \(statusCode). Use a status code from 0 to 999."
        return Self(.invalidStub, message, url: url)
    }

    static func noAnswer(_ url: URL) -> Self {
        let message = "The stub for \(name(url)) has neither a response nor an error. Give it one of them."
        return Self(.invalidStub, message, url: url)
    }

    /// Returns the error for a wait that ended without a matching request, with the requests that were made.
    static func noSuchExchange(_ pattern: String, requests: [String]) -> Self {
        let list = requests.suffix(8).map { "\n  \($0.cut())" }.joined()
        let more = requests.count > 8 ? "\n  and \(requests.count - 8) before them" : ""
        let message = """
            No request matched in time: \(pattern.cut()). \
            \(requests.isEmpty ? "No requests were made." : "The requests were:")\(list)\(more)
            Check that the code under test uses a session of this network, or wait longer: timeout: .seconds(30).
            """
        return Self(.noSuchExchange, message)
    }

    /// Returns the error for a body that a decoder cannot decode; without a cause, there is no body.
    static func undecodableBody(of request: StubRequest, _ type: Any.Type, _ cause: (any Error)?) -> Self {
        let reason = cause.map { "\($0)" } ?? "there is none"
        let body = "The body of \(request.method) \(name(request.url))"
        let message = "\(body) cannot be decoded as \(type): \(reason.cut(to: 512))."
        return Self(.undecodableBody, message, url: request.url, underlyingError: cause)
    }

    /// Returns a URL for a message: at most 512 characters, without user, password, query and fragment.
    ///
    /// They may contain secrets. The caller has replaced those in the path.
    static func name(_ url: URL) -> String {
        var parts = URLComponents(url: url, resolvingAgainstBaseURL: false) ?? URLComponents()
        (parts.user, parts.password, parts.query, parts.fragment) = (nil, nil, nil, nil)
        return String((parts.string ?? "").prefix(512))
    }
}
