import Foundation

extension StubbornNetwork {
    /// Each recorded stub gone wrong in each way: timeout, connection lost, 500, 401, 429, truncated body, wrong content
    /// type, slow body. One set for each different request, in the order of the recording.
    ///
    /// - Parameter pattern: which recorded requests; all by default.
    /// - Throws: what is wrong with the stub file.
    public func faults(for pattern: RequestPattern = .any) throws -> [StubFault] {
        try engine.recorded.load()
        var seen: Set<StubRequest> = []
        return engine.recorded.stubs()
            .filter { pattern.match($0.request, options: requestMatcherOptions) != nil }
            .filter { seen.insert($0.request).inserted }
            .flatMap(StubFault.all)
    }

    /// Declares that a recorded request goes wrong: it comes before the recorded stub.
    @discardableResult
    public func stub(_ fault: StubFault) -> DeclaredStub {
        stub(.request(fault.request), with: fault.response)
    }

    /// Declares that each of several endpoints is answered with its own sample.
    ///
    ///     network.stub(all: Endpoint.allCases)
    ///
    /// - Parameter delay: the time until a sample comes; none by default.
    @discardableResult
    public func stub(
        all endpoints: some Sequence<some SampleResponding>,
        delayedBy delay: DispatchTimeInterval? = nil
    ) -> [DeclaredStub] {
        endpoints.map { stub($0, delayedBy: delay) }
    }
}
