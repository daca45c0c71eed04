import Foundation

/// A criterion for comparing a live request with a recorded one.
///
/// Matchers are used in a list. All of them must match:
///
///     network.requestMatcherOptions = [.httpMethod, .url(ignoringQueryItems: ["ts"]), .headers(named: ["Accept"])]
public struct RequestMatcher: Sendable, CustomStringConvertible {
    /// The code that makes the matcher, without the ignored parts: `.url`.
    private let name: String
    /// The parts of a request that the matcher compares; `.bytes` is the body in any form.
    let parts: [ComparedRequest.Part]
    /// The names of the only header fields that are compared, as written in code; `nil` for all fields that the app
    /// sets.
    private(set) var fieldNames: [String]?
    /// The criterion in code; `nil` for any other matcher.
    private(set) var custom: (@Sendable (_ live: URLRequest, _ recorded: URLRequest) -> Bool)?
    private(set) var ignored = IgnoredParts() { didSet { spelledIgnored = ignored.spelled } }
    private(set) var spelledIgnored = IgnoredParts().spelled

    /// The method; `get` and `GET` differ (RFC 9110, section 9.1).
    public static let httpMethod = RequestMatcher(name: ".httpMethod", parts: [.method])

    /// Scheme, host, port, path and query items.
    ///
    /// These differences are ignored:
    ///
    /// - the case of scheme and host
    /// - a port that is the scheme's default
    /// - an empty path or `/`
    /// - the order of query items
    /// - percent-encoding that is not needed, and `%c3` or `%C3`
    /// - user info, which is redacted in recordings, and the fragment, which is never sent
    ///
    /// These differences matter: a repeated query item and a single one, `a` and `a=`, `+` and `%20`, a path with `/`
    /// at its end and one without.
    public static let url = RequestMatcher(name: ".url", parts: [.scheme, .host, .port, .path, .query])

    /// The URL, as `url` compares it, without the query items with these names, and without the parameters of these
    /// paths.
    ///
    /// `.url(ignoringQueryItems: ["ts"])` ignores `ts`, even if it is repeated. A space in a name stands for `%20` and
    /// `+` in a URL. `.url(ignoringPathParameters: ["/reports/:time"])` ignores the segment after `/reports/`. A
    /// parameter is one segment that is not empty. Other paths are compared as a whole.
    public static func url(
        ignoringPathParameters paths: [String] = [],
        ignoringQueryItems names: [String] = []
    ) -> RequestMatcher {
        url.ignoring(IgnoredParts(queryItems: names, pathParameters: paths))
    }

    /// The host, with any port.
    public static let host = RequestMatcher(name: ".host", parts: [.host])
    /// The path, as `url` compares it.
    public static let path = RequestMatcher(name: ".path", parts: [.path])

    /// The path, as `url(ignoringPathParameters:ignoringQueryItems:)` compares it.
    public static func path(ignoringPathParameters paths: [String]) -> RequestMatcher {
        path.ignoring(IgnoredParts(pathParameters: paths))
    }

    /// The query items, as `url` compares them.
    public static let query = RequestMatcher(name: ".query", parts: [.query])

    /// The query items, as `url(ignoringQueryItems:)` compares them.
    public static func query(ignoringQueryItems names: [String]) -> RequestMatcher {
        query.ignoring(IgnoredParts(queryItems: names))
    }

    /// All header fields except for those that the platform or the transport sets.
    ///
    /// These fields are left out: `Accept-Encoding`, `Accept-Language`, `Connection`, `Content-Length`, `Cookie`,
    /// `Host`, `Keep-Alive`, `Priority`, `Proxy-Authorization`, `Proxy-Connection`, `TE`, `Transfer-Encoding`,
    /// `Upgrade` and `User-Agent`, and `Accept: */*`, which means the same as a missing field. Use `headers(named:)` to
    /// compare them. Names ignore case. Repeated fields are joined. A multipart `Content-Type` is compared without its
    /// boundary.
    public static let headers = RequestMatcher(name: ".headers", parts: [.header])

    /// The header fields with these names.
    ///
    /// They are equal if both requests have the same value, or if neither has the field.
    public static func headers(named names: [String]) -> RequestMatcher {
        RequestMatcher(name: ".headers(\(code("named", names)))", parts: [.header], fieldNames: names)
    }

    /// The header fields that `headers` compares, except these: `.headers(ignoring: ["X-Request-ID"])`.
    public static func headers(ignoring names: [String]) -> RequestMatcher {
        headers.ignoring(IgnoredParts(headerFields: names))
    }

    /// The body, read in the format that its content shows, or else its `Content-Type`.
    ///
    /// | body | compared |
    /// |---|---|
    /// | JSON | by value; the order of keys, the spacing and the spelling of numbers are ignored |
    /// | GraphQL | the same, and each query by its lines, without the white space around them |
    /// | lines of JSON (NDJSON) | line by line, each by value |
    /// | a form | field by field, in any order |
    /// | multipart | part by part, without the boundaries |
    /// | anything else, such as invalid JSON | byte by byte |
    ///
    /// A JSON object or array is JSON with any content type, and without one. A missing body equals an empty one.
    public static let requestBody = RequestMatcher(name: ".requestBody", parts: [.bytes])

