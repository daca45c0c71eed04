/// A number of JSON as it is written, without the rounding of binary fractions: `0.3` is a multiple of `0.1`.
struct DecimalNumber: Comparable, CustomStringConvertible {
    let isNegative: Bool
    /// The digits without zeros at both ends; none for 0.
    ///
    /// The value is this number times ten to the exponent.
    private let digits: [UInt8]
    private let exponent: Int

    /// Reads a number that follows JSON's grammar.
    init(_ text: String) {
        let parts = text.lowercased().split(separator: "e", maxSplits: 1)
        let number = (parts.first ?? "").split(separator: ".", maxSplits: 1)
        let fraction = number.count > 1 ? Array(number[1].utf8) : []
        var digits = (number.first.map { Array($0.utf8) } ?? []) + fraction
        isNegative = digits.first == UInt8(ascii: "-")
        digits = digits.filter { (0x30...0x39).contains($0) }.map { $0 - 0x30 }
        let start = digits.firstIndex { $0 != 0 } ?? digits.endIndex
        let end = digits.lastIndex { $0 != 0 }.map { $0 + 1 } ?? start
        let zeros = digits.endIndex - end
        self.digits = Array(digits[start..<end])
        // An exponent that no integer holds is very large.
        let limit = 1_000_000_000_000
        var exponent = 0
        if parts.count > 1 { exponent = Int(parts[1]) ?? (parts[1].hasPrefix("-") ? -limit : limit) }
        exponent = max(-limit, min(limit, exponent))
        self.exponent = start == end ? 0 : exponent - fraction.count + zeros
    }

    init(_ value: Int) { self.init("\(value)") }

    var isInteger: Bool { exponent >= 0 }

    var description: String {
        digits.isEmpty
            ? "0" : "\(isNegative ? "-" : "")\(String(decoding: digits.map { $0 + 0x30 }, as: UTF8.self))e\(exponent)"
    }

    static func == (left: Self, right: Self) -> Bool { !(left < right) && !(right < left) }

    static func < (left: Self, right: Self) -> Bool {
        if left.sign != right.sign { return left.sign < right.sign }
        return left.isNegative ? right.isSmaller(than: left) : left.isSmaller(than: right)
    }

    private var sign: Int { digits.isEmpty ? 0 : isNegative ? -1 : 1 }

    /// Returns a Boolean value that indicates whether the number without its sign is smaller than another number.
    private func isSmaller(than other: Self) -> Bool {
        let (size, otherSize) = (digits.count + exponent, other.digits.count + other.exponent)
        return size == otherSize ? digits.lexicographicallyPrecedes(other.digits) : size < otherSize
    }

    /// Returns a Boolean value that indicates whether the number is a multiple of another; `nil` for a divisor with more
    /// than 18 digits, and for 0.
    func isMultiple(of other: Self) -> Bool? {
        guard !other.digits.isEmpty, other.digits.count <= 18 else { return nil }
        // Neither number ends in a zero, so a divisor with a larger exponent leaves a remainder.
        guard !digits.isEmpty, exponent >= other.exponent else { return digits.isEmpty }
        let divisor = other.digits.reduce(UInt64(0)) { $0 * 10 + UInt64($1) }
        func product(_ left: UInt64, _ right: UInt64) -> UInt64 {
            divisor.dividingFullWidth(left.multipliedFullWidth(by: right)).remainder
        }
        var rest = digits.reduce(UInt64(0)) { (product($0, 10 % divisor) + UInt64($1) % divisor) % divisor }
        // Multiplies by a power of ten, by repeated squaring.
        var (power, factor) = (exponent - other.exponent, 10 % divisor)
        while power > 0 {
            if power & 1 == 1 { rest = product(rest, factor) }
            factor = product(factor, factor)
            power >>= 1
        }
        return rest == 0
    }
}
