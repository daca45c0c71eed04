/// A search for the secrets that are known by their form, anywhere in a text.
///
/// Each form always contains a certain character or text. The search moves from one occurrence to the next, and skips
/// the text in between.
enum SecretShapes {
    struct Match {
        /// The offsets of the secret itself, without `Bearer ` or the lines around a key.
        var range: Range<Int>
        var field: SecretField
    }

    /// Returns the secrets of a text by the rules of a redaction, in no particular order.
    static func matches(in bytes: Bytes, _ redaction: Redaction) -> [Match] {
        guard redaction.usesStandardRules, bytes.count >= 12 else { return [] }
        var result: [Match] = []
        func find(_ anchor: StaticString, _ check: (Bytes, Int) -> Match?) {
            var next = 0
            while let position = bytes.position(of: anchor, from: next) {
                let match = check(bytes, position)
                if let match { result.append(match) }
                next = Swift.max(position + 1, match?.range.upperBound ?? 0)
            }
        }
        for anchor in TokenForm.anchors { find(anchor, token) }
        find("-----BEGIN ", privateKey)
        find("eyJ", encodedText)
        // In base64, `-----BEGIN`.
        find("LS0tLS1CRUdJ", encodedText)
        for scheme: StaticString in ["earer ", "EARER ", "asic ", "ASIC "] { find(scheme, credentials) }
        return result.filter { redaction.has($0.field.rule) || $0.field.form == .encoded }
    }

    // MARK: Tokens

    private static func token(_ bytes: Bytes, _ anchor: Int) -> Match? {
        byAnchor[pair(bytes.at(anchor - 1), bytes[anchor])].lazy.compactMap { $0.range(in: bytes, anchor: anchor) }
            .first.map { Match(range: $0, field: SecretField(label: "token", rule: .providerKeys)) }
    }

    /// The forms of tokens by their anchor and the character before it.
    private static let byAnchor: [[TokenForm]] = {
        var result = [[TokenForm]](repeating: [], count: 1 << 14)
        for form in TokenForm.all {
            // A prefix that begins with its anchor may have any character before it.
            let before = form.anchor == 0 ? Array(0..<128) : [form.prefix[form.anchor - 1]]
            for byte in before { result[pair(byte, form.prefix[form.anchor])].append(form) }
        }
        return result
    }()

    private static func pair(_ first: UInt8, _ second: UInt8) -> Int { Int(first & 127) << 7 | Int(second & 127) }

    // MARK: Other forms

    private static func encodedText(_ bytes: Bytes, _ start: Int) -> Match? {
        guard bytes.beginsWord(at: start) else { return nil }
        if let end = webTokenEnd(bytes, from: start) {
            return Match(range: start..<end, field: SecretField(label: "jwt", rule: .jwt))
        }
        // Not a token, but an object in base64, whose fields may be secrets, or a key.
        let end = bytes.end(from: start) { $0.isBase64 }
        guard end - start >= 18, bytes.at(end) != .dot else { return nil }
        let paddedEnd = bytes.end(from: end) { $0 == .equals }
        return Match(range: start..<paddedEnd, field: SecretField(label: "", rule: .jwt, form: .encoded))
    }

    /// Returns the end of the JSON Web Token that begins at `start` (RFC 7519); `nil` if none begins there.
    static func webTokenEnd(_ bytes: Bytes, from start: Int) -> Int? {
        var end = bytes.end(from: start) { $0.isWordPart }
        guard bytes.has("eyJ", at: start), end - start >= 10 else { return nil }
        var parts = 1
        while parts < 5, bytes.at(end) == .dot {
            let next = bytes.end(from: end + 1) { $0.isWordPart }
            let minimum = parts == 1 ? 4 : parts == 2 ? 8 : 1
            guard next - end - 1 >= minimum || (parts == 1 && bytes.at(end + 1) == .dot) else { break }
            end = next
            parts += 1
        }
        return parts >= 3 ? end : nil
    }

    private static func credentials(_ bytes: Bytes, _ at: Int) -> Match? {
        let isBearer = bytes.hasIgnoringCase("bearer ", at: at - 1)
        guard isBearer || bytes.hasIgnoringCase("basic ", at: at - 1), bytes.beginsWord(at: at - 1) else { return nil }
        let start = at + (isBearer ? 6 : 5)
        let range = start..<bytes.end(from: start) { $0.isTokenPart }
        let value = bytes.part(range)
        guard value.count >= 8 else { return nil }
        if isBearer {
            guard value.count >= 32 || RandomText.looksRandom(value) else { return nil }
            return Match(range: range, field: SecretField(label: "token", rule: .bearer))
        }
        guard let decoded = Base64.decoded(value), decoded.contains(.colon),
            !decoded.contains(where: { $0.isControl })
        else { return nil }
        return Match(range: range, field: SecretField(label: "password", rule: .basic, form: .basic))
    }

    private static func privateKey(_ bytes: Bytes, _ at: Int) -> Match? {
        let head = bytes.part(0..<at + 80)
        guard let nameEnd = head.position(of: "-----", from: at + 11) else { return nil }
        // Also `OpenVPN Static key V1` and `PGP PRIVATE KEY BLOCK`.
        let title = FieldName(bytes.part(at + 11..<nameEnd)).words(from: 0)
        guard title.contains("key"), !title.contains("public") else { return nil }
        let start = nameEnd + 5
        let text = bytes.part(0..<start + 65_536)
        // A key without an end line ends at the next key, so that no text is searched twice.
        let dashes = text.position(of: "-----", from: start)
        let end = dashes.flatMap { text.has("-----END", at: $0) ? $0 : nil }
        let isKey = { (byte: UInt8) in byte.isTokenPart || byte.isSpace || byte == .backslash }
        let range = bytes.trimmed(
            start..<(end ?? bytes.part(0..<(dashes ?? text.count)).end(from: start, while: isKey))
        )
        if range.isEmpty { return nil }
        return Match(range: range, field: SecretField(label: "private_key", rule: .privateKeys))
    }
}
