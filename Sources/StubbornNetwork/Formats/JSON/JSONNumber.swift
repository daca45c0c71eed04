/// A number in JSON's grammar (RFC 8259, section 6), of any size and precision.
package struct JSONNumber {
    /// The number as it is written.
    let text: Bytes

    private let whole: Range<Int>
    private let fraction: Range<Int>
    /// The digits after `e`, with their sign.
    private let exponent: Range<Int>

    /// Reads a number; `nil` for anything else, including a number with something after it.
    init?(_ text: Bytes) {
        let digits = { (start: Int) in start..<text.end(from: start, while: { $0.isDigit }) }
        whole = digits(text.at(0) == .hyphen ? 1 : 0)
        guard !whole.isEmpty, whole.count == 1 || text[whole.lowerBound] != .zero else { return nil }
        let dot = whole.upperBound
        fraction = text.at(dot) == .dot ? digits(dot + 1) : dot..<dot
        let mark = fraction.upperBound
        let start = text.at(mark + 1).isOne(of: "+-") ? mark + 2 : mark + 1
        exponent = text.at(mark).lowercased == .e ? mark + 1..<digits(start).upperBound : mark..<mark
        // The last byte before an `e`, and the last byte of all, must be digits: `1.e5`, `1e` and `1.` are not numbers.
        guard text.at(mark - 1).isDigit, exponent.upperBound == text.count, text.at(text.count - 1).isDigit else {
            return nil
        }
        self.text = text
    }

    /// A Boolean value that indicates whether a byte may be in a number, in any position.
    static func mayContain(_ byte: UInt8) -> Bool {
        byte.isDigit || byte.isOne(of: "-+.eE")
    }

    /// The number in the single spelling of all numbers with its value, without loss.
    ///
    /// `1.50` and `15e-1` are `1.5`, `-0` is `0`, `1E30` is `1e30`. Exponents up to 20 are written out.
    var normalized: String {
        // An exponent that is too large for an integer is kept as it is written: such numbers are equal if their texts
        // are.
        guard let exponent = exponentValue else { return text.text }
        var digits = (Array(text[whole]) + Array(text[fraction])).drop { $0 == .zero }
        guard let last = digits.lastIndex(where: { $0 != .zero }) else { return "0" }
        let zeros = digits.endIndex - last - 1
        digits = digits[...last]
        let sign = text.at(0) == .hyphen ? "-" : ""
        return sign + Self.written(digits, exponent: exponent - fraction.count + zeros)
    }

    /// The number as an integer, if it is a whole number: `200`, but also `2e2` and `200.0`, as in Foundation.
    var integer: Int? {
        let string = text.text
        return Int(string) ?? Double(string).flatMap { Int(exactly: $0) }
    }

    /// The nearest `Double`; `nil` when that is not finite.
    var double: Double? { Double(text.text).flatMap { $0.isFinite ? $0 : nil } }

    /// The value of the exponent, 0 without one; `nil` if it has more than nine digits.
    private var exponentValue: Int? {
        guard !exponent.isEmpty else { return 0 }
        let digits = text[exponent].drop { $0.isOne(of: "+-0") }
        return digits.count <= 9 ? Int(text.part(exponent).text) : nil
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
