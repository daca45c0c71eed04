import Foundation

extension StubbornNetworkError {
    /// The error for a request of `URLSession.shared` that could be for any of several networks.
    ///
    /// - Parameter names: the interceptions in force, in the order in which they began.
    static func ambiguousInterception(_ url: URL?, inForce names: [String]) -> Self {
        let named = names.prefix(8).map { "\n  \($0)" }.joined()
        let more = names.count > 8 ? "\n  and \(names.count - 8) more" : ""
        return Self(
            .ambiguousInterception,
            """
            The request for \(url.map(name) ?? "no URL") through URLSession.shared was refused: several interceptions were \
            in force while it started, and it was not started in the task of one of them.\(named)\(more)
            The real server was not asked. Start the request inside interceptingSharedSession, in its task or a child task: \
            a detached task, a dispatch queue and, on Apple's platforms, every request has nothing to tell it by. Or have \
            one interception in force at a time, or use network.session.
            """,
            url: url
        )
    }

    /// The error for a request of `URLSession.shared` whose own interception has ended.
    static func interceptionEnded(_ url: URL?, name interception: String) -> Self {
        Self(
            .interceptionEnded,
            """
            The request for \(url.map(name) ?? "no URL") through URLSession.shared was refused: it was started in the task \
            of an interception that has ended, while others are in force.
              \(interception)
            Neither the real server nor another network was asked. Have interceptingSharedSession return only when the \
            requests that were started inside it have come back.
            """,
            url: url
        )
    }
}
