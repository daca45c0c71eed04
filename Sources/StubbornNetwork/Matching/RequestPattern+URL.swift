import Foundation

extension RequestPattern {
    /// Requests to exactly this absolute URL, compared as `RequestMatcher.url` does.
    public static func url(_ url: String) -> RequestPattern {
        guard let parts = URLParts(absolute: url) else {
            return invalid("URL \(url.quoted())", because: "not an absolute URL")
        }
        return Self.url(parts, described: url)
    }

    /// Requests to exactly this URL, compared as `RequestMatcher.url` does.
    public static func url(_ url: URL) -> RequestPattern {
        Self.url(URLParts(url), described: url.absoluteString)
    }

    private static func url(_ parts: URLParts, described text: String) -> RequestPattern {
        let wanted = parts.comparable(ignoringQueryItems: [])
        return RequestPattern("URL \(text.cut(to: 2_048))", requiredPath: parts.path, showing: shownURL) {
            $0.url.comparable(ignoringQueryItems: []) == wanted
        }
    }

    private static let shownURL: @Sendable (ParsedRequest) -> String? = { $0.request.url.absoluteString.quoted() }
    private static let shownPath: @Sendable (ParsedRequest) -> String? = { $0.url.path.quoted() }

    /// Requests to URLs that begin so: `.url(prefix: "https://api.example.com/v1/")`.
    ///
    /// Both are brought to the spelling of `RequestMatcher.url` before; query items stay in their order.
    public static func url(prefix: String) -> RequestPattern {
        let beginning = URLParts.beginning(prefix)
        return RequestPattern("URL beginning with \(prefix.quoted())", showing: shownURL) {
            $0.url.text.utf8.starts(with: beginning.utf8)
        }
    }

    /// Requests to URLs, as they are written, in which the regular expression (`NSRegularExpression`) finds something.
    /// `^` and `$` tie it to the ends.
    public static func url(matching expression: String) -> RequestPattern {
        matching(expression, "URL") { $0.request.url.absoluteString }
    }

    /// Requests of a scheme: `.scheme("https")`.
    public static func scheme(_ scheme: String) -> RequestPattern {
        let wanted = scheme.lowercased()
        return RequestPattern("scheme \(scheme.cut())", showing: { $0.url.scheme.quoted() }) { $0.url.scheme == wanted }
    }

    /// Requests to a host, whatever the case, scheme or port: `.host("api.example.com")`, `.host("::1")`.
    public static func host(_ host: String) -> RequestPattern {
        // Through a URL, so that a name that is not ASCII is spelled as in the URLs of requests.
        let isAddress = host.contains(":") && !host.hasPrefix("[")
        let parts = URLParts(absolute: "http://\(isAddress ? "[\(host)]" : host)/")
        let wanted = parts?.host ?? URLParts.normalizedHost(host)
        return RequestPattern("host \(host.cut())", showing: { $0.url.host.quoted() }) { $0.url.host == wanted }
    }

    /// Requests to a path on any host: `.path("/login")`, or a template, `.path("/users/:id")`.
    ///
    /// Percent-encoded or not is the same; an empty path is `/`. The values of placeholders reach a computed response as
    /// the request's `pathParameters`.
    public static func path(_ path: String) -> RequestPattern {
        let rooted = path.hasPrefix("/") ? path : "/\(path)"
        let template = PathTemplate(PercentEncoding.normalized(rooted, as: .path))
        let condition = PatternCondition(
            description: "path \(rooted.cut())",
            requiredPath: template.literal,
            test: { template.match($0.request.url.path) },
            refusal: { "requested \($0.url.path.quoted())" }
        )
        return RequestPattern(.condition(condition))
    }

    /// Requests to paths that begin so.
    public static func path(prefix: String) -> RequestPattern {
        let beginning = PercentEncoding.normalized(prefix, as: .path)
        return RequestPattern("path beginning with \(prefix.quoted())", showing: shownPath) {
            $0.url.path.utf8.starts(with: beginning.utf8)
        }
    }

    /// Requests to paths that end so: `.path(suffix: ".png")`.
    public static func path(suffix: String) -> RequestPattern {
        let ending = PercentEncoding.normalized(suffix, as: .path)
        return RequestPattern("path ending with \(suffix.quoted())", showing: shownPath) {
            $0.url.path.utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8)
        }
    }

    /// Requests to paths, percent-decoded, in which the regular expression (`NSRegularExpression`) finds something.
    public static func path(matching expression: String) -> RequestPattern {
        matching(expression, "path") { PercentEncoding.decoded($0.url.path) }
    }

    /// Requests with a query item: of this name and value, or of this name when no value is given.
    ///
    /// Other items may be there. `+` in a request's query stands for itself and for a space.
    public static func query(_ name: String, _ value: String? = nil) -> RequestPattern {
        guard let value else {
            let wanted = PercentEncoding.encodedField(name)
            return RequestPattern("query item \(name.cut())", showing: { _ in nil }) {
                $0.url.query.map(\.decodings).contains { $0.name == wanted || $1.name == wanted }
            }
        }
        return query([name: value])
    }

    /// Requests with all of these query items, and maybe others.
    public static func query(_ items: [String: String]) -> RequestPattern {
        let wanted = items.map { QueryItem.field(name: $0.key, value: $0.value) }
        let text = items.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "&")
        return RequestPattern("query \(text.cut())", showing: { shown($0.url.query, named: wanted) }) { request in
            let decodings = request.url.query.map(\.decodings)
            return wanted.allSatisfy { item in decodings.contains { $0 == item || $1 == item } }
        }
    }

    /// The items of the names that are asked for.
    static func shown(_ items: [QueryItem], named wanted: [QueryItem]) -> String? {
        let names = Set(wanted.map(\.name))
        let found = items.map(\.decodings.0).filter { names.contains($0.name) }.prefix(8).map { item in
            PercentEncoding.decoded(item.value.map { "\(item.name)=\($0)" } ?? item.name)
        }
        return found.isEmpty ? nil : found.joined(separator: "&").quoted()
    }

    private static func matching(
        _ expression: String,
        _ part: String,
        of text: @escaping @Sendable (ParsedRequest) -> String
    ) -> RequestPattern {
        let description = "\(part) matching \(expression.quoted())"
        guard let compiled = try? NSRegularExpression(pattern: expression) else {
            return invalid(description, because: "not a regular expression")
        }
        return RequestPattern(description, showing: { text($0).quoted() }) { request in
            let text = text(request)
            return compiled.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
        }
    }
}

extension QueryItem {
    /// A query's item in the spelling of form fields, `+` once as itself and once as a space.
    fileprivate var decodings: (QueryItem, QueryItem) {
        let kept = { (text: String) in
            PercentEncoding.normalized(text.replacingOccurrences(of: "+", with: "%2B"), as: .form)
        }
        let spaced = { (text: String) in PercentEncoding.normalized(text, as: .form) }
        return (
            QueryItem(name: kept(name), value: value.map(kept)), QueryItem(name: spaced(name), value: value.map(spaced))
        )
    }
}

extension URLParts {
    /// The beginning of a URL in the one spelling; a path that is not there is not made up.
    fileprivate static func beginning(_ text: String) -> String {
        let parts = URLParts(text)
        guard !parts.host.isEmpty || !parts.scheme.isEmpty else { return text }
        let hasPath = text.drop { $0 != "/" }.dropFirst(2).contains("/") || !parts.query.isEmpty
        return hasPath || parts.path != "/" ? parts.text : String(parts.text.dropLast())
    }
}
