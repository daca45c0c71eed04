/// The text that takes a secret's place.
///
/// It has the form that code which parses the secret reads:
///
/// | secret | placeholder |
/// |---|---|
/// | any | `REDACTED-token-1`, and `REDACTED` where numbers do not count |
/// | 20 and more characters of base64, in either alphabet | `REDACTED000000000001`, as long as the secret |
/// | 16 and more hexadecimal digits | `5ec2e70000000001`, as long as the secret |
/// | a UUID | `5ec2e700-0000-4000-8000-000000000001` |
/// | digits | as many nines but for a count that runs down: `999999`, then `999998` |
///
/// A provider's prefix stays before it: `ghp_REDACTED000000000001`. No format needs to escape any of them.
enum Placeholder {
    static let unnumbered = Array("REDACTED".utf8)
    static let number: [UInt8] = [0x39]

    /// The label under which placeholders without a label are counted.
    static let unlabeled = ""

    /// Returns the placeholder of a value.
    static func text(for value: Bytes, label: String, next: (String) -> Int) -> [UInt8] {
        let start = prefixEnd(of: value)
        let body = value.part(start..<value.count)
        let prefix = Array(value.part(0..<start))
        let isOneCase = !(body.contains(where: \.isUppercase) && body.contains(where: \.isLowercase))
        if body.count >= 16, isOneCase, body.isMixed, body.allSatisfy({ $0.hexValue != nil }) {
            let isUppercase = body.contains(where: \.isUppercase)
            return prefix + Array((isUppercase ? "5EC2E7" : "5ec2e7").utf8)
                + digits(next(unlabeled), count: body.count - 6)
        }
        let end = prefix.isEmpty ? body.start(before: body.count) { $0 == .equals } : body.count
        let padding = body.count - end
        let isBase64 = body.part(0..<end).allSatisfy(\.isBase64) && (padding == 0 || body.count % 4 == 0)
        guard prefix.isEmpty ? body.count >= 20 && isBase64 : body.count >= 14 else {
            return prefix + Array("REDACTED-\(label)-\(next(label))".utf8)
        }
        // The last digit before the padding has unused bits, which must be zero.
        let filler: [UInt8] = padding == 0 ? [] : [UInt8(ascii: "A")]
        return prefix + unnumbered + digits(next(unlabeled), count: end - 8 - filler.count) + filler
            + Array(repeating: .equals, count: padding)
    }

    private static func digits(_ number: Int, count: Int) -> [UInt8] {
        let digits = Array(String(Swift.max(0, number)).utf8)
        return Array(repeating: .zero, count: Swift.max(0, count - digits.count)) + digits
    }

    /// Returns the end of the prefix that a provider gives its tokens; 0 where there is none.
    private static func prefixEnd(of value: Bytes) -> Int {
        SecretList.prefixes.first { $0.range(in: value, anchor: $0.anchor) == 0..<value.count }?.prefix.count ?? 0
    }

    /// A finder of base64 and hexadecimal digits with a placeholder inside.
    static let finder: ValueFinder = {
        var finder = ValueFinder.empty
        for beginning in ["REDACTED", "5ec2e70000", "5EC2E70000"] { finder.insertBase64(Array(beginning.utf8)) }
        finder.insertHex(unnumbered)
        return finder
    }()

    /// A placeholder in a text, and the label that it is counted under.
    struct Match {
        var label: String
        var number: Int
        var end: Int
    }

    /// Returns the placeholder at an offset; `nil` where none is.
    static func parse(_ bytes: Bytes, at start: Int) -> Match? {
        if bytes.has("REDACTED", at: start) {
            if bytes.at(start + 8).isDigit {
                var end = bytes.end(from: start + 8, while: \.isDigit)
                guard end - start > 13, let number = Int(bytes.part(start + 8..<end).text) else { return nil }
                if bytes.at(end) == UInt8(ascii: "A") { end = bytes.end(from: end + 1) { $0 == .equals } }
                return Match(label: unlabeled, number: number, end: end)
            }
            let labelEnd = bytes.end(from: start + 9) { $0.isLowercase || $0.isDigit || $0 == .underscore }
            let end = bytes.end(from: labelEnd + 1, while: \.isDigit)
            guard bytes.at(start + 8) == .hyphen, labelEnd > start + 9, bytes.at(labelEnd) == .hyphen,
                let number = Int(bytes.part(labelEnd + 1..<end).text)
            else { return nil }
            return Match(label: bytes.part(start + 9..<labelEnd).text, number: number, end: end)
        }
        guard bytes.hasIgnoringCase("5ec2e70", at: start) else { return nil }
        let isIdentifier = bytes.hasIgnoringCase("5ec2e700-0000-4000-8000-", at: start)
        let digits = start + (isIdentifier ? 24 : 6)
        let end = isIdentifier ? start + 36 : bytes.end(from: digits, while: \.isDigit)
        guard end <= bytes.count, end - start >= 16, bytes.part(digits..<end).allSatisfy(\.isDigit),
            let number = Int(bytes.part(digits..<end).text)
        else { return nil }
        return Match(label: isIdentifier ? "uuid" : unlabeled, number: number, end: end)
    }

    /// Returns the placeholders in a text, from left to right.
    static func matches(in bytes: Bytes) -> [(start: Int, match: Match)] {
        var result: [(start: Int, match: Match)] = []
        let beginnings: [StaticString] = ["REDACTED", "5ec2e70", "5EC2E70"]
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

    /// Returns the placeholder that a value is, behind a provider's prefix or not; `nil` where it is none.
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

    /// Returns what takes the place of a UUID: `5ec2e700-0000-4000-8000-000000000001`.
    static func identifier(number: Int, isUppercase: Bool) -> [UInt8] {
        Array((isUppercase ? "5EC2E700-0000-4000-8000-" : "5ec2e700-0000-4000-8000-").utf8)
            + digits(number, count: 12).suffix(12)
    }

    /// Returns a number of `count` digits for the n-th secret of that length, counted from 0.
    static func digits(count: Int, index: Int) -> [UInt8] {
        var result = [UInt8](repeating: 0x39, count: count)
        if count >= 6 { result[count - 2] -= UInt8(min(index, 99) / 10) }
        if count >= 4 { result[count - 1] -= UInt8(min(index, count >= 6 ? 99 : 9) % 10) }
        return result
    }

    /// Returns the index for which `digits(count:index:)` returns a number; `nil` where there is none.
    static func index(ofDigits bytes: [UInt8]) -> Int? {
        let counting = bytes.count >= 6 ? 2 : bytes.count >= 4 ? 1 : 0
        guard !bytes.isEmpty, bytes.dropLast(counting).allSatisfy({ $0 == 0x39 }) else { return nil }
        return bytes.suffix(counting).reduce(0) { $0 * 10 + Int(0x39 - min($1, 0x39)) }
    }

    /// Returns a label for a name: lower-case words with `_` between them.
    static func label(_ name: Bytes) -> String {
        var result: [UInt8] = []
        var previous: UInt8 = 0
        for byte in name.prefix(40) {
            if byte.isUppercase, previous.isLowercase || previous.isDigit { result.append(.underscore) }
            if byte.isAlphanumeric {
                result.append(byte.lowercased)
            } else if let last = result.last, last != .underscore {
                result.append(.underscore)
            }
            previous = byte
        }
        while result.last == .underscore { result.removeLast() }
        return result.isEmpty ? "secret" : String(decoding: result, as: UTF8.self)
    }
}
