import Foundation

extension RequestMatcherOptions {
    /// Returns the differences between a live request and a recorded one, those of custom matchers last.
    func differences(
        recorded: ParsedRequest,
        requested: ParsedRequest,
        _ forms: PlaceholderForms? = nil
    ) -> [RequestDifference] {
        var parts: Set<String> = []
        let customs = matchers.filter(\.isCustom)
        return matchers.filter { !$0.isCustom }
            .flatMap { $0.differences(recorded: recorded, requested: requested, forms) }
            .filter { parts.insert($0.part).inserted }
            + customs.flatMap { $0.differences(recorded: recorded, requested: requested, nil) }
    }

    /// Returns the differences between a live request and a recorded one with holes, as they are shown.
    ///
    /// - Parameters:
    ///   - recorded: The recorded request.
    ///   - forms: The texts in it that stand for any value.
    ///   - requested: The live request, which decides what differs.
    ///   - shown: The live request without its secrets.
    /// - Returns: The differences, those of custom matchers last.
    func differences(
        recorded: ParsedRequest,
        _ forms: PlaceholderForms,
        requested: ParsedRequest,
        shown: ParsedRequest
    ) -> [RequestDifference] {
        let live = differences(recorded: recorded, requested: requested, forms)
        let parts = Set(live.map(\.part))
        let safe = differences(recorded: recorded, requested: shown, forms).filter { parts.contains($0.part) }
        let shownParts = Set(safe.map(\.part))
        // Two secrets that differ look alike when they are redacted.
        return safe
            + live.filter { !shownParts.contains($0.part) }
            .map { RequestDifference($0.part, .redacted, $0.subject) }
    }

    /// Returns these options, changed so that they ignore the differences; `nil` when one of them cannot be ignored.
    func ignoring(_ differences: [RequestDifference]) -> RequestMatcherOptions? {
        guard !differences.isEmpty else { return nil }
        var matchers = matchers
        for difference in differences {
            let replacements = matchers.map { $0.replacements(toIgnore: difference.subject) }
            guard !replacements.contains(where: { $0 == nil }) else { return nil }
            matchers = replacements.flatMap { $0 ?? [] }
        }
        return RequestMatcherOptions(matchers)
    }
}

extension RequestMatcher {
    /// The part of a request that a matcher compares, in one spelling, by which an index finds the request.
    enum Part: Hashable, Sendable {
        case method(String)
        case host(String)
        case path(String)
        case url(URLParts)
        case query([QueryItem])
        case headers([String: String])
        case body(ComparableBody)
    }

    func part(of request: ParsedRequest) -> Part? {
        switch criterion {
        case .httpMethod: .method(request.request.method)
        case .url: .url(request.url.comparable(ignoring: spelledIgnored))
        case .host: .host(request.url.host)
        case .path: .path(spelledIgnored.comparable(request.url.path))
        case .query: .query(request.url.comparable(ignoring: spelledIgnored).query)
        case .headers: .headers(HeaderComparison.fields(of: request.request, except: spelledIgnored.headerFields))
        case .namedHeaders: .headers(HeaderComparison.fields(of: request.request, where: comparedFieldNames.contains))
        case .requestBody: .body(request.body.removing(spelledIgnored))
        case .custom: nil
        }
    }

    /// The criterion in code; `nil` for any other matcher.
    var custom: (@Sendable (_ live: URLRequest, _ recorded: URLRequest) -> Bool)? {
        if case .custom(let holds) = criterion { holds } else { nil }
    }

    var isCustom: Bool { custom != nil }

    var comparesMethod: Bool {
        if case .httpMethod = criterion { true } else { false }
    }

    var comparesURL: Bool {
        if case .url = criterion { true } else { false }
    }

    var comparesPath: Bool {
        if case .path = criterion { true } else { comparesURL }
    }

    var comparesBody: Bool {
        if case .requestBody = criterion { true } else { false }
    }

    /// Returns a Boolean value that indicates whether two requests are equal for this matcher.
    func holds(live: ParsedRequest, recorded: ParsedRequest) -> Bool {
        if let custom { return custom(live.request.urlRequest, recorded.request.urlRequest) }
        // The same bytes are equal whatever the content types are, and an empty body equals none.
        if case .requestBody = criterion, (live.request.body ?? Data()) == (recorded.request.body ?? Data()) {
            return true
        }
        return part(of: live) == part(of: recorded)
    }

    fileprivate func differences(
        recorded: ParsedRequest,
        requested: ParsedRequest,
        _ forms: PlaceholderForms?
    ) -> [RequestDifference] {
        guard !holds(live: requested, recorded: recorded) else { return [] }
        let (old, live) = (part(of: recorded), part(of: requested))
        let new = forms.flatMap { forms in old.flatMap { old in live?.filled(from: old, forms) } } ?? live
        guard isCustom || old != new else { return [] }
        switch (old, new) {
        case (.method(let old)?, .method(let new)?):
            return [RequestDifference("method", old.quoted(), new.quoted(), .other)]
        case (.host(let old)?, .host(let new)?):
            return [RequestDifference("url.host", old.quoted(), new.quoted(), .origin)]
        case (.path(let old), .path(let new)):
            return [pathDifference(old, new)]
        case (.url(let old), .url(let new)):
            return urlDifferences(old, new) + queryDifferences(old.query, new.query)
        case (.query(let old), .query(let new)):
            return queryDifferences(old, new)
        case (.headers(let old), .headers(let new)):
            return headerDifferences(old, new, spelled: requested.request.headerFields, recorded.request.headerFields)
        case (.body(let old), .body(let new)):
            let (recorded, requested) = (recorded.request.body, requested.request.body)
            return ComparableBody.differences(old, new, recorded: recorded, requested: requested, forms)
        case (nil, _): return [RequestDifference("custom matcher", .refused, .other)]
        case (.method, _), (.host, _), (.path, _), (.url, _), (.query, _), (.headers, _), (.body, _): return []
        }
    }

    private func urlDifferences(_ old: URLParts, _ new: URLParts) -> [RequestDifference] {
        let parts = [
            ("scheme", old.scheme, new.scheme), ("host", old.host, new.host), ("port", old.port, new.port),
        ]
        let shown = { (text: String) in text.isEmpty ? nil : text.quoted() }
        return parts.filter { $0.1 != $0.2 }.map { name, old, new in
            RequestDifference("url.\(name)", shown(old), shown(new), .origin)
        } + (old.path == new.path ? [] : [pathDifference(old.path, new.path)])
    }

    private func pathDifference(_ old: String, _ new: String) -> RequestDifference {
        let template = PathTemplate(ofGenerated: old, new)
        return RequestDifference("url.path", old.quoted(), new.quoted(), template.map { .path($0.text) } ?? .other)
    }

    private func queryDifferences(_ old: [QueryItem], _ new: [QueryItem]) -> [RequestDifference] {
        QueryItem.differences(old, new).map { name, old, new in
            let name = PercentEncoding.decoded(name)
            return RequestDifference("url.query.\(name.onOneLine)", old, new, .queryItem(name))
        }
    }

    private func headerDifferences(
        _ old: [String: String],
        _ new: [String: String],
        spelled fields: HeaderFields...
    ) -> [RequestDifference] {
        Set(old.keys).union(new.keys).sorted().filter { old[$0] != new[$0] }.map { name in
            let field = fields.joined().first { $0.name.isSameFieldName(as: name) }?.name ?? name
            let (old, new) = (old[name]?.quoted(), new[name]?.quoted())
            return RequestDifference("headers.\(field.onOneLine)", old, new, .headerField(field))
        }
    }
}
