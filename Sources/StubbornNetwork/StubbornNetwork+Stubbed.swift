import Foundation

extension StubbornNetwork {
    /// Returns a stubbed session, in one call.
    ///
    ///     let session = StubbornNetwork.stubbed(withConfiguration: .ephemeral) { network in
    ///         network.stub(request, data: data, response: response, error: nil)
    ///     }
    ///
    /// What such a session records is on the disk at once. Its recording run ends when the session is freed, or when the
    /// process exits. On Apple's platforms a session that nobody invalidates may never be freed. To end the run earlier,
    /// create a ``StubbornNetwork`` and call its `finishRecording()`.
    ///
    /// - Parameters:
    ///   - configuration: the storage of the stubs.
    ///   - stub: called with the network before the session is created, to declare stubs and change settings.
    /// - Returns: a session that keeps its network alive.
    public static func stubbed(
        withConfiguration configuration: StubbornNetworkConfiguration,
        stub: (StubbornNetwork) throws -> Void
    ) rethrows -> URLSession {
        let network = StubbornNetwork(configuration)
        try stub(network)
        return network.makeSession()
    }

    /// Returns a stubbed session that is configured by a process's environment.
    ///
    ///     let session = StubbornNetwork.stubbed(withProcessInfo: .processInfo, stub: { network in
    ///         network.recordMode = .recording
    ///     })
    ///
    /// `stub` is called with the network before the session is created. `STUB_RECORD_MODE` overrides a mode that it sets.
    /// Its recording run ends when the session is freed, or when the process exits.
    public static func stubbed(
        withProcessInfo processInfo: ProcessInfo,
        stub: (StubbornNetwork) throws -> Void
    ) rethrows -> URLSession {
        let network = StubbornNetwork(.environment, environment: processInfo.environment)
        try stub(network)
        return network.makeSession()
    }

    // A default for the closure above would make every call without one need `try`.

    /// Returns a stubbed session without declared stubs.
    public static func stubbed(withConfiguration configuration: StubbornNetworkConfiguration) -> URLSession {
        stubbed(withConfiguration: configuration) { _ in }
    }

    /// Returns a stubbed session without declared stubs that is configured by a process's environment.
    public static func stubbed(withProcessInfo processInfo: ProcessInfo) -> URLSession {
        stubbed(withProcessInfo: processInfo) { _ in }
    }
}
