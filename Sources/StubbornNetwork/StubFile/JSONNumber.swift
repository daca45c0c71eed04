/// The text of a JSON number: whether it is one, and what it is worth (RFC 8259, section 6).
struct JSONNumber: Hashable {
    // The exact value is 0.DIGITS × 10^exponent, without leading or trailing zeros among the digits: `1`, `1.0` and
    // `10e-1` are equal, and no two numbers become so because a `Double` cannot tell them apart.
    private let digits: [UInt8]
    private let exponent: Int
    private let isNegative: Bool

    /// `nil` when the text is not a number, or its exponent is beyond all measure.
    init?(_ text: some Collection<UInt8>) {
        guard let parts = Self.parts(of: Array(text)) else { return nil }
        let integer = parts.integer.drop { $0 == UInt8(ascii: "0") }
        var digits = integer + parts.fraction
        let leadingZeros = digits.prefix { $0 == UInt8(ascii: "0") }.count
        digits = digits.dropFirst(leadingZeros)
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        let written = parts.exponent.isEmpty ? 0 : Int(String(decoding: parts.exponent, as: UTF8.self))
        let limit = 1 << 30
        guard let written, (-limit...limit).contains(written) else { return nil }
        self.digits = Array(digits)
        exponent = digits.isEmpty ? 0 : written + integer.count - leadingZeros
        isNegative = parts.isNegative && !digits.isEmpty
    }

    /// Whether a byte may stand in a number, wherever it stands.
    static func mayContain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }

    /// Whether the text is a number in JSON's grammar.
    static func isValid(_ text: some Collection<UInt8>) -> Bool { parts(of: Array(text)) != nil }

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

    private static func parts(
        of text: [UInt8]
    ) -> (isNegative: Bool, integer: ArraySlice<UInt8>, fraction: ArraySlice<UInt8>, exponent: ArraySlice<UInt8>)? {
        var rest = text[...]
        func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
        func takeDigits() -> ArraySlice<UInt8> {
            let digits = rest.prefix(while: isDigit)
            rest = rest.dropFirst(digits.count)
            return digits
        }

        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest = rest.dropFirst() }
        let integer = takeDigits()
        guard let first = integer.first, first != UInt8(ascii: "0") || integer.count == 1 else { return nil }
        var fraction: ArraySlice<UInt8> = []
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            fraction = takeDigits()
            guard !fraction.isEmpty else { return nil }
        }
        var exponent: ArraySlice<UInt8> = []
        if let sign = rest.first, sign == UInt8(ascii: "e") || sign == UInt8(ascii: "E") {
            rest = rest.dropFirst()
            let hasSign = rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+")
            let start = rest.startIndex
            if hasSign { rest = rest.dropFirst() }
            guard !takeDigits().isEmpty else { return nil }
            exponent = text[start..<rest.startIndex]
        }
        return rest.isEmpty ? (isNegative, integer, fraction, exponent) : nil
    }
}
