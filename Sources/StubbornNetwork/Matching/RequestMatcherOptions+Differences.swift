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
        var result = self
        for difference in differences {
            guard difference.ignoringOption != nil else { return nil }
            // Nothing makes `.query` ignore an item.
            if case .queryItem = difference.subject, matchers.contains(where: \.isQuery) { return nil }
            result.matchers = result.matchers.map { $0.ignoring(difference.subject) ?? $0 }
        }
        return result
    }
}

extension RequestMatcher {
    fileprivate var isQuery: Bool {
        if case .query = criterion { true } else { false }
    }

    /// This matcher, made to ignore one thing more; `nil` when it cannot.
    func ignoring(_ subject: RequestDifference.Subject) -> RequestMatcher? {
        switch (criterion, subject) {
        case (.url(let names), .queryItem(let name)):
            .url(ignoringQueryItems: names.contains(name) ? names : names + [name])
        case (.body(let paths), .jsonMember(let path)):
            .requestBody(ignoringJSONKeys: paths.contains(path.text) ? paths : paths + [path.text])
        default: nil
        }
    }

    fileprivate func differences(recorded: ParsedRequest, requested: ParsedRequest) -> [RequestDifference] {
        guard !compared.holds(live: requested, recorded: recorded) else { return [] }
        switch (compared.value(of: recorded), compared.value(of: requested)) {
        case (.text(let old), .text(let new)):
            return [RequestDifference(nameOfText, recorded: old.quoted(), requested: new.quoted())]
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
                requested: new.isEmpty ? nil : new.quoted()
            )
        }
    }

    private func queryDifferences(_ old: [QueryItem], _ new: [QueryItem]) -> [RequestDifference] {
        QueryItem.differences(old, new).map { name, old, new in
            let subject = RequestDifference.Subject.queryItem(PercentEncoding.decoded(name))
            return RequestDifference(
                "url.query.\(PercentEncoding.decoded(name).escapedForPlace)",
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
            let field = fields.joined().first { $0.name.isSameFieldName(as: name) }
            return RequestDifference(
                "headers.\((field?.name ?? name).escapedForPlace)",
                recorded: old[name]?.quoted(),
                requested: new[name]?.quoted()
            )
        }
    }
}
