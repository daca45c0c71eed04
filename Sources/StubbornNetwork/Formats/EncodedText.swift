/// Base64 or hexadecimal digits in a text, around a value that was found in them.
struct EncodedText {
    /// The offsets of the digits, and of the padding behind them.
    let range: Range<Int>
    let isHex: Bool

    /// The bytes that the digits stand for.
    let decoded: [UInt8]
    private let digits: Bytes

    /// Finds the digits around a hit, from the first whole group; `nil` for a value that is not encoded.
    init?(_ text: Bytes, around hit: ValueFinder.Hit) {
        let range: Range<Int>
        switch hit.pattern.coding {
        case .plain: return nil
        case .hex:
            let start = text.start(before: hit.range.lowerBound) { $0.hexValue != nil }
            let end = text.end(from: hit.range.upperBound) { $0.hexValue != nil }
            range = start + (hit.range.lowerBound - start) % 2..<end - (end - hit.range.upperBound) % 2
            (isHex, digits, decoded) = (true, text.part(range), Self.bytes(ofHex: text.part(range)))
        case .base64(let offset):
            let group = hit.range.lowerBound - offset
            let first = text.start(before: hit.range.lowerBound) { $0.isBase64 }
            let start = first + ((group - first) % 4 + 4) % 4
            let end = text.end(from: hit.range.upperBound) { $0.isBase64 }
            let digits = text.part(start..<Swift.max(start, (end - start) % 4 == 1 ? end - 1 : end))
            guard let decoded = Base64.decoded(digits) else { return nil }
            let rest = text.end(from: start + digits.count) { $0 == .equals }
            range = start..<rest
            (isHex, self.digits, self.decoded) = (false, text.part(range), decoded)
        }
        self.range = range
    }

    /// Returns the bytes that an even number of hexadecimal digits stands for.
    static func bytes(ofHex digits: Bytes) -> [UInt8] {
        stride(from: 0, to: digits.count - 1, by: 2).map {
            (digits[$0].hexValue ?? 0) << 4 | (digits[$0 + 1].hexValue ?? 0)
        }
    }

    /// Returns the edit that replaces the digits by those of other bytes, in the same alphabet.
    func edit(_ bytes: [UInt8], isPadded: Bool = true) -> Edit {
        if isHex {
            let isUppercase = digits.contains(where: \.isUppercase)
            return Edit(range: range, text: ValueFinder.hex(bytes, lowercase: !isUppercase))
        }
        return Edit(range: range, text: Base64.encoded(bytes, like: digits, isPadded: isPadded))
    }
}
