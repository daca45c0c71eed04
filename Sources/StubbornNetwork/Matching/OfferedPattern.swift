import Foundation

/// A pattern that holds for a request, as code to paste: `.get("https://api.example.com/users?page=2")`.
struct OfferedPattern: Sendable {
    private(set) var code: String
    private(set) var pattern: RequestPattern
    static let maximumByteCount = 720

    /// Creates the pattern to offer for a request that has the differences from the nearest stub.
    ///
    /// `shown` is the request without its secrets, and `isShowable` returns whether a piece of code is free of them.
    init(
        for request: StubRequest,
        shown: StubRequest,
        differences: [RequestDifference],
        isShowable: (String) -> Bool
    ) {
        let (live, shown) = (ParsedRequest(request), ParsedRequest(shown))
        let subject = PatternSubject(live, options: .standard)
        func holds(_ offered: OfferedPattern) -> Bool {
            offered.code.utf8.count <= Self.maximumByteCount && isShowable(offered.code)
                && offered.pattern.node.match(subject) != nil
        }
        var offered = Self.resource(live, shown).flatMap { holds($0) ? $0 : nil }
        let conditions = (offered == nil ? Self.parts(live, shown) : []) + Self.conditions(live, shown, differences)
        for condition in conditions {
            let narrowed =
                offered.map { Self("\($0.code) && \(condition.code)", $0.pattern && condition.pattern) } ?? condition
            if holds(narrowed) { offered = narrowed }
        }
        self = offered ?? Self(".any", .any)
    }

    /// Creates the pattern for a request that differs from a recorded one in one segment of the path; `nil` for others.
    ///
    /// `isShowable` returns whether a piece of code is free of secrets.
    init?(forAnySegmentOf request: StubRequest, recorded: StubRequest, isShowable: (String) -> Bool) {
        let (live, old) = (URLParts(request.url), URLParts(recorded.url))
        let split = { (path: String) in PathTemplate.segments(of: path).map(String.init) }
        var segments = split(live.path)
        let differing = zip(segments, split(old.path)).enumerated().filter { $1.0 != $1.1 }.map(\.offset)
        guard segments.count == split(old.path).count, differing.count == 1, let index = differing.first,
            // A number, an identifier or a time, and not another resource.
            [segments[index], split(old.path)[index]].allSatisfy({ $0.contains(where: \.isNumber) }),
            RequestPattern.namedMethods.contains(request.method)
        else { return nil }
        segments[index] = ":value"
        let method = request.method.lowercased()
        let path = segments.joined(separator: "/")
        let pattern = RequestPattern.host(live.host) && .resource(request.method, path)
        let code = ".host(\(Self.code(live.host))) && .\(method)(\(Self.code(path)))"
        let subject = PatternSubject(ParsedRequest(request), options: .standard)
        guard isShowable(code), code.utf8.count <= Self.maximumByteCount, pattern.node.match(subject) != nil else {
            return nil
        }
        self.init(code, pattern)
    }

    private init(_ code: String, _ pattern: RequestPattern) {
        self.code = code
        self.pattern = pattern
    }

    /// Returns a pattern for the method and the whole URL, without a user; `nil` where the URL has another secret.
    private static func resource(_ live: ParsedRequest, _ shown: ParsedRequest) -> OfferedPattern? {
        guard live.url == shown.url else { return nil }
        let isPlain = live.request.url == shown.request.url
        let (method, url) = (live.request.method, isPlain ? live.request.url.absoluteString : live.url.text)
        let address = String(url.prefix { $0 != "#" })
        if RequestPattern.namedMethods.contains(method) {
            return Self(".\(method.lowercased())(\(code(address)))", .resource(method, address))
        }
        return Self(".method(\(code(method))) && .url(\(code(address)))", .method(method) && .url(address))
    }

    /// Returns patterns for the method and the parts of the URL that are no secrets.
    private static func parts(_ live: ParsedRequest, _ shown: ParsedRequest) -> [OfferedPattern] {
        let (method, url) = (live.request.method, live.url)
        var parts = [Self(".method(\(code(method)))", .method(method))]
        if url.host == shown.url.host { parts.append(Self(".host(\(code(url.host)))", .host(url.host))) }
        if url.path == shown.url.path { parts.append(Self(".path(\(code(url.path)))", .path(url.path))) }
        for item in url.query.prefix(8) where shown.url.query.contains(item) {
            guard let value = item.value.map(PercentEncoding.decoded) else { continue }
            let name = PercentEncoding.decoded(item.name)
            parts.append(Self(".query(\(code(name)), \(code(value)))", .query(name, value)))
        }
        return parts
    }

