import Foundation

/// A pattern for a request, as code to paste: `.get("https://api.example.com/users?page=2")`.
///
/// The code and the pattern are made together, and only a pattern that holds for the request is offered.
struct OfferedPattern: Sendable {
    private(set) var code: String
    private(set) var pattern: RequestPattern

    static let maximumByteCount = 720

    /// Creates the pattern to offer for a request.
    ///
    /// - Parameters:
    ///   - request: The live request.
    ///   - shown: The request without its secrets, which are not offered.
    ///   - differences: The differences from the nearest stub, for which the pattern must not hold.
    ///   - isShowable: Returns a Boolean value that indicates whether a piece of code may be shown.
    init(
        for request: StubRequest,
        shown: StubRequest,
        differences: [RequestDifference],
        isShowable: (String) -> Bool
    ) {
        let live = ParsedRequest(request, keepsBody: true)
        let subject = PatternSubject(request: live, options: .standard)
        func holds(_ offered: OfferedPattern) -> Bool {
            offered.code.utf8.count <= Self.maximumByteCount && isShowable(offered.code)
                && offered.pattern.match(subject) != nil
        }
        self = Self.resources(live, shown: ParsedRequest(shown)).first { holds($0) } ?? Self(".any", .any)
        for condition in Self.conditions(live, shown: ParsedRequest(shown, keepsBody: true), differences) {
            let narrowed = Self("\(code) && \(condition.code)", pattern && condition.pattern)
            if holds(narrowed) { self = narrowed }
        }
    }

    private init(_ code: String, _ pattern: RequestPattern) {
        self.code = code
        self.pattern = pattern
    }

    /// Returns patterns for the request's method and URL, the most exact first.
    private static func resources(_ live: ParsedRequest, shown: ParsedRequest) -> [OfferedPattern] {
        let request = live.request
        var offered: [OfferedPattern] = []
        // A URL with a secret in it cannot be shown.
        if request.url == shown.request.url {
            offered.append(resource(request.method, request.url.absoluteString))
        }
        if live.url == shown.url { offered.append(resource(request.method, live.url.text)) }
        let method = Self(".method(\(code(request.method)))", .method(request.method))
        var host = method
        if live.url.host == shown.url.host, !live.url.host.isEmpty {
            host = host.and(".host(\(code(live.url.host)))", .host(live.url.host))
        }
        var path = host
        if live.url.path == shown.url.path {
            path = path.and(".path(\(code(live.url.path)))", .path(live.url.path))
        }
        var query = path
        for item in live.url.query.prefix(8) where shown.url.query.contains(item) {
            guard let value = item.value.map(PercentEncoding.decoded) else { continue }
            let name = PercentEncoding.decoded(item.name)
            guard name.utf8.count + value.utf8.count <= 128 else { continue }
            query = query.and(".query(\(code(name)), \(code(value)))", .query(name, value))
        }
        return offered + [query, path, host, method]
    }

    private static func resource(_ method: String, _ address: String) -> OfferedPattern {
        let address = String(address.prefix { $0 != "#" })
        let patterns: [String: (String) -> RequestPattern] = [
            "GET": RequestPattern.get, "POST": RequestPattern.post, "PUT": RequestPattern.put,
            "PATCH": RequestPattern.patch, "DELETE": RequestPattern.delete, "HEAD": RequestPattern.head,
            "OPTIONS": RequestPattern.options,
        ]
        guard let pattern = patterns[method] else {
            return Self(".method(\(code(method))) && .url(\(code(address)))", .method(method) && .url(address))
        }
        return Self(".\(method.lowercased())(\(code(address)))", pattern(address))
    }

    /// Returns patterns for the header fields and the body in which the request differs from the nearest stub.
    private static func conditions(
        _ live: ParsedRequest,
        shown: ParsedRequest,
        _ differences: [RequestDifference]
    ) -> [OfferedPattern] {
        var offered: [OfferedPattern] = []
        for case .headerField(let name) in differences.map(\.subject).prefix(4) {
            guard let value = live.request.headerFields[name] else {
                offered.append(Self("!.header(\(code(name)))", !.header(name)))
                continue
            }
            let isShown = shown.request.headerFields[name] == value
            let arguments = isShown ? "\(code(name)), \(code(value))" : code(name)
            offered.append(Self(".header(\(arguments))", .header(name, isShown ? value : nil)))
        }
        guard differences.contains(where: \.isOfBody) else { return offered }
        return offered + body(live, shown: shown, differences)
    }

