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

    /// The parameters by name in lower case, without quotation marks and escapes; of equal names, the first counts.
    var parameters: [String: String] = [:]

    /// The name of what the credentials are for; `nil` if the server does not say.
    var realm: String? { parameters["realm"] }

    /// Returns the first challenge that can be answered.
    static func firstBasic(in head: ResponseHead) -> HTTPChallenge? {
        challenges(in: head).first { $0.scheme == "basic" }
    }

    /// Returns the challenges of a 401 (`WWW-Authenticate`) or a 407 (`Proxy-Authenticate`) that can be read, in their
    /// order; none for another status.
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

/// Reads the challenges of one header field in a single pass.
///
/// Commas separate challenges, and also the parameters of one (RFC 9110, section 11.6.1). What follows a name
/// distinguishes them: an equals sign follows a parameter, a space or nothing follows a scheme. The parser accepts what
/// servers are known to send: any visible character in unquoted values, and spaces around the equals sign.
private struct HTTPChallengeParser {
    private let bytes: [UInt8]
    private var position = 0

    init(_ field: String) {
        bytes = Array(field.utf8)
    }

    mutating func challenges() -> [HTTPChallenge] {
        var result: [HTTPChallenge] = []
        while position < bytes.count {
            skipSpaces()
            var name = token()
            let hasSpace = skipSpaces()
            if let scheme = name, next != UInt8(ascii: "="), hasSpace || next == nil || next == UInt8(ascii: ",") {
                result.append(HTTPChallenge(scheme: scheme.lowercased()))
                // The base64 of a Negotiate challenge is not a name, or nothing follows its equals sign.
                name = token()
                skipSpaces()
            }
            if let name = name?.lowercased(), next == UInt8(ascii: "="), let value = value(), !result.isEmpty,
                result[result.count - 1].parameters[name] == nil
            {
                result[result.count - 1].parameters[name] = value
            }
            skipThroughComma()
        }
        return result
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(while isWanted: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = position
        while let next, isWanted(next) { position += 1 }
        return bytes[start..<position]
    }

    @discardableResult
    private mutating func skipSpaces() -> Bool {
        !take { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.isEmpty
    }

    /// Reads a token (RFC 9110, section 5.6.2); `nil` if none begins here.
    private mutating func token() -> String? {
        let token = take { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: Self.tokenMarks.contains(byte)
            }
        }
        return token.isEmpty ? nil : String(decoding: token, as: UTF8.self)
    }

    private static let tokenMarks = Array("!#$%&'*+-.^_`|~".utf8)

    /// Reads the value after the equals sign that comes next; `nil` if there is none.
    private mutating func value() -> String? {
        position += 1
        skipSpaces()
        if next == UInt8(ascii: "\"") { return quotedString() }
        guard next != UInt8(ascii: "=") else { return nil }
        let value = take { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\"") }
        return value.isEmpty ? nil : String(decoding: value, as: UTF8.self)
    }

    /// Reads the text of the quoted-string that begins here (RFC 9110, section 5.6.4); `nil` if it does not end, or has
    /// control characters, which could not be sent back.
    private mutating func quotedString() -> String? {
        position += 1
        var text: [UInt8] = []
        var isSound = true
        while var byte = next, byte != UInt8(ascii: "\"") {
            position += 1
            if byte == UInt8(ascii: "\\") {
                guard let escaped = next else { return nil }
                position += 1
                byte = escaped
            }
            if (byte < 0x20 && byte != UInt8(ascii: "\t")) || byte == 0x7F { isSound = false }
            text.append(byte)
        }
        guard next != nil else { return nil }
        position += 1
        return isSound ? String(decoding: text, as: UTF8.self) : nil
    }

    /// Skips the rest of an element and its comma; a comma in quotation marks does not end it.
    private mutating func skipThroughComma() {
        while let byte = next {
            if byte == UInt8(ascii: "\"") {
                _ = quotedString()
            } else {
                position += 1
                if byte == UInt8(ascii: ",") { return }
            }
        }
    }
}
