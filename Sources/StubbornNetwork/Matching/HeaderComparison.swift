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
        var result: [String: String] = [:]
        for field in request.headerFields {
            let name = field.name.lowercased()
            guard !namesSetByPlatform.contains(name), result[name] == nil else { continue }
            let value = value(of: name, in: request)
            if name == "accept", value == "*/*" { continue }
            result[name] = value
        }
        return result
    }

    /// The fields of these names, which are in lower case.
    static func fields(of request: StubRequest, named names: [String]) -> [String: String] {
        var result: [String: String] = [:]
        for name in names { result[name] = value(of: name, in: request) }
        return result
    }

    private static func value(of name: String, in request: StubRequest) -> String? {
        guard let value = request.headerFields[name] else { return nil }
        guard name == "content-type" else { return value.trimmingCharacters(in: .whitespaces) }
        let type = ContentType(value)
        return type.isMultipart ? type.name : value.trimmingCharacters(in: .whitespaces)
    }
}
