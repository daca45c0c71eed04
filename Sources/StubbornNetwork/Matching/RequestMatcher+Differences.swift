import Foundation

extension RequestMatcherOptions {
    /// Returns the differences between a live request and a recorded one, for the matchers in force; none when all of
    /// them hold.
    func differences(recorded: StubRequest, requested: StubRequest) -> [RequestDifference] {
        differences(recorded: ParsedRequest(recorded), requested: ParsedRequest(requested))
    }

    func differences(recorded: ParsedRequest, requested: ParsedRequest) -> [RequestDifference] {
        var parts: Set<String> = []
        var result: [RequestDifference] = []
        for matcher in matchers where !matcher.isCustom {
            result += matcher.differences(recorded: recorded, requested: requested)
                .filter { parts.insert($0.part).inserted }
        }
        for matcher in matchers where matcher.isCustom {
            result += matcher.differences(recorded: recorded, requested: requested)
        }
        return result
    }

    /// Returns these options, changed so that they ignore the differences; `nil` when one of them cannot be ignored.
    ///
    /// A report offers their description: `[.httpMethod, .url(ignoringQueryItems: ["page"]), .requestBody]`.
    func ignoring(_ differences: [RequestDifference]) -> RequestMatcherOptions? {
        guard !differences.isEmpty else { return nil }
        var result = self
        for difference in differences {
            var matchers: [RequestMatcher] = []
            for matcher in result.matchers {
                guard let ignoring = matcher.replacements(toIgnore: difference.subject) else { return nil }
                matchers += ignoring
            }
            result.matchers = matchers
        }
        return result
    }
}

extension RequestMatcher {
    /// Returns this matcher, changed so that it ignores one more thing; `nil` when it cannot ignore it.
    func ignoring(_ subject: RequestDifference.Subject) -> RequestMatcher? {
        switch (criterion, subject) {
        case (.url, .queryItem(let name)):
            .url(ignoringQueryItems: names.contains(name) ? names : names + [name])
        case (.body, .jsonMember(let path)):
            .requestBody(ignoringJSONKeys: names.contains(path.text) ? names : names + [path.text])
        case (.headers, .headerField(let name)):
            .headers(ignoring: names.contains { $0.isSameFieldName(as: name) } ? names : names + [name])
        case (.namedHeaders, .headerField(let name)):
            .headers(named: names.filter { !$0.isSameFieldName(as: name) })
        default: nil
        }
    }

    /// Returns the matchers to use instead of this one to ignore one more thing; `nil` when there are none.
    fileprivate func replacements(toIgnore subject: RequestDifference.Subject) -> [RequestMatcher]? {
        if let matcher = ignoring(subject) { return [matcher] }
        switch (criterion, subject) {
        case (.url, .origin): return names.isEmpty ? [.path, .query] : nil
        case (.host, .origin), (.body, .wholeBody): return []
        case (_, .other), (.query, .queryItem): return nil
        default: return [self]
        }
    }

    fileprivate func differences(recorded: ParsedRequest, requested: ParsedRequest) -> [RequestDifference] {
        guard !holds(live: requested, recorded: recorded) else { return [] }
        switch (part(of: recorded), part(of: requested)) {
        case (.text(let old), .text(let new)):
            return [textDifference(old.quoted(), new.quoted())]
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

    private func textDifference(_ old: String, _ new: String) -> RequestDifference {
        switch criterion {
        case .host: RequestDifference("url.host", recorded: old, requested: new, subject: .origin)
        case .path: RequestDifference("url.path", recorded: old, requested: new)
        default: RequestDifference("method", recorded: old, requested: new)
        }
    }

    private func urlDifferences(_ old: URLParts, _ new: URLParts) -> [RequestDifference] {
        let parts = [
            ("scheme", old.scheme, new.scheme), ("host", old.host, new.host), ("port", old.port, new.port),
            ("path", old.path, new.path),
        ]
        return parts.filter { $0.1 != $0.2 }.map { name, old, new in
            RequestDifference(
                "url.\(name)",
                recorded: old.isEmpty ? nil : old.quoted(),
                requested: new.isEmpty ? nil : new.quoted(),
                subject: name == "path" ? .other : .origin
            )
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
            return difference(
                "headers.\(field.onOneLine)",
                old[name]?.quoted(),
                new[name]?.quoted(),
                .headerField(field)
            )
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
