import Foundation

extension StubbornNetwork {
    /// Declares what the requests of a pattern are answered with.
    ///
    ///     network.stub(.get("https://api.example.com/users/42"), with: .json(["id": 42]))
    ///
    /// Where several declared stubs answer a request, the latest does. A declared stub comes before every recorded one,
    /// in all modes but `.live`.
    ///
    ///     network.stub(.get("/token"), times: 1, with: .status(503))      // the first request alone
    ///
    /// - Parameters:
    ///   - times: how often the stub answers; as often as it is asked by default, never for 0 and less. When it is used
    ///     up, stubs declared before it answer, and then the recorded ones.
    ///   - file: where the stub is declared, for reports.
    @discardableResult
    public func stub(
        _ pattern: RequestPattern,
        times: Int? = nil,
        with response: StubResponse,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> DeclaredStub {
        add(pattern, .responses([response]), times, file, line)
    }

    /// Declares responses that are given one after the other; the last one again and again.
    ///
    /// No responses at all answer nothing: the request is looked for among the recorded stubs.
    @discardableResult
    public func stub(
        _ pattern: RequestPattern,
        times: Int? = nil,
        with responses: [StubResponse],
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> DeclaredStub {
        add(pattern, .responses(responses), times, file, line)
    }

    /// Declares a response that is computed for each request.
    ///
    ///     network.stub(.path("/users/:id")) { request in .json(["id": request.pathParameters["id"]]) }
    ///
    /// - Parameter response: called once for a request, on a queue that all sessions of the process share on Linux. It
    ///   must not block there, nor make, resume or cancel a task of any session, which ends the process. An error that it
    ///   throws is what the request fails with.
    @discardableResult
    public func stub(
        _ pattern: RequestPattern,
        times: Int? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        with response: @escaping @Sendable (StubRequest) throws -> StubResponse
    ) -> DeclaredStub {
        add(pattern, .computed(response), times, file, line)
    }

    /// Declares what a request is answered with: the requests that equal it by `requestMatcherOptions`.
    @discardableResult
    public func stub(
        _ request: URLRequest,
        times: Int? = nil,
        with response: StubResponse,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> DeclaredStub {
        let pattern =
            StubRequest(request).map(RequestPattern.request)
            ?? .custom("a request without URL, which there is none of") { _ in false }
        return add(pattern, .responses([response]), times, file, line)
    }

    /// Declares what a request is answered with, in the terms of a completion handler.
    ///
    ///     network.stub(request, data: data, response: response, error: nil)
    ///
    /// - Parameters:
    ///   - request: answered are the requests that equal it by `requestMatcherOptions`.
    ///   - response: an `HTTPURLResponse`; without one, and without an error, the status is 200.
    ///   - error: ends the exchange after what there is of response and data.
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

    /// Declares that an endpoint is answered with its own sample: the requests that equal its own by
    /// `requestMatcherOptions`.
    ///
    /// - Parameter delay: the time until the sample comes; none by default.
    @discardableResult
    public func stub(
        _ endpoint: some SampleResponding,
        delayedBy delay: DispatchTimeInterval? = nil,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> DeclaredStub {
        let response = endpoint.sampleResponse
        return stub(
            endpoint.urlRequest,
            with: delay.map { response.delayed(by: $0) } ?? response,
            file: file,
            line: line
        )
    }

    private func add(
        _ pattern: RequestPattern,
        _ answer: DeclaredStubs.Answer,
        _ times: Int?,
        _ file: StaticString,
        _ line: UInt
    ) -> DeclaredStub {
        let fileName = "\(file)".split(separator: "/").last.map(String.init) ?? "\(file)"
        return engine.declared.add(pattern, answer, times: times, place: "\(fileName):\(line)")
    }

    /// Takes a declared stub back. One that is not there any more is no error.
    public func remove(_ stub: DeclaredStub) {
        engine.declared.remove(stub)
    }

    /// Takes all declared stubs back. Recorded ones stay.
    public func removeAllStubs() {
        engine.declared.removeAll()
    }
}
