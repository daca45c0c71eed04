/// A search for the secrets that are known by their form, anywhere in a text.
///
/// Each form has a character that is always in it. The search moves from one occurrence of that character to the next, and
/// skips the text between them.
struct SecretShapes {
    struct Match {
        enum Form { case value, basic, encoded }

        /// The offsets of the secret itself, without `Bearer ` or the lines around a key.
        var range: Range<Int>
        var label: String
        var rule: Redaction.Rule
        var form = Form.value
    }

    let redaction: Redaction

    /// Returns the secrets of a text, not in their order.
    func matches(in bytes: Bytes) -> [Match] {
        guard redaction.usesStandardRules, bytes.count >= 12 else { return [] }
        var result: [Match] = []
        for anchor: StaticString in ["_", "I", "K", "G", "p", "E", "."] {
            find(anchor, in: bytes, into: &result, Self.prefixed)
        }
        find("-", in: bytes, into: &result) {
            $0.at($1 + 1) == .hyphen ? Self.privateKey($0, $1) : Self.prefixed($0, $1)
        }
        find("J", in: bytes, into: &result, Self.encodedText)
        find("B", in: bytes, into: &result) { Self.credentials($0, $1) ?? Self.prefixed($0, $1) }
        find("b", in: bytes, into: &result, Self.credentials)
        return result.filter { redaction.has($0.rule) || $0.form == .encoded }
    }

    private func find(
        _ anchor: StaticString,
        in bytes: Bytes,
        into result: inout [Match],
        _ check: (Bytes, Int) -> Match?
    ) {
        var next = 0
        while let position = bytes.position(of: anchor, from: next) {
            let match = check(bytes, position)
            if let match { result.append(match) }
            next = Swift.max(position + 1, match?.range.upperBound ?? 0)
        }
    }

    private static func prefixed(_ bytes: Bytes, _ at: Int) -> Match? {
        let pair = pair(bytes.at(at - 1), bytes[at])
        guard isAnchor[pair] else { return nil }
        for token in byAnchor[pair] {
            guard let range = token.range(in: bytes, anchor: at) else { continue }
            // Other texts that begin so, such as classes of CSS, consist of words.
            let isShort = token.prefix.count <= 3 || (token.alphabet == .word && token.counts.upperBound != .max)
            let body = bytes.part(range.lowerBound + token.prefix.count..<range.upperBound)
            if !isShort || RandomText.looksRandom(body) {
                return Match(range: range, label: "token", rule: .providerKeys)
            }
        }
        return nil
    }

    /// The tokens of `SecretList.prefixes` by their anchor and the character before it.
    private static let byAnchor: [[SecretPrefix]] = {
        var result = [[SecretPrefix]](repeating: [], count: 1 << 14)
        for token in SecretList.prefixes {
            result[pair(token.prefix[token.anchor - 1], token.prefix[token.anchor])].append(token)
        }
        return result
    }()

    private static let isAnchor: [Bool] = byAnchor.map { !$0.isEmpty }

    private static func pair(_ first: UInt8, _ second: UInt8) -> Int { Int(first & 127) << 7 | Int(second & 127) }

    private static func encodedText(_ bytes: Bytes, _ at: Int) -> Match? {
        // In base64, `{"` and `-----BEGIN`.
        let beginnings: [StaticString] = ["eyJ", "LS0tLS1CRUdJ"]
        guard let beginning = beginnings.first(where: { bytes.has($0, at: at + 1 - $0.utf8CodeUnitCount) }) else {
            return nil
        }
        let start = at + 1 - beginning.utf8CodeUnitCount
        guard !bytes.at(start - 1).isWordPart else { return nil }
        let end = bytes.end(from: at) { $0.isBase64 }
        let paddedEnd = bytes.end(from: end) { $0 == .equals }
        if let end = webTokenEnd(bytes, from: start) { return Match(range: start..<end, label: "jwt", rule: .jwt) }
        // Not a token, but an object in base64, whose fields may be secrets, or a key.
        guard end - at >= 16, bytes.at(end) != .dot else { return nil }
        return Match(range: start..<paddedEnd, label: "", rule: .jwt, form: .encoded)
    }

    /// Returns the offset at which a JSON Web Token ends that begins at `start` (RFC 7519); `nil` where none does.
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
        let second = bytes.at(at + 1) | 0x20
        guard second == 0x65 || second == 0x61, !bytes.at(at - 1).isWordPart else { return nil }
        let isBearer = bytes.hasIgnoringCase("bearer ", at: at)
        guard isBearer || bytes.hasIgnoringCase("basic ", at: at) else { return nil }
        let start = at + (isBearer ? 7 : 6)
        let end = bytes.end(from: start) { $0.isTokenPart }
        let value = bytes.part(start..<end)
        guard value.count >= 8 else { return nil }
        if isBearer {
            guard RandomText.looksRandom(value) || value.count >= 32 else { return nil }
            return Match(range: start..<end, label: "token", rule: .bearer)
        }
        guard let decoded = Base64.decoded(value), decoded.contains(.colon),
            decoded.allSatisfy({ $0 >= .space && $0 != .delete })
        else { return nil }
        return Match(range: start..<end, label: "password", rule: .basic, form: .basic)
    }

    private static func privateKey(_ bytes: Bytes, _ at: Int) -> Match? {
        let head = bytes.part(0..<at + 80)
        guard bytes.has("-----BEGIN ", at: at), let nameEnd = head.position(of: "-----", from: at + 11) else {
            return nil
        }
        // Also `OpenVPN Static key V1` and `PGP PRIVATE KEY BLOCK`.
        let title = FieldName(bytes.part(at + 11..<nameEnd)).words(from: 0)
        guard title.contains("key"), !title.contains("public") else { return nil }
        let start = nameEnd + 5
        let text = bytes.part(0..<start + 65_536)
        // The next key ends one that has no end, so that no text is searched twice.
        let dashes = text.position(of: "-----", from: start)
        let end = dashes.flatMap { text.has("-----END", at: $0) ? $0 : nil }
        let isKey = { (byte: UInt8) in byte.isTokenPart || byte.isSpace || byte == .backslash }
        let range = bytes.trimmed(
            start..<(end ?? bytes.part(0..<(dashes ?? text.count)).end(from: start, while: isKey))
        )
        return range.isEmpty ? nil : Match(range: range, label: "private_key", rule: .privateKeys)
    }
}

