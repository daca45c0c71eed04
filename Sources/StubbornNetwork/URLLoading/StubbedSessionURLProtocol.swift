import Foundation

/// The `URLProtocol` of stubbed sessions. Each network has a class of its own, made from this one.
class StubbedSessionURLProtocol: URLProtocol {
    // All three are reached on the client's thread alone.
    private var hasStarted = false
    private var isStopped = false
    private var load: RequestLoad?

    /// Takes every request but those that never go to a server. Whatever a protocol refuses is sent for real.
    override class func canInit(with request: URLRequest) -> Bool {
        switch request.url?.scheme {
        case "data", "file", "about": false
        default: true
        }
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    // On Linux a task that is resumed once more, or again after it was suspended, starts loading again.
    override func startLoading() {
        if hasStarted {
            load?.startAgain()
            return
        }
        hasStarted = true
        let engine = findEngine()
        guard let engine, engine.source.isLoaded, let stubRequest = plainRequest else {
            return load(engine) { $0.start() }
        }
        switch engine.start(stubRequest) {
        case .answer(let played, let body): answer(played.response, body: body)
        case .goOn(let beginning): load(engine) { $0.start(with: beginning) }
        }
    }

    /// The network that answers; `nil` when it is gone. Called once, when loading starts.
    func findEngine() -> NetworkEngine? { ProtocolClassPool.shared.engine(of: Self.self) }

    override func stopLoading() {
        if task?.state == .suspended {
            load?.pause()
        } else {
            isStopped = true
            load?.stop()
        }
    }

    /// The request, where its body is at hand and nothing speaks against answering it.
    private var plainRequest: StubRequest? {
        let request = request
        guard let url = request.url, url.isAnswerable, task?.unsupportedReason == nil else { return nil }
        guard case .known(let body) = task?.body(for: request) ?? .known(request.httpBody) else { return nil }
        return StubRequest(request, to: url, body: body)
    }

    private func load(_ engine: NetworkEngine?, _ start: (RequestLoad) -> Void) {
        let load = RequestLoad(self, engine: engine)
        self.load = load
        start(load)
    }

    /// Tells the client all of a response.
    private func answer(_ response: HTTPURLResponse, body: Data?) {
        let client = client
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        if let body, !isStopped { client?.urlProtocol(self, didLoad: body) }
        if !isStopped { client?.urlProtocolDidFinishLoading(self) }
    }
}
