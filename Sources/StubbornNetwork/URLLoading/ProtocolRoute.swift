import Foundation

/// The route from sessions to a network's engine: the protocol class of the network, in the configurations of its
/// sessions.
///
/// The facade and the library's sessions hold the route. When the last of them is freed, the class is retired.
final class ProtocolRoute: Sendable {
    let engine: Engine

    /// The network's protocol class.
    private let protocolClass: URLProtocol.Type

    init(_ engine: Engine) {
        self.engine = engine
        protocolClass = ProtocolClasses.shared.takeClass(for: engine)
        SessionsWithOwnQueue.removeFreed()
    }

    deinit { ProtocolClasses.shared[protocolClass] = nil }

    /// Registers the network's protocol class in a configuration that the library does not own.
    func register(in configuration: URLSessionConfiguration) {
        configuration.warnAboutLoadingMode(of: "a configuration that stubs are registered in")
        addSession(configuration) { $0.mayHaveDelegate = true }
        insertClass(into: configuration)
    }

    /// Makes a session on a copy of a configuration, which keeps the route alive.
    func makeSession(
        configuration: URLSessionConfiguration,
        delegate: (any URLSessionDelegate)?,
        delegateQueue: OperationQueue?
    ) -> URLSession {
        SessionsWithOwnQueue.removeFreed()
        let copy = configuration.ownCopy
        // A stub is its own cache, and on Linux a URL cache takes as much time as everything else together.
        copy.urlCache = nil
        insertClass(into: copy)
        addSession(copy) {
            $0.mayHaveDelegate = delegate != nil
            $0.asksAboutRedirects = delegate?.hearsOfRedirects ?? false
        }
        let queue = delegateQueue ?? RouteQueue(self)
        let session = URLSession(configuration: copy, delegate: delegate, delegateQueue: queue)
        if delegateQueue != nil { SessionsWithOwnQueue.add(session, self) }
        return session
    }

    /// Puts the network's class before the others.
    private func insertClass(into configuration: URLSessionConfiguration) {
        let warning = "warning: Requests of a background session reach the real server. Use a default configuration."
        if configuration.identifier != nil { StandardError.writeOnce(warning) }
        let others = (configuration.protocolClasses ?? []).filter { $0 != protocolClass }
        configuration.protocolClasses = [protocolClass] + others
    }

    /// Tells the recorder that the network has a session with this configuration.
    private func addSession(_ configuration: URLSessionConfiguration, _ addDelegate: (inout SessionContext) -> Void) {
        let copy = configuration.ownCopy
        copy.protocolClasses = copy.protocolClasses?.filter { !($0 is StubbedSessionURLProtocol.Type) }
        var session = SessionContext(copy)
        addDelegate(&session)
        engine.recorder.add(session)
    }
}

/// The delegate queue of a session, as Foundation would create it. It keeps the route of the session alive.
///
/// A delegate cannot do that: it is the user's, and on Apple's platforms a session with a delegate must be invalidated
/// before it is freed.
// Sendable as `OperationQueue` is, because it adds only a constant.
private final class RouteQueue: OperationQueue, @unchecked Sendable {
    private let route: ProtocolRoute

    init(_ route: ProtocolRoute) {
        self.route = route
        super.init()
        maxConcurrentOperationCount = 1
    }
}

/// The routes of sessions with the user's delegate queue.
///
/// When a session is freed, its route is kept until the next network or session is created.
private enum SessionsWithOwnQueue {
    private struct Pair {
        weak var session: URLSession?
        let route: ProtocolRoute
    }

    private static let pairs = Lock<[Pair]>([])

    static func add(_ session: URLSession, _ route: ProtocolRoute) {
        pairs.withLock { $0.append(Pair(session: session, route: route)) }
    }

    /// Removes the routes of sessions that are freed.
    static func removeFreed() {
        // The routes are freed here, outside the lock.
        _ = pairs.withLock { pairs in
            defer { pairs.removeAll { $0.session == nil } }
            return pairs
        }
    }
}
