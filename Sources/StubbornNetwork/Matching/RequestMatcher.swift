import Foundation

/// A criterion for comparing a live request with a recorded one.
///
/// Matchers are used in a list, and all of them must hold:
///
///     network.requestMatcherOptions = [.httpMethod, .url(ignoringQueryItems: ["ts"]), .headers(named: ["Accept"])]
public struct RequestMatcher: Sendable {
    /// The part of a request that a matcher compares, with the names that code gives it.
    enum Criterion: Sendable {
        case httpMethod
        /// The URL, without these query items.
        case url(ignoring: [String])
        case host
        case path
        /// The query items, without these.
        case query(ignoring: [String])
        /// The header fields that code sets, without these.
        case headers(ignoring: [String])
        /// Only these header fields.
        case namedHeaders([String])
        /// The body, without the JSON members at these key paths.
        case requestBody(ignoring: [String])
        case custom(@Sendable (_ live: URLRequest, _ recorded: URLRequest) -> Bool)
    }

    let criterion: Criterion
    /// The names of query items or header fields as requests spell them when they are compared.
    let comparedNames: Set<String>
    let ignoredKeyPaths: [JSONKeyPath]

    private init(_ criterion: Criterion) {
        self.criterion = criterion
        switch criterion {
        case .url(ignoring: let names), .query(ignoring: let names):
            comparedNames = Set(names.flatMap(QueryItem.spellings))
        case .headers(ignoring: let names), .namedHeaders(let names):
            comparedNames = Set(names.map { $0.lowercased() })
        case .httpMethod, .host, .path, .requestBody, .custom: comparedNames = []
        }
        ignoredKeyPaths = Self.ignored(by: criterion).jsonKeys.map { JSONKeyPath($0) }
    }

    /// The method; `get` and `GET` differ (RFC 9110, section 9.1).
    public static let httpMethod = RequestMatcher(.httpMethod)

    /// Scheme, host, port, path and query items.
    ///
    /// URLs may be written differently and still be equal. These differences are ignored:
    ///
    /// - the case of scheme and host
    /// - a port that is the scheme's default
    /// - an empty path or `/`
    /// - the order of query items
    /// - percent-encoding that is not needed, and `%c3` or `%C3`
    /// - user info, which is redacted in recordings, and the fragment, which is never sent
    ///
    /// These are not: a repeated query item and a single one, `a` and `a=`, `+` and `%20`, a path with `/` at its end
    /// and one without.
    public static let url = RequestMatcher(.url(ignoring: []))

    /// The URL, as `url` compares it, without the query items of these names.
    ///
    /// Repeated ones are ignored too. A space in a name is `%20` or `+` in a URL.
    public static func url(ignoringQueryItems names: [String]) -> RequestMatcher {
        RequestMatcher(.url(ignoring: names))
    }

    /// The host, with any port.
    public static let host = RequestMatcher(.host)
    /// The path, as `url` compares it.
    public static let path = RequestMatcher(.path)
    /// The query items, as `url` compares them.
    public static let query = RequestMatcher(.query(ignoring: []))

    /// The query items, as `url(ignoringQueryItems:)` compares them.
    public static func query(ignoringQueryItems names: [String]) -> RequestMatcher {
        RequestMatcher(.query(ignoring: names))
    }

    /// All header fields except for those that the platform or the transport sets.
    ///
    /// Left out are `Accept-Encoding`, `Accept-Language`, `Connection`, `Content-Length`, `Cookie`, `Host`,
    /// `Keep-Alive`, `Priority`, `Proxy-Authorization`, `Proxy-Connection`, `TE`, `Transfer-Encoding`, `Upgrade` and
    /// `User-Agent`, and `Accept: */*`, which means the same as no such field. Use `headers(named:)` to compare them.
    /// Names ignore case. Repeated fields are joined. A multipart `Content-Type` is compared without its boundary.
    public static let headers = RequestMatcher(.headers(ignoring: []))

    /// The header fields of these names: equal where both requests have the same value, or neither has the field.
    public static func headers(named names: [String]) -> RequestMatcher {
        RequestMatcher(.namedHeaders(names))
    }

    /// The header fields that `headers` compares, without those of these names: `.headers(ignoring: ["X-Request-ID"])`.
    public static func headers(ignoring names: [String]) -> RequestMatcher {
        RequestMatcher(.headers(ignoring: names))
    }

    /// The body, read as `Content-Type` says.
    ///
    /// | body | compared |
    /// |---|---|
    /// | JSON | by value; the order of keys, the spacing and the spelling of numbers are ignored |
    /// | GraphQL | the same, and each query by its tokens: white space, commas and comments are ignored |
    /// | a form | field by field, in any order |
    /// | multipart | part by part, without the boundaries |
    /// | anything else, and a body that is not what its content type says | byte by byte |
    ///
    /// A JSON object or array without a content type is JSON. No body equals an empty one.
    public static let requestBody = RequestMatcher(.requestBody(ignoring: []))

