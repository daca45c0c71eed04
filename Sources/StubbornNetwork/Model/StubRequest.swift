import Foundation

/// The request of a stub: plain values, without a session.
///
/// Two requests are equal when method, URL (as written), header fields and body are equal. Whether a stub answers is decided
/// by matchers, which may compare less.
public struct StubRequest: Sendable, Hashable {
    /// The method as it was given, usually upper case. Methods are case-sensitive (RFC 9110, section 9.1).
    public var method: String

    /// The absolute URL.
    public var url: URL

    public var headerFields: HeaderFields

    /// The body; `nil` when there is none. An empty body differs from none here, and equals it for the matchers.
    public var body: Data?

    /// The values of a path template's placeholders, for a stub whose response is computed: `["id": "42"]` for
    /// `/users/42` and the template `/users/:id`. Empty for any other request, and never stored.
    public var pathParameters: [String: String] = [:]

    public init(method: String = "GET", url: URL, headerFields: HeaderFields = [:], body: Data? = nil) {
        self.method = method
        self.url = url
        self.headerFields = headerFields
        self.body = body
    }
}

extension StubRequest {
    public static func == (left: Self, right: Self) -> Bool {
        left.method == right.method && left.url == right.url && left.headerFields == right.headerFields
            && left.body == right.body
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(method)
        hasher.combine(url)
        hasher.combine(headerFields)
    }
}

extension StubRequest: CustomStringConvertible {
    /// The method and the URL: `GET https://api.example.com/users/42`.
    public var description: String { "\(method) \(url.absoluteString)" }
}