    /// Returns patterns for the header fields and the body in which the request differs from the nearest stub.
    private static func conditions(
        _ live: ParsedRequest,
        _ shown: ParsedRequest,
        _ differences: [RequestDifference]
    ) -> [OfferedPattern] {
        var conditions: [OfferedPattern] = []
        for case .headerField(let name) in differences.map(\.subject).prefix(4) {
            switch live.request.headerFields[name] {
            case nil: conditions.append(Self("!.header(\(code(name)))", !.header(name)))
            case let value? where value == shown.request.headerFields[name]:
                conditions.append(Self(".header(\(code(name)), \(code(value)))", .header(name, value)))
            default: conditions.append(Self(".header(\(code(name)))", .header(name)))
            }
        }
        if let body = operation(live, shown, differences) ?? body(live, shown, differences) { conditions.append(body) }
        return conditions
    }

    /// Returns a pattern for a GraphQL operation and its variables that differ; `nil` for any other request.
    private static func operation(
        _ live: ParsedRequest,
        _ shown: ParsedRequest,
        _ differences: [RequestDifference]
    ) -> OfferedPattern? {
        let operations = live.request.graphQLOperations
        guard operations.count == 1, let operation = operations.first, let name = operation.name else { return nil }
        let keys = differences.compactMap { difference -> String? in
            guard case .jsonMember(let path) = difference.subject, path.keys.first == "variables" else { return nil }
            return path.keys.dropFirst().first
        }
        let shownVariables = shown.request.graphQLOperations.first?.variables
        if !keys.isEmpty, let shownVariables, let variables = operation.variables?.members(keys, shown: shownVariables),
            let literal = variables.literal(upTo: 400)
        {
            let pattern = RequestPattern.graphQL(name, variables: JSONLiteral(variables))
            return Self(".graphQL(\(code(name)), variables: \(literal))", pattern)
        }
        return Self(".graphQL(\(code(name)))", .graphQL(name))
    }

    /// Returns a pattern for a body that differs: for the members of a JSON object that differ, or for all of it.
    private static func body(
        _ live: ParsedRequest,
        _ shown: ParsedRequest,
        _ differences: [RequestDifference]
    ) -> OfferedPattern? {
        // What the client makes up for each call holds for this one only.
        let madeUp = GivenBackValues.paths(ofCallIn: live.request.body)
        let keys = differences.compactMap { difference in
            if case .jsonMember(let path) = difference.subject, !madeUp.contains(path) { path.keys.first } else { nil }
        }
        let isAboutBody = differences.contains { difference in
            switch difference.subject {
            case .wholeBody, .bodyField: true
            case .queryItem, .jsonMember, .headerField, .path, .origin, .other: false
            }
        }
        guard !keys.isEmpty || isAboutBody else { return nil }
        switch (live.body, shown.body) {
        case (.json(let value), .json(let shown)):
            guard let part = value.members(keys, shown: shown), let literal = part.literal(upTo: 400) else {
                return nil
            }
            return Self(".body(json: \(literal))", .body(containing: part))
        // Its boundary differs each time.
        case (.multipart, _): return nil
        default:
            guard let data = live.request.body, data == shown.request.body, data.count <= 256,
                let text = String(data: data, encoding: .utf8), text.isPlainText
            else { return nil }
            return Self(".body(text: \(code(text)))", .body(text: text))
        }
    }

    private static func code(_ text: String) -> String { text.quoted(upTo: 4_096) }
}

extension JSONValue {
    /// Returns the members of an object that have these keys and no secret, or all of a value without keys and secrets.
    fileprivate func members(_ keys: [String], shown: JSONValue) -> JSONValue? {
        guard !keys.isEmpty, case .object(let members) = content, case .object(let shown) = shown.content else {
            return self == shown ? self : nil
        }
        let parts = Self.pairs(members, shown).compactMap { key, member, shown -> Member? in
            guard keys.contains(key), let member, member == shown else { return nil }
            return (key, member)
        }
        return parts.isEmpty ? nil : .object(parts)
    }
}
