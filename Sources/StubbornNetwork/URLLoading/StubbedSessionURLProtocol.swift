import Foundation

/// The `URLProtocol` of stubbed sessions. Each network has a class of its own, made from this one.
class StubbedSessionURLProtocol: URLProtocol {
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
        if let load { return load.startAgain() }
        let load = RequestLoad(self, engine: findEngine())
        self.load = load
        load.start()
    }

    /// The network that answers; `nil` when it is gone. Called once, when loading starts.
    func findEngine() -> NetworkEngine? { ProtocolClassPool.shared.engine(of: Self.self) }

    override func stopLoading() {
        if task?.state == .suspended {
            load?.pause()
        } else {
            load?.stop()
        }
    }
}
