import Foundation

/// The `URLProtocol` of stubbed sessions.
///
/// Each network has its own subclass.
class StubbedSessionURLProtocol: URLProtocol {
    // Used on the client's thread only.
    private var delivery: ClientDelivery?
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
        if let delivery { return delivery.resume() }
        let delivery = ClientDelivery(self)
        let load = RequestLoad(delivery, findEngine())
        (self.delivery, self.load) = (delivery, load)
        load.start(self)
        delivery.deliverPending()
    }

    override func stopLoading() {
        if task?.isPausedByStopping == true {
            delivery?.pause()
        } else {
            delivery?.stop()
            let byClient: StopReason = { CancellationError() }
            load?.stop(because: task?.stopReason ?? byClient)
        }
    }

    /// Returns the engine of the network that answers, or an engine that fails the request.
    ///
    /// Called once, when loading starts.
    func findEngine() -> Engine {
        ProtocolClasses.shared[Self.self] ?? Engine(refusingWith: .networkGone(request.url.map(Redactor.shown)))
    }
}

private final class RoutedURLProtocol<Marker: RouteMarker>: StubbedSessionURLProtocol {}

extension RouteMarker {
    /// The class for a network that has this number.
    static var classOfNetwork: StubbedSessionURLProtocol.Type { RoutedURLProtocol<Self>.self }
}

/// The protocol classes of all networks, and the engine of each class.
///
/// A class belongs to one network and is never used again. Code may keep it longer than the network, in a
/// configuration, and sessions of that configuration must not reach a different network. Classes are never freed; one
/// takes less than a microsecond and 200 bytes.
final class ProtocolClasses: Sendable {
    /// The engines by their classes, and the number of classes that have been taken.
    private let state = Lock<(engines: [ObjectIdentifier: WeakEngine], count: Int)>(([:], 0))

    static let shared = ProtocolClasses()

    /// Assigns a class to the engine's network, and returns the class.
    func takeClass(for engine: Engine) -> URLProtocol.Type {
        let protocolClass = routeMarker(number: state.withLock { $0.count.increment() }).classOfNetwork
        self[protocolClass] = engine
        return protocolClass
    }

    /// The engine of a class; `nil` if its network is freed, and to retire the class, which then belongs to no network.
    subscript(protocolClass: URLProtocol.Type) -> Engine? {
        get { state.withLock { $0.engines[ObjectIdentifier(protocolClass)]?.engine } }
        set { state.withLock { $0.engines[ObjectIdentifier(protocolClass)] = newValue.map { WeakEngine($0) } } }
    }
}

/// A weak reference as an object.
///
/// Copying a weak reference costs more than the rest of a lookup.
final class WeakEngine {
    weak var engine: Engine?

    init(_ engine: Engine?) { self.engine = engine }
}

/// A number as a type, which distinguishes the specializations of a generic class.
///
/// A `URLProtocol` knows its request and not its session, so its class must say which network it belongs to. New
/// classes cannot be declared at run time, but a generic class can be specialized for any number of types.
protocol RouteMarker {}

extension RouteMarker {
    /// Returns the type of this number with one more digit.
    fileprivate static func appending(digit: Int) -> any RouteMarker.Type {
        switch digit & 3 {
        case 0: Digit0<Self>.self
        case 1: Digit1<Self>.self
        case 2: Digit2<Self>.self
        default: Digit3<Self>.self
        }
    }
}

private enum NoDigits: RouteMarker {}
private enum Digit0<Before: RouteMarker>: RouteMarker {}
private enum Digit1<Before: RouteMarker>: RouteMarker {}
private enum Digit2<Before: RouteMarker>: RouteMarker {}
private enum Digit3<Before: RouteMarker>: RouteMarker {}

/// Returns the type for a number; each number has a different type.
func routeMarker(number: Int) -> any RouteMarker.Type {
    var marker: any RouteMarker.Type = NoDigits.self
    var rest = number
    repeat {
        marker = marker.appending(digit: rest)
        rest >>= 2
    } while rest > 0
    return marker
}

/// The `URLProtocol` of an interception of `URLSession.shared`.
///
/// Each interception has its own subclass, because a loading request knows its origin only by its class.
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
        hasClaim = false
        return SharedSessionInterceptions.shared.releaseClaim(of: request, for: Self.self) ?? super.findEngine()
    }

    deinit {
        // For a request that was cancelled before it started.
        if hasClaim { _ = SharedSessionInterceptions.shared.releaseClaim(of: request, for: type(of: self)) }
    }
}

private final class RoutedSharedSessionURLProtocol<Marker: RouteMarker>: SharedSessionURLProtocol {}

extension RouteMarker {
    /// The class for an interception that has this number.
    static var classOfInterception: SharedSessionURLProtocol.Type { RoutedSharedSessionURLProtocol<Self>.self }
}

/// The `URLProtocol` that is asked after the protocols of all interceptions.
///
/// It fails the requests that none of them has accepted.
///
/// A request that no protocol accepts is sent to the real server. While an interception is in force, or a test watches
/// unstubbed requests, no request of `URLSession.shared` may be sent.
final class UnclaimedRequestURLProtocol: StubbedSessionURLProtocol {
    override class func canInit(with request: URLRequest) -> Bool {
        guard super.canInit(with: request) else { return false }
        return SharedSessionInterceptions.shared.refuse(request, task: SharedSessionInterception.ofTask)
    }

    override func findEngine() -> Engine {
        Engine(refusingWith: SharedSessionInterceptions.shared.reasonForRefusal(of: request))
    }
}
