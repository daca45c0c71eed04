import Foundation

/// The protocol classes of all networks, and the engine that each belongs to.
///
/// A class belongs to one network and is never used again. Code may hold it longer than the network, in a configuration
/// that it got from `URLSession.configuration` or made itself, and sessions of that configuration must not reach another
/// network. Classes are never freed; one takes less than a microsecond and 200 bytes.
final class ProtocolClasses: Sendable {
    private struct State {
        var engines: [ObjectIdentifier: WeakEngine] = [:]
        var count = 0
    }

    /// A weak reference as an object.
    ///
    /// Copying a weak reference costs more than the rest of a look-up.
    private final class WeakEngine {
        weak var engine: Engine?

        init(_ engine: Engine?) {
            self.engine = engine
        }
    }

    private let state = Lock(State())

    static let shared = ProtocolClasses()

    /// Returns a class that belongs to the engine's network from now on.
    func takeClass(for engine: Engine) -> URLProtocol.Type {
        state.withLock { state in
            let protocolClass = StubbedSessionURLProtocol.routed(number: state.count)
            state.count += 1
            state.engines[ObjectIdentifier(protocolClass)] = WeakEngine(engine)
            return protocolClass
        }
    }

    /// Retires a class.
    ///
    /// It belongs to no network from now on.
    func retire(_ protocolClass: URLProtocol.Type) {
        state.withLock { $0.engines[ObjectIdentifier(protocolClass)] = nil }
    }

    /// Returns the engine of a class; `nil` if its network is freed.
    func engine(of protocolClass: URLProtocol.Type) -> Engine? {
        state.withLock { $0.engines[ObjectIdentifier(protocolClass)]?.engine }
    }
}
