import Foundation

extension StubRequest {
    /// Creates a request from a `URLRequest`; `nil` when that has no URL.
    ///
    /// - Parameters:
    ///   - request: The request to read.
    ///   - body: The body that the task sends, by default the request's `httpBody`. A body stream is not read.
    public init?(_ request: URLRequest, body: Data? = nil) {
        guard let url = request.url else { return nil }
        self.init(request, to: url, body: body ?? request.httpBody)
    }

    /// Creates a request when URL and body are already known, because reading them from a `URLRequest` copies them.
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
        if isPlainlyAnswerable { return true }
        return switch scheme?.lowercased() {
        case "http", "https": host?.isEmpty == false
        default: false
        }
    }

    /// A Boolean value that is quicker to find than the parts of the URL: whether it begins with `https://` or `http://`,
    /// and a letter or digit that is not of user information, behind which the host may be empty.
    private var isPlainlyAnswerable: Bool {
        absoluteString.withBytes { bytes in
            let start = bytes.has("https://", at: 0) ? 8 : bytes.has("http://", at: 0) ? 7 : bytes.count
            return bytes.at(start).isAlphanumeric && !bytes.contains(.at)
        }
    }
}
