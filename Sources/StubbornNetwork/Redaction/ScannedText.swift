/// The few signs by which the final scan knows a secret, each a strong one.
struct ScannedText {
    private struct Sign {
        var prefix: StaticString
        var minimum: Int
        var rule: String
        var isMember: @Sendable (UInt8) -> Bool = { $0.isAlphanumeric }
    }

    /// Names that code excluded from redaction.
    var ignores: @Sendable (StaticString) -> Bool = { _ in false }

    private static let signs: [Sign] = [
        Sign(prefix: "ghp_", minimum: 30, rule: "github-tokens"),
        Sign(prefix: "gho_", minimum: 30, rule: "github-tokens"),
        Sign(prefix: "ghu_", minimum: 30, rule: "github-tokens"),
        Sign(prefix: "ghs_", minimum: 30, rule: "github-tokens"),
        Sign(prefix: "ghr_", minimum: 30, rule: "github-tokens"),
        Sign(prefix: "github_pat_", minimum: 30, rule: "github-tokens") { $0.isAlphanumeric || $0 == 0x5F },
        Sign(prefix: "glpat-", minimum: 20, rule: "gitlab-tokens") { $0.isWordPart },
        Sign(prefix: "xoxb-", minimum: 20, rule: "slack-tokens") { $0.isWordPart },
        Sign(prefix: "xoxp-", minimum: 20, rule: "slack-tokens") { $0.isWordPart },
        Sign(prefix: "sk_live_", minimum: 16, rule: "stripe-keys"),
        Sign(prefix: "rk_live_", minimum: 16, rule: "stripe-keys"),
        Sign(prefix: "npm_", minimum: 36, rule: "npm-tokens"),
    ]

    /// The rule of the first secret known by its looks, among those asked for.
    func shapes(in bytes: Bytes, asksFor: (String) -> Bool) -> String? {
        guard bytes.count >= 12 else { return nil }
        for sign in Self.signs where asksFor(sign.rule) {
            let holds = holds(sign.prefix, in: bytes) { start, body in
                let end = bytes.end(from: body, while: sign.isMember)
                return end - body >= sign.minimum && bytes.part(body..<end).contains(where: \.isDigit)
            }
            if holds { return sign.rule }
        }
        if asksFor("aws-keys"), holdsCloudKey(bytes) { return "aws-keys" }
        if asksFor("jwt"), holds("eyJ", in: bytes, { start, _ in isSignedToken(bytes, start) }) { return "jwt" }
        if asksFor("private-keys"), holdsPrivateKey(bytes) { return "private-keys" }
        if asksFor("bearer"), holds("Bearer ", in: bytes, { _, body in isBearer(bytes, body) }) { return "bearer" }
        if asksFor("user-info"), holdsUserInfo(bytes) { return "user-info" }
        return nil
    }

    private func holds(_ prefix: StaticString, in bytes: Bytes, _ check: (Int, Int) -> Bool) -> Bool {
        var next = 0
        while let start = bytes.position(of: prefix, from: next) {
            next = start + prefix.utf8CodeUnitCount
            if !bytes.at(start - 1).isBase64, check(start, next) { return true }
        }
        return false
    }

    private func holdsCloudKey(_ bytes: Bytes) -> Bool {
        for prefix: StaticString in ["AKIA", "ASIA"] {
            let holds = holds(prefix, in: bytes) { start, _ in
                bytes.end(from: start) { $0.isUppercase || $0.isDigit } - start == 20
                    && !bytes.at(start + 20).isBase64
            }
            if holds { return true }
        }
        return false
    }

    private func isSignedToken(_ bytes: Bytes, _ start: Int) -> Bool {
        let header = bytes.end(from: start, while: \.isWordPart)
        let payload = bytes.end(from: header + 1, while: \.isWordPart)
        let signature = bytes.end(from: payload + 1, while: \.isWordPart)
        guard bytes.at(header) == 0x2E, bytes.at(payload) == 0x2E, payload - header > 8, signature - payload > 20,
            let decoded = TextEncodings.base64Decoded(bytes.part(start..<header))
        else { return false }
        let isHeader = decoded.withUnsafeBufferPointer { $0.position(of: "\"alg\"", from: 0) != nil }
        return isHeader && !bytes.has("REDACTED-", at: payload + 1)
    }

