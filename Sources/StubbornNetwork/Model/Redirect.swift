import Foundation

/// The rules for following redirects, hop by hop, as a session does.
enum Redirect {
    /// The largest number of redirects that a session follows; the next one fails.
    static let limit = 20

    /// Returns the request that a response redirects to; `nil` if it is not a redirect to an HTTP URL.
    ///
    /// RFC 9110, section 15.4: 303, and by common practice 301 and 302 after a POST, are followed by GET without body;
    /// 307 and 308 repeat the request. Credentials for one origin are not sent to a different origin.
    static func next(after response: HTTPURLResponse, to request: URLRequest) -> URLRequest? {
        guard [301, 302, 303, 307, 308].contains(response.statusCode),
            let location = ResponseHead(response).headerFields["Location"],
            let from = request.url,
            let target = URL(string: location, relativeTo: from)?.absoluteURL, target.isAnswerable
        else { return nil }
        var next = request
        next.url = target.fragment == nil ? target.withFragment(of: from) : target
        var removed: [String] = target.hasSameOrigin(as: from) ? [] : ["Authorization", "Cookie", "Host"]
        if changesToGet(response.statusCode, method: request.httpMethod ?? "GET") {
            next.httpMethod = "GET"
            next.httpBody = nil
            removed += ["Content-Length", "Content-Type", "Transfer-Encoding", "Content-Encoding"]
        }
        for name in removed { next.setValue(nil, forHTTPHeaderField: name) }
        return next
    }

    private static func changesToGet(_ statusCode: Int, method: String) -> Bool {
        switch statusCode {
        case 303: !["HEAD", "GET"].contains(method)
        case 301, 302: method == "POST"
        default: false
        }
    }
}

extension URL {
    /// Returns the URL with the fragment of the URL that redirected to it (RFC 9110, section 10.2.2).
    fileprivate func withFragment(of other: URL) -> URL {
        guard let fragment = other.fragment, var components = URLComponents(url: self, resolvingAgainstBaseURL: true)
        else { return self }
        components.fragment = fragment
        return components.url ?? self
    }

    fileprivate func hasSameOrigin(as other: URL) -> Bool {
        (scheme?.lowercased(), host?.lowercased(), port)
            == (other.scheme?.lowercased(), other.host?.lowercased(), other.port)
    }
}
