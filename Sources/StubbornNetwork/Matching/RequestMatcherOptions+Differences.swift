import Foundation

extension RequestMatcherOptions {
    /// In what a live request differs from a recorded one, by the matchers in force; empty when all of them hold.
    func differences(recorded: StubRequest, requested: StubRequest) -> [RequestDifference] {
        differences(recorded: ParsedRequest(recorded), requested: ParsedRequest(requested))
    }

    func differences(recorded: ParsedRequest, requested: ParsedRequest) -> [RequestDifference] {
        var places: Set<String> = []
        var result: [RequestDifference] = []
        for matcher in matchers where !matcher.compared.isCustom {
            result += matcher.differences(recorded: recorded, requested: requested)
                .filter { places.insert($0.place).inserted }
        }
        for matcher in matchers where matcher.compared.isCustom {
            result += matcher.differences(recorded: recorded, requested: requested)
        }
        return result
    }

    /// These options, made to ignore the differences; `nil` when one of them cannot be ignored.
    ///
    /// Its description is the line that a report offers: `[.httpMethod, .url(ignoringQueryItems: ["page"]), .requestBody]`.
    func ignoring(_ differences: [RequestDifference]) -> RequestMatcherOptions? {
        guard !differences.isEmpty else { return nil }
        var result = self
        for subject in differences.map(\.subject) {
            result.matchers = result.matchers.flatMap { $0.replaced(toIgnore: subject) ?? [$0] }
        }
        let isIgnored = differences.allSatisfy { difference in
            result.matchers.allSatisfy { !$0.minds(difference.subject) }
        }
        return isIgnored ? result : nil
    }
}

extension RequestMatcher {
    /// This matcher, made to ignore one thing more; `nil` when it cannot.
    func ignoring(_ subject: RequestDifference.Subject) -> RequestMatcher? {
        switch (criterion, subject) {
        case (.url(let names), .queryItem(let name)):
            .url(ignoringQueryItems: names.contains(name) ? names : names + [name])
        case (.body(let paths), .jsonMember(let path)):
            .requestBody(ignoringJSONKeys: paths.contains(path.text) ? paths : paths + [path.text])
        case (.headers(nil), .headerField(let name)):
            .headers(ignoring: [name])
        case (.headersExcept(let names), .headerField(let name)):
            .headers(ignoring: names.contains { $0.isSameFieldName(as: name) } ? names : names + [name])
        case (.headers(let names?), .headerField(let name)):
            .headers(named: names.filter { !$0.isSameFieldName(as: name) })
        default: nil
        }
    }

    /// The matchers that stand in the place of this one to ignore one thing more; `nil` when this one stays.
    fileprivate func replaced(toIgnore subject: RequestDifference.Subject) -> [RequestMatcher]? {
        if let matcher = ignoring(subject) { return [matcher] }
        switch (criterion, subject) {
        case (.url([]), .origin): return [.path, .query]
        case (.host, .origin), (.body, .wholeBody): return []
        default: return nil
        }
    }

    /// Whether a difference of this kind can still be one to this matcher.
    fileprivate func minds(_ subject: RequestDifference.Subject) -> Bool {
        switch (criterion, subject) {
        case (_, .other): true
        case (.url(let names), .queryItem(let name)): !names.contains(name)
        case (.query, .queryItem), (.url, .origin), (.host, .origin), (.body, .wholeBody): true
        case (.body(let paths), .jsonMember(let path)): !paths.contains(path.text)
        case (.headers(nil), .headerField): true
        case (.headers(let names?), .headerField(let name)): names.contains { $0.isSameFieldName(as: name) }
        case (.headersExcept(let names), .headerField(let name)): !names.contains { $0.isSameFieldName(as: name) }
        default: false
        }
    }

    fileprivate func differences(recorded: ParsedRequest, requested: ParsedRequest) -> [RequestDifference] {
        guard !compared.holds(live: requested, recorded: recorded) else { return [] }
        switch (compared.value(of: recorded), compared.value(of: requested)) {
        case (.text(let old), .text(let new)):
            return [
                RequestDifference(
                    nameOfText,
                    recorded: old.quoted(),
                    requested: new.quoted(),
                    subject: nameOfText == "url.host" ? .origin : .other
                )
            ]
        case (.url(let old), .url(let new)):
            return urlDifferences(old, new) + queryDifferences(old.query, new.query)
        case (.query(let old), .query(let new)):
            return queryDifferences(old, new)
        case (.headers(let old), .headers(let new)):
            return headerDifferences(old, new, spelled: requested.request.headerFields, recorded.request.headerFields)
        case (.body(let old), .body(let new)):
            let difference = BodyDifference(matcher: self, recorded: recorded, requested: requested)
            return difference.lines(old, new)
        default:
            return [RequestDifference(place: "custom matcher", text: "refused")]
        }
    }

    private var nameOfText: String {
        switch criterion {
        case .host: "url.host"
        case .path: "url.path"
        default: "method"
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
            let subject = RequestDifference.Subject.queryItem(PercentEncoding.decoded(name))
            return RequestDifference(
                "url.query.\(PercentEncoding.decoded(name).onOneLine)",
                recorded: old,
                requested: new,
                subject: subject,
                ignoredBy: ignoring(subject)
            )
        }
    }

    private func headerDifferences(
        _ old: [String: String],
        _ new: [String: String],
        spelled fields: HeaderFields...
    ) -> [RequestDifference] {
        Set(old.keys).union(new.keys).sorted().filter { old[$0] != new[$0] }.map { name in
            let field = fields.joined().first { $0.name.isSameFieldName(as: name) }?.name ?? name
            let subject = RequestDifference.Subject.headerField(field)
            return RequestDifference(
                "headers.\(field.onOneLine)",
                recorded: old[name]?.quoted(),
                requested: new[name]?.quoted(),
                subject: subject,
                ignoredBy: ignoring(subject)
            )
        }
    }
}
