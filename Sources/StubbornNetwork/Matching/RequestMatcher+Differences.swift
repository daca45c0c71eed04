import Foundation

extension RequestMatcherOptions {
    /// Returns the differences between a live request and a recorded one, those of custom matchers last.
    func differences(recorded: ParsedRequest, requested: ParsedRequest) -> [RequestDifference] {
        var parts: Set<String> = []
        let customs = matchers.filter(\.isCustom)
        return matchers.filter { !$0.isCustom }
            .flatMap { $0.differences(recorded: recorded, requested: requested) }
            .filter { parts.insert($0.part).inserted }
            + customs.flatMap { $0.differences(recorded: recorded, requested: requested) }
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
    /// Returns the matchers to use instead of this one to ignore one more thing; `nil` when there are none.
    fileprivate func replacements(toIgnore subject: RequestDifference.Subject) -> [RequestMatcher]? {
        if let matcher = ignoring(subject) { return [matcher] }
        switch (criterion, subject) {
        case (.url, .origin): return names.isEmpty ? [.path, .query] : nil
        case (.host, .origin), (.requestBody, .wholeBody): return []
        case (_, .other), (.query, .queryItem): return nil
        default: return [self]
        }
    }

    fileprivate func differences(recorded: ParsedRequest, requested: ParsedRequest) -> [RequestDifference] {
        guard !holds(live: requested, recorded: recorded) else { return [] }
        switch (part(of: recorded), part(of: requested)) {
        case (.text(let old), .text(let new)):
            let part = criterion == .httpMethod ? "method" : "url.\(criterion)"
            return [difference(part, old.quoted(), new.quoted(), criterion == .host ? .origin : .other)]
        case (.url(let old), .url(let new)):
            return urlDifferences(old, new) + queryDifferences(old.query, new.query)
        case (.query(let old), .query(let new)):
            return queryDifferences(old, new)
        case (.headers(let old), .headers(let new)):
            return headerDifferences(old, new, spelled: requested.request.headerFields, recorded.request.headerFields)
        case (.body(let old), .body(let new)):
            return bodyDifferences(old, new, recorded: recorded.request.body, requested: requested.request.body)
        default:
            return [RequestDifference(part: "custom matcher", text: "refused")]
        }
    }

    private func urlDifferences(_ old: URLParts, _ new: URLParts) -> [RequestDifference] {
        let parts = [
            ("scheme", old.scheme, new.scheme), ("host", old.host, new.host), ("port", old.port, new.port),
            ("path", old.path, new.path),
        ]
        let shown = { (text: String) in text.isEmpty ? nil : text.quoted() }
        return parts.filter { $0.1 != $0.2 }.map { name, old, new in
            difference("url.\(name)", shown(old), shown(new), name == "path" ? .other : .origin)
        }
    }

    private func queryDifferences(_ old: [QueryItem], _ new: [QueryItem]) -> [RequestDifference] {
        QueryItem.differences(old, new).map { name, old, new in
            let name = PercentEncoding.decoded(name)
            return difference("url.query.\(name.onOneLine)", old, new, .queryItem(name))
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
            return difference("headers.\(field.onOneLine)", old, new, .headerField(field))
        }
    }

    /// Returns a difference with the code that would ignore it.
    func difference(
        _ part: String,
        _ old: String?,
        _ new: String?,
        _ subject: RequestDifference.Subject
    ) -> RequestDifference {
        RequestDifference(part, recorded: old, requested: new, subject: subject, ignoredBy: ignoring(subject))
    }
}
