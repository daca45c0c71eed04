import Foundation

extension StubbornNetwork {
    /// Starts answering the requests of `URLSession.shared`, for code that cannot be given a session.
    ///
    ///     let interception = network.interceptSharedSession()
    ///     defer { interception.end() }
    ///
    /// The interception keeps the network alive and remains in force until `end()` is called, even without a reference
    /// to it. Otherwise, requests would reach the real server.
    ///
    /// Several interceptions may be in force at once. Each request is then answered by the interception of the task
    /// that started it (see `interceptingSharedSession`). A request from any other task fails with
    /// `StubbornNetworkError.Code.ambiguousInterception`, unless all interceptions belong to one network. While an
    /// interception is in force, it handles every request of `URLSession.shared`. Without one, all of these requests
    /// reach the real server.
    ///
    /// Other sessions are not affected. On Linux that includes the session behind `Data(contentsOf:)`, but not a
    /// session created from `URLSession.shared.configuration`, which inherits the interceptions.
    ///
    /// - Parameters:
    ///   - file: the file of the call, for errors.
    ///   - line: the line of the call, for errors.
    /// - Returns: the interception, which `end()` ends.
    public func interceptSharedSession(file: StaticString = #fileID, line: UInt = #line) -> SharedSessionInterception {
        let stubs = stubFile?.relativeDisplayPath ?? "a network in memory"
        return SharedSessionInterception(engine, name: "\(stubs), intercepting since \(file):\(line)")
    }

    /// Answers the requests of `URLSession.shared` that are started in `body`.
    ///
    /// The interception ends when `body` returns.
    ///
    ///     try await network.interceptingSharedSession {
    ///         let (data, _) = try await URLSession.shared.data(from: url)
    ///     }
    ///
    /// On Linux, any number of tasks may do this at once, each with its own network. A request belongs to an
    /// interception if it is started in `body`'s task, a child task, or a task that `Task { … }` starts there. Requests
    /// from a detached task or a dispatch queue, and all requests on Apple's platforms, belong to none. They are
    /// answered if a single network intercepts, and fail if several do.
    ///
    /// A request that a task of `body` starts after `body` has returned fails with
    /// `StubbornNetworkError.Code.networkGone` while other interceptions are in force.
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
