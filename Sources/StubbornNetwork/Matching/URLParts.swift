import Foundation

/// A URL without user and fragment, each part in one spelling, as `RequestMatcher.url` compares it.
struct URLParts: Hashable, Sendable {
    var scheme = ""
    /// The host, without the brackets of an IPv6 address.
    var host = ""
    /// The port; empty if it is the scheme's default.
    var port = ""
    /// The path, which keeps its dot segments.
    var path = "/"
    /// The query items, in the order of the URL.
    var query: [QueryItem] = []

    init(_ url: URL) { self.init(url.absoluteString) }

    init(_ text: String) { self = text.withBytes { URLParts($0) } }

    private init(_ bytes: Bytes) {
        let fields = URLFields(bytes)
        scheme = bytes.part(fields.scheme).text.lowercased()
        readHost(bytes.part(fields.host))
        if !fields.path.isEmpty { path = PercentEncoding.normalized(bytes.part(fields.path), as: .path) }
        if !fields.query.isEmpty { query = QueryItem.items(of: bytes.part(fields.query), as: .query) }
    }

    /// The URL in this spelling: `https://api.example.com/users?page=2`.
    var text: String {
        var result = scheme.isEmpty ? "" : "\(scheme):"
        result += host.utf8.contains(.colon) ? "//[\(host)]" : "//\(host)"
        if !port.isEmpty { result += ":\(port)" }
        return result + path + (query.isEmpty ? "" : "?\(query.queryText)")
    }

    /// The URL in the form for comparison: with its query items sorted.
    var comparable: URLParts {
        var result = self
        result.query = query.map(\.comparable).sorted()
        return result
    }

    /// Reads the host and the port.
    private mutating func readHost(_ bytes: Bytes) {
        let end: Int
        if bytes.at(0) == .openingBracket, let bracket = bytes.position(of: .closingBracket, from: 0) {
            host = bytes.part(1..<bracket).text.lowercased()
            end = bracket + 1
        } else {
            end = bytes.position(of: .colon, from: 0) ?? bytes.count
            host = Self.normalizedHost(bytes.part(0..<end).text)
        }
        guard bytes.at(end) == .colon else { return }
        port = bytes.part(bytes.end(from: end + 1) { $0 == .zero }..<bytes.count).text
        switch (scheme, port) {
        case ("http", "80"), ("https", "443"), ("ws", "80"), ("wss", "443"): port = ""
        default: break
        }
    }

    /// Returns a host in one spelling: lower case except for placeholders, unreserved characters decoded.
    static func normalizedHost(_ host: String) -> String {
        let lower = host.lowercased()
        let isPlain = host.withBytes { !$0.contains { $0 == .percent || $0 > 127 } }
        let spelled = isPlain ? lower : PercentEncoding.normalized(lower, as: .path).lowercased()
        return host.withBytes { Placeholder.all(in: $0) }
            .reduce(spelled) { $0.replacingOccurrences(of: $1.text.lowercased(), with: $1.text) }
    }
}

