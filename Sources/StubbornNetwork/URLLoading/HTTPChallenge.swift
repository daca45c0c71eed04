import Foundation

/// A challenge in a `WWW-Authenticate` or `Proxy-Authenticate` field (RFC 9110, section 11.6.1).
///
///     WWW-Authenticate: Bearer realm="users", scope="read", Basic realm="users"
///
/// are two challenges, whose schemes are `bearer` and `basic`. Only `basic` can be answered; a session on Linux answers
/// no other either.
struct HTTPChallenge: Sendable, Hashable {
    /// The scheme in lower case.
    var scheme: String

    /// The parameters by name in lower case, without quotation marks and escapes.
    ///
    /// Of equal names, the first counts.
    var parameters: [String: String] = [:]

    /// The name of what the credentials are for; `nil` if the server does not say.
    var realm: String? { parameters["realm"] }

    /// Returns the first challenge that can be answered.
    static func firstBasic(in head: ResponseHead) -> HTTPChallenge? {
        challenges(in: head).first { $0.scheme == "basic" }
    }

    /// Returns all challenges of a 401 (`WWW-Authenticate`) or a 407 (`Proxy-Authenticate`), in their order; none for
    /// another status.
    ///
    /// Challenges that cannot be read are left out.
    static func challenges(in head: ResponseHead) -> [HTTPChallenge] {
        let name: String
        switch head.statusCode {
        case 401: name = "WWW-Authenticate"
        case 407: name = "Proxy-Authenticate"
        default: return []
        }
        return head.headerFields.values(named: name).flatMap { value in
            var parser = HTTPChallengeParser(value)
            return parser.challenges()
        }
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
        guard !user.utf8.contains(UInt8(ascii: ":")) else { return nil }
        var credentials = "\(user):\(password)"
        if parameters["charset"]?.lowercased() == "utf-8" {
            credentials = credentials.precomposedStringWithCanonicalMapping
        }
        return "Basic " + Data(credentials.utf8).base64EncodedString()
    }
}
