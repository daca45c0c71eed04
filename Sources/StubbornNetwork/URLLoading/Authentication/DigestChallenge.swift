import Foundation

/// What of a request goes into the answer to a digest challenge.
struct DigestRequest {
    let method: String
    let uri: String
    let body: Data
}

/// A digest challenge that can be answered (RFC 7616; without qop as in RFC 2617).
struct DigestChallenge {
    enum Algorithm {
        case md5, sha256

        func hex(_ data: Data) -> String {
            switch self {
            case .md5: MD5.hash(data).hexadecimal
            case .sha256: SHA256.hash(data).hexadecimal
            }
        }

        func hex(_ parts: String...) -> String { hex(Data(parts.joined(separator: ":").utf8)) }
    }

    enum Protection: String { case auth, authInt = "auth-int" }

    let algorithm: Algorithm
    /// Whether the secret is bound to the nonces: MD5-sess, SHA-256-sess.
    let isSession: Bool
    /// The weaker of what is offered, as it does without the body; `nil` for a server that knows of none.
    let protection: Protection?
    private let realm: String
    private let nonce: String
    private let parameters: [String: String]

    /// `nil` for another scheme, an algorithm or a qop that is not known, or without a realm or a nonce.
    init?(_ challenge: HTTPChallenge) {
        guard challenge.scheme == .digest, let realm = challenge.realm, let nonce = challenge.parameters["nonce"] else {
            return nil
        }
        switch challenge.parameters["algorithm"]?.lowercased() {
        case nil, "md5": (algorithm, isSession) = (.md5, false)
        case "md5-sess": (algorithm, isSession) = (.md5, true)
        case "sha-256": (algorithm, isSession) = (.sha256, false)
        case "sha-256-sess": (algorithm, isSession) = (.sha256, true)
        default: return nil
        }
        let offered = (challenge.parameters["qop"] ?? "").split(separator: ",").map {
            $0.trimmingCharacters(in: .whitespaces).lowercased()
        }
        protection = [.auth, .authInt].first { offered.contains($0.rawValue) }
        guard protection != nil || offered.isEmpty else { return nil }
        self.realm = realm
        self.nonce = nonce
        parameters = challenge.parameters
    }

    /// `Digest username="ada", …`; `nil` if there are control characters in what has to be sent as it is.
    func answer(
        _ credentials: HTTPCredentials,
        _ request: DigestRequest,
        clientNonce: String,
        nonceCount: UInt32
    ) -> String? {
        let digits = String(nonceCount, radix: 16)
        let count = String(repeating: "0", count: 8 - digits.count) + digits

        var secret = algorithm.hex(credentials.user, realm, credentials.password)
        if isSession { secret = algorithm.hex(secret, nonce, clientNonce) }
        var subject = "\(request.method):\(request.uri)"
        if protection == .authInt { subject += ":\(algorithm.hex(request.body))" }
        let nonces = protection.map { "\(nonce):\(count):\(clientNonce):\($0.rawValue)" } ?? nonce
        let response = algorithm.hex(secret, nonces, algorithm.hex(subject))

        let isHashed = parameters["userhash"]?.lowercased() == "true"
        let parts: [(isSent: Bool, text: String?)] = [
            (true, isHashed ? Self.quoted("username", algorithm.hex(credentials.user, realm)) : name(credentials.user)),
            (true, Self.quoted("realm", realm)),
            (true, Self.quoted("uri", request.uri)),
            (parameters["algorithm"] != nil, parameters["algorithm"].map { "algorithm=\($0)" }),
            (true, Self.quoted("nonce", nonce)),
            (protection != nil, "nc=\(count)"),
            (protection != nil || isSession, Self.quoted("cnonce", clientNonce)),
            (protection != nil, protection.map { "qop=\($0.rawValue)" }),
            (true, Self.quoted("response", response)),
            (parameters["opaque"] != nil, parameters["opaque"].flatMap { Self.quoted("opaque", $0) }),
            (isHashed, "userhash=true"),
        ]
        let sent = parts.filter(\.isSent)
        let texts = sent.compactMap(\.text)
        return texts.count == sent.count ? "Digest " + texts.joined(separator: ", ") : nil
    }

    /// The user name as it is, or in the notation of RFC 8187 where it is not ASCII and the server reads UTF-8.
    private func name(_ user: String) -> String? {
        let isASCII = user.utf8.allSatisfy { $0 < 0x80 }
        guard !isASCII, parameters["charset"]?.lowercased() == "utf-8" else { return Self.quoted("username", user) }
        let unreserved = CharacterSet(charactersIn: "a"..."z").union(CharacterSet(charactersIn: "A"..."Z"))
            .union(CharacterSet(charactersIn: "0123456789!#$&+-.^_`|~"))
        return user.addingPercentEncoding(withAllowedCharacters: unreserved).map { "username*=UTF-8''\($0)" }
    }

    /// `name="value"`, with `"` and `\` escaped; `nil` for a value with control characters.
    private static func quoted(_ name: String, _ value: String) -> String? {
        guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }) else { return nil }
        let escaped = value.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"")
        return "\(name)=\"\(escaped)\""
    }
}

extension Sequence<UInt8> {
    /// Two lower-case digits a byte.
    var hexadecimal: String {
        let digits = Array("0123456789abcdef")
        return String(flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
