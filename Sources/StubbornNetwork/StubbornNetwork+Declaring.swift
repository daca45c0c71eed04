import Foundation

extension StubbornNetwork {
    /// Declares what the requests of a pattern are answered with.
    ///
    ///     network.stub(.get("https://api.example.com/users/42"), with: .json(["id": 42]))
    ///
    /// Where several declared stubs answer a request, the latest does. A declared stub comes before every recorded one,
    /// in all modes but `.live`.
    @discardableResult
    public func stub(_ pattern: RequestPattern, with response: StubResponse) -> DeclaredStub {
        engine.source.declared.add(pattern, .responses([response]))
    }

    /// Declares responses that are given one after the other; the last one again and again.
    ///
    /// No responses at all answer nothing: the request is looked for among the recorded stubs.
    @discardableResult
    public func stub(_ pattern: RequestPattern, with responses: [StubResponse]) -> DeclaredStub {
        engine.source.declared.add(pattern, .responses(responses))
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
        with response: @escaping @Sendable (StubRequest) throws -> StubResponse
    ) -> DeclaredStub {
        engine.source.declared.add(pattern, .computed(response))
    }

    /// Declares what a request is answered with: the requests that equal it by `requestMatcherOptions`.
    @discardableResult
    public func stub(_ request: URLRequest, with response: StubResponse) -> DeclaredStub {
        guard let request = StubRequest(request) else {
            return stub(.custom("a request without URL, which there is none of") { _ in false }, with: response)
        }
        return stub(.request(request), with: response)
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
        error: (any Error)? = nil
    ) -> DeclaredStub {
        let head = response.map { ResponseHead($0) }
        guard let error else {
            return stub(request, with: StubResponse(head: head ?? ResponseHead(statusCode: 200), body: data))
        }
        return stub(
            request,
            with: StubResponse(failure: StubFailure(error), head: head, body: head.flatMap { _ in data })
        )
    }

    /// Declares that an endpoint is answered with its own sample: the requests that equal its own by
    /// `requestMatcherOptions`.
    ///
    /// - Parameter delay: the time until the sample comes; none by default.
    @discardableResult
    public func stub(_ endpoint: some SampleResponding, delayedBy delay: DispatchTimeInterval? = nil) -> DeclaredStub {
        let response = endpoint.sampleResponse
        return stub(endpoint.urlRequest, with: delay.map { response.delayed(by: $0) } ?? response)
    }

    /// Takes a declared stub back. One that is not there any more is no error.
    public func remove(_ stub: DeclaredStub) {
        engine.source.declared.remove(stub)
    }

    /// Takes all declared stubs back. Recorded ones stay.
    public func removeAllStubs() {
        engine.source.declared.removeAll()
    }
}
