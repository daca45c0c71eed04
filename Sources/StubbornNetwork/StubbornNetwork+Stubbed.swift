import Foundation

extension StubbornNetwork {
    /// A stubbed session, in one call.
    ///
    ///     let session = StubbornNetwork.stubbed(withConfiguration: .ephemeral) { network in
    ///         network.stub(request, data: data, response: response, error: nil)
    ///     }
    ///
    /// - Parameter stub: is given the network itself, before the session is made.
    /// - Returns: a session that keeps its network alive.
    public static func stubbed(
        withConfiguration configuration: StubbornNetworkConfiguration,
        stub: (StubbornNetwork) throws -> Void
    ) rethrows -> URLSession {
        let network = StubbornNetwork(configuration)
        try stub(network)
        return network.makeSession()
    }

    /// A stubbed session, configured by a process's environment.
    ///
    ///     let session = StubbornNetwork.stubbed(withProcessInfo: .processInfo, stub: { network in
    ///         network.recordMode = .recording
    ///     })
    ///
    /// - Parameter stub: is given the network itself, before the session is made. The environment wins over the mode that
    ///   is set here.
    /// - Returns: a session that keeps its network alive.
    public static func stubbed(
        withProcessInfo processInfo: ProcessInfo,
        stub: (StubbornNetwork) throws -> Void
    ) rethrows -> URLSession {
        let network = StubbornNetwork(.environment, environment: processInfo.environment)
        try stub(network)
        return network.makeSession()
    }

    /// A stubbed session with nothing declared. A default for the closure would make every call without one need `try`.
    public static func stubbed(withConfiguration configuration: StubbornNetworkConfiguration) -> URLSession {
        stubbed(withConfiguration: configuration) { _ in }
    }

    /// A stubbed session with nothing declared, configured by a process's environment.
    public static func stubbed(withProcessInfo processInfo: ProcessInfo) -> URLSession {
        stubbed(withProcessInfo: processInfo) { _ in }
    }
}
