import Foundation

/// Header fields as the matchers compare them: names in lower case, repeated fields joined.
enum HeaderComparison {
    /// The names, in lower case, of the fields that the platform or the transport sets; `Cookie` comes from a cookie storage.
    static let namesSetByPlatform: Set<String> = [
        "accept-encoding", "accept-language", "connection", "content-length", "cookie", "host", "keep-alive",
        "priority", "proxy-authorization", "proxy-connection", "te", "transfer-encoding", "upgrade", "user-agent",
    ]

    /// Returns all fields except for those that the platform sets and those of these names in lower case.
    static func fields(of request: StubRequest, except names: Set<String> = []) -> [String: String] {
        var fields = fields(of: request) { !namesSetByPlatform.contains($0) && !names.contains($0) }
        if fields["accept"] == "*/*" { fields["accept"] = nil }
        return fields
    }

    /// Returns the fields whose names in lower case fulfil a condition.
    static func fields(of request: StubRequest, where isCompared: (String) -> Bool) -> [String: String] {
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
