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

    /// A Boolean value that indicates whether the URL begins with `https://` and a letter or digit.
    ///
    /// This is faster than reading the parts of the URL.
    private var isPlainlyAnswerable: Bool {
        var text = absoluteString
        return text.withUTF8 { bytes in
            guard bytes.count > 8, bytes.starts(with: "http".utf8) else { return false }
            let rest = bytes[(bytes[4] == UInt8(ascii: "s") ? 5 : 4)...]
            guard rest.starts(with: "://".utf8), let first = rest.dropFirst(3).first else { return false }
            switch first {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): break
            default: return false
            }
            // The host behind the user information may be empty.
            return !rest.contains(UInt8(ascii: "@"))
        }
    }
}
