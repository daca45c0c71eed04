/// The few signs by which the final scan knows a secret, each a strong one.
///
/// One search for each character that stands in a sign, from one place where it stands to the next.
struct ScannedText {
    /// What was found, and at which byte.
    struct Finding {
        var rule: String
        var position: Int
    }

    private struct Sign {
        var beginning: StaticString
        var minimum: Int
        var rule: String
        var isMember: @Sendable (UInt8) -> Bool = { $0.isAlphanumeric }
    }

    /// Whether a rule holds.
    var asksFor: @Sendable (String) -> Bool = { _ in true }

    /// Names that code excluded from redaction.
    var ignores: @Sendable (StaticString) -> Bool = { _ in false }

    private static let underscored: [Sign] = [
        Sign(beginning: "ghp_", minimum: 30, rule: "github-tokens"),
        Sign(beginning: "gho_", minimum: 30, rule: "github-tokens"),
        Sign(beginning: "ghu_", minimum: 30, rule: "github-tokens"),
        Sign(beginning: "ghs_", minimum: 30, rule: "github-tokens"),
        Sign(beginning: "ghr_", minimum: 30, rule: "github-tokens"),
        Sign(beginning: "github_pat_", minimum: 30, rule: "github-tokens") { $0.isAlphanumeric || $0 == 0x5F },
        Sign(beginning: "sk_live_", minimum: 16, rule: "stripe-keys"),
        Sign(beginning: "rk_live_", minimum: 16, rule: "stripe-keys"),
        Sign(beginning: "npm_", minimum: 36, rule: "npm-tokens"),
        Sign(beginning: "shpat_", minimum: 32, rule: "provider-keys"),
        Sign(beginning: "dop_v1_", minimum: 64, rule: "provider-keys"),
    ]

    private static let hyphened: [Sign] = [
        Sign(beginning: "glpat-", minimum: 20, rule: "gitlab-tokens") { $0.isWordPart },
        Sign(beginning: "xoxb-", minimum: 20, rule: "slack-tokens") { $0.isWordPart },
        Sign(beginning: "xoxp-", minimum: 20, rule: "slack-tokens") { $0.isWordPart },
        Sign(beginning: "GOCSPX-", minimum: 28, rule: "google-keys") { $0.isWordPart },
    ]

    /// The first secret known by its looks, or by a name that allows no doubt.
    func finding(in bytes: Bytes) -> Finding? {
        guard bytes.count >= 12 else { return nil }
        return find(0x5F, bytes) { sign(bytes, $0, Self.underscored) }
            ?? find(0x2D, bytes) { hyphen(bytes, $0) }
            ?? find(0x49, bytes) { isCloudKey(bytes, $0) ? "aws-keys" : nil }
            ?? find(0x4A, bytes) { isSignedToken(bytes, $0 - 2) ? "jwt" : nil }
            ?? find(0x42, bytes) { isBearer(bytes, $0) ? "bearer" : nil }
            ?? find(0x3A, bytes) { colon(bytes, $0) }
            ?? find(0x3D, bytes) { equals(bytes, $0) }
            ?? find(0x3E, bytes) { element(bytes, $0) }
    }

    private func find(_ byte: UInt8, _ bytes: Bytes, _ check: (Int) -> String?) -> Finding? {
        var next = 0
        while let position = bytes.position(of: byte, from: next) {
            next = position + 1
            if let rule = check(position), asksFor(rule) { return Finding(rule: rule, position: position) }
        }
        return nil
    }

    private func sign(_ bytes: Bytes, _ at: Int, _ signs: [Sign]) -> String? {
        let before = bytes.at(at - 1)
        guard before.isAlphanumeric else { return nil }
        for sign in signs {
            let length = sign.beginning.utf8CodeUnitCount
            guard sign.beginning.utf8Start[length - 2] == before, bytes.has(sign.beginning, at: at + 1 - length),
                !bytes.at(at - length).isBase64
            else { continue }
            let end = bytes.end(from: at + 1, while: sign.isMember)
            if end - at > sign.minimum, bytes.part(at + 1..<end).contains(where: \.isDigit) { return sign.rule }
        }
        return nil
    }

    private func hyphen(_ bytes: Bytes, _ at: Int) -> String? {
        if bytes.at(at + 1) == 0x2D { return isPrivateKey(bytes, at) ? "private-keys" : nil }
        return sign(bytes, at, Self.hyphened)
    }

    private func isCloudKey(_ bytes: Bytes, _ at: Int) -> Bool {
        let start = at - 2
        guard bytes.has("AKIA", at: start) || bytes.has("ASIA", at: start), !bytes.at(start - 1).isBase64 else {
            return false
        }
        return bytes.end(from: start) { $0.isUppercase || $0.isDigit } - start == 20 && !bytes.at(start + 20).isBase64
    }

    private func isSignedToken(_ bytes: Bytes, _ start: Int) -> Bool {
        guard bytes.has("eyJ", at: start), !bytes.at(start - 1).isBase64 else { return false }
        let header = bytes.end(from: start, while: \.isWordPart)
        let payload = bytes.end(from: header + 1, while: \.isWordPart)
        let signature = bytes.end(from: payload + 1, while: \.isWordPart)
        guard bytes.at(header) == 0x2E, bytes.at(payload) == 0x2E, payload - header > 8, signature - payload > 20,
            let decoded = TextEncodings.base64Decoded(bytes.part(start..<header))
        else { return false }
        let isHeader = decoded.withUnsafeBufferPointer { $0.position(of: "\"alg\"", from: 0) != nil }
        return isHeader && !bytes.has("REDACTED-", at: payload + 1)
    }

