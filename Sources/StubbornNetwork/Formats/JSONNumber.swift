/// Numbers of JSON in one spelling, compared by value without a loss: no number is too large or too precise.
enum JSONNumber {
    /// Whether a byte may stand in a number, wherever it stands.
    static func mayContain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }

    /// The number without needless digits, exponent written out up to 20 places: `1.50` and `15e-1` are `1.5`, `-0` is
    /// `0`, `1E30` is `1e30`. `nil` for what is not a number of RFC 8259, section 6.
    static func normalised(_ bytes: ArraySlice<UInt8>) -> String? {
        var rest = bytes
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest = rest.dropFirst() }
        let whole = rest.prefix(while: isDigit)
        guard !whole.isEmpty, whole.count == 1 || whole.first != UInt8(ascii: "0") else { return nil }
        rest = rest[whole.endIndex...]
        var fraction = rest.prefix(0)
        if rest.first == UInt8(ascii: ".") {
            fraction = rest.dropFirst().prefix(while: isDigit)
            guard !fraction.isEmpty else { return nil }
            rest = rest[fraction.endIndex...]
        }
        guard let (exponent, isExact) = exponent(rest) else { return nil }
        // An exponent that no integer holds is kept as it is written: such numbers are equal when their text is.
        guard isExact else { return String(decoding: bytes, as: UTF8.self) }

        var digits = (whole + fraction).drop { $0 == UInt8(ascii: "0") }
        guard let last = digits.lastIndex(where: { $0 != UInt8(ascii: "0") }) else { return "0" }
        let zeros = digits.endIndex - last - 1
        digits = digits[...last]
        return (isNegative ? "-" : "") + written(digits, exponent: exponent - fraction.count + zeros)
    }

    /// Whether the text is a number in JSON's grammar.
    static func isValid(_ text: some Collection<UInt8>) -> Bool { normalised(Array(text)[...]) != nil }

    /// The number as an integer, if it is a whole one: `200`, and also `2e2` and `200.0`, as Foundation takes it.
    static func integer(_ text: some Collection<UInt8>) -> Int? {
        guard isValid(text) else { return nil }
        let string = String(decoding: text, as: UTF8.self)
        return Int(string) ?? Double(string).flatMap { Int(exactly: $0) }
    }

    /// The number as the nearest `Double`; `nil` when it is not finite.
    static func double(_ text: some Collection<UInt8>) -> Double? {
        guard isValid(text), let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite else {
            return nil
        }
        return value
    }

    private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

    /// The value of `e-12`, 0 for nothing; not exact where it has more digits than make sense.
    private static func exponent(_ bytes: ArraySlice<UInt8>) -> (value: Int, isExact: Bool)? {
        guard let mark = bytes.first else { return (0, true) }
        guard mark == UInt8(ascii: "e") || mark == UInt8(ascii: "E") else { return nil }
        var rest = bytes.dropFirst()
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
        guard !rest.isEmpty, rest.allSatisfy(isDigit) else { return nil }
        let digits = rest.drop { $0 == UInt8(ascii: "0") }
        guard digits.count <= 9 else { return (0, false) }
        let value = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return (isNegative ? -value : value, true)
    }

    private static func written(_ digits: some Collection<UInt8>, exponent: Int) -> String {
        let text = String(decoding: digits, as: UTF8.self)
        let zeros = { (count: Int) in String(repeating: "0", count: count) }
        if 0...20 ~= exponent { return text + zeros(exponent) }
        if exponent < 0, digits.count + exponent > 0 {
            return "\(text.dropLast(-exponent)).\(text.suffix(-exponent))"
        }
        if exponent < 0, -exponent <= 20 { return "0." + zeros(-exponent - digits.count) + text }
        return "\(text)e\(exponent)"
    }
}
