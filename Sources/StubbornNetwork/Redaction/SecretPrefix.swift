/// A token that is known by how it begins: `ghp_…`.
struct SecretPrefix: Sendable {
    enum Alphabet: Sendable {
        case hex, lowerHex, upper, alphanumeric
        /// Letters, digits and `_`.
        case underscored
        /// Letters, digits, `_` and `-`.
        case word
        /// Words, and the dots between them.
        case dotted
        /// Words, and the padding of base64.
        case padded
    }

    let prefix: [UInt8]

    /// The index of the character of the prefix by which it is found.
    let anchor: Int
    let alphabet: Alphabet

    /// The number of characters behind the prefix, at least and at most.
    let counts: ClosedRange<Int>

    /// The label of its placeholder.
    let label: String
    let rule: Redaction.Rule

    /// Returns the range of the token whose anchor is at an offset; `nil` where none is.
    func range(in bytes: Bytes, anchor offset: Int) -> Range<Int>? {
        let start = offset - anchor
        let body = start + prefix.count
        guard start >= 0, !bytes.at(start - 1).isWordPart, bytes.part(start..<body).elementsEqual(prefix),
            let end = end(in: bytes, from: body)
        else { return nil }
        return start..<end
    }

    private func end(in bytes: Bytes, from body: Int) -> Int? {
        let end =
            switch alphabet {
            case .hex: bytes.end(from: body) { $0.hexValue != nil }
            case .lowerHex: bytes.end(from: body) { $0.hexValue != nil && !$0.isUppercase }
            case .upper: bytes.end(from: body) { $0.isDigit || $0.isUppercase }
            case .alphanumeric: bytes.end(from: body) { $0.isAlphanumeric }
            case .underscored: bytes.end(from: body) { $0.isAlphanumeric || $0 == .underscore }
            case .word: bytes.end(from: body) { $0.isWordPart }
            case .dotted: bytes.end(from: body) { $0.isWordPart || $0 == .dot }
            case .padded: bytes.end(from: body) { $0.isWordPart || $0 == .equals }
            }
        guard counts.contains(end - body), counts.upperBound == .max || !bytes.at(end).isAlphanumeric else {
            return nil
        }
        return bytes.part(body..<end).contains { $0.isDigit || $0.isUppercase } ? end : nil
    }
}
