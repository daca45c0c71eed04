import Foundation

extension StubbornNetworkError {
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