    /// The body, as `requestBody` compares it, without these members of JSON bodies.
    ///
    /// The keys of a path are separated by dots, and arrays are passed through: `["meta.sentAt", "items.id"]` ignores
    /// `sentAt` in `meta`, and the `id` of each of the `items`. A dot inside a key is written `\.`.
    public static func requestBody(ignoringJSONKeys paths: [String]) -> RequestMatcher {
        RequestMatcher(.requestBody(ignoring: paths))
    }

    /// A criterion in code.
    ///
    /// It is asked only about requests that all other matchers in the list find equal, so it can reject a stub, but
    /// cannot accept one that another matcher rejects.
    ///
    ///     .custom { live, recorded in live.url?.path == recorded.url?.path }
    ///
    /// The closure is called from any thread, with the bodies as `httpBody`.
    public static func custom(
        _ matches: @escaping @Sendable (_ live: URLRequest, _ recorded: URLRequest) -> Bool
    ) -> RequestMatcher {
        RequestMatcher(.custom(matches))
    }
}

extension RequestMatcher {
    /// The parts of a request that a matcher leaves out, by the names that code gives them.
    struct Ignored {
        var queryItems: [String] = []
        var headerFields: [String] = []
        var jsonKeys: [String] = []

        var isNothing: Bool { queryItems.isEmpty && headerFields.isEmpty && jsonKeys.isEmpty }
    }

    var ignored: Ignored { Self.ignored(by: criterion) }

    private static func ignored(by criterion: Criterion) -> Ignored {
        switch criterion {
        case .url(ignoring: let names), .query(ignoring: let names): Ignored(queryItems: names)
        case .headers(ignoring: let names): Ignored(headerFields: names)
        case .requestBody(ignoring: let paths): Ignored(jsonKeys: paths)
        case .httpMethod, .host, .path, .namedHeaders, .custom: Ignored()
        }
    }

    /// Returns the matcher that also ignores these parts, as far as it compares them.
    func ignoring(
        queryItems: [String] = [],
        headers: [String] = [],
        jsonKeys: [String] = []
    ) -> RequestMatcher {
        let add = { (names: [String], more: [String]) in names + more.filter { !names.contains($0) } }
        return switch criterion {
        case .url(ignoring: let names): .url(ignoringQueryItems: add(names, queryItems))
        case .query(ignoring: let names): .query(ignoringQueryItems: add(names, queryItems))
        case .headers(ignoring: let names): .headers(ignoring: add(names, headers))
        case .requestBody(ignoring: let paths): .requestBody(ignoringJSONKeys: add(paths, jsonKeys))
        case .httpMethod, .host, .path, .namedHeaders, .custom: self
        }
    }

    /// Returns the matchers to use instead of this one to ignore a difference; `nil` when there are none.
    func replacements(toIgnore subject: RequestDifference.Subject) -> [RequestMatcher]? {
        if case .other = subject { return nil }
        switch criterion {
        case .url(ignoring: let names):
            if case .queryItem(let name) = subject { return [ignoring(queryItems: [name])] }
            if case .origin = subject { return names.isEmpty ? [.path, .query] : nil }
        case .query:
            if case .queryItem = subject { return nil }
        case .headers(ignoring: let names):
            if case .headerField(let name) = subject, !names.contains(where: { $0.isSameFieldName(as: name) }) {
                return [ignoring(headers: [name])]
            }
        case .namedHeaders(let names):
            if case .headerField(let name) = subject {
                return [.headers(named: names.filter { !$0.isSameFieldName(as: name) })]
            }
        case .requestBody:
            if case .jsonMember(let path) = subject { return [ignoring(jsonKeys: [path.text])] }
            if case .wholeBody = subject { return [] }
        case .host:
            if case .origin = subject { return [] }
        case .httpMethod, .path, .custom: break
        }
        return [self]
    }
}

extension RequestMatcher: CustomStringConvertible {
    /// The code that makes the matcher: `.url(ignoringQueryItems: ["ts"])`.
    public var description: String {
        func code(_ name: String, _ label: String, _ names: [String]) -> String {
            "\(name)(\(label): [\(names.map { $0.quoted() }.joined(separator: ", "))])"
        }
        return switch criterion {
        case .httpMethod: ".httpMethod"
        case .url(ignoring: []): ".url"
        case .url(ignoring: let names): code(".url", "ignoringQueryItems", names)
        case .host: ".host"
        case .path: ".path"
        case .query(ignoring: []): ".query"
        case .query(ignoring: let names): code(".query", "ignoringQueryItems", names)
        case .headers(ignoring: []): ".headers"
        case .headers(ignoring: let names): code(".headers", "ignoring", names)
        case .namedHeaders(let names): code(".headers", "named", names)
        case .requestBody(ignoring: []): ".requestBody"
        case .requestBody(ignoring: let paths): code(".requestBody", "ignoringJSONKeys", paths)
        case .custom: ".custom"
        }
    }
}
