import Foundation

extension StubRequest {
    /// The request as a stub's, or `nil` when it has no URL.
    ///
    /// - Parameter body: the body that the task sends. By default the request's `httpBody`; a body stream is not read.
    public init?(_ request: URLRequest, body: Data? = nil) {
        guard let url = request.url else { return nil }
        self.init(request, to: url, body: body ?? request.httpBody)
    }

    /// A request whose URL and body are known: asking a `URLRequest` for its parts copies them.
    init(_ request: URLRequest, to url: URL, body: Data?) {
        self.init(
            method: request.httpMethod ?? "GET",
            url: url,
            headerFields: request.allHTTPHeaderFields.map { HeaderFields($0) } ?? [:],
            body: body
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
