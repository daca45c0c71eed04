import Foundation

/// The `URLProtocol` of an interception of `URLSession.shared`.
///
/// Each interception has a subclass of its own, because the class is all that a loading request knows of its origin.
class SharedSessionURLProtocol: StubbedSessionURLProtocol {
    /// A Boolean value that indicates whether the claim of `canInit` for this request is still to be released.
    private var hasClaim = true

    /// Accepts the requests of its own interception.
    ///
    /// Called when a request is started. On Linux the values of the task that starts it are visible there, and nowhere
    /// later.
    override class func canInit(with request: URLRequest) -> Bool {
        let task = SharedSessionInterception.ofTask?.number
        return SharedSessionInterceptions.shared.claim(request, for: self, task: task) { super.canInit(with: request) }
    }

    override func findEngine() -> Engine {
        releaseClaim() ?? Engine(refusingWith: .networkGone(request.url))
    }

    private func releaseClaim() -> Engine? {
        guard hasClaim else { return nil }
        hasClaim = false
        return SharedSessionInterceptions.shared.releaseClaim(of: request, for: Self.self)
    }

    deinit {
        // For a request that was cancelled before it started.
        _ = releaseClaim()
    }
}

private final class RoutedSharedSessionURLProtocol<Marker: RouteMarker>: SharedSessionURLProtocol {}

extension RouteMarker {
    /// The class for an interception that has this number.
    static var classOfInterception: SharedSessionURLProtocol.Type { RoutedSharedSessionURLProtocol<Self>.self }
}

/// The `URLProtocol` that is asked after those of all interceptions.
///
/// It fails the requests that none of them has accepted.
///
/// A request that no protocol accepts is sent to the real server. While an interception is in force, no request of
/// `URLSession.shared` may be.
final class UnclaimedRequestURLProtocol: StubbedSessionURLProtocol {
    override class func canInit(with request: URLRequest) -> Bool {
        guard super.canInit(with: request) else { return false }
        return SharedSessionInterceptions.shared.refuse(request.url, task: SharedSessionInterception.ofTask)
    }

    override func findEngine() -> Engine {
        Engine(refusingWith: SharedSessionInterceptions.shared.reasonForRefusal(of: request.url))
    }
}