/// A name and a value of a URL's query or of a form, in the one spelling of `PercentEncoding`.
package struct QueryItem: Hashable, Comparable, Sendable {
    package var name: String
    /// The value; `nil` for an item without `=`, because `a` and `a=` differ in a query.
    package var value: String?

    package static func < (left: Self, right: Self) -> Bool { left.order < right.order }

    /// The name and the value; an item without a value comes before one with an empty value.
    private var order: (String, Int, String) { (name, value == nil ? 0 : 1, value ?? "") }

    /// Returns the items of a query or a form in their order, without empty ones, as in `a=1&&b=2`.
    ///
    /// In a `.form`, `+` is a space and a field without `=` has an empty value.
    static func items(of bytes: Bytes, as part: PercentEncoding.Part) -> [QueryItem] {
        bytes.split(separator: .ampersand).map { item in
            let item = Bytes(rebasing: item)
            let equals = item.position(of: .equals, from: 0)
            let name = PercentEncoding.normalized(item.part(0..<(equals ?? item.count)), as: part)
            let value = equals.map { PercentEncoding.normalized(item.part($0 + 1..<item.count), as: part) }
            return QueryItem(name: name, value: value ?? (part == .form ? "" : nil))
        }
    }

    /// Returns the fields of a form body (`application/x-www-form-urlencoded`), in their order.
    package static func fields(ofForm body: Data?) -> [QueryItem] {
        body?.withBytes { items(of: $0, as: .form) } ?? []
    }

    /// Returns a field of a form for a name and a value in plain text.
    package static func field(name: String, value: String) -> QueryItem {
        QueryItem(name: PercentEncoding.encodedField(name), value: PercentEncoding.encodedField(value))
    }

    /// Returns the names that an item may have in a URL for a name in plain text: a space is `%20` or `+`.
    static func spellings(ofName name: String) -> Set<String> {
        let spelled = PercentEncoding.normalized(name, as: .query).replacingOccurrences(of: "&", with: "%26")
            .replacingOccurrences(of: "=", with: "%3D")
        return [spelled, spelled.replacingOccurrences(of: "%20", with: "+")]
    }

    /// The item in the form for comparison: JSON in one spelling, because the order of its keys has no meaning.
    var comparable: QueryItem {
        guard let value, value.hasPrefix("%7B") || value.hasPrefix("%5B"),
            let json = JSONValue(Data(PercentEncoding.decoded(value).utf8)),
            let encoded = json.text(upTo: .max).addingPercentEncoding(withAllowedCharacters: .alphanumerics)
        else { return self }
        return QueryItem(name: name, value: PercentEncoding.normalized(encoded, as: .query))
    }
}

extension [QueryItem] {
    var queryText: String {
        map { item in item.value.map { "\(item.name)=\($0)" } ?? item.name }.joined(separator: "&")
    }
}

/// A path whose segments may be placeholders: `/users/:id` matches `/users/42`, and `id` stands for `42`.
///
/// Paths are spelled as in `URLParts`. A placeholder stands for exactly one segment, which is not empty.
struct PathTemplate: Sendable {
    let text: String
    /// The path itself when it has no placeholders.
    let literal: String?
    private let segments: [Substring]

    init(_ path: String) {
        text = path
        segments = Self.segments(of: path)
        literal = segments.contains(where: Self.isPlaceholder) ? nil : path
    }

    /// Creates a template from a path in code, with or without `/` in front.
    init(spelling path: String) {
        self.init(PercentEncoding.normalized(path.hasPrefix("/") ? path : "/\(path)", as: .path))
    }

    /// Creates the template of two paths that differ only in one segment that a client generates for each request;
    /// `nil` for any other paths.
    ///
    /// The segment must have eight characters or more, and digits, like a time or an identifier. `/users/1` and `/users/2` are
    /// two resources.
    init?(ofGenerated old: String, _ new: String) {
        let (olds, news) = (Self.segments(of: old), Self.segments(of: new))
        let differing = zip(olds, news).enumerated().filter { $1.0 != $1.1 }.map(\.offset)
        guard olds.count == news.count, differing.count == 1, let index = differing.first,
            [olds[index], news[index]].allSatisfy({ $0.utf8.count >= 8 && $0.contains(where: \.isNumber) })
        else { return nil }
        var segments = news
        segments[index] = ":value"
        self.init(segments.joined(separator: "/"))
    }

    /// Returns the values of the placeholders in a path; `nil` if the path does not match.
    func match(_ path: String) -> [String: String]? {
        if let literal { return literal == path ? [:] : nil }
        let parts = Self.segments(of: path)
        guard parts.count == segments.count else { return nil }
        var values: [String: String] = [:]
        for (segment, part) in zip(segments, parts) {
            if Self.isPlaceholder(segment) {
                guard !part.isEmpty else { return nil }
                values[PercentEncoding.decoded(String(segment.dropFirst()))] = PercentEncoding.decoded(String(part))
            } else if part != segment {
                return nil
            }
        }
        return values
    }

    static func segments(of path: String) -> [Substring] {
        path.utf8.split(separator: .slash, omittingEmptySubsequences: false).map(Substring.init)
    }

    private static func isPlaceholder(_ segment: Substring) -> Bool { segment.hasPrefix(":") && segment.utf8.count > 1 }
}
