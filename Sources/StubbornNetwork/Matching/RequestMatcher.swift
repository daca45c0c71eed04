import Foundation

/// One criterion by which a live request equals a recorded one.
///
/// Used in a list, all of which must hold:
///
///     network.requestMatcherOptions = [.httpMethod, .url(ignoringQueryItems: ["ts"]), .headers(named: ["Accept"])]
public struct RequestMatcher: Sendable {
    enum Criterion: Sendable {
        case method
        case url(ignoredItems: [String])
        case host
        case path
        case query
        case headers(named: [String]?)
        case headersExcept([String])
        case body(ignoredKeys: [String])
        case custom(@Sendable (URLRequest, URLRequest) -> Bool)
    }

    let criterion: Criterion
    let compared: ComparedPart

    private init(_ criterion: Criterion) {
        self.criterion = criterion
        compared = ComparedPart(criterion)
    }

    /// The method. `get` and `GET` differ (RFC 9110, section 9.1).
    public static let httpMethod = RequestMatcher(.method)

    /// Scheme, host, port, path and query items.
    ///
    /// Equal URLs may be written differently: the case of scheme and host, a port that is the scheme's own, an empty path
    /// or `/`, the order of query items, percent-encoding that is not needed, `%c3` or `%C3`. Different are: a repeated
    /// query item and a single one, `a` and `a=`, `+` and `%20`, a path with `/` at its end and one without. User info
    /// (redacted in recordings) and fragment (never sent) say nothing.
    public static let url = RequestMatcher(.url(ignoredItems: []))

    /// As `url`, without the query items of these names, however often they come. A space in a name is `%20` or `+` in a URL.
    public static func url(ignoringQueryItems names: [String]) -> RequestMatcher {
        RequestMatcher(.url(ignoredItems: names))
    }

    /// The host alone, whatever the port.
    public static let host = RequestMatcher(.host)

    /// The path alone, compared as `url` does.
    public static let path = RequestMatcher(.path)

    /// The query items alone, compared as `url` does.
    public static let query = RequestMatcher(.query)

    /// All header fields but those that the platform or the transport sets by itself.
    ///
    /// Left out are `Accept-Encoding`, `Accept-Language`, `Connection`, `Content-Length`, `Cookie`, `Host`, `Keep-Alive`,
    /// `Priority`, `Proxy-Authorization`, `Proxy-Connection`, `TE`, `Transfer-Encoding`, `Upgrade` and `User-Agent`, and
    /// `Accept: */*`, which says no more than none. `headers(named:)` compares them where they matter. Names ignore case;
    /// repeated fields are compared joined; a multipart `Content-Type` is compared without its boundary.
    public static let headers = RequestMatcher(.headers(named: nil))

    /// The header fields of these names: there in both with the same value, or in neither.
    public static func headers(named names: [String]) -> RequestMatcher {
        RequestMatcher(.headers(named: names))
    }

    /// As `headers`, without the fields of these names: `.headers(ignoring: ["X-Request-ID"])`.
    public static func headers(ignoring names: [String]) -> RequestMatcher {
        RequestMatcher(.headersExcept(names))
    }

    /// The body, read as what `Content-Type` says.
    ///
    /// JSON is compared by value, whatever the order of keys, the spacing, or the spelling of numbers; forms field by field
    /// in any order; multipart bodies part by part without their boundaries; anything else, and what is not what it
    /// claims to be, byte by byte. A JSON object or array without a content type is JSON. No body equals an empty one.
    public static let requestBody = RequestMatcher(.body(ignoredKeys: []))

    /// As `requestBody`, without these members of JSON bodies.
    ///
    /// A path goes down by dots, and through arrays without a word: `["meta.sentAt", "items.id"]` leaves out `sentAt` in
    /// `meta`, and the `id` of each of the `items`. A dot inside a key is written `\.`.
    public static func requestBody(ignoringJSONKeys paths: [String]) -> RequestMatcher {
        RequestMatcher(.body(ignoredKeys: paths))
    }

    /// A criterion in code, asked for requests that all other matchers in the list find equal: it narrows, and never
    /// overrules.
    ///
    ///     .custom { live, recorded in live.url?.path == recorded.url?.path }
    ///
    /// Called from any thread, with the bodies as `httpBody`.
    public static func custom(
        _ matches: @escaping @Sendable (_ live: URLRequest, _ recorded: URLRequest) -> Bool
    ) -> RequestMatcher {
        RequestMatcher(.custom(matches))
    }
}

extension RequestMatcher: CustomStringConvertible {
    /// The code that makes it: `.url(ignoringQueryItems: ["ts"])`.
    public var description: String {
        switch criterion {
        case .method: ".httpMethod"
        case .url([]): ".url"
        case .url(let names): ".url(ignoringQueryItems: \(Self.code(names)))"
        case .host: ".host"
        case .path: ".path"
        case .query: ".query"
        case .headers(nil): ".headers"
        case .headers(let names?): ".headers(named: \(Self.code(names)))"
        case .headersExcept(let names): ".headers(ignoring: \(Self.code(names)))"
        case .body([]): ".requestBody"
        case .body(let paths): ".requestBody(ignoringJSONKeys: \(Self.code(paths)))"
        case .custom: ".custom"
        }
    }

    private static func code(_ texts: [String]) -> String {
        "[\(texts.map { $0.quoted() }.joined(separator: ", "))]"
    }
}