    private func isPrivateKey(_ bytes: Bytes, _ at: Int) -> Bool {
        guard bytes.has("-----BEGIN ", at: at) else { return false }
        let head = bytes.end(from: at + 11) { $0.isUppercase || $0 == 0x20 }
        guard bytes.has("-----", at: head),
            bytes.has("PRIVATE KEY", at: head - 11) || bytes.has("PRIVATE KEY BLOCK", at: head - 17)
        else { return false }
        let body = bytes.part(head + 5..<head + 105)
        return body.count >= 40 && body.position(of: "REDACTED", from: 0) == nil && body.contains(where: \.isDigit)
    }

    private func isBearer(_ bytes: Bytes, _ at: Int) -> Bool {
        guard bytes.has("Bearer ", at: at), !bytes.at(at - 1).isBase64 else { return false }
        let value = bytes.part(at + 7..<bytes.end(from: at + 7, while: \.isTokenPart))
        return isUnredacted(value, atLeast: 20) && value.reduce(0) { $0 + ($1.isDigit ? 1 : 0) } >= 4
            && value.contains(where: \.isLetter) && SecretLooks.hasMixedRun(value)
    }

    // MARK: Names

    private func colon(_ bytes: Bytes, _ at: Int) -> String? {
        if bytes.at(at + 1) == 0x2F { return isUserInfo(bytes, at) ? "user-info" : nil }
        let nameEnd = bytes.at(at - 1) == 0x20 ? at - 2 : at - 1
        let quote = bytes.end(from: at + 1, while: \.isSpace)
        guard bytes.at(nameEnd) == 0x22, bytes.at(quote) == 0x22, quote - at < 32 else { return nil }
        let end = bytes.end(from: quote + 1) { $0 != 0x22 && $0 != 0x5C && $0 != 0x0A }
        return named(bytes, endingAt: nameEnd, isSecret: bytes.part(quote + 1..<end))
    }

    /// A field of a form, or of a query.
    private func equals(_ bytes: Bytes, _ at: Int) -> String? {
        guard bytes.at(at - 1).isLowercase else { return nil }
        let end = bytes.end(from: at + 1) { $0.isUnreserved || $0 == 0x25 || $0 == 0x2B }
        return named(bytes, endingAt: at, isSecret: bytes.part(at + 1..<end))
    }

    private func element(_ bytes: Bytes, _ at: Int) -> String? {
        guard bytes.at(at - 1).isLowercase else { return nil }
        let end = bytes.end(from: at + 1) { $0 != 0x3C && !$0.isSpace }
        guard bytes.at(end) == 0x3C else { return nil }
        return named(bytes, endingAt: at, isSecret: bytes.part(at + 1..<end))
    }

    private func named(_ bytes: Bytes, endingAt end: Int, isSecret value: Bytes) -> String? {
        let last = bytes.at(end - 1)
        guard last == 0x6E || last == 0x64 || last == 0x74 || last == 0x79 else { return nil }
        for (name, rule) in Self.names where bytes.has(name, at: end - name.utf8CodeUnitCount) && !ignores(name) {
            let before = bytes.at(end - name.utf8CodeUnitCount - 1)
            if !before.isWordPart, self.isSecret(value) { return rule }
        }
        return nil
    }

    private static let names: [(StaticString, String)] = [
        ("access_token", "token-fields"), ("refresh_token", "token-fields"), ("id_token", "token-fields"),
        ("accessToken", "token-fields"), ("refreshToken", "token-fields"), ("idToken", "token-fields"),
        ("auth_token", "token-fields"), ("authToken", "token-fields"), ("client_secret", "secret-fields"),
        ("clientSecret", "secret-fields"), ("password", "password-fields"), ("passwd", "password-fields"),
        ("api_key", "key-fields"), ("apiKey", "key-fields"), ("private_key", "key-fields"),
        ("privateKey", "key-fields"), ("secret_key", "key-fields"), ("secretKey", "key-fields"),
    ]

    /// `scheme://user:password@host`, neither of them a placeholder.
    private func isUserInfo(_ bytes: Bytes, _ at: Int) -> Bool {
        guard bytes.has("://", at: at), bytes.at(at - 1).isLetter else { return false }
        let start = at + 3
        let end = bytes.end(from: start) { $0.isUnreserved || $0 == 0x3A || $0 == 0x25 }
        guard bytes.at(end) == 0x40 else { return false }
        let password = bytes.position(of: 0x3A, from: start, to: end).map { $0 + 1 } ?? end
        return end - password >= 6 && isUnredacted(bytes.part(password..<end), atLeast: 6)
    }

    private func isSecret(_ value: Bytes) -> Bool {
        isUnredacted(value, atLeast: 10) && !value.contains(where: \.isSpace) && value.contains(where: \.isDigit)
            && value.contains(where: \.isLetter)
    }

    /// Whether the value holds no placeholder, neither as it is nor in base64.
    func isUnredacted(_ value: Bytes, atLeast minimum: Int) -> Bool {
        value.count >= minimum && value.position(of: "REDACTED", from: 0) == nil
            && value.position(of: "UkVEQUNURU", from: 0) == nil && !value.hasIgnoringCase("5ec2e700-0000-4000", at: 0)
            && value.contains(where: \.isDigit)
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
