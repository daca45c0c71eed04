import Foundation

extension StubRequest {
    /// The request as a stub's, or `nil` when it has no URL.
    ///
    /// - Parameter body: the body that the task sends. By default the request's `httpBody`; a body stream is not read.
    public init?(_ request: URLRequest, body: Data? = nil) {
        guard let url = request.url else { return nil }
        self.init(
            method: request.httpMethod ?? "GET",
            url: url,
            headerFields: HeaderFields(request.allHTTPHeaderFields ?? [:]),
            body: body ?? request.httpBody
        )
    }

    /// The request as a `URLRequest`, its body as `httpBody`.
    public var urlRequest: URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.allHTTPHeaderFields = headerFields.combined
        request.httpBody = body
        return request
    }
}
