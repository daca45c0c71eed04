import Foundation

extension RequestPattern {
    /// Returns a pattern for requests to exactly this absolute URL.
    ///
    /// `RequestMatcher.url` lists the differences that are ignored.
    public static func url(_ url: String) -> RequestPattern {
        guard let parsed = URL(encodingOnlyInvalid: url), URLParts(absolute: url) != nil else {
            return invalid("URL \(url.quoted())", because: "not an absolute URL")
        }
        return Self.url(parsed)
    }

    /// Returns a pattern for requests to exactly this URL.
    ///
    /// `RequestMatcher.url` lists the differences that are ignored.
    public static func url(_ url: URL) -> RequestPattern {
        let wanted = URLParts(url).comparable
        let description = "URL \(url.absoluteString.cut(to: 2_048))"
        return RequestPattern(description, requiredPath: wanted.path, showing: shownURL) {
            $0.url.comparable == wanted
        }
    }

    /// Returns a pattern for requests to this absolute URL, with any query:
    /// `.url(ignoringQuery: "https://api.example.com/users")`.
    ///
    /// A query in the given URL is ignored too.
    public static func url(ignoringQuery url: String) -> RequestPattern {
        guard var wanted = URLParts(absolute: url) else {
            return invalid("URL \(url.quoted())", because: "not an absolute URL")
        }
        wanted.query = []
        let description = "URL \(wanted.text.cut(to: 2_048)) with any query"
        return RequestPattern(description, requiredPath: wanted.path, showing: shownURL) { [wanted] in
            var parts = $0.url
            parts.query = []
            return parts == wanted
        }
    }

    private static let shownURL: @Sendable (ParsedRequest) -> String? = { $0.request.url.absoluteString.quoted() }

    /// Returns a pattern for requests to URLs with this prefix: `.url(prefix: "https://api.example.com/v1/")`.
    ///
    /// The pattern ignores the same differences as `RequestMatcher.url`, except for the order of query items.
    public static func url(prefix: String) -> RequestPattern {
        let normalized = URLParts.normalizedPrefix(prefix)
        return RequestPattern("URL beginning with \(prefix.quoted())", showing: shownURL) {
            $0.url.text.utf8.starts(with: normalized.utf8)
        }
    }

    /// Returns a pattern for requests to URLs in which a regular expression (`NSRegularExpression`) has a match.
    ///
    /// The URL is searched as it is written. Use `^` and `$` to match all of it.
    public static func url(matching expression: String) -> RequestPattern {
        matching(expression, "URL") { $0.request.url.absoluteString }
    }

    /// Returns a pattern for requests with a scheme: `.scheme("https")`.
    public static func scheme(_ scheme: String) -> RequestPattern {
        let wanted = scheme.lowercased()
        return RequestPattern("scheme \(scheme.cut())", of: { $0.url.scheme }) { $0 == wanted }
    }

    /// Returns a pattern for requests to a host, with any scheme and port: `.host("api.example.com")`, `.host("::1")`.
    ///
    /// The case of the host is ignored.
    public static func host(_ host: String) -> RequestPattern {
        // A URL is used, so that a name outside ASCII is spelled as in the URLs of requests.
        let isAddress = host.contains(":") && !host.hasPrefix("[")
        let parts = URLParts(absolute: "http://\(isAddress ? "[\(host)]" : host)/")
        let wanted = parts?.host ?? URLParts.normalizedHost(host)
        return RequestPattern("host \(host.cut())", of: { $0.url.host }) { $0 == wanted }
    }

    /// Returns a pattern for requests to a path on any host: `.path("/login")`, or a template, `.path("/users/:id")`.
    ///
    /// Percent-encoding that is not needed is ignored, and an empty path is `/`. A computed response finds the values
    /// of placeholders in the request's `pathParameters`.
    public static func path(_ path: String) -> RequestPattern {
        let rooted = path.hasPrefix("/") ? path : "/\(path)"
        let template = PathTemplate(spelling: path)
        let description = "path \(rooted.cut())"
        let test: PatternCondition.Test = { template.match($0.url.path) }
        let condition = PatternCondition(description: description, requiredPath: template.literal, test: test) {
            RequestDifference(description, .remark("requested \($0.url.path.quoted())"))
        }
        return RequestPattern(.condition(condition))
    }

