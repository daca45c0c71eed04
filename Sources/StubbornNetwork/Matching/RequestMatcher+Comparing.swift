import Foundation

extension RequestMatcher {
    /// The part of a request that a matcher compares, in one spelling, by which an index finds the request.
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
        case .httpMethod: .text(request.request.method)
        case .url: .url(request.url.comparable(ignoringQueryItems: comparedNames))
        case .host: .text(request.url.host)
        case .path: .text(request.url.path)
        case .query: .query(request.url.comparable(ignoringQueryItems: comparedNames).query)
        case .headers: .headers(HeaderComparison.fields(of: request.request, except: comparedNames))
        case .namedHeaders: .headers(HeaderComparison.fields(of: request.request, named: comparedNames))
        case .requestBody: .body(request.body.removing(ignoredKeyPaths))
        case .custom: nil
        }
    }

    var isCustom: Bool { criterion == .custom }

    /// Returns a Boolean value that indicates whether two requests are equal for this matcher.
    func holds(live: ParsedRequest, recorded: ParsedRequest) -> Bool {
        if isCustom { return customHolds(live.request.urlRequest, recorded.request.urlRequest) }
        // The same bytes are equal whatever the content types are, and an empty body equals none.
        if criterion == .requestBody, (live.request.body ?? Data()) == (recorded.request.body ?? Data()) { return true }
        return part(of: live) == part(of: recorded)
    }
}
