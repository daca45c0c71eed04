/// The secrets that are known by their looks, wherever they stand.
///
/// One linear search: for each byte that such a secret cannot do without, from one place where it stands to the next.
struct SecretShapes {
    struct Match {
        enum Form { case value, jwt, basic, privateKey }

        /// Where the secret itself stands, without `Bearer ` or the lines around a key.
        var range: Range<Int>
        var label: String
        var rule: Redaction.Rule
        var form = Form.value
    }

    let redaction: Redaction

    func matches(in bytes: Bytes) -> [Match] {
        guard redaction.usesStandardRules, bytes.count >= 12 else { return [] }
        var result: [Match] = []
        find("_", in: bytes, into: &result, underscore)
        find("-", in: bytes, into: &result, hyphen)
        find("I", in: bytes, into: &result, cloudKey)
        find("J", in: bytes, into: &result, webToken)
        find("G", in: bytes, into: &result, sendGrid)
        find("B", in: bytes, into: &result, credentials)
        find("b", in: bytes, into: &result, credentials)
        return result.filter { redaction.has($0.rule) }
    }

    private func find(
        _ anchor: Unicode.Scalar,
        in bytes: Bytes,
        into result: inout [Match],
        _ check: (Bytes, Int) -> Match?
    ) {
        var next = 0
        while let position = bytes.position(of: UInt8(ascii: anchor), from: next) {
            next = position + 1
            if let match = check(bytes, position) {
                result.append(match)
                next = Swift.max(next, match.range.upperBound)
            }
        }
    }

    private func run(
        _ bytes: Bytes,
        from start: Int,
        body: Int,
        atLeast minimum: Int,
        _ label: String,
        _ rule: Redaction.Rule,
        while isMember: (UInt8) -> Bool
    ) -> Match? {
        guard start >= 0, !bytes.at(start - 1).isWordPart else { return nil }
        let end = bytes.end(from: body, while: isMember)
        guard end - body >= minimum, bytes.part(body..<end).contains(where: { $0.isDigit || $0.isUppercase }) else {
            return nil
        }
        return Match(range: start..<end, label: label, rule: rule)
    }

    private func underscore(_ bytes: Bytes, _ at: Int) -> Match? {
        if bytes.has("gh", at: at - 3), "posur".utf8.contains(bytes.at(at - 1)) {
            return run(bytes, from: at - 3, body: at + 1, atLeast: 20, "github_token", .gitHubTokens) {
                $0.isAlphanumeric
            }
        }
        if bytes.has("github_pat_", at: at - 6) {
            return run(bytes, from: at - 6, body: at + 5, atLeast: 20, "github_token", .gitHubTokens) {
                $0.isAlphanumeric || $0 == 0x5F
            }
        }
        if bytes.has("sk_live_", at: at - 2) || bytes.has("sk_test_", at: at - 2) || bytes.has("rk_live_", at: at - 2)
            || bytes.has("rk_test_", at: at - 2)
        {
            return run(bytes, from: at - 2, body: at + 6, atLeast: 10, "stripe_key", .stripeKeys) { $0.isAlphanumeric }
        }
        if bytes.has("npm", at: at - 3) {
            return run(bytes, from: at - 3, body: at + 1, atLeast: 36, "npm_token", .npmTokens) { $0.isAlphanumeric }
        }
        return nil
    }

    private func hyphen(_ bytes: Bytes, _ at: Int) -> Match? {
        if bytes.has("-----BEGIN ", at: at) { return privateKey(bytes, at) }
        if bytes.has("glpat", at: at - 5) {
            return run(bytes, from: at - 5, body: at + 1, atLeast: 16, "gitlab_token", .gitLabTokens) { $0.isWordPart }
        }
        if bytes.has("xox", at: at - 4), bytes.at(at - 1).isLowercase {
            return run(bytes, from: at - 4, body: at + 1, atLeast: 10, "slack_token", .slackTokens) {
                $0.isAlphanumeric || $0 == 0x2D
            }
        }
        if bytes.has("sk", at: at - 2) {
            guard
                let match = run(
                    bytes,
                    from: at - 2,
                    body: at + 1,
                    atLeast: 20,
                    "api_key",
                    .skKeys,
                    while: { $0.isWordPart }
                )
            else { return nil }
            let words = bytes.part(match.range).split { !$0.isAlphanumeric }
            let isKey = words.contains { word in
                word.count >= 16 && word.contains(where: \.isDigit) && word.contains(where: \.isLetter)
            }
            return isKey ? match : nil
        }
        return nil
    }

