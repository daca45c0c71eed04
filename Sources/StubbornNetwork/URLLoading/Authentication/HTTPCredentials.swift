import Foundation

/// A user name and a password, and how they are sent to a server that challenges.
///
///     let credentials = HTTPCredentials(user: "ada", password: "secret")
///     credentials.authorization(answering: challenge, method: "GET", uri: "/users?page=2", body: nil)
///     // "Basic YWRhOnNlY3JldA=="
struct HTTPCredentials: Sendable {
    let user: String
    let password: String

    /// The value of `Authorization`, or after a 407 of `Proxy-Authorization`, that answers a challenge.
    ///
    /// - Parameters:
    ///   - uri: the request's target as it is sent, see `uri(of:)`.
    ///   - body: the request's body, which counts where a server asks for `qop=auth-int` alone; `nil` counts as empty.
    ///   - nonceCount: how many requests, this one included, were sent with the challenge's nonce.
    /// - Returns: `nil` where there is no right answer: another scheme than Basic and Digest; Digest with an algorithm or
    ///   qop that is not known, or without realm or nonce; a colon in a user name for Basic (RFC 7617, section 2); control
    ///   characters in what Digest sends as it is.
    func authorization(
        answering challenge: HTTPChallenge,
        method: String,
        uri: String,
        body: Data?,
        clientNonce: String = HTTPCredentials.randomNonce(),
        nonceCount: Int = 1
    ) -> String? {
        switch challenge.scheme {
        case .basic:
            let known = normalized(for: challenge)
            guard !known.user.utf8.contains(UInt8(ascii: ":")) else { return nil }
            return "Basic " + Data("\(known.user):\(known.password)".utf8).base64EncodedString()
        case .digest:
            let count = UInt32(clamping: nonceCount)
            let request = DigestRequest(method: method, uri: uri, body: body ?? Data())
            return DigestChallenge(challenge)?
                .answer(normalized(for: challenge), request, clientNonce: clientNonce, nonceCount: count)
        case .other:
            return nil
        }
    }

    /// The target of a request for a URL, as Foundation on Linux sends it: `/users?page=2` for
    /// `https://example.com/a/../users?page=2#top`, without the dot segments (RFC 3986, section 5.2.4).
    static func uri(of url: URL) -> String {
        guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return "/" }
        let query = parts.percentEncodedQuery.map { "?\($0)" } ?? ""
        return withoutDotSegments(parts.percentEncodedPath) + query
    }

    private static func withoutDotSegments(_ path: String) -> String {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        var kept: [Substring] = []
        for segment in path.hasPrefix("/") ? segments.dropFirst() : segments[...] {
            switch segment {
            case ".": continue
            case "..": _ = kept.popLast()
            default: kept.append(segment)
            }
        }
        if segments.last == "." || segments.last == ".." { kept.append("") }
        return "/" + kept.joined(separator: "/")
    }

    /// A nonce of 128 random bits, in hexadecimal digits.
    static func randomNonce() -> String {
        let bits = [UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max)]
        return bits.flatMap { HashBlocks.bytes($0, .bigEndian) }.hexadecimal
    }

    /// Where the server announces UTF-8 the characters are composed (RFC 7616, section 4; RFC 7617, section 2.1).
    private func normalized(for challenge: HTTPChallenge) -> HTTPCredentials {
        guard challenge.parameters["charset"]?.lowercased() == "utf-8" else { return self }
        return HTTPCredentials(
            user: user.precomposedStringWithCanonicalMapping,
            password: password.precomposedStringWithCanonicalMapping
        )
    }
}
