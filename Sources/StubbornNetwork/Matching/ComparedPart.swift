import Foundation

/// What a matcher compares: a part of a request in one spelling, so that two requests are equal by the matcher exactly
/// when their parts are equal. This is what lets an index find recorded requests by a key.
///
/// Its options are brought into shape once, when the matcher is made.
enum ComparedPart: Sendable {
    case method
    case url(ignoredItems: Set<String>)
    case host
    case path
    case query
    case headers(named: [String]?)
    case headersExcept(Set<String>)
    case body(ignoredKeys: [JSONKeyPath])
    /// Nothing that has a value: the matcher has to be asked.
    case custom(@Sendable (URLRequest, URLRequest) -> Bool)

    enum Value: Hashable, Sendable {
        case text(String)
        case url(URLParts)
        case query([QueryItem])
        case headers([String: String])
        case body(ComparableBody)
    }

    init(_ criterion: RequestMatcher.Criterion) {
        switch criterion {
        case .method: self = .method
        case .url(let names): self = .url(ignoredItems: Set(names.flatMap(QueryItem.spellings(ofName:))))
        case .host: self = .host
        case .path: self = .path
        case .query: self = .query
        case .headers(let names): self = .headers(named: names?.map { $0.lowercased() })
        case .headersExcept(let names): self = .headersExcept(Set(names.map { $0.lowercased() }))
        case .body(let paths): self = .body(ignoredKeys: paths.map { JSONKeyPath($0) })
        case .custom(let matches): self = .custom(matches)
        }
    }

    /// The part of a request; `nil` for a custom matcher.
    func value(of request: ParsedRequest) -> Value? {
        switch self {
        case .method: .text(request.request.method)
        case .url(let names): .url(request.url.comparable(ignoringQueryItems: names))
        case .host: .text(request.url.host)
        case .path: .text(request.url.path)
        case .query: .query(request.url.query.count > 1 ? request.url.query.sorted() : request.url.query)
        case .headers(nil): .headers(HeaderComparison.fields(of: request.request))
        case .headers(let names?): .headers(HeaderComparison.fields(of: request.request, named: names))
        case .headersExcept(let names): .headers(HeaderComparison.fields(of: request.request, except: names))
        case .body(let paths): .body(request.body.removing(paths))
        case .custom: nil
        }
    }

    var isBody: Bool {
        if case .body = self { true } else { false }
    }

    var isCustom: Bool {
        if case .custom = self { true } else { false }
    }

    /// Whether the matcher holds for two requests.
    func holds(live: ParsedRequest, recorded: ParsedRequest) -> Bool {
        switch self {
        case .custom: customHolds(live: live.request.urlRequest, recorded: recorded.request.urlRequest)
        case .body: live.hasSameBytes(as: recorded) || value(of: live) == value(of: recorded)
        default: value(of: live) == value(of: recorded)
        }
    }

    /// What a matcher in code says; any other has no objection.
    func customHolds(live: URLRequest, recorded: URLRequest) -> Bool {
        if case .custom(let matches) = self { matches(live, recorded) } else { true }
    }
}
