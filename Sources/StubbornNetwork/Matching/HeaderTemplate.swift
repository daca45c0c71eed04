import Foundation

/// The header fields of a recorded request, with wildcards that stand for any value.
///
/// Header fields are not compared by default. They rank requests that are otherwise equal.
struct HeaderTemplate: Hashable, Sendable {
    private struct Field: Hashable, Sendable {
        let name: String
        /// The recorded value; `nil` if it has wildcards.
        let text: String?
        let template: ValueTemplate?
        let wildcardCount: Int

        /// Returns a Boolean value that indicates whether a live value matches, and adds the live values of the wildcards.
        func match(_ value: String?, into captures: inout ValueTemplate.Captures) -> Bool {
            guard let template else { return value == text }
            if let value, value.withBytes({ template.match($0, into: &captures) }) { return true }
            captures.addEmpty(wildcardCount)
            return false
        }
    }

    private let fields: [Field]
    /// The values of cookies with wildcards, by the names of the cookies; other cookies do not count.
    private let cookies: [Field]

    /// The header fields of a live request.
    struct Live: Sendable {
        fileprivate let fields: [String: String]
        fileprivate let cookies: [String: String]

        init(_ request: StubRequest) {
            fields = HeaderComparison.fields(of: request)
            cookies = HeaderComparison.cookies(of: request)
        }
    }

    /// The beginning of the names of places in cookies.
    static let cookie = "cookie "

    /// Creates the template of a recorded request, and adds its wildcards and the names of their places.
    init(_ request: StubRequest, _ forms: PlaceholderForms, wildcards: inout [Wildcard], places: inout [String]) {
        func read(_ fields: [String: String], _ kind: String) -> [Field] {
            fields.sorted { $0.key < $1.key }.map { name, value in
                let compiled = value.withBytes { ValueTemplate.text($0, forms) }
                let found = compiled?.wildcards ?? []
                wildcards += found
                places += found.indices.map { "\(kind)\(name) \($0)" }
                let text = compiled == nil ? value : nil
                return Field(name: name, text: text, template: compiled?.template, wildcardCount: found.count)
            }
        }
        fields = read(HeaderComparison.fields(of: request), "field ")
        cookies = read(HeaderComparison.cookies(of: request), Self.cookie).filter { $0.template != nil }
    }

    /// Returns the number of fields that differ, and adds the live values of the wildcards.
    func differences(from live: Live, into captures: inout ValueTemplate.Captures) -> Int {
        var count = live.fields.count
        for field in fields {
            let value = live.fields[field.name]
            if value != nil { count -= 1 }
            if !field.match(value, into: &captures) { count += 1 }
        }
        for cookie in cookies { _ = cookie.match(live.cookies[cookie.name], into: &captures) }
        return count
    }
}

/// Header fields as the matchers compare them: names in lower case, repeated fields joined.
package enum HeaderComparison {
    /// The names, in lower case, of the fields that the platform or the transport sets; `Cookie` comes from a cookie storage.
    package static let namesSetByPlatform: Set<String> = [
        "accept-encoding", "accept-language", "connection", "content-length", "cookie", "host", "keep-alive",
        "priority", "proxy-authorization", "proxy-connection", "te", "transfer-encoding", "upgrade", "user-agent",
    ]

    /// Returns all fields except for those that the platform sets and those of these names in lower case.
    static func fields(of request: StubRequest, except names: Set<String> = []) -> [String: String] {
        var fields = fields(of: request) { !namesSetByPlatform.contains($0) && !names.contains($0) }
        if fields["accept"] == "*/*" { fields["accept"] = nil }
        return fields
    }

    /// Returns the fields of these names, in any case.
    static func fields(of request: StubRequest, named names: [String]) -> [String: String] {
        fields(of: request, where: Set(names.map { $0.lowercased() }).contains)
    }

    /// Returns the fields whose names in lower case fulfil a condition.
    private static func fields(of request: StubRequest, where isCompared: (String) -> Bool) -> [String: String] {
        var result: [String: String] = [:]
        result.reserveCapacity(request.headerFields.count)
        for field in request.headerFields {
            let name = field.name.lowercased()
            guard isCompared(name) else { continue }
            let value = comparable(field.value, of: name)
            result[name] = result[name].map { "\($0), \(value)" } ?? value
        }
        return result
    }

    /// Returns the values of cookies by their names, the first of each name.
    static func cookies(of request: StubRequest) -> [String: String] {
        let pairs = (request.headerFields["Cookie"] ?? "").split(separator: ";").map { pair in
            pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { trimmed(String($0)) }
        }
        return Dictionary(pairs.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { first, _ in first }
    }

    private static func comparable(_ value: String, of name: String) -> String {
        switch name {
        case "content-type":
            let type = ContentType(value)
            return type.isMultipart ? type.name : trimmed(value)
        case "cookie":
            // A cookie storage gives them in another order each time.
            return value.split(separator: ";").map { trimmed(String($0)) }.sorted().joined(separator: "; ")
        default: return trimmed(value)
        }
    }

    private static func trimmed(_ value: String) -> String {
        let isSpace = { (byte: UInt8?) in byte == .space || byte == .tab }
        guard isSpace(value.utf8.first) || isSpace(value.utf8.last) else { return value }
        return value.trimmingCharacters(in: .whitespaces)
    }
}
