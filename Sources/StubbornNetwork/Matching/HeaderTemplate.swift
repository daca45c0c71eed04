import Foundation

/// The header fields of a recorded request, with wildcards that stand for any value.
///
/// Header fields are not compared by default. They rank requests that are otherwise equal.
struct HeaderTemplate: Hashable, Sendable {
    /// A template of each field and then of each cookie with wildcards; other cookies do not count.
    private let fields: [RequestTemplate]

    /// Creates the template of a recorded request, and adds its wildcards and the names of their places.
    init(_ request: StubRequest, _ forms: PlaceholderForms, wildcards: inout [Wildcard], places: inout [String]) {
        func read(_ values: [String: String]) -> [RequestTemplate] {
            values.sorted { $0.key < $1.key }.map { name, value in
                let request = ComparedRequest([.init(.header, named: name, value)])
                let template = RequestTemplate(request, forms, wildcards: &wildcards)
                places += (0..<template.wildcardCount).map { "\(name) \($0)" }
                return template
            }
        }
        let fields = read(HeaderComparison.fields(of: request))
        self.fields = fields + read(HeaderComparison.cookies(of: request)).filter { $0.wildcardCount > 0 }
    }

    /// A Boolean value that indicates whether no field has a wildcard.
    var isWithoutWildcards: Bool { fields.allSatisfy { $0.wildcardCount == 0 } }

    /// Returns the number of fields that differ from the fields and cookies of a live request, and adds the live values of the
    /// wildcards.
    func differences(from live: [String: String], into captures: inout ValueTemplate.Captures) -> Int {
        let names = fields.map { $0.blank.fields[0].name.key }
        var differing = live.keys.filter { !names.contains($0) }
        for (name, template) in zip(names, fields) {
            let isMatch = live[name].map { value in
                template.match(ComparedRequest([.init(.header, named: name, value)]), into: &captures)
            }
            if isMatch == true { continue }
            captures.addEmpty(template.wildcardCount)
            differing.append(name)
        }
        return differing.count { !$0.hasPrefix(HeaderComparison.cookie) }
    }
}

/// Header fields as the matchers compare them: names in lower case, repeated fields joined.
package enum HeaderComparison {
    /// The names, in lower case, of the fields that the platform or the transport sets; `Cookie` comes from a cookie storage.
    package static let namesSetByPlatform: Set<String> = [
        "accept-encoding", "accept-language", "connection", "content-length", "cookie", "host", "keep-alive",
        "priority", "proxy-authorization", "proxy-connection", "te", "transfer-encoding", "upgrade", "user-agent",
    ]

    /// The beginning of the names under which cookies are compared, which no field's name can have.
    static let cookie = "cookie "

    /// Returns all fields except for those that the platform sets and those with these lower-case names.
    static func fields(of request: StubRequest, except names: Set<String> = []) -> [String: String] {
        var fields = fields(of: request) { !namesSetByPlatform.contains($0) && !names.contains($0) }
        if fields["accept"] == "*/*" { fields["accept"] = nil }
        return fields
    }

    /// Returns the fields with these names, in any case.
    static func fields(of request: StubRequest, named names: [String]) -> [String: String] {
        fields(of: request, where: Set(names.map { $0.lowercased() }).contains)
    }

    /// Returns the fields whose names, in lower case, meet a condition.
    private static func fields(of request: StubRequest, where isCompared: (String) -> Bool) -> [String: String] {
        let fields = request.headerFields
        return fields.reduce(into: Dictionary(minimumCapacity: fields.count)) { result, field in
            let name = field.name.lowercased()
            guard isCompared(name) else { return }
            let value = comparable(field.value, of: name)
            result[name] = result[name].map { "\($0), \(value)" } ?? value
        }
    }

    /// Returns all fields that `fields(of:except:)` returns, and the cookies.
    static func fieldsAndCookies(of request: StubRequest) -> [String: String] {
        fields(of: request).merging(cookies(of: request)) { field, _ in field }
    }

    /// Returns the first value of each cookie, by the cookie's name after the prefix `cookie`.
    static func cookies(of request: StubRequest) -> [String: String] {
        let pairs = (request.headerFields["Cookie"] ?? "").split(separator: ";").map { pair in
            pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { trimmed(String($0)) }
        }
        return Dictionary(pairs.filter { $0.count == 2 }.map { (cookie + $0[0], $0[1]) }) { first, _ in first }
    }

    private static func comparable(_ value: String, of name: String) -> String {
        switch name {
        case "content-type":
            let type = ContentType(value)
            return type.isMultipart ? type.name : trimmed(value)
        case "cookie":
            // A cookie storage returns them in a different order each time.
            return value.split(separator: ";").map { trimmed(String($0)) }.sorted().joined(separator: "; ")
        default: return trimmed(value)
        }
    }

    private static func trimmed(_ value: String) -> String {
        // Few values have spaces around them, and trimming copies the value.
        let isSpace = { (byte: UInt8?) in byte == .space || byte == .tab }
        guard isSpace(value.utf8.first) || isSpace(value.utf8.last) else { return value }
        return value.trimmingCharacters(in: .whitespaces)
    }
}
