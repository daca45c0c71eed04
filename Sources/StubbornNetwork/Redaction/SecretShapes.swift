/// The secrets that are known by their looks, wherever they stand.
///
/// One linear search: for each byte that such a secret cannot do without, from one place where it stands to the next.
struct SecretShapes {
    struct Match {
        enum Form { case value, jwt, basic, privateKey, encodedJSON }

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
        find("_", in: bytes, into: &result, prefixed)
        find("-", in: bytes, into: &result, hyphen)
        find(".", in: bytes, into: &result, dotted)
        find("I", in: bytes, into: &result, cloudKey)
        find("J", in: bytes, into: &result, webToken)
        find("K", in: bytes, into: &result, twilioKey)
        find("G", in: bytes, into: &result, atlassianToken)
        find("B", in: bytes, into: &result, credentials)
        find("b", in: bytes, into: &result, credentials)
        find(":", in: bytes, into: &result, botToken)
        find("p", in: bytes, into: &result, databricksToken)
        return result.filter { redaction.has($0.rule) || $0.form == .encodedJSON }
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

    private func prefixed(_ bytes: Bytes, _ at: Int) -> Match? {
        guard let (secret, range) = ShapedSecret.found(in: bytes, endingAt: at) else { return nil }
        guard secret.rule == .skKeys else { return Match(range: range, label: secret.label, rule: secret.rule) }
        // CSS classes begin so too.
        let isKey = bytes.part(range).split { !$0.isAlphanumeric }.contains { word in
            word.count >= 16 && word.contains(where: \.isDigit) && word.contains(where: \.isLetter)
        }
        return isKey ? Match(range: range, label: secret.label, rule: secret.rule) : nil
    }

    private func hyphen(_ bytes: Bytes, _ at: Int) -> Match? {
        if bytes.at(at + 1) == 0x2D { return bytes.has("-----BEGIN ", at: at) ? privateKey(bytes, at) : nil }
        return prefixed(bytes, at)
    }

    private func dotted(_ bytes: Bytes, _ at: Int) -> Match? {
        if bytes.at(at - 1) == UInt8(ascii: "G") { return sendGrid(bytes, at - 1) }
        if bytes.at(at + 7) == 0x2E { return discordToken(bytes, at) }
        return prefixed(bytes, at)
    }

    /// Three parts: a user's number in base64, a time, and the proof.
    private func discordToken(_ bytes: Bytes, _ at: Int) -> Match? {
        let start = bytes.start(before: at) { $0.isWordPart }
        guard 23...28 ~= at - start, 0x4D...0x4F ~= bytes.at(start),
            bytes.end(from: at + 1, while: { $0.isWordPart }) == at + 7
        else { return nil }
        let end = bytes.end(from: at + 8) { $0.isWordPart }
        guard 27...40 ~= end - at - 8 else { return nil }
        return Match(range: start..<end, label: "discord_token", rule: .providerKeys)
    }

    /// `123456789:AA…`, also behind `/bot`.
    private func botToken(_ bytes: Bytes, _ at: Int) -> Match? {
        guard bytes.at(at + 1) == 0x41, bytes.at(at + 2) == 0x41 else { return nil }
        let start = bytes.start(before: at, while: \.isDigit)
        let end = bytes.end(from: at + 1) { $0.isWordPart }
        guard 8...10 ~= at - start, 33...38 ~= end - at - 1 else { return nil }
        return Match(range: start..<end, label: "telegram_token", rule: .providerKeys)
    }

    private func twilioKey(_ bytes: Bytes, _ at: Int) -> Match? {
        guard bytes.at(at - 1) == UInt8(ascii: "S"), !bytes.at(at - 2).isWordPart else { return nil }
        return hexRun(bytes, at - 1, from: at + 1, "twilio_key")
    }

    private func databricksToken(_ bytes: Bytes, _ at: Int) -> Match? {
        guard bytes.at(at - 1) == UInt8(ascii: "a"), bytes.has("dapi", at: at - 2), !bytes.at(at - 3).isWordPart else {
            return nil
        }
        return hexRun(bytes, at - 2, from: at + 2, "databricks_token")
    }

    private func hexRun(_ bytes: Bytes, _ start: Int, from body: Int, _ label: String) -> Match? {
        let end = bytes.end(from: body) { $0.isDigit || ($0.isLowercase && $0 < 0x67) }
        guard end - body == 32, !bytes.at(end).isAlphanumeric else { return nil }
        return Match(range: start..<end, label: label, rule: .providerKeys)
    }

    private func atlassianToken(_ bytes: Bytes, _ at: Int) -> Match? {
        guard bytes.has("ATATT3xFf", at: at - 9), !bytes.at(at - 10).isWordPart else { return nil }
        let end = bytes.end(from: at) { $0.isWordPart || $0 == 0x3D }
        return end - at >= 50 ? Match(range: at - 9..<end, label: "atlassian_token", rule: .providerKeys) : nil
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
        if let end = Self.jwtEnd(bytes, from: at - 2) {
            return Match(range: at - 2..<end, label: "jwt", rule: .jwt, form: .jwt)
        }
        // No token, but an object in base64, whose fields may be secrets.
        let end = bytes.end(from: at - 2) { $0.isBase64 }
        guard end - at >= 16, bytes.at(end) != 0x2E else { return nil }
        return Match(range: at - 2..<end, label: "", rule: .jwt, form: .encodedJSON)
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
        let second = bytes.at(at + 1) | 0x20
        guard second == 0x65 || second == 0x61, !bytes.at(at - 1).isWordPart else { return nil }
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
