/// The text that replaces a secret.
///
/// It has a format that code for the secret can parse:
///
/// | secret | placeholder |
/// |---|---|
/// | any | `REDACTED-token-1`, and `REDACTED` where numbers do not count |
/// | 20 and more characters of base64, in either alphabet | `REDACTED000000000001`, as long as the secret |
/// | 16 and more hexadecimal digits | `5ec2e70000000001`, as long as the secret |
/// | a UUID | `5ec2e700-0000-4000-8000-000000000001` |
/// | digits in a request | `REDACTED-pin-1`, as for any other value |
/// | digits in a response | as many nines, except for a count that runs down: `999999`, then `999998` |
/// | a value that differs each time: a signature, its time, its nonce | `VOLATILE-timestamp-1` |
///
/// A provider's prefix is kept before it: `ghp_REDACTED000000000001`. No format needs to escape any of them.
enum Placeholder {
    static let unnumbered = Array("REDACTED".utf8)

    /// The label under which placeholders without a label are counted.
    static let unlabeled = ""

    /// A finder of base64 and hexadecimal digits with a placeholder inside.
    static let finder: ValueFinder = {
        var finder = ValueFinder()
        for text in ["REDACTED", "VOLATILE", "5ec2e70000", "5EC2E70000"] { finder.insertBase64(Array(text.utf8)) }
        finder.insertHex(unnumbered)
        return finder
    }()

    /// A placeholder in a text, and the label that it is counted under.
    struct Match {
        var label: String
        var number: Int
        var end: Int

        /// A Boolean value that indicates whether the replaced value differs each time.
        var isVolatile: Bool { label.hasPrefix(Placeholder.volatile) }
    }

    /// The beginning of placeholders, and of their labels, for values that differ each time.
    static let volatile = "VOLATILE-"

    /// Returns the placeholder that begins at an offset with one of `beginnings`; `nil` for any other text.
    private static func parse(_ bytes: Bytes, at start: Int) -> Match? {
        let isVolatile = bytes.has("VOLATILE", at: start)
        if isVolatile || bytes.has("REDACTED", at: start) {
            if !isVolatile, bytes.at(start + 8).isDigit {
                var end = bytes.end(from: start + 8, while: { $0.isDigit })
                guard end - start > 13, let number = Int(bytes.part(start + 8..<end).text) else { return nil }
                if bytes.at(end) == UInt8(ascii: "A") { end = bytes.end(from: end + 1) { $0 == .equals } }
                return Match(label: unlabeled, number: number, end: end)
            }
            let labelEnd = bytes.end(from: start + 9) { $0.isLowercase || $0.isDigit || $0 == .underscore }
            let end = bytes.end(from: labelEnd + 1, while: { $0.isDigit })
            guard bytes.at(start + 8) == .hyphen, labelEnd > start + 9, bytes.at(labelEnd) == .hyphen,
                let number = Int(bytes.part(labelEnd + 1..<end).text)
            else { return nil }
            let label = bytes.part((isVolatile ? start : start + 9)..<labelEnd).text
            return Match(label: label, number: number, end: end)
        }
        let isIdentifier = bytes.hasIgnoringCase("5ec2e700-0000-4000-8000-", at: start)
        let digits = start + (isIdentifier ? 24 : 6)
        let end = isIdentifier ? start + 36 : bytes.end(from: digits, while: { $0.isDigit })
        guard end <= bytes.count, end - start >= 16, bytes.part(digits..<end).areDigits,
            let number = Int(bytes.part(digits..<end).text)
        else { return nil }
        return Match(label: isIdentifier ? "uuid" : unlabeled, number: number, end: end)
    }

    private static var beginnings: [StaticString] { ["REDACTED", "VOLATILE", "5ec2e70", "5EC2E70"] }

    /// Returns the placeholders in a text, those with the same beginning from left to right.
    static func matches(in bytes: Bytes) -> [(start: Int, match: Match)] {
        var result: [(start: Int, match: Match)] = []
        for beginning in beginnings {
            var next = 0
            while let start = bytes.position(of: beginning, from: next) {
                let match = parse(bytes, at: start)
                if let match { result.append((start, match)) }
                next = match?.end ?? start + 7
            }
        }
        return result
    }

    /// Returns the placeholder if it is the whole value, with or without a provider's prefix; `nil` for any other value.
    static func whole(_ bytes: Bytes) -> Match? {
        guard bytes.count >= 8, let first = bytes.position(of: "REDACTED", from: 0) ?? matches(in: bytes).first?.start,
            first <= 24, bytes.part(0..<first).allSatisfy({ $0.isWordPart || $0 == .dot })
        else { return nil }
        if bytes.count == unnumbered.count { return Match(label: unlabeled, number: 0, end: 8) }
        return parse(bytes, at: first).flatMap { $0.end == bytes.count ? $0 : nil }
    }

    /// Returns a Boolean value that indicates whether a value is a placeholder and nothing else.
    static func isWhole(_ bytes: Bytes) -> Bool { whole(bytes) != nil }

    /// Returns a Boolean value that indicates whether a placeholder is in a text.
    static func isIn(_ bytes: Bytes) -> Bool {
        bytes.position(of: "REDACTED", from: 0) != nil || !matches(in: bytes).isEmpty
    }

    /// Returns the index for which `digits(count:index:)` returns a number; `nil` if there is none.
    static func index(ofDigits bytes: Bytes) -> Int? {
        let counting = bytes.count >= 6 ? 2 : bytes.count >= 3 ? 1 : 0
        guard !bytes.isEmpty, bytes.dropLast(counting).allSatisfy({ $0 == 0x39 }) else { return nil }
        return bytes.suffix(counting).reduce(0) { $0 * 10 + Int(0x39 - min($1, 0x39)) }
    }

    /// Returns the base64 and the hexadecimal digits in a text that have a placeholder inside, from left to right.
    static func encoded(in bytes: Bytes) -> [EncodedText] {
        var end = 0
        return finder.hits(in: bytes).compactMap { hit in
            guard hit.range.lowerBound >= end, let encoded = EncodedText(bytes, around: hit) else { return nil }
            end = encoded.range.upperBound
            return encoded
        }
    }

    /// Returns the ranges of a text; a text of digits counts only if no letter or digit is next to it.
    static func words(_ text: [UInt8], in bytes: Bytes) -> [Range<Int>] {
        let ranges = bytes.ranges(of: text)
        guard text[0].isDigit else { return ranges }
        return ranges.filter { range in
            ![bytes.at(range.lowerBound - 1), bytes.at(range.upperBound)].contains(where: { $0.isAlphanumeric })
        }
    }

    /// Returns the placeholders in a text, including those in base64 and in hexadecimal digits.
    static func all(in bytes: Bytes, depth: Int = 0) -> [(text: String, match: Match)] {
        guard depth < BodyFormat.maximumDepth else { return [] }
        return matches(in: bytes).map { (bytes.part($0.start..<$0.match.end).text, $0.match) }
            + encoded(in: bytes).flatMap { encoded in
                encoded.decoded.withUnsafeBufferPointer { all(in: $0, depth: depth + 1) }
            }
    }
}
