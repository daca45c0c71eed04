import Foundation

extension StubRequest {
    /// Creates a request from a `URLRequest`; `nil` when that has no URL.
    ///
    /// The body is by default the request's `httpBody`. A body stream is not read.
    public init?(_ request: URLRequest, body: Data? = nil) {
        guard let url = request.url else { return nil }
        self.init(request, to: url, body: body ?? request.httpBody)
    }

    /// Creates a request from a `URLRequest` with a URL and a body that are already known: reading them again would copy them.
    init(_ request: URLRequest, to url: URL, body: Data?) {
        self.init(
            method: request.httpMethod ?? "GET",
            url: url,
            headerFields: request.allHTTPHeaderFields.map { HeaderFields($0) } ?? [:],
            body: body
        )
    }

    /// The request as a `URLRequest`, with its body as `httpBody`.
    public var urlRequest: URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.allHTTPHeaderFields = headerFields.combined
        request.httpBody = body
        return request
    }
}

extension URL {
    /// A Boolean value that indicates whether stubs can answer requests for this URL: `http` or `https`, and a host.
    var isAnswerable: Bool {
        isPlainlyAnswerable || ["http", "https"].contains(scheme?.lowercased() ?? "") && host?.isEmpty == false
    }

    /// A Boolean value that indicates whether the URL's text clearly has an answerable scheme and a host: a quick check.
    private var isPlainlyAnswerable: Bool {
        absoluteString.withBytes { bytes in
            let start = bytes.has("https://", at: 0) ? 8 : bytes.has("http://", at: 0) ? 7 : bytes.count
            return bytes.at(start).isAlphanumeric && !bytes.contains(.at)
        }
    }
}
