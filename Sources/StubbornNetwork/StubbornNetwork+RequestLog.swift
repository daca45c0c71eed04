import Foundation

extension StubbornNetwork {
    /// What has been asked of this network, in the order in which the requests started, the running ones included.
    public var exchanges: [Exchange] { engine.log.all }

    /// The exchanges whose requests fit a pattern.
    ///
    ///     network.exchanges(matching: .path("/login")).count
    public func exchanges(matching pattern: RequestPattern) -> [Exchange] {
        let matchers = requestMatcherOptions
        return exchanges.filter { pattern.match($0.request, options: matchers) != nil }
    }

    /// The requests that no stub answered, in the order in which they failed. Where a redirect led to one, it is the
    /// redirect's target that is here.
    public var unstubbedRequests: [StubRequest] { engine.log.unstubbed }

    /// The recorded stubs that no request asked for so far; what is being recorded was asked for. Empty until the stubs have
    /// been read.
    public var unusedStubs: [Stub] { engine.recorded.unusedStubs() }

    /// The declared stubs that have answered no request so far, in the order of their declaration.
    public var unusedDeclaredStubs: [DeclaredStub] { engine.declared.unused }

    /// What this network has done so far, in numbers.
    ///
    ///     print(network.summary)      // 12 requests: 10 served, 1 recorded, 1 unstubbed. 3 stubs unused.
    public var summary: RunSummary {
        RunSummary(
            engine.log.all,
            unused: engine.recorded.unusedSummaries().count + unusedDeclaredStubs.count
        )
    }

    /// The stubs that no request asked for so far, recorded before declared, each with the unstubbed request that came
    /// closest to it and what differs: a stub beside an unstubbed request is most often what it was recorded for.
    ///
    /// The first hundred stubs are compared with the last hundred unstubbed requests; more are listed alone.
    public var unusedStubReports: [UnusedStubReport] { engine.unusedStubReports }

    /// Called for each unstubbed request with the whole diagnosis, on any thread, before the request fails. It must not
    /// block, nor make, resume or cancel a task of any session: on Linux that ends the process.
    ///
    /// By default, `nil`, the diagnosis is written to standard error, once for each method, URL and body: a request that is
    /// tried again and again is written about the first time. With a handler nothing is written.
    public var onUnstubbedRequest: (@Sendable (UnstubbedRequestReport) -> Void)? {
        get { engine.settings.withLock { $0.onUnstubbedRequest } }
        set { engine.settings.withLock { $0.onUnstubbedRequest = newValue } }
    }
}
