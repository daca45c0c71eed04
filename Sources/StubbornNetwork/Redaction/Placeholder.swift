/// The text that takes a secret's place: `REDACTED-token-1`, and `REDACTED` where numbers do not count.
///
/// It consists of letters, digits, `-` and `_` alone, so that no format needs to escape it. A secret that is a JSON
/// number becomes a number of as many digits, nines but for a count that runs down: `999999`, then `999998`. A UUID
/// becomes a UUID.
enum Placeholder {
    static let unnumbered = Array("REDACTED".utf8)
    static let number: [UInt8] = [0x39]

    static func text(label: String, number: Int) -> [UInt8] {
        Array("REDACTED-\(label)-\(number)".utf8)
    }

    /// Returns the label and the number of a placeholder at an offset, and the offset behind it; `nil` where none is.
    static func parse(_ bytes: Bytes, at start: Int) -> (label: String, number: Int, end: Int)? {
        guard bytes.has("REDACTED-", at: start) else { return nil }
        let labelEnd = bytes.end(from: start + 9) { $0.isLowercase || $0.isDigit || $0 == .underscore }
        guard labelEnd > start + 9, bytes.at(labelEnd) == .hyphen else { return nil }
        let end = bytes.end(from: labelEnd + 1) { $0.isDigit }
        guard end > labelEnd + 1, let number = Int(bytes.part(labelEnd + 1..<end).text) else { return nil }
        return (bytes.part(start + 9..<labelEnd).text, number, end)
    }

    /// Returns a Boolean value that indicates whether a value is a placeholder and nothing else.
    static func isWhole(_ bytes: Bytes) -> Bool {
        parse(bytes, at: 0)?.end == bytes.count || (bytes.count == unnumbered.count && bytes.has("REDACTED", at: 0))
            || (bytes.count == 36 && identifier(bytes, at: 0) != nil)
    }

    /// Returns what takes the place of a UUID, which code may well parse: `5ec2e700-0000-4000-8000-000000000001`.
    static func identifier(number: Int, isUppercase: Bool) -> [UInt8] {
        var result = Array((isUppercase ? "5EC2E700-0000-4000-8000-" : "5ec2e700-0000-4000-8000-").utf8)
        let digits = Array(String(max(0, number)).utf8.suffix(12))
        result += [UInt8](repeating: 0x30, count: 12 - digits.count) + digits
        return result
    }

    /// Returns the number of such a placeholder at an offset; `nil` where none is.
    static func identifier(_ bytes: Bytes, at start: Int) -> Int? {
        guard bytes.hasIgnoringCase("5ec2e700-0000-4000-8000-", at: start), start + 36 <= bytes.count else {
            return nil
        }
        let digits = bytes.part(start + 24..<start + 36)
        return digits.allSatisfy(\.isDigit) ? Int(digits.text) : nil
    }

    /// Returns a Boolean value that indicates whether a value is a UUID (RFC 9562, section 4).
    static func isIdentifier(_ bytes: Bytes) -> Bool {
        bytes.count == 36
            && bytes.indices.allSatisfy {
                [8, 13, 18, 23].contains($0) ? bytes[$0] == .hyphen : bytes[$0].hexValue != nil
            }
    }

    /// Returns a number of `count` digits for the n-th secret of that length, counted from 0.
    static func digits(count: Int, index: Int) -> [UInt8] {
        var result = [UInt8](repeating: 0x39, count: count)
        guard count >= 4 else { return result }
        let counting = count >= 6 ? 2 : 1
        var rest = min(index, counting == 2 ? 99 : 9)
        for digit in 0..<counting {
            result[count - 1 - digit] -= UInt8(rest % 10)
            rest /= 10
        }
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
