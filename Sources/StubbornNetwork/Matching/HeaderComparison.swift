import Foundation

/// Header fields as the matchers see them: names in lower case, repeated fields joined.
enum HeaderComparison {
    /// Names, in lower case, of fields that the platform or the transport sets by itself. `Cookie` is among them because
    /// a session's cookie storage puts it there, different from run to run.
    static let namesSetByPlatform: Set<String> = [
        "accept-encoding", "accept-language", "connection", "content-length", "cookie", "host", "keep-alive",
        "priority",
        "proxy-authorization", "proxy-connection", "te", "transfer-encoding", "upgrade", "user-agent",
    ]

    /// All fields but those that the platform sets.
    static func fields(of request: StubRequest) -> [String: String] {
        fields(of: request) { !namesSetByPlatform.contains($0) }
            .filter { $0.value != "*/*" || $0.key != "accept" }
    }

    /// All fields but those that the platform sets and those of these names, which are in lower case.
    static func fields(of request: StubRequest, except names: Set<String>) -> [String: String] {
        fields(of: request).filter { !names.contains($0.key) }
    }

    /// The fields of these names, which are in lower case.
    static func fields(of request: StubRequest, named names: [String]) -> [String: String] {
        fields(of: request) { names.contains($0) }
    }

    private static func fields(of request: StubRequest, where isCompared: (String) -> Bool) -> [String: String] {
        var result: [String: String] = [:]
        result.reserveCapacity(request.headerFields.count)
        for field in request.headerFields {
            let name = field.name.lowercased()
            guard isCompared(name) else { continue }
            let value = comparable(field.value, of: name)
            if let before = result[name] {
                result[name] = "\(before), \(value)"
            } else {
                result[name] = value
            }
        }
        return result
    }

    private static func comparable(_ value: String, of name: String) -> String {
        switch name {
        case "content-type": withoutBoundary(value)
        case "cookie": inOrder(value)
        default: trimmed(value)
        }
    }

    /// Cookies in one order: a cookie storage gives them in another each time.
    private static func inOrder(_ value: String) -> String {
        value.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }.sorted().joined(separator: "; ")
    }

    private static func withoutBoundary(_ value: String) -> String {
        let type = ContentType(value)
        return type.isMultipart ? type.name : trimmed(value)
    }

    private static func trimmed(_ value: String) -> String {
        let isSpace = { (byte: UInt8?) in byte == 0x20 || byte == 0x09 }
        guard isSpace(value.utf8.first) || isSpace(value.utf8.last) else { return value }
        return value.trimmingCharacters(in: .whitespaces)
    }
}
