import Foundation

extension StubbornNetwork {
    /// Has this network answer the requests of `URLSession.shared`, for code that cannot be handed a session.
    ///
    ///     let interception = network.interceptSharedSession()
    ///     defer { interception.end() }
    ///
    /// It is in force, and keeps the network alive, until `end()` is called: also when nobody holds it any more, because
    /// requests would reach the real server otherwise.
    ///
    /// Several interceptions may be in force at once. Then each request is answered by the one in whose task it was
    /// started (see `interceptingSharedSession`), and a request that no such task started fails, with
    /// `StubbornNetworkError.Code.ambiguousInterception`, unless all of them are of one network. While any interception
    /// is in force, no request of `URLSession.shared` reaches the real server past it; when none is, all do.
    ///
    /// Other sessions are not affected, nor, on Linux, is `Data(contentsOf:)`, which makes one. The exception is a session
    /// made from `URLSession.shared.configuration` on Linux: it takes the interceptions over.
    public func interceptSharedSession(file: StaticString = #fileID, line: UInt = #line) -> SharedSessionInterception {
        let stubs = stubFile?.relativeDisplayPath ?? "a network in memory"
        return SharedSessionInterception(engine, name: "\(stubs), intercepting since \(file):\(line)")
    }

    /// Has this network answer the requests of `URLSession.shared` that are started in `body`, and ends when it returns.
    ///
    ///     try await network.interceptingSharedSession {
    ///         let (data, _) = try await URLSession.shared.data(from: url)
    ///     }
    ///
    /// On Linux any number of tasks may do so at once, each with its own network: requests belong to `body`'s task, its
    /// child tasks, and the tasks that `Task { … }` starts in it. A detached task or a dispatch queue does not know where
    /// it comes from: its requests are answered by the only network that intercepts, and fail where there are several. On
    /// Apple's platforms, where requests are loaded elsewhere, that holds for all requests.
    ///
    /// A request that is started after `body` has returned, by a task that it started, fails with
    /// `StubbornNetworkError.Code.interceptionEnded` while other interceptions are in force.
    public func interceptingSharedSession<Result>(
        file: StaticString = #fileID,
        line: UInt = #line,
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        let interception = interceptSharedSession(file: file, line: line)
        defer { interception.end() }
        return try await SharedSessionInterception.$ofTask.withValue(
            interception,
            operation: body,
            isolation: isolation
        )
    }
}