    /// The body, as `requestBody` compares it, without the fields with these names, and without these members of JSON
    /// bodies.
    ///
    /// The fields are those of a form, and the parts of `multipart/form-data` (the `name` of RFC 7578, section 4.2). Names
    /// are case-sensitive. XML is compared as text.
    ///
    /// Dots separate the keys of a path into JSON. A path passes through arrays: `["meta.sentAt", "items.id"]` ignores
    /// `sentAt` in `meta`, and the `id` of each of the `items`, and does the same in each line of NDJSON. A dot inside
    /// a key is written `\.`.
    public static func requestBody(
        ignoringFields names: [String] = [],
        ignoringJSONKeyPaths paths: [String] = []
    ) -> RequestMatcher {
        requestBody.ignoring(IgnoredParts(jsonKeyPaths: paths, bodyFields: names))
    }

    /// A criterion in code.
    ///
    /// It is called only if all other matchers in the list match, so it can reject a stub, but cannot accept a stub
    /// that a different matcher rejects.
    ///
    ///     .custom { live, recorded in live.url?.path == recorded.url?.path }
    ///
    /// The closure is called from any thread, with the bodies as `httpBody`.
    public static func custom(
        _ matches: @escaping @Sendable (_ live: URLRequest, _ recorded: URLRequest) -> Bool
    ) -> RequestMatcher {
        RequestMatcher(name: ".custom", parts: [], custom: matches)
    }

    // MARK: Comparing and ignoring

    /// Returns a Boolean value that indicates whether the matcher compares a part of requests.
    func compares(_ part: ComparedRequest.Part) -> Bool { parts.contains(part) }

    /// Returns a matcher that also ignores these parts, if it compares them.
    func ignoring(_ parts: IgnoredParts) -> RequestMatcher {
        if fieldNames != nil { return self }
        var matcher = self
        matcher.ignored.add(parts, where: compares)
        return matcher
    }

    /// Returns the matchers to use instead of this one to ignore a difference.
    func replacements(toIgnore subject: RequestDifference.Subject) -> [RequestMatcher] {
        switch subject {
        case .wholeBody where compares(.bytes): return []
        case .origin where compares(.host):
            return compares(.path) ? [RequestMatcher.path, .query].map { $0.ignoring(ignored) } : []
        case .parts, .origin, .wholeBody, .other:
            guard let fieldNames else { return [ignoring(subject.ignored)] }
            let ignored = subject.ignored.spelled.headerFields
            return [.headers(named: fieldNames.filter { !ignored.contains($0.lowercased()) })]
        }
    }

    /// The code that makes the matcher: `.url(ignoringQueryItems: ["ts"])`.
    public var description: String {
        let lists = IgnoredParts.lists.filter { !ignored[keyPath: $0.names].isEmpty }
        let arguments = lists.map { Self.code($0.label, ignored[keyPath: $0.names]) }
        return arguments.isEmpty ? name : "\(name)(\(arguments.joined(separator: ", ")))"
    }

    private static func code(_ label: String, _ names: [String]) -> String {
        "\(label): [\(names.map { $0.quoted() }.joined(separator: ", "))]"
    }
}

/// The matchers that compare requests with recorded requests.
///
/// All of them must match.
///
///     network.requestMatcherOptions = .strict
///     network.requestMatcherOptions = [.httpMethod, .url(ignoringQueryItems: ["ts"]), .requestBody]
///
/// Without matchers, every recorded request equals every live request.
public struct RequestMatcherOptions: Sendable, ExpressibleByArrayLiteral, CustomStringConvertible {
    /// The matchers, all of which must match.
    package let matchers: [RequestMatcher]

    /// Creates options from matchers.
    public init(_ matchers: [RequestMatcher]) { self.matchers = matchers }

    /// Method, URL and body: the default.
    public static let standard = RequestMatcherOptions([.httpMethod, .url, .requestBody])
    /// Method, URL, body, and all header fields that the app itself sets.
    public static let strict = RequestMatcherOptions([.httpMethod, .url, .headers, .requestBody])

    /// Method, host and path, with any scheme, port, query, header fields and body.
    public static let lenient = RequestMatcherOptions([.httpMethod, .host, .path])

    /// A Boolean value that indicates whether these are the standard matchers.
    var isStandard: Bool { description == Self.standard.description }

    var ignored: IgnoredParts { matchers.reduce(into: IgnoredParts()) { $0.add($1.ignored) } }

    /// Creates options from an array literal of matchers.
    public init(arrayLiteral elements: RequestMatcher...) { self.init(elements) }

    /// The code that makes the options: `[.httpMethod, .url, .requestBody]`.
    public var description: String { "[\(matchers.map(\.description).joined(separator: ", "))]" }
}
