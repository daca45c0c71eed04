import Foundation

// The calls of the earlier Stubborn Network. They only forward to the rest of the library.

extension StubbornNetwork {
    /// Returns a stubbed session, in one call.
    ///
    ///     let session = StubbornNetwork.stubbed(withConfiguration: .ephemeral) { network in
    ///         network.stub(request, data: data, response: response, error: nil)
    ///     }
    ///
    /// Such a session writes each recording to disk immediately. Its recording run ends when the session is freed, or
    /// when the process exits. On Apple's platforms, a session that is not invalidated may never be freed. To end the
    /// run earlier, create a ``StubbornNetwork`` and call its `finishRecording()`.
    ///
    /// - Parameters:
    ///   - configuration: the storage of the stubs.
    ///   - stub: called with the network before the session is created, to declare stubs and change settings.
    /// - Returns: a session that keeps its network alive.
    public static func stubbed(
        withConfiguration configuration: StubbornNetworkConfiguration,
        stub: (StubbornNetwork) throws -> Void
    ) rethrows -> URLSession {
        try StubbornNetwork(configuration).makeSession(after: stub)
    }

    /// Returns a stubbed session that is configured by a process's environment.
    ///
    ///     let session = StubbornNetwork.stubbed(withProcessInfo: .processInfo, stub: { network in
    ///         network.recordMode = .recording
    ///     })
    ///
    /// `stub` is called with the network before the session is created. `STUB_RECORD_MODE` overrides a mode that it sets.
    /// Its recording run ends when the session is freed, or when the process exits.
    public static func stubbed(
        withProcessInfo processInfo: ProcessInfo,
        stub: (StubbornNetwork) throws -> Void
    ) rethrows -> URLSession {
        try StubbornNetwork(.environment, environment: processInfo.environment).makeSession(after: stub)
    }

    private func makeSession(after stub: (StubbornNetwork) throws -> Void) rethrows -> URLSession {
        try stub(self)
        return makeSession()
    }

    // A default for the closure above would make every call without one need `try`.

    /// Returns a stubbed session without declared stubs.
    public static func stubbed(withConfiguration configuration: StubbornNetworkConfiguration) -> URLSession {
        stubbed(withConfiguration: configuration) { _ in }
    }

    /// Returns a stubbed session without declared stubs that is configured by a process's environment.
    public static func stubbed(withProcessInfo processInfo: ProcessInfo) -> URLSession {
        stubbed(withProcessInfo: processInfo) { _ in }
    }

    /// Registers this network's protocol class in `configuration`.
    ///
    /// Sessions created with it afterwards are answered by this network.
    ///
    /// Keep a reference to the network as long as these sessions are used. When it has been freed, their requests fail
    /// with `StubbornNetworkError.Code.networkGone`; they never reach a different network or the real server.
    public func insertStubbedSessionURLProtocol(into configuration: URLSessionConfiguration) {
        route.register(in: configuration)
    }

    /// Declares the response to a request, with the same values as a completion handler gets.
    ///
    ///     network.stub(request, data: data, response: response, error: nil)
    ///
    /// - Parameters:
    ///   - request: the request. The stub answers requests that match it under `requestMatcherOptions`.
    ///   - data: the body.
    ///   - response: an `HTTPURLResponse`; without one, and without an error, the status is 200.
    ///   - error: the error that the request fails with, after the response and the data.
    ///   - file: the file of the declaration, for reports.
    ///   - line: the line of the declaration, for reports.
    /// - Returns: the stub, which `remove(_:)` takes.
    @discardableResult
    public func stub(
        _ request: URLRequest,
        data: Data? = nil,
        response: URLResponse? = nil,
        error: (any Error)? = nil,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> DeclaredStub {
        let head = response.map { ResponseHead($0) }
        let stubResponse =
            error.map { StubResponse(failure: StubFailure($0), head: head, body: head.flatMap { _ in data }) }
            ?? StubResponse(head: head ?? ResponseHead(statusCode: 200), body: data)
        return stub(request, with: stubResponse, file: file, line: line)
    }
}

extension StubbornNetworkConfiguration {
    /// Stubs in the stub file with a name, as in ``persistent(named:in:sharing:)``; `nil` if no file can have the name
    /// or the directory.
    public static func persistent(name: String, path: String) -> Self? {
        let configuration = persistent(named: name, in: path)
        return configuration.problem == nil ? configuration : nil
    }
}

extension ProcessInfo {
    /// A Boolean value that indicates whether this process is under test: `TESTING` or `THE_STUBBORN_NETWORK_UI_TESTING`
    /// is set to a value that is not empty.
    ///
    ///     let session = ProcessInfo.processInfo.testing ? StubbornNetwork.standard.session : URLSession.shared
    public var testing: Bool { isTesting }

    /// The same as ``testing``.
    public var isTesting: Bool { EnvironmentSettings(environment).isTesting }
}