    private func holdsPrivateKey(_ bytes: Bytes) -> Bool {
        var next = 0
        while let label = bytes.position(of: "PRIVATE KEY", from: next) {
            next = label + 11
            guard bytes.position(of: "-----BEGIN ", from: Swift.max(0, label - 30)).map({ $0 < label }) == true else {
                continue
            }
            let dashes = bytes.end(from: next) { $0.isUppercase || $0 == 0x20 }
            guard bytes.has("-----", at: dashes) else { continue }
            let body = bytes.part(dashes + 5..<dashes + 105)
            if body.count >= 40, body.position(of: "REDACTED", from: 0) == nil, body.contains(where: \.isDigit) {
                return true
            }
        }
        return false
    }

    private func isBearer(_ bytes: Bytes, _ start: Int) -> Bool {
        let end = bytes.end(from: start, while: \.isTokenPart)
        let value = bytes.part(start..<end)
        return isUnredacted(value, atLeast: 20) && value.reduce(0) { $0 + ($1.isDigit ? 1 : 0) } >= 4
            && value.contains(where: \.isLetter) && SecretLooks.hasMixedRun(value)
    }

    /// `scheme://user:password@host`, neither of them a placeholder.
    private func holdsUserInfo(_ bytes: Bytes) -> Bool {
        var next = 0
        while let start = bytes.position(of: "://", from: next) {
            next = start + 3
            let end = bytes.end(from: next) { $0.isUnreserved || $0 == 0x3A || $0 == 0x25 }
            guard bytes.at(end) == 0x40, bytes.at(start - 1).isLetter else { continue }
            let password = bytes.position(of: 0x3A, from: next, to: end).map { $0 + 1 } ?? end
            if end - password >= 6, isUnredacted(bytes.part(password..<end), atLeast: 6) { return true }
        }
        return false
    }

    /// The rule of the first `"name": "value"` whose name allows no doubt.
    func assignedSecret(_ bytes: Bytes) -> String? {
        for (name, rule) in Self.names where !ignores(name) {
            var next = 0
            let length = name.utf8CodeUnitCount
            while let start = bytes.position(of: name, from: next) {
                next = start + length
                guard bytes.at(start - 1) == 0x22, bytes.at(next) == 0x22 else { continue }
                let colon = bytes.end(from: next + 1, while: \.isSpace)
                let quote = bytes.end(from: colon + 1, while: \.isSpace)
                guard bytes.at(colon) == 0x3A, bytes.at(quote) == 0x22, quote - next < 32 else { continue }
                let value = bytes.part(
                    quote + 1..<bytes.end(from: quote + 1) { $0 != 0x22 && $0 != 0x5C && $0 != 0x0A }
                )
                if isSecret(value) { return rule }
            }
        }
        return nil
    }

    /// The rule of a JSON value under a name that allows no doubt.
    func rule(named name: String, value: Bytes) -> String? {
        guard let match = Self.names.first(where: { "\($0.0)" == name }), isSecret(value), !ignores(match.0) else {
            return nil
        }
        return match.1
    }

    private static let names: [(StaticString, String)] = [
        ("access_token", "token-fields"), ("refresh_token", "token-fields"), ("id_token", "token-fields"),
        ("accessToken", "token-fields"), ("refreshToken", "token-fields"), ("client_secret", "secret-fields"),
        ("password", "password-fields"),
    ]

    private func isSecret(_ value: Bytes) -> Bool {
        isUnredacted(value, atLeast: 10) && !value.contains(where: \.isSpace) && value.contains(where: \.isDigit)
            && value.contains(where: \.isLetter)
    }

    /// Whether the value holds no placeholder, neither as it is nor in base64.
    func isUnredacted(_ value: Bytes, atLeast minimum: Int) -> Bool {
        value.count >= minimum && value.position(of: "REDACTED", from: 0) == nil
            && value.position(of: "UkVEQUNURU", from: 0) == nil && value.contains(where: \.isDigit)
    }
}

/// What tells keys from words.
enum SecretLooks {
    /// Whether eight letters and digits, at least two of them digits, stand together.
    static func hasMixedRun(_ value: Bytes) -> Bool {
        value.split { !$0.isAlphanumeric }.contains { run in
            run.count >= 8 && run.contains(where: \.isLetter) && run.filter(\.isDigit).count >= 2
        }
    }
}