/// The bytes that tokens consist of, by the names in the tables.
enum SecretAlphabet: String {
    case alphanumeric
    case hexadecimal
    /// Letters, digits, `_` and `-`.
    case word
    /// Words, the dots between them, and the other characters of base64.
    case token

    func contains(_ byte: UInt8) -> Bool {
        switch self {
        case .alphanumeric: byte.isAlphanumeric
        case .hexadecimal: byte.hexValue != nil
        case .word: byte.isWordPart
        case .token: byte.isTokenPart
        }
    }
}

/// A token that is known by how it begins: `ghp_…`.
struct SecretPrefix: Sendable {
    let prefix: [UInt8]

    /// The index of the character of the prefix by which it is found.
    let anchor: Int
    let alphabet: SecretAlphabet

    /// The number of characters behind the prefix, at least and at most.
    let counts: ClosedRange<Int>

    /// Returns the tokens of a row of the table.
    static func rows(_ row: String) -> [SecretPrefix] {
        let words = row.split(separator: " ").map(String.init)
        guard words.count > 2, let alphabet = SecretAlphabet(rawValue: words[0]),
            let count = Int(words[1].filter(\.isNumber))
        else { return [] }
        let counts = count...(words[1].hasPrefix("=") ? count : .max)
        return words[2...].map { word in
            let prefix = Array(word.utf8.drop { $0 == .apostrophe })
            let anchor = 2 * prefix.count - 1 - word.utf8.count
            return SecretPrefix(prefix: prefix, anchor: anchor, alphabet: alphabet, counts: counts)
        }
    }

    /// Returns the range of the token whose anchor is at an offset; `nil` where none is.
    func range(in bytes: Bytes, anchor offset: Int) -> Range<Int>? {
        let start = offset - anchor
        let body = start + prefix.count
        guard start >= 0, !bytes.at(start - 1).isWordPart, bytes.part(start..<body).elementsEqual(prefix) else {
            return nil
        }
        let end = bytes.end(from: body, while: alphabet.contains)
        guard counts.contains(end - body), counts.upperBound == .max || !bytes.at(end).isAlphanumeric,
            bytes.part(body..<end).contains(where: { $0.isDigit || $0.isUppercase }),
            !Self.isInsideBase64(start..<end, bytes)
        else { return nil }
        return start..<end
    }

    /// The length from which a run of base64 around a token is binary data, such as an image, and not a path.
    private static let leastEncodedLength = 160

    /// Returns a Boolean value that indicates whether a token is a part of longer base64, where it begins so by chance:
    /// `…V+SK0123…`, and not `https://x.example/SK0123…`.
    private static func isInsideBase64(_ range: Range<Int>, _ bytes: Bytes) -> Bool {
        switch bytes.at(range.lowerBound - 1) {
        case .plus: return true
        case .slash:
            let isDigit = { (byte: UInt8) in byte.isAlphanumeric || byte == .plus || byte == .slash }
            let start = bytes.start(before: range.lowerBound, while: isDigit)
            return bytes.end(from: range.upperBound, while: isDigit) - start >= leastEncodedLength
        default: return false
        }
    }
}

/// The codes of digits in messages, as in `Your login code is 123456`.
enum MessageCodes {
    /// Returns the ranges of numbers of five to eight digits that have a word for a code near them, and no word that says that it
    /// is another thing: `error code 50012`.
    static func ranges(in bytes: Bytes, atLeast minimum: Int = 5) -> [Range<Int>] {
        guard RandomText.mayHaveCode(bytes) else { return [] }
        return MadeText.words(in: bytes).map { word in
            // `G-482913` has a prefix. A price, a time and a phone number are longer words.
            let start = bytes.part(0..<word.upperBound).start(before: word.upperBound, while: \.isDigit)
            let isPrefix = start == word.lowerBound + 2 && bytes[start - 1] == .hyphen
            return isPrefix ? start..<word.upperBound : word
        }.filter { number in
            let before = bytes.at(number.lowerBound - 1)
            let near = bytes.part(number.lowerBound - 28..<number.upperBound + 28)
            guard minimum...8 ~= number.count, bytes.part(number).allSatisfy(\.isDigit),
                before == 0 || before.isOne(of: " \n:>*[-"), bytes.at(number.upperBound) != .percent,
                RandomText.mayHaveCode(near)
            else { return false }
            let words = near.split { !$0.isLetter && $0 < 0x80 }.map { FieldName(Bytes(rebasing: $0)).text }
            return words.contains { SecretList.codeWords.contains($0) || $0.hasSuffix("code") }
                && !words.contains { SecretList.contentBefore.contains($0) && $0.count > 2 }
        }
    }
}
