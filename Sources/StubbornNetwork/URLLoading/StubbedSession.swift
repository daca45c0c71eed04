import Foundation

/// Sessions that a network answers.
enum StubbedSession {
    /// Puts the engine's protocol class first in a configuration.
    static func insert(_ engine: NetworkEngine, into configuration: URLSessionConfiguration, isForeign: Bool) {
        engine.adopt {
            let copy = configuration.copy() as? URLSessionConfiguration ?? .ephemeral
            copy.protocolClasses = copy.protocolClasses?.filter { !($0 is StubbedSessionURLProtocol.Type) }
            return copy
        }
        let protocolClass: AnyClass = engine.route.protocolClass(for: engine, isForeign: isForeign)
        let others = (configuration.protocolClasses ?? []).filter { $0 != protocolClass }
        configuration.protocolClasses = [protocolClass] + others
    }

    /// A session on a copy of a configuration, which keeps the engine alive for as long as it lives itself.
    static func make(
        _ engine: NetworkEngine,
        configuration: URLSessionConfiguration,
        delegate: (any URLSessionDelegate)?,
        delegateQueue: OperationQueue?
    ) -> URLSession {
        SessionsWithOwnQueue.letGo()
        let copy = configuration.copy() as? URLSessionConfiguration ?? .ephemeral
        // A stub is its own cache, and on Linux the session's costs as much as everything else together.
        copy.urlCache = nil
        insert(engine, into: copy, isForeign: false)
        guard let delegateQueue else {
            return URLSession(configuration: copy, delegate: delegate, delegateQueue: EngineQueue(engine))
        }
        let session = URLSession(configuration: copy, delegate: delegate, delegateQueue: delegateQueue)
        SessionsWithOwnQueue.keep(engine, for: session)
        return session
    }
}

/// The delegate queue of a session, as Foundation would make it, which holds the engine behind the session's stubs.
///
/// The queue rather than the delegate, because the delegate is the user's, and a session with one of ours instead would
/// have to be invalidated on Apple's platforms before it is freed.
// Sendable as `OperationQueue` is; what it adds is a constant.
private final class EngineQueue: OperationQueue, @unchecked Sendable {
    private let engine: NetworkEngine

    init(_ engine: NetworkEngine) {
        self.engine = engine
        super.init()
        maxConcurrentOperationCount = 1
    }
}

/// Engines of sessions whose queue is the user's: kept until the session has gone, which is looked at whenever a network is
/// made or a session of one.
enum SessionsWithOwnQueue {
    private struct Pair {
        weak var session: URLSession?
        let engine: NetworkEngine
    }

    private static let pairs = Lock<[Pair]>([])

    fileprivate static func keep(_ engine: NetworkEngine, for session: URLSession) {
        pairs.withLock { $0.append(Pair(session: session, engine: engine)) }
    }

    /// Frees the engines whose sessions have gone.
    static func letGo() {
        let gone = pairs.withLock { pairs -> [Pair] in
            guard pairs.contains(where: { $0.session == nil }) else { return [] }
            defer { pairs = pairs.filter { $0.session != nil } }
            return pairs.filter { $0.session == nil }
        }
        // Freed here, outside the lock.
        _ = gone
    }
}