    private func cloudKey(_ bytes: Bytes, _ at: Int) -> Match? {
        let start = bytes.has("AKIA", at: at - 2) || bytes.has("ASIA", at: at - 2) ? at - 2 : at - 1
        guard !bytes.at(start - 1).isBase64 || bytes.at(start - 1) == 0x2F else { return nil }
        if start == at - 2 {
            let end = bytes.end(from: start) { $0.isUppercase || $0.isDigit }
            guard end - start == 20, !bytes.at(end).isAlphanumeric else { return nil }
            return Match(range: start..<end, label: "aws_key", rule: .awsKeys)
        }
        guard bytes.has("AIza", at: start) else { return nil }
        let end = bytes.end(from: start) { $0.isWordPart }
        guard end - start >= 35, end - start <= 45 else { return nil }
        return Match(range: start..<end, label: "google_key", rule: .googleKeys)
    }

    private func webToken(_ bytes: Bytes, _ at: Int) -> Match? {
        guard bytes.has("eyJ", at: at - 2), !bytes.at(at - 3).isWordPart else { return nil }
        guard let end = Self.jwtEnd(bytes, from: at - 2) else { return nil }
        return Match(range: at - 2..<end, label: "jwt", rule: .jwt, form: .jwt)
    }

    /// Where a JSON Web Token ends that begins at `start`, or `nil` where none does.
    static func jwtEnd(_ bytes: Bytes, from start: Int) -> Int? {
        var end = bytes.end(from: start) { $0.isWordPart }
        guard end - start >= 10 else { return nil }
        var parts = 1
        while parts < 5, bytes.at(end) == 0x2E {
            let next = bytes.end(from: end + 1) { $0.isWordPart }
            let minimum = parts == 1 ? 4 : parts == 2 ? 8 : 1
            guard next - end - 1 >= minimum || (parts == 1 && bytes.at(end + 1) == 0x2E) else { break }
            end = next
            parts += 1
        }
        return parts >= 3 ? end : nil
    }

    private func sendGrid(_ bytes: Bytes, _ at: Int) -> Match? {
        guard bytes.has("SG.", at: at - 1), !bytes.at(at - 2).isWordPart else { return nil }
        let middle = bytes.end(from: at + 2) { $0.isWordPart }
        let end = bytes.end(from: middle + 1) { $0.isWordPart }
        guard middle - at - 2 >= 16, bytes.at(middle) == 0x2E, end - middle - 1 >= 32 else { return nil }
        return Match(range: at - 1..<end, label: "sendgrid_key", rule: .sendGridKeys)
    }

    private func credentials(_ bytes: Bytes, _ at: Int) -> Match? {
        guard !bytes.at(at - 1).isWordPart else { return nil }
        let isBearer = bytes.hasIgnoringCase("bearer ", at: at)
        guard isBearer || bytes.hasIgnoringCase("basic ", at: at) else { return nil }
        let start = at + (isBearer ? 7 : 6)
        let end = bytes.end(from: start) { $0.isTokenPart }
        let value = bytes.part(start..<end)
        if isBearer {
            guard value.count >= 8, SecretValues.looksRandom(value) || value.count >= 32 else { return nil }
            return Match(range: start..<end, label: "token", rule: .bearer)
        }
        guard value.count >= 8, let decoded = TextEncodings.base64Decoded(value), decoded.contains(0x3A),
            decoded.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return nil }
        return Match(range: start..<end, label: "password", rule: .basic, form: .basic)
    }

    private func privateKey(_ bytes: Bytes, _ at: Int) -> Match? {
        guard let dashes = bytes.position(of: "-----", from: at + 11), dashes - at < 60,
            bytes.has("PRIVATE KEY", at: dashes - 11) || bytes.has("PRIVATE KEY BLOCK", at: dashes - 17)
        else { return nil }
        let start = dashes + 5
        let limit = Swift.min(bytes.count, start + 65_536)
        let end = bytes.part(0..<limit).position(of: "-----END", from: start)
        let body =
            start..<(end ?? bytes.part(0..<limit).end(from: start) { $0.isTokenPart || $0.isSpace || $0 == 0x5C })
        let inner = Self.inner(bytes, body)
        return inner.isEmpty ? nil : Match(range: inner, label: "private_key", rule: .privateKeys, form: .privateKey)
    }

    /// The range without line ends at either side, as they are or as JSON writes them.
    private static func inner(_ bytes: Bytes, _ range: Range<Int>) -> Range<Int> {
        var range = bytes.trimmed(range)
        while bytes.at(range.lowerBound) == 0x5C, range.count >= 2 {
            range = bytes.trimmed(range.lowerBound + 2..<range.upperBound)
        }
        while range.count >= 2, bytes.at(range.upperBound - 2) == 0x5C {
            range = bytes.trimmed(range.lowerBound..<range.upperBound - 2)
        }
        return range
    }
}
