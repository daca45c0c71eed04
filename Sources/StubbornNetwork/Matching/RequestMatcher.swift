import Foundation

/// A criterion for comparing a live request with a recorded one.
///
/// Matchers are used in a list, and all of them must hold:
///
///     network.requestMatcherOptions = [.httpMethod, .url(ignoringQueryItems: ["ts"]), .headers(named: ["Accept"])]
public struct RequestMatcher: Sendable {
    /// The criteria, by the names of the static members that make them.
    enum Criterion: Sendable, CaseIterable {
        case httpMethod, url, host, path, query, headers, namedHeaders, requestBody, custom
    }

    let criterion: Criterion
    /// The names that were given in code: of ignored query items or header fields, of compared header fields, or key
    /// paths.
    let names: [String]
    /// The names of query items or header fields as requests spell them when they are compared.
    let comparedNames: Set<String>
    let ignoredKeyPaths: [JSONKeyPath]
    /// The criterion in code; for any other criterion, one that holds.
    let customHolds: @Sendable (_ live: URLRequest, _ recorded: URLRequest) -> Bool

    private init(
        _ criterion: Criterion,
        _ names: [String] = [],
        customHolds: @escaping @Sendable (URLRequest, URLRequest) -> Bool = { _, _ in true }
    ) {
        self.criterion = criterion
        self.names = names
        self.customHolds = customHolds
        comparedNames =
            switch criterion {
            case .url, .query: Set(names.flatMap(QueryItem.spellings))
            case .headers, .namedHeaders: Set(names.map { $0.lowercased() })
            default: []
            }
        ignoredKeyPaths = criterion == .requestBody ? names.map { JSONKeyPath($0) } : []
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
    public static let url = RequestMatcher(.url)

    /// The URL, as `url` compares it, without the query items of these names.
    ///
    /// Repeated ones are ignored too. A space in a name is `%20` or `+` in a URL.
    public static func url(ignoringQueryItems names: [String]) -> RequestMatcher {
        RequestMatcher(.url, names)
    }

    /// The host, with any port.
    public static let host = RequestMatcher(.host)
    /// The path, as `url` compares it.
    public static let path = RequestMatcher(.path)
    /// The query items, as `url` compares them.
    public static let query = RequestMatcher(.query)

    /// The query items, as `url(ignoringQueryItems:)` compares them.
    public static func query(ignoringQueryItems names: [String]) -> RequestMatcher {
        RequestMatcher(.query, names)
    }

    /// All header fields except for those that the platform or the transport sets.
    ///
    /// Left out are `Accept-Encoding`, `Accept-Language`, `Connection`, `Content-Length`, `Cookie`, `Host`,
    /// `Keep-Alive`, `Priority`, `Proxy-Authorization`, `Proxy-Connection`, `TE`, `Transfer-Encoding`, `Upgrade` and
    /// `User-Agent`, and `Accept: */*`, which means the same as no such field. Use `headers(named:)` to compare them.
    /// Names ignore case. Repeated fields are joined. A multipart `Content-Type` is compared without its boundary.
    public static let headers = RequestMatcher(.headers)

    /// The header fields of these names: equal where both requests have the same value, or neither has the field.
    public static func headers(named names: [String]) -> RequestMatcher {
        RequestMatcher(.namedHeaders, names)
    }

    /// The header fields that `headers` compares, without those of these names: `.headers(ignoring: ["X-Request-ID"])`.
    public static func headers(ignoring names: [String]) -> RequestMatcher {
        RequestMatcher(.headers, names)
    }

    /// The body, read as `Content-Type` says.
    ///
    /// | body | compared |
    /// |---|---|
    /// | JSON | by value; the order of keys, the spacing and the spelling of numbers are ignored |
    /// | a form | field by field, in any order |
    /// | multipart | part by part, without the boundaries |
    /// | anything else, and a body that is not what its content type says | byte by byte |
    ///
    /// A JSON object or array without a content type is JSON. No body equals an empty one.
    public static let requestBody = RequestMatcher(.requestBody)

    /// The body, as `requestBody` compares it, without these members of JSON bodies.
    ///
    /// The keys of a path are separated by dots, and arrays are passed through: `["meta.sentAt", "items.id"]` ignores
    /// `sentAt` in `meta`, and the `id` of each of the `items`. A dot inside a key is written `\.`.
    public static func requestBody(ignoringJSONKeys paths: [String]) -> RequestMatcher {
        RequestMatcher(.requestBody, paths)
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
        RequestMatcher(.custom, customHolds: matches)
    }
}

extension RequestMatcher {
    /// Returns the matcher that also ignores these parts, as far as it compares them.
    func ignoring(queryItems: [String], headers: [String], jsonKeys: [String]) -> RequestMatcher {
        switch criterion {
        case .url, .query: naming(queryItems)
        case .headers: naming(headers)
        case .requestBody: naming(jsonKeys)
        case .httpMethod, .host, .path, .namedHeaders, .custom: self
        }
    }

    private func naming(_ more: [String]) -> RequestMatcher {
        RequestMatcher(criterion, names + more.filter { !names.contains($0) })
    }

    /// Returns the matcher that ignores one thing more; `nil` when it cannot ignore it.
    func ignoring(_ subject: RequestDifference.Subject) -> RequestMatcher? {
        switch (criterion, subject) {
        case (.url, .queryItem(let name)): naming([name])
        case (.requestBody, .jsonMember(let path)): naming([path.text])
        case (.headers, .headerField(let name)):
            names.contains { $0.isSameFieldName(as: name) } ? self : naming([name])
        case (.namedHeaders, .headerField(let name)):
            .headers(named: names.filter { !$0.isSameFieldName(as: name) })
        default: nil
        }
    }
}

extension RequestMatcher: CustomStringConvertible {
    /// The code that makes the matcher: `.url(ignoringQueryItems: ["ts"])`.
    public var description: String {
        let code = "[\(names.map { $0.quoted() }.joined(separator: ", "))]"
        return switch criterion {
        case .namedHeaders: ".headers(named: \(code))"
        case _ where names.isEmpty: ".\(criterion)"
        case .headers: ".headers(ignoring: \(code))"
        case .requestBody: ".requestBody(ignoringJSONKeys: \(code))"
        default: ".\(criterion)(ignoringQueryItems: \(code))"
        }
    }
}