    private static func body(
        _ live: ParsedRequest,
        shown: ParsedRequest,
        _ differences: [RequestDifference]
    ) -> [OfferedPattern] {
        switch (live.body, shown.body) {
        case (.json(let value), .json(let shown)):
            let paths = differences.compactMap { difference in
                if case .jsonMember(let path) = difference.subject { path.keys[...] } else { nil }
            }
            guard let part = value.part(paths, shown: shown), let literal = part.literal(upTo: 400) else { return [] }
            return [Self(".body(json: \(literal))", .body(containing: part))]
        case (.form(let fields), .form(let shown)):
            let parts = Set(differences.map(\.part))
            let different = fields.filter { field in
                let name = PercentEncoding.decoded(field.name).onOneLine
                return shown.contains(field) && parts.contains("body.form.\(name)")
            }
            let pairs = different.prefix(8).map {
                (PercentEncoding.decoded($0.name), PercentEncoding.decoded($0.value ?? ""))
            }
            guard !pairs.isEmpty, Set(pairs.map(\.0)).count == pairs.count else { return [] }
            let literal = pairs.map { "\(code($0.0)): \(code($0.1))" }.joined(separator: ", ")
            return [Self(".body(form: [\(literal)])", .body(form: Dictionary(pairs) { $1 }))]
        // Its boundary differs each time.
        case (.multipart, _): return []
        default:
            guard let data = live.request.body, data == shown.request.body, data.count <= 256,
                let text = String(data: data, encoding: .utf8), text.isPlainText
            else { return [] }
            return [Self(".body(text: \(code(text)))", .body(text: text))]
        }
    }

    private func and(_ code: String, _ pattern: RequestPattern) -> OfferedPattern {
        OfferedPattern("\(self.code) && \(code)", self.pattern && pattern)
    }

    private static func code(_ text: String) -> String { text.quoted(upTo: 4_096) }
}

extension RequestDifference {
    fileprivate var isOfBody: Bool { part == "body" || part.hasPrefix("body.") || part.hasPrefix("body[") }
}

extension JSONValue {
    /// Returns the part of the value that differs: the members at the paths, without secrets.
    ///
    /// - Parameters:
    ///   - paths: The paths of the members; an empty one stands for all of the value.
    ///   - shown: The value without its secrets.
    ///   - depth: The number of arrays and objects around the value. Deeper ones than 64 are not offered, because their
    ///     literal would be too long.
    /// - Returns: The part; `nil` when it cannot be offered.
    fileprivate func part(_ paths: [ArraySlice<String>], shown: JSONValue, depth: Int = 0) -> JSONValue? {
        guard depth < 64 else { return nil }
        if paths.isEmpty || paths.contains(where: \.isEmpty) { return self == shown ? self : nil }
        switch (content, shown.content) {
        case (.object(let members), .object(let shown)):
            let parts = Self.pairs(members, shown).compactMap { key, member, shown -> Member? in
                let paths = paths.filter { $0.first == key }.map { $0.dropFirst() }
                guard !paths.isEmpty, let member, let shown else { return nil }
                return member.part(paths, shown: shown, depth: depth + 1).map { (key, $0) }
            }
            return parts.isEmpty ? nil : .object(parts)
        case (.array(let elements), .array(let shown)) where elements.count == shown.count:
            let parts = zip(elements, shown).compactMap {
                $0.part(paths, shown: $1, depth: depth + 1) ?? $0.rest(shown: $1)
            }
            return parts.count == elements.count ? .array(parts) : nil
        default:
            return self == shown ? self : nil
        }
    }

    /// Returns the part to show of an element that does not differ: nothing of an object, all of anything else.
    private func rest(shown: JSONValue) -> JSONValue? {
        if case .object = content { return .object([]) }
        return self == shown ? self : nil
    }
}
