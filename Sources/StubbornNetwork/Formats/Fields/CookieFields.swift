/// The values of `Cookie` and `Set-Cookie`.
enum CookieFields {
    /// Returns the offsets of the values in `a=1; b=2` (RFC 6265, section 4.2).
    static func values(inCookie field: Bytes) -> [Range<Int>] {
        field.parts(of: 0..<field.count, separatedBy: .semicolon).map { value(field, $0) }
    }

    /// Returns a Boolean value that indicates whether a value is words, short numbers or a time, as in `theme=dark`.
    static func isPlain(_ value: Bytes) -> Bool {
        PercentEncoding.decoded(value).withUnsafeBufferPointer { RandomText.isPlain($0) || RandomText.isTime($0) }
    }

    /// Returns a Boolean value that indicates whether all values in `a=1; b=2` are plain.
    static func arePlain(inCookie field: Bytes) -> Bool {
        values(inCookie: field).allSatisfy { isPlain(field.part($0)) }
    }

    /// Returns the offsets of the values in `a=1; Path=/` (RFC 6265, section 4.1).
    ///
    /// There are several values where fields have been joined by commas.
    static func values(inSetCookie field: Bytes) -> [Range<Int>] {
        let commas = field.indices.filter { field[$0] == .comma && beginsCookie(field, at: $0 + 1) }
        return zip([-1] + commas, commas + [field.count]).map { comma, end in
            value(field, comma + 1..<(field.position(of: .semicolon, from: comma + 1, to: end) ?? end))
        }
    }

    /// Returns a Boolean value that indicates whether a name and `=` follow, and not the rest of a date.
    private static func beginsCookie(_ field: Bytes, at position: Int) -> Bool {
        let start = field.end(from: position) { $0 == .space }
        let end = field.end(from: start) { $0.isUnreserved || $0.isOne(of: "!#$%&'*+^`|") }
        return end > start && field.at(end) == .equals
    }

    private static func value(_ field: Bytes, _ pair: Range<Int>) -> Range<Int> {
        let equals = field.position(of: .equals, from: pair.lowerBound, to: pair.upperBound)
        let value = field.trimmed((equals.map { $0 + 1 } ?? pair.lowerBound)..<pair.upperBound)
        let isQuoted =
            value.count >= 2 && field[value.lowerBound] == .quote && field[value.upperBound - 1] == .quote
        return isQuoted ? value.lowerBound + 1..<value.upperBound - 1 : value
    }
}
