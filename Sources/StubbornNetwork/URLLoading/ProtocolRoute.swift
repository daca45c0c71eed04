import Foundation

/// The protocol class that a network has been lent, from its first use until the network goes.
final class ProtocolRoute: Sendable {
    private struct State {
        var protocolClass: StubbedSessionURLProtocol.Type?
        var isRetired = false
    }

    private let state = Lock(State())
    private let pool: ProtocolClassPool

    init(_ pool: ProtocolClassPool) {
        self.pool = pool
    }

    /// The class for a configuration.
    ///
    /// - Parameter isForeign: whether the configuration is somebody else's, who may still hold it when the network has
    ///   gone. The class is never given to another network then.
    func protocolClass(for engine: NetworkEngine, isForeign: Bool) -> StubbedSessionURLProtocol.Type {
        state.withLock { state in
            if isForeign { state.isRetired = true }
            if let protocolClass = state.protocolClass { return protocolClass }
            let protocolClass = pool.lend(to: engine)
            state.protocolClass = protocolClass
            return protocolClass
        }
    }

    func giveBack() {
        state.withLock { state in
            guard let protocolClass = state.protocolClass else { return }
            pool.takeBack(protocolClass, isRetired: state.isRetired)
            state.protocolClass = nil
        }
    }
}
