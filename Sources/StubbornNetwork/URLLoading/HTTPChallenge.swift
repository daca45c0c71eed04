import Foundation

/// A challenge in a `WWW-Authenticate` or `Proxy-Authenticate` field (RFC 9110, section 11.6.1).
///
///     WWW-Authenticate: Bearer realm="users", scope="read", Basic realm="users"
///
/// are two challenges, whose schemes are `bearer` and `basic`. Only `basic` can be answered, as by a session on Linux.
struct HTTPChallenge: Sendable, Hashable {
    /// The scheme in lower case.
    var scheme: String

    /// The parameters by name in lower case, without quotation marks and escapes; if a name is repeated, the first
    /// parameter counts.
    var parameters: [String: String] = [:]

    /// The name of the protected resource; `nil` if the server does not specify it.
    var realm: String? { parameters["realm"] }

    /// Returns the first challenge that can be answered.
    static func firstBasic(in head: ResponseHead) -> HTTPChallenge? {
        challenges(in: head).first { $0.scheme == "basic" }
    }

    /// Returns the challenges of a 401 (`WWW-Authenticate`) or a 407 (`Proxy-Authenticate`) that can be read, in their
    /// order; none for any other status.
    static func challenges(in head: ResponseHead) -> [HTTPChallenge] {
        let names = [401: "WWW-Authenticate", 407: "Proxy-Authenticate"]
        guard let name = names[head.statusCode] else { return [] }
        return head.headerFields.values(named: name).flatMap(challenges)
    }

    /// Returns the protection space of the challenge of a URL; `nil` for a URL without a host.
    func protectionSpace(at url: URL) -> URLProtectionSpace? {
        guard let host = url.host else { return nil }
        return URLProtectionSpace(
            host: host,
            port: url.port ?? (url.scheme == "https" ? 443 : 80),
            protocol: url.scheme,
            realm: realm,
            authenticationMethod: NSURLAuthenticationMethodHTTPBasic
        )
    }

    /// Returns the value of `Authorization`, or of `Proxy-Authorization` after a 407, that answers a basic challenge.
    ///
    ///     challenge.basicAuthorization(user: "ada", password: "secret")     // "Basic YWRhOnNlY3JldA=="
    ///
    /// If the server announces UTF-8, the characters are composed (RFC 7617, section 2.1).
    ///
    /// - Returns: the value; `nil` for a user name with a colon, which cannot be sent (RFC 7617, section 2).
    func basicAuthorization(user: String, password: String) -> String? {
        guard !user.utf8.contains(.colon) else { return nil }
        var credentials = "\(user):\(password)"
        if parameters["charset"]?.lowercased() == "utf-8" {
            credentials = credentials.precomposedStringWithCanonicalMapping
        }
        return "Basic " + Data(credentials.utf8).base64EncodedString()
    }
}

// Reading.
extension HTTPChallenge {
    /// A comma; a text in quotation marks that is not a value; or a name, with its value if it has one, in quotation marks or not.
    ///
    /// Accepts the fields that servers are known to send: any visible character in unquoted values, and spaces around
    /// the equals sign.
    private static let element = try? NSRegularExpression(
        pattern: #"""
            (,)
            | ([\w!\x23$%&'*+.^`|~-]+)
                (?: [\ \t]* = [\ \t]* (?: "((?: \\. | [^"\\\x00-\x08\x0A-\x1F\x7F] )*)" | ([^\s,"=][^\s,"]*) ) )?
            | "(?: \\. | [^"\\] )*"
            """#,
        options: .allowCommentsAndWhitespace
    )

    /// Returns the challenges of one header field.
    ///
    /// Commas separate challenges, and the parameters of a challenge (RFC 9110, section 11.6.1). An equals sign follows
    /// the name of a parameter. A name without one is a scheme if it is the first after a comma.
    private static func challenges(in field: String) -> [HTTPChallenge] {
        var result: [HTTPChallenge] = []
        var isFirst = true
        for match in element?.matches(in: field, range: NSRange(field.startIndex..., in: field)) ?? [] {
            let parts = (1...4).map { Range(match.range(at: $0), in: field).map { String(field[$0]) } }
            if let name = parts[1]?.lowercased() {
                let quoted = parts[2]?.replacingOccurrences(of: #"\\(.)"#, with: "$1", options: .regularExpression)
                if let value = quoted ?? parts[3] {
                    if let last = result.indices.last { _ = result[last].parameters[name].orSet { value } }
                } else if isFirst {
                    result.append(HTTPChallenge(scheme: name))
                }
            }
            isFirst = parts[0] != nil
        }
        return result
    }
}
