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
        return head.headerFields.values(named: name).flatMap { $0.withBytes(challenges) }
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
    /// Returns the challenges of one header field.
    ///
    /// Commas separate challenges, and also the parameters of one (RFC 9110, section 11.6.1). What follows a name
    /// distinguishes them: an equals sign follows a parameter, a space or nothing follows a scheme. Accepted is what
    /// servers are known to send: any visible character in unquoted values, and spaces around the equals sign.
    private static func challenges(in field: Bytes) -> [HTTPChallenge] {
        var result: [HTTPChallenge] = []
        for element in elements(of: field) {
            var (name, next) = token(in: element, from: 0)
            if !name.isEmpty,
                next == element.count || (element.at(next) != .equals && isSpace(element.at(next - 1)))
            {
                result.append(HTTPChallenge(scheme: name))
                // The base64 of a Negotiate challenge is not a name, or nothing follows its equals sign.
                (name, next) = token(in: element, from: next)
            }
            guard !name.isEmpty, element.at(next) == .equals,
                let value = value(in: element, from: next + 1),
                let last = result.indices.last, result[last].parameters[name] == nil
            else { continue }
            result[last].parameters[name] = value
        }
        return result
    }

    /// Returns the parts between the commas; a comma in quotation marks separates nothing.
    private static func elements(of field: Bytes) -> [Bytes] {
        var result: [Bytes] = []
        var (start, position, isQuoted) = (0, 0, false)
        while position < field.count {
            if field[position] == .quote { isQuoted.toggle() }
            if isQuoted, field[position] == .backslash { position += 1 }
            if !isQuoted, field[position] == .comma {
                result.append(field.part(start..<position))
                start = position + 1
            }
            position += 1
        }
        return result + [field.part(start..<field.count)]
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == .space || byte == .tab }

    /// Returns the token (RFC 9110, section 5.6.2) after the spaces at an offset, in lower case, and the offset behind it
    /// and its spaces.
    private static func token(in element: Bytes, from offset: Int) -> (name: String, next: Int) {
        let start = element.end(from: offset, while: isSpace)
        let end = element.end(from: start) { $0.isUnreserved || "!#$%&'*+^`|".utf8.contains($0) }
        return (element.part(start..<end).text.lowercased(), element.end(from: end, while: isSpace))
    }

    /// Returns the value after an equals sign; `nil` if there is none.
    private static func value(in element: Bytes, from offset: Int) -> String? {
        let start = element.end(from: offset, while: isSpace)
        if element.at(start) == .quote { return quotedString(element.part(start + 1..<element.count)) }
        let end = element.end(from: start) { $0 > .space && $0 != .delete && $0 != .quote }
        return end == start || element[start] == .equals ? nil : element.part(start..<end).text
    }

    /// Returns the text of a quoted-string (RFC 9110, section 5.6.4) from behind its first quotation mark; `nil` if it does
    /// not end, or has control characters, which could not be sent back.
    private static func quotedString(_ bytes: Bytes) -> String? {
        var text: [UInt8] = []
        var position = 0
        while position < bytes.count, bytes[position] != .quote {
            if bytes[position] == .backslash { position += 1 }
            text.append(bytes.at(position))
            position += 1
        }
        guard position < bytes.count, text.allSatisfy({ $0 >= .space && $0 != .delete || $0 == .tab })
        else {
            return nil
        }
        return String(decoding: text, as: UTF8.self)
    }
}