    /// Returns a pattern for requests to paths with this prefix.
    public static func path(prefix: String) -> RequestPattern {
        let normalized = PercentEncoding.normalized(prefix, as: .path)
        return RequestPattern("path beginning with \(prefix.quoted())", of: { $0.url.path }) {
            $0.utf8.starts(with: normalized.utf8)
        }
    }

    /// Returns a pattern for requests to paths with this suffix: `.path(suffix: ".png")`.
    public static func path(suffix: String) -> RequestPattern {
        let normalized = PercentEncoding.normalized(suffix, as: .path)
        return RequestPattern("path ending with \(suffix.quoted())", of: { $0.url.path }) {
            $0.utf8.suffix(normalized.utf8.count).elementsEqual(normalized.utf8)
        }
    }

    /// Returns a pattern for requests to percent-decoded paths in which an `NSRegularExpression` has a match.
    public static func path(matching expression: String) -> RequestPattern {
        matching(expression, "path") { PercentEncoding.decoded($0.url.path) }
    }

    /// Returns a pattern for requests that have a query item with this name, and optionally with this value:
    /// `.query("page", equals: "2")`.
    ///
    /// The request may have other items. A `+` in the query matches a plus sign and a space.
    public static func query(_ name: String, equals value: String? = nil) -> RequestPattern {
        if let value {
            let (wanted, text) = fields([name: value])
            return query("query \(text)", wanted, isEqual: ==)
        }
        return query("query item \(name.cut())", [QueryItem(name: PercentEncoding.encodedField(name), value: nil)]) {
            $0.name == $1.name
        }
    }

    /// Returns a pattern for requests with a query item that has no value: `?flag`, and not `?flag=`.
    ///
    /// The request may have other items. For `?flag=` use `.query("flag", equals: "")`.
    public static func query(withoutValue name: String) -> RequestPattern {
        let wanted = QueryItem(name: PercentEncoding.encodedField(name), value: nil)
        return query("query item \(name.cut()) without a value", [wanted], isEqual: ==)
    }

    private static func query(
        _ description: String,
        _ wanted: [QueryItem],
        isEqual: @escaping @Sendable (QueryItem, QueryItem) -> Bool
    ) -> RequestPattern {
        RequestPattern(description, showing: { shown($0.url.query, named: wanted) }) { request in
            let decodings = request.url.query.map(\.decodings)
            return wanted.allSatisfy { item in decodings.contains { isEqual($0, item) || isEqual($1, item) } }
        }
    }

    /// Returns the items with the wanted names as text; `nil` when there are none.
    static func shown(_ items: [QueryItem], named wanted: [QueryItem]) -> String? {
        let names = Set(wanted.map(\.name))
        let found = items.map(\.decodings.0).filter { names.contains($0.name) }.prefix(8)
        return found.isEmpty ? nil : PercentEncoding.decoded(Array(found).queryText).quoted()
    }

    /// Returns fields from code in the form for comparison, and as text.
    static func fields(_ fields: [String: String]) -> (wanted: [QueryItem], text: String) {
        let sorted = fields.sorted { $0.key < $1.key }
        return (
            sorted.map { QueryItem.field(name: $0.key, value: $0.value) },
            sorted.map { "\($0.key)=\($0.value)" }.joined(separator: "&").cut()
        )
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
        return RequestPattern(description, of: text) { text in
            compiled.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
        }
    }

    /// Returns a pattern for requests with a method, in any case: `URLSession` sends `post` as `POST`.
    public static func method(_ method: String) -> RequestPattern {
        let wanted = method.uppercased()
        return RequestPattern("method \(wanted.cut())", of: { $0.request.method }) { $0.uppercased() == wanted }
    }

    /// Returns a pattern for GET requests to an absolute URL, or to a path on any host.
    ///
    ///     .get("https://api.example.com/users?page=2")   // this URL, with exactly these query items in any order
    ///     .get("/users")                                 // this path, with any query
    ///     .get("/users?page=2")                          // this path, with page=2 and any other query items
    ///     .get("/users/:id")                             // this path, with any segment for :id
    ///
    /// `RequestMatcher.url` lists the differences that are ignored. A computed response finds the values of
    /// placeholders in the request's `pathParameters`.
    public static func get(_ address: String) -> RequestPattern { resource("GET", address) }

    /// Returns a pattern for POST requests to an address, in the same form as for `get(_:)`.
    public static func post(_ address: String) -> RequestPattern { resource("POST", address) }

