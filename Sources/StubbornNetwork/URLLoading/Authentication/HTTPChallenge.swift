import Foundation

/// One challenge of a `WWW-Authenticate` or `Proxy-Authenticate` field: how a server wants to know who asks (RFC 9110,
/// section 11.6.1).
///
///     WWW-Authenticate: Digest realm="users", nonce="n1", qop="auth", Basic realm="users"
///
/// are two, whose schemes are `.digest` and `.basic`.
struct HTTPChallenge: Sendable, Hashable {
    enum Scheme: Sendable, Hashable {
        case basic, digest
        /// A scheme that cannot be answered here, such as `bearer`, in lower case.
        case other(String)

        /// The scheme of a name, in whatever case.
        init(name: String) {
            switch name.lowercased() {
            case "basic": self = .basic
            case "digest": self = .digest
            case let name: self = .other(name)
            }
        }
    }

    var scheme: Scheme

    /// By name in lower case, values without quotation marks and escapes. Of a name that is repeated, the first counts.
    var parameters: [String: String] = [:]

    /// What the user name and the password are for; `nil` if the server does not say.
    var realm: String? { parameters["realm"] }

    /// The authentication method of a `URLProtectionSpace`; `nil` for a scheme that cannot be answered here.
    var protectionSpaceMethod: String? {
        switch scheme {
        case .basic: NSURLAuthenticationMethodHTTPBasic
        case .digest: NSURLAuthenticationMethodHTTPDigest
        case .other: nil
        }
    }

    /// All challenges of a 401 (`WWW-Authenticate`) or a 407 (`Proxy-Authenticate`), in their order; none for another
    /// status. What cannot be read is left out.
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
}

extension [HTTPChallenge] {
    /// The strongest that can be answered: Digest with SHA-256, Digest with MD5, Basic; of equals the first.
    var preferred: HTTPChallenge? {
        func digest(_ algorithm: DigestChallenge.Algorithm) -> HTTPChallenge? {
            first { DigestChallenge($0)?.algorithm == algorithm }
        }
        return digest(.sha256) ?? digest(.md5) ?? first { $0.scheme == .basic }
    }
}
