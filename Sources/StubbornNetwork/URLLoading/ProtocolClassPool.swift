import Foundation

/// The protocol classes of all networks, and the engine that each belongs to.
///
/// A class belongs to one network at a time and is used again after the network is freed, because classes are never
/// freed. The exception is a class in a configuration that the library does not own. Somebody may still hold that
/// configuration, so its class is never used again.
final class ProtocolClassPool: Sendable {
    private struct State {
        var engines: [ObjectIdentifier: WeakEngine] = [:]
        var free: [URLProtocol.Type] = []
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
    private let makeClass: @Sendable (Int) -> URLProtocol.Type

    /// Creates a pool without classes.
    ///
    /// - Parameter makeClass: returns the class of a number: another one for each number.
    init(_ makeClass: @escaping @Sendable (Int) -> URLProtocol.Type) {
        self.makeClass = makeClass
    }

    /// The number of classes: those that belong to a network, those that are free, and those that are never used again.
    var classCount: Int { state.withLock { $0.count } }

    /// Returns a class that belongs to the engine's network from now on.
    func takeClass(for engine: Engine) -> URLProtocol.Type {
        state.withLock { state in
            let protocolClass = state.free.popLast() ?? makeClass(state.count)
            if state.engines.updateValue(WeakEngine(engine), forKey: ObjectIdentifier(protocolClass)) == nil {
                state.count += 1
            }
            return protocolClass
        }
    }

    /// Returns a class to the pool.
    ///
    /// It belongs to no network from now on.
    func returnClass(_ protocolClass: URLProtocol.Type, isReusable: Bool) {
        state.withLock { state in
            state.engines[ObjectIdentifier(protocolClass)] = WeakEngine(nil)
            if isReusable { state.free.append(protocolClass) }
        }
    }

    /// Returns the engine of a class; `nil` if its network is freed.
    func engine(of protocolClass: URLProtocol.Type) -> Engine? {
        state.withLock { $0.engines[ObjectIdentifier(protocolClass)]?.engine }
    }
}