    /// Returns a pattern for PUT requests to an address, in the same form as for `get(_:)`.
    public static func put(_ address: String) -> RequestPattern { resource("PUT", address) }

    /// Returns a pattern for PATCH requests to an address, in the same form as for `get(_:)`.
    public static func patch(_ address: String) -> RequestPattern { resource("PATCH", address) }

    /// Returns a pattern for DELETE requests to an address, in the same form as for `get(_:)`.
    public static func delete(_ address: String) -> RequestPattern { resource("DELETE", address) }

    /// Returns a pattern for HEAD requests to an address, in the same form as for `get(_:)`.
    public static func head(_ address: String) -> RequestPattern { resource("HEAD", address) }

    /// Returns a pattern for OPTIONS requests to an address, in the same form as for `get(_:)`.
    public static func options(_ address: String) -> RequestPattern { resource("OPTIONS", address) }

    /// The methods that have their own function, by their names in capitals.
    static let namedMethods: Set = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]

    static func resource(_ method: String, _ address: String) -> RequestPattern {
        // `//host/a` is a URL without a scheme, and an error.
        let isPath = address.hasPrefix("/") && !address.hasPrefix("//")
        guard let url = isPath ? URLParts(address) : URLParts(absolute: address) else {
            let reason = "neither an absolute URL nor a path beginning with \"/\""
            return invalid("\(method) \(address.quoted())", because: reason)
        }
        let path = PathTemplate(url.path)
        let items = isPath ? url.query : url.comparable.query
        var parts = [part("method", method, of: { $0.request.method.uppercased() })]
        if !isPath {
            parts.append(part("url.scheme", url.scheme, of: { $0.url.scheme }))
            parts.append(part("url.host", url.host, of: { $0.url.host }))
            parts.append(part("url.port", url.port, of: { $0.url.port }))
        }
        parts.append(
            part("url.path", path.text, requiredPath: path.literal, of: { $0.url.path }) { path.match($0.url.path) }
        )
        if !isPath || !items.isEmpty {
            let query = part("url.query", items.queryText, of: { $0.url.query.queryText }) { live in
                let isMatch = isPath ? items.allSatisfy(live.url.query.contains) : live.url.comparable.query == items
                return isMatch ? [:] : nil
            }
            parts.append(query)
        }
        return RequestPattern(.all(parts, name: "\(method) \(address.cut(to: 2_048))"))
    }

    /// Returns the condition for one part of a request: its text equals the declared text, or `match` returns a value.
    private static func part(
        _ name: String,
        _ declared: String,
        requiredPath: String? = nil,
        of text: @escaping @Sendable (ParsedRequest) -> String,
        match: PatternCondition.Test? = nil
    ) -> PatternNode {
        let test = match ?? { text($0) == declared ? [:] : nil }
        let condition = PatternCondition(description: name, requiredPath: requiredPath, test: test) {
            RequestDifference(name, declared: declared, requested: text($0))
        }
        return .condition(condition)
    }
}

extension QueryItem {
    /// The two readings of a query item in the spelling of form fields: with `+` as a plus sign, and with `+` as a
    /// space.
    fileprivate var decodings: (QueryItem, QueryItem) {
        let field = { (text: String) in PercentEncoding.normalized(text, as: .form) }
        let kept = { (text: String) in field(text.replacingOccurrences(of: "+", with: "%2B")) }
        return (
            QueryItem(name: kept(name), value: value.map(kept)), QueryItem(name: field(name), value: value.map(field))
        )
    }
}

extension URLParts {
    /// Reads an absolute URL with a host; `nil` for any other text.
    init?(absolute text: String) {
        guard let url = URL(encodingOnlyInvalid: text) else { return nil }
        self.init(url)
        guard !scheme.isEmpty, !host.isEmpty else { return nil }
    }

    /// Returns the beginning of a URL in the one spelling, without a path added to it.
    fileprivate static func normalizedPrefix(_ text: String) -> String {
        let parts = URLParts(text)
        guard !parts.host.isEmpty || !parts.scheme.isEmpty else { return text }
        let hasPath = text.drop { $0 != "/" }.dropFirst(2).contains("/") || !parts.query.isEmpty
        return hasPath || parts.path != "/" ? parts.text : String(parts.text.dropLast())
    }
}
