import Foundation

/// The errors of calls that a test makes to check requests.
extension StubbornNetworkError {
    /// - Parameters:
    ///   - pattern: the requests that were waited for.
    ///   - requests: the requests that were made, without secrets.
    static func noSuchExchange(_ pattern: String, requests: [String]) -> Self {
        let list = requests.suffix(8).map { "\n  \($0.cut())" }.joined()
        let more = requests.count > 8 ? "\n  and \(requests.count - 8) before them" : ""
        return Self(
            .noSuchExchange,
            """
            No request matched in time: \(pattern.cut()). \
            \(requests.isEmpty ? "No requests were made." : "The requests were:")\(list)\(more)
            Check that the code under test uses a session of this network, or wait longer: timeout: .seconds(30).
            """
        )
    }

    static func undecodableBody(
        of request: StubRequest,
        _ type: Any.Type,
        because reason: String,
        _ cause: (any Error)? = nil
    ) -> Self {
        Self(
            .undecodableBody,
            "The body of \(request.method) \(name(request.url)) cannot be decoded as \(type): \(reason.cut(to: 512)).",
            url: request.url,
            underlyingError: cause
        )
    }
}
