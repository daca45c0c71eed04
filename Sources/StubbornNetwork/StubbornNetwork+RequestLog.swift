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
    public var unusedStubs: [Stub] { engine.source.recorded.unusedStubs() }

    /// The declared stubs that have answered no request so far, in the order of their declaration.
    public var unusedDeclaredStubs: [DeclaredStub] { engine.source.declared.unused }

    /// Called for each unstubbed request with the whole diagnosis, on any thread, before the request fails. It must not
    /// block, nor make, resume or cancel a task of any session: on Linux that ends the process.
    ///
    /// By default, `nil`, the diagnosis is written to standard error.
    public var onUnstubbedRequest: (@Sendable (UnstubbedRequestReport) -> Void)? {
        get { engine.settings.withLock { $0.onUnstubbedRequest } }
        set { engine.settings.withLock { $0.onUnstubbedRequest = newValue } }
    }
}
