import Foundation

/// The matchers that recorded requests are compared by.
///
/// All of them must hold.
///
///     network.requestMatcherOptions = .strict
///     network.requestMatcherOptions = [.httpMethod, .url(ignoringQueryItems: ["ts"]), .requestBody]
///
/// Without any matcher every recorded request equals every live one.
public struct RequestMatcherOptions: Sendable {
    /// The matchers, all of which must hold.
    public var matchers: [RequestMatcher]

    /// Creates options from matchers.
    public init(_ matchers: [RequestMatcher]) {
        self.matchers = matchers
    }

    /// Method, URL and body: the default.
    public static let standard = RequestMatcherOptions([.httpMethod, .url, .requestBody])
    /// Method, URL, body, and all header fields that the app itself sets.
    public static let strict = RequestMatcherOptions([.httpMethod, .url, .headers, .requestBody])

    /// Method, host and path, with any scheme, port, query, header fields and body.
    public static let lenient = RequestMatcherOptions([.httpMethod, .host, .path])

    var ignored: IgnoredParts {
        matchers.reduce(into: IgnoredParts()) { $0.add($1.ignored) }
    }
}

extension RequestMatcherOptions: ExpressibleByArrayLiteral {
    /// Creates options from an array literal of matchers.
    public init(arrayLiteral elements: RequestMatcher...) {
        self.init(elements)
    }
}

extension RequestMatcherOptions: CustomStringConvertible {
    /// The code that makes the options: `[.httpMethod, .url, .requestBody]`.
    public var description: String {
        "[\(matchers.map(\.description).joined(separator: ", "))]"
    }
}
