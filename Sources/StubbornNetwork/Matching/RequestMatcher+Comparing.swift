import Foundation

extension RequestMatcher {
    /// The part of a request that a matcher compares, in one spelling.
    ///
    /// Two requests are equal for a matcher exactly when their parts are equal. This is what lets an index find
    /// recorded requests by a key.
    enum Part: Hashable, Sendable {
        case text(String)
        case url(URLParts)
        case query([QueryItem])
        case headers([String: String])
        case body(ComparableBody)
    }

    /// Returns the part of a request that this matcher compares; `nil` for a custom matcher.
    func part(of request: ParsedRequest) -> Part? {
        switch criterion {
        case .method: .text(request.request.method)
        case .url: .url(request.url.comparable(ignoringQueryItems: comparedNames))
        case .host: .text(request.url.host)
        case .path: .text(request.url.path)
        case .query: .query(request.url.comparable(ignoringQueryItems: comparedNames).query)
        case .headers: .headers(HeaderComparison.fields(of: request.request, except: comparedNames))
        case .namedHeaders: .headers(HeaderComparison.fields(of: request.request, named: comparedNames))
        case .body: .body(request.body.removing(ignoredKeyPaths))
        case .custom: nil
        }
    }

    /// The names of the query items that the matcher ignores, as requests spell them.
    var ignoredQueryItems: Set<String> {
        switch criterion {
        case .url, .query: comparedNames
        default: []
        }
    }

    /// The names of the header fields that the matcher leaves out of all.
    var ignoredHeaderFields: [String] {
        if case .headers = criterion { names } else { [] }
    }

    var isBody: Bool {
        if case .body = criterion { true } else { false }
    }

    var isCustom: Bool {
        if case .custom = criterion { true } else { false }
    }

    /// Returns a Boolean value that indicates whether two requests are equal for this matcher.
    func holds(live: ParsedRequest, recorded: ParsedRequest) -> Bool {
        if isCustom { return customHolds(live: live.request.urlRequest, recorded: recorded.request.urlRequest) }
        return isBody && live.hasSameBytes(as: recorded) || part(of: live) == part(of: recorded)
    }

    /// Returns a Boolean value that indicates whether a custom matcher holds; `true` for any other matcher.
    func customHolds(live: URLRequest, recorded: URLRequest) -> Bool {
        if case .custom(let matches) = criterion { matches(live, recorded) } else { true }
    }
}
