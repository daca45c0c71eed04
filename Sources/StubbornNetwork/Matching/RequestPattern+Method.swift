import Foundation

extension RequestPattern {
    /// Requests of a method, whatever its case: `URLSession` sends `post` as `POST`.
    public static func method(_ method: String) -> RequestPattern {
        let wanted = method.uppercased()
        return RequestPattern("method \(wanted.cut())", showing: { $0.request.method.quoted() }) {
            $0.request.method.uppercased() == wanted
        }
    }

    /// GET requests to an absolute URL, or to a path on any host.
    ///
    ///     .get("https://api.example.com/users?page=2")   // this URL, its query items in any order, and no others
    ///     .get("/users")                                 // this path, whatever the query
    ///     .get("/users?page=2")                          // this path, page=2 among the query items
    ///     .get("/users/:id")                             // each segment in the place of :id
    ///
    /// URLs and paths are compared as `RequestMatcher.url` does. The values of placeholders reach a computed response as
    /// the request's `pathParameters`.
    public static func get(_ address: String) -> RequestPattern { resource("GET", address) }

    /// POST requests to an address, as `get(_:)` takes it.
    public static func post(_ address: String) -> RequestPattern { resource("POST", address) }

    /// PUT requests to an address, as `get(_:)` takes it.
    public static func put(_ address: String) -> RequestPattern { resource("PUT", address) }

    /// PATCH requests to an address, as `get(_:)` takes it.
    public static func patch(_ address: String) -> RequestPattern { resource("PATCH", address) }

    /// DELETE requests to an address, as `get(_:)` takes it.
    public static func delete(_ address: String) -> RequestPattern { resource("DELETE", address) }

    /// HEAD requests to an address, as `get(_:)` takes it.
    public static func head(_ address: String) -> RequestPattern { resource("HEAD", address) }

    /// OPTIONS requests to an address, as `get(_:)` takes it.
    public static func options(_ address: String) -> RequestPattern { resource("OPTIONS", address) }

    private static func resource(_ method: String, _ address: String) -> RequestPattern {
        guard let target = PatternTarget(address) else {
            return invalid(
                "\(method) \(address.quoted())",
                because: "neither an absolute URL nor a path beginning with \"/\""
            )
        }
        let test = { @Sendable (subject: PatternSubject) -> PatternMatch? in
            guard subject.request.request.method.uppercased() == method else { return nil }
            return target.match(subject.request.url)
        }
        let condition = PatternCondition(
            description: "\(method) \(address.cut(to: 2_048))",
            requiredPath: target.path.literal,
            test: test,
            parts: { live, shown in
                let isSame = live.request.method.uppercased() == method
                let line = RequestDifference(declared: method, requested: live.request.method, at: "method")
                return [isSame ? nil : line] + target.parts(live.url, shown: shown.url)
            }
        )
        return RequestPattern(.condition(condition))
    }
}

/// Where the requests of a pattern go: an absolute URL, or a path on any host.
struct PatternTarget: Sendable {
    let path: PathTemplate

    /// The absolute URL, ready to be compared; `nil` for a path on any host.
    private let url: URLParts?

    /// The query items that a path on any host asks for.
    private let items: [QueryItem]

    init?(_ address: String) {
        if address.hasPrefix("/"), !address.hasPrefix("//") {
            let parts = URLParts(address)
            path = PathTemplate(parts.path)
            items = parts.query
            url = nil
        } else {
            guard let parts = URLParts(absolute: address) else { return nil }
            path = PathTemplate(parts.path)
            items = []
            url = parts.comparable(ignoringQueryItems: [])
        }
    }

    func match(_ live: URLParts) -> PatternMatch? {
        guard let match = path.match(live.path) else { return nil }
        if let url {
            guard live.host == url.host, live.scheme == url.scheme, live.port == url.port else { return nil }
            return live.comparable(ignoringQueryItems: []).query == url.query ? match : nil
        }
        return items.allSatisfy(live.query.contains) ? match : nil
    }

    /// What of scheme, host, port, path and query differs, `nil` for what does not.
    func parts(_ live: URLParts, shown: URLParts) -> [RequestDifference?] {
        var parts: [RequestDifference?] = []
        func add(_ place: String, _ holds: Bool, _ declared: String, _ requested: String) {
            parts.append(holds ? nil : RequestDifference(declared: declared, requested: requested, at: place))
        }
        if let url {
            add("url.scheme", live.scheme == url.scheme, url.scheme, shown.scheme)
            add("url.host", live.host == url.host, url.host, shown.host)
            add("url.port", live.port == url.port, url.port, shown.port)
        }
        add("url.path", path.match(live.path) != nil, path.text, shown.path)
        let declared = url?.query ?? items
        let holds =
            url == nil
            ? items.allSatisfy(live.query.contains)
            : live.comparable(ignoringQueryItems: []).query == declared
        if url != nil || !items.isEmpty {
            add("url.query", holds, declared.queryText, shown.query.queryText)
        }
        return parts
    }
}

extension [QueryItem] {
    fileprivate var queryText: String {
        map { item in item.value.map { "\(item.name)=\($0)" } ?? item.name }.joined(separator: "&")
    }
}

extension URLParts {
    /// An absolute URL with a host; `nil` for any other text.
    init?(absolute text: String) {
        guard let url = URL(string: text) else { return nil }
        self.init(url)
        guard !scheme.isEmpty, !host.isEmpty else { return nil }
    }
}
