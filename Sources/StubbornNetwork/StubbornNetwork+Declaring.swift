import Foundation

extension StubbornNetwork {
    /// Declares a stub: the response to every request that matches a pattern.
    ///
    ///     network.stub(.get("https://api.example.com/users/42"), with: .json(["id": 42]))
    ///     network.stub(.get("/token"), times: 1, with: .status(503))      // the first request only
    ///
    /// If several declared stubs match a request, the most recently declared one answers. Declared stubs take
    /// precedence over recorded ones, in every mode except `.live`.
    ///
    /// - Parameters:
    ///   - pattern: the requests that the stub answers.
    ///   - times: the number of requests that the stub answers; any number by default. When it is used up, stubs
    ///     declared before it answer, and then the recorded ones.
    ///   - response: the response, or the error.
    ///   - file: the file of the declaration, for reports.
    ///   - line: the line of the declaration, for reports.
    /// - Returns: the stub, which `remove(_:)` takes.
    @discardableResult
    public func stub(
        _ pattern: RequestPattern,
        times: Int? = nil,
        with response: StubResponse,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> DeclaredStub {
        engine.declared.add(pattern, times: times, location: location(file, line)) { _, _ in response }
    }

    /// Declares responses that answer one after the other.
    ///
    /// The last one is repeated. With an empty array, the recorded stubs are searched.
    @discardableResult
    public func stub(
        _ pattern: RequestPattern,
        times: Int? = nil,
        with responses: [StubResponse],
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> DeclaredStub {
        engine.declared.add(pattern, times: times, location: location(file, line)) { _, uses in
            responses.indices.last.map { responses[min(uses, $0)] }
        }
    }

    /// Declares a stub that computes its response for each request.
    ///
    ///     network.stub(.path("/users/:id")) { request in .json(["id": request.pathParameters["id"]]) }
    ///
    /// `response` is called once for each request. If it throws an error, the request fails with that error. It must
    /// not block, because it runs on the one thread of Apple's URL loading system that starts all stubbed requests, or,
    /// on Linux, on a queue that all sessions share. To answer later, return a response with a delay. On Linux, the
    /// process crashes if the closure creates, resumes or cancels a task of any session.
    @discardableResult
    public func stub(
        _ pattern: RequestPattern,
        times: Int? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        with response: @escaping @Sendable (StubRequest) throws -> StubResponse
    ) -> DeclaredStub {
        engine.declared.add(pattern, times: times, location: location(file, line)) { request, _ in
            try response(request)
        }
    }

    /// Declares the response to requests that match the given one under `requestMatcherOptions`.
    ///
    /// A placeholder in the given request stands for any value.
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
            ?? .custom("a request without a URL, which matches nothing") { _ in false }
        return stub(pattern, times: times, with: response, file: file, line: line)
    }

    /// Declares an endpoint's sample as the response to requests that match the endpoint's request under
    /// `requestMatcherOptions`.
    ///
    ///     for endpoint in Endpoint.allCases { network.stub(endpoint) }
    @discardableResult
    public func stub(
        _ endpoint: some SampleResponding,
        delayedBy delay: DispatchTimeInterval? = nil,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> DeclaredStub {
        let response = endpoint.sampleResponse.delayed(by: delay ?? .seconds(0))
        return stub(endpoint.urlRequest, with: response, file: file, line: line)
    }

    /// Passes requests through to the real server, in every mode, and does not record them.
    ///
    ///     network.passThrough(.host("localhost"))
    ///
    /// If several declared stubs and pass-through rules match a request, the most recent one applies. The request log
    /// and the run report count these requests as passed through.
    ///
    /// - Returns: the rule, which `remove(_:)` takes. `removeAllStubs()` removes it too.
    @discardableResult
    public func passThrough(
        _ pattern: RequestPattern,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> DeclaredStub {
        engine.declared.add(pattern, times: nil, location: location(file, line), nil)
    }

    /// Returns the file and line of a call, for reports: `LoginTests.swift:12`.
    func location(_ file: StaticString, _ line: UInt) -> String {
        "\(file.description.split(separator: "/").last ?? ""):\(line)"
    }

    /// Removes a declared stub; removing it again does nothing.
    public func remove(_ stub: DeclaredStub) { engine.declared.remove(stub) }

    /// Removes all declared stubs; recorded stubs are kept.
    public func removeAllStubs() { engine.declared.removeAll() }

    // MARK: Holding answers

    /// Holds the answers to requests until the test releases them.
    ///
    ///     let held = network.hold(.path("/news"))
    ///     model.load()
    ///     await held.requested()
    ///     #expect(model.isLoading)
    ///     held.release()
    ///
    /// The request gets the same answer as without the call: from a declared stub, a recorded stub, or the real server.
    /// A request that no stub answers fails at once. `response(to:)` without `await` is not held.
    ///
    /// - Parameters:
    ///   - pattern: the requests to hold.
    ///   - part: the number of parts that the client gets before the rest is held; none by default. Events, lines of JSON and
    ///     parts of a `multipart/mixed` body are parts, however they arrive. In other bodies, a part is what arrives at once.
    ///   - file: the file of the call, for reports.
    ///   - line: the line of the call, for reports.
    /// - Returns: the held requests. Requests that are still held when the test ends fail, and so does the test.
    public func hold(
        _ pattern: RequestPattern,
        afterPart part: Int = 0,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> HeldRequests {
        let held = HeldRequests(pattern, afterPart: part, location: location(file, line)) { [weak engine] failure in
            guard let engine else { return }
            let failTest = engine.settings.withLock { $0.onFailureOfTest }
            failTest?(failure) ?? StandardError.write(failure)
        }
        engine.holds.withLock { $0.append(held) }
        return held
    }

    /// Declares a stub, and holds its answers until the test releases them.
    ///
    ///     let held = network.hold(.path("/news"), with: .json(["title": "Hello"]))
    public func hold(
        _ pattern: RequestPattern,
        afterPart part: Int = 0,
        with response: StubResponse,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> HeldRequests {
        stub(pattern, with: response, file: file, line: line)
        return hold(pattern, afterPart: part, file: file, line: line)
    }

    // MARK: Faults

    /// Returns faults of the recorded stubs.
    ///
    /// - Parameter pattern: the recorded requests to use; all by default.
    /// - Returns: for each different request, every kind of fault that its response can have, in recorded order.
    /// - Throws: `StubbornNetworkError` when the stub file cannot be read, and if no stub matches, because a test
    ///   without cases would pass. While recording, the stubs may be missing.
    public func faults(for pattern: RequestPattern = .any) throws -> [StubFault] {
        try loadStubs()
        let stubs = ([engine.recorded] + engine.shared).flatMap { $0.stubs() }.filter { !$0.request.isOnlyRecorded }
        var seen: Set<StubRequest> = []
        let found = stubs.filter {
            pattern.match($0.request, options: requestMatcherOptions) != nil && seen.insert($0.request).inserted
        }
        guard !found.isEmpty || recordMode.isRecording else {
            throw StubbornNetworkError.nothingForFaults(pattern.description, stubCount: stubs.count, file: stubFile)
        }
        return found.flatMap(StubFault.all)
    }

    /// Declares a fault, which takes precedence over the recorded stub.
    ///
    /// In `.recording`, the network then plays back instead, because requests after a fault do not belong in the
    /// recording.
    @discardableResult
    public func stub(_ fault: StubFault) -> DeclaredStub {
        engine.settings.withLock { $0.hasFault = true }
        return stub(.request(fault.request), with: fault.response)
    }
}

/// An endpoint with a sample response.
///
/// Conform an endpoint type to it, so that previews and tests need no stub file:
///
///     enum Endpoint: SampleResponding {
///         case user(Int)
///         var urlRequest: URLRequest { … }
///         var sampleResponse: StubResponse { .json(["id": 42]) }
///     }
///     network.stub(Endpoint.user(42))
public protocol SampleResponding {
    /// The request of the endpoint.
    var urlRequest: URLRequest { get }

    /// A response that a server might give.
    var sampleResponse: StubResponse { get }
}
