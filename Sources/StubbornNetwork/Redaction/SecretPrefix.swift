/// The bytes that tokens consist of, by the names in the tables.
enum SecretAlphabet: String {
    case alphanumeric
    /// Letters, digits, `_` and `-`.
    case word
    /// Words, the dots between them, and the other characters of base64.
    case token

    func contains(_ byte: UInt8) -> Bool {
        switch self {
        case .alphanumeric: byte.isAlphanumeric
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
            bytes.part(body..<end).contains(where: { $0.isDigit || $0.isUppercase })
        else { return nil }
        return start..<end
    }
}
