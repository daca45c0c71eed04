import Foundation

extension StubbornNetworkError {
    /// The error for an exchange that did not come.
    static func noSuchExchange(_ pattern: String, asked: [String]) -> Self {
        let list = asked.suffix(8).map { "\n  \($0.cut())" }.joined()
        let more = asked.count > 8 ? "\n  and \(asked.count - 8) before them" : ""
        return Self(
            .noSuchExchange,
            """
            No request came that fits: \(pattern.cut()). \(asked.isEmpty ? "There was none at all." : "There were:")\(list)\(more)
            See that the code under test uses a session of this network, or wait for longer: timeout: .seconds(30).
            """
        )
    }

    /// The error for a request's body that is not what a test takes it for.
    static func undecodableBody(
        of request: StubRequest,
        _ type: Any.Type,
        because reason: String,
        _ cause: (any Error)? = nil
    ) -> Self {
        Self(
            .undecodableBody,
            "The body of \(request.method) \(name(request.url)) is no \(type): \(reason.cut(to: 512)).",
            url: request.url,
            underlyingError: cause
        )
    }
}
