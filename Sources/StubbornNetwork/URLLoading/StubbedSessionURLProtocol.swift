import Foundation

/// The `URLProtocol` of stubbed sessions.
///
/// Each network has a subclass of its own.
class StubbedSessionURLProtocol: URLProtocol {
    // Used on the client's thread only.
    private var load: RequestLoad?

    /// Accepts every request that goes to a server.
    ///
    /// A request that a protocol does not accept is sent to the real server.
    override class func canInit(with request: URLRequest) -> Bool {
        switch request.url?.scheme {
        case "data", "file", "about": false
        default: true
        }
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    // On Linux this is called again when a task is resumed twice, or resumed after it was suspended.
    override func startLoading() {
        if let load { return load.startAgain() }
        do throws(StubbornNetworkError) {
            let load = RequestLoad(self, try findEngine())
            self.load = load
            load.start()
        } catch {
            let load = RequestLoad(self, nil)
            self.load = load
            load.start(failingWith: error)
        }
    }

    override func stopLoading() {
        if task?.state == .suspended {
            load?.pause()
        } else {
            load?.stop()
        }
    }

    /// Returns the engine of the network that answers.
    ///
    /// Called once, when loading starts.
    ///
    /// - Throws: the error that the request fails with, if no network answers.
    func findEngine() throws(StubbornNetworkError) -> Engine {
        guard let engine = ProtocolClasses.shared.engine(of: Self.self) else { throw .networkGone(request.url) }
        return engine
    }
}

private final class RoutedURLProtocol<Marker: RouteMarker>: StubbedSessionURLProtocol {}

extension StubbedSessionURLProtocol {
    /// Returns the subclass of a number: the same for the same number, another one for each other number.
    static func routed(number: Int) -> StubbedSessionURLProtocol.Type {
        func specialized<Marker: RouteMarker>(_ marker: Marker.Type) -> StubbedSessionURLProtocol.Type {
            RoutedURLProtocol<Marker>.self
        }
        return specialized(routeMarker(number: number))
    }
}
