import Foundation

/// Which protocol class belongs to which living network.
///
/// A class is lent to one network at a time and reused when the network has gone, because classes are never freed. One
/// that was put into a configuration which the library does not own is retired instead: whoever still holds that
/// configuration must never reach another network.
final class ProtocolClassPool: Sendable {
    static let shared = ProtocolClassPool()

    private struct State {
        var networks: [ObjectIdentifier: WeakEngine] = [:]
        var free: [StubbedSessionURLProtocol.Type] = []
        var count = 0
    }

    /// An object, because a copy of a weak reference costs more than the whole look-up.
    private final class WeakEngine {
        weak var engine: NetworkEngine?

        init(_ engine: NetworkEngine?) {
            self.engine = engine
        }
    }

    private let state = Lock(State())

    /// How many classes there are, lent, free and retired.
    var classCount: Int { state.withLock { $0.count } }

    func lend(to engine: NetworkEngine) -> StubbedSessionURLProtocol.Type {
        state.withLock { state in
            let protocolClass = state.free.popLast() ?? protocolClass(number: state.count)
            if state.networks.updateValue(WeakEngine(engine), forKey: ObjectIdentifier(protocolClass)) == nil {
                state.count += 1
            }
            return protocolClass
        }
    }

    /// Takes a class back from a network that goes.
    func takeBack(_ protocolClass: StubbedSessionURLProtocol.Type, isRetired: Bool) {
        state.withLock { state in
            state.networks[ObjectIdentifier(protocolClass)] = WeakEngine(nil)
            if !isRetired { state.free.append(protocolClass) }
        }
    }

    /// The network of a class; `nil` when it is gone.
    func engine(of protocolClass: StubbedSessionURLProtocol.Type) -> NetworkEngine? {
        state.withLock { $0.networks[ObjectIdentifier(protocolClass)]?.engine }
    }
}
