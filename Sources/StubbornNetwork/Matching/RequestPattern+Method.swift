import Foundation

extension RequestPattern {
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
    /// URLs and paths are compared as by `RequestMatcher.url`. A computed response finds the values of placeholders in
    /// the request's `pathParameters`.
    public static func get(_ address: String) -> RequestPattern { resource("GET", address) }

    /// Returns a pattern for POST requests to an address, which is written as for `get(_:)`.
    public static func post(_ address: String) -> RequestPattern { resource("POST", address) }

    /// Returns a pattern for PUT requests to an address, which is written as for `get(_:)`.
    public static func put(_ address: String) -> RequestPattern { resource("PUT", address) }

    /// Returns a pattern for PATCH requests to an address, which is written as for `get(_:)`.
    public static func patch(_ address: String) -> RequestPattern { resource("PATCH", address) }

    /// Returns a pattern for DELETE requests to an address, which is written as for `get(_:)`.
    public static func delete(_ address: String) -> RequestPattern { resource("DELETE", address) }

    /// Returns a pattern for HEAD requests to an address, which is written as for `get(_:)`.
    public static func head(_ address: String) -> RequestPattern { resource("HEAD", address) }

    /// Returns a pattern for OPTIONS requests to an address, which is written as for `get(_:)`.
    public static func options(_ address: String) -> RequestPattern { resource("OPTIONS", address) }

    /// The methods that have a function of their own, by their names in capitals.
    static let namedMethods: Set = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]

    static func resource(_ method: String, _ address: String) -> RequestPattern {
        guard let target = PatternTarget(address) else {
            let reason = "neither an absolute URL nor a path beginning with \"/\""
            return invalid("\(method) \(address.quoted())", because: reason)
        }
        let isSame = { @Sendable (subject: PatternSubject) in
            subject.request.request.method.uppercased() == method
        }
        let condition = PatternCondition(
            description: "\(method) \(address.cut(to: 2_048))",
            requiredPath: target.path.literal,
            test: { isSame($0) ? target.match($0.request.url) : nil },
            differences: { subject in
                let requested = subject.request.request.method
                return [isSame(subject) ? nil : RequestDifference("method", declared: method, requested: requested)]
                    + target.differences(subject.request.url, shown: subject.shown.url)
            }
        )
        return RequestPattern(.condition(condition))
    }
}

/// The address that the requests of a pattern go to: an absolute URL, or a path on any host.
struct PatternTarget: Sendable {
    let path: PathTemplate
    /// The absolute URL, in the form that is compared; `nil` for a path on any host.
    private let url: URLParts?
    /// All query items of an absolute URL, or some for a path on any host.
    private let items: [QueryItem]

    init?(_ address: String) {
        let isPath = address.hasPrefix("/") && !address.hasPrefix("//")
        guard let parts = isPath ? URLParts(address) : URLParts(absolute: address) else { return nil }
        path = PathTemplate(parts.path)
        url = isPath ? nil : parts.comparable()
        items = url?.query ?? parts.query
    }

    func match(_ live: URLParts) -> [String: String]? {
        guard let pathParameters = path.match(live.path), hasItems(live) else { return nil }
        guard let url else { return pathParameters }
        return live.host == url.host && live.scheme == url.scheme && live.port == url.port ? pathParameters : nil
    }

    private func hasItems(_ live: URLParts) -> Bool {
        url == nil ? items.allSatisfy(live.query.contains) : live.comparable().query == items
    }

    /// Returns the differences in scheme, host, port, path and query, `nil` for a part without one.
    func differences(_ live: URLParts, shown: URLParts) -> [RequestDifference?] {
        var parts: [(name: String, holds: Bool, declared: String, requested: String)] = []
        if let url {
            parts.append(("url.scheme", live.scheme == url.scheme, url.scheme, shown.scheme))
            parts.append(("url.host", live.host == url.host, url.host, shown.host))
            parts.append(("url.port", live.port == url.port, url.port, shown.port))
        }
        parts.append(("url.path", path.match(live.path) != nil, path.text, shown.path))
        if url != nil || !items.isEmpty {
            parts.append(("url.query", hasItems(live), items.queryText, shown.query.queryText))
        }
        return parts.map { part in
            part.holds ? nil : RequestDifference(part.name, declared: part.declared, requested: part.requested)
        }
    }
}

extension URLParts {
    /// Reads an absolute URL with a host; `nil` for any other text.
    init?(absolute text: String) {
        guard let url = URL(encodingOnlyInvalid: text) else { return nil }
        self.init(url)
        guard !scheme.isEmpty, !host.isEmpty else { return nil }
    }
}
