/// A text whose escapes are decoded, and where each of its bytes comes from.
///
/// Percent-encoding, the escapes of JSON and scripts (`\u0041`, `\x41`, `\/`) and the entities of XML and HTML (`&#x41;`,
/// `&amp;`) are decoded side by side: a text that nobody has said the format of may hold any of them.
struct EscapedText {
    private(set) var bytes: [UInt8]

    /// The position in the original text of each byte, and of the end.
    private(set) var positions: [Int]

    /// `nil` where nothing is escaped.
    init?(_ text: Bytes) {
        guard Self.mayHoldEscapes(text) else { return nil }
        bytes = []
        positions = []
        guard decode(text, { $0 }) else { return nil }
    }

    /// Decodes what is escaped still; whether there was anything.
    mutating func decodeAgain() -> Bool {
        let (text, origins) = (bytes, positions)
        (bytes, positions) = ([], [])
        let hasChanged = text.withUnsafeBufferPointer { decode($0) { origins[$0] } }
        return hasChanged
    }

    /// The range in the original text, and whether any of it is escaped.
    func original(_ range: Range<Int>) -> (range: Range<Int>, isEscaped: Bool) {
        let original = positions[range.lowerBound]..<positions[range.upperBound]
        return (original, original.count != range.count)
    }

    static func mayHoldEscapes(_ text: Bytes) -> Bool {
        text.contains(0x25) || text.contains(0x5C) || text.contains(0x26)
    }

    private mutating func decode(_ text: Bytes, _ origin: (Int) -> Int) -> Bool {
        bytes.reserveCapacity(text.count)
        positions.reserveCapacity(text.count + 1)
        var hasChanged = false
        var position = 0
        while position < text.count {
            let byte = text[position]
            if byte == 0x25 || byte == 0x5C || byte == 0x26, let (decoded, count) = Self.escape(text, at: position) {
                hasChanged = true
                for byte in decoded {
                    bytes.append(byte)
                    positions.append(origin(position))
                }
                position += count
            } else {
                bytes.append(byte)
                positions.append(origin(position))
                position += 1
            }
        }
        positions.append(origin(text.count))
        return hasChanged
    }

    /// What an escape at a position stands for, and how many bytes it takes.
    private static func escape(_ text: Bytes, at position: Int) -> (decoded: [UInt8], count: Int)? {
        switch text[position] {
        case 0x25:
            guard let byte = byte(text, at: position + 1) else { return nil }
            return ([byte], 3)
        case 0x26:
            guard let end = text.position(of: 0x3B, from: position, to: position + 12) else { return nil }
            let entity = text.part(position..<end + 1)
            let decoded = TextEncodings.xmlUnescaped(entity)
            return decoded.elementsEqual(entity) ? nil : (decoded, entity.count)
        default:
            switch text.at(position + 1) {
            case UInt8(ascii: "u"):
                var count = 6
                if text.has("\\u", at: position + 6) { count = 12 }
                let decoded = TextEncodings.jsonUnescaped(text.part(position..<position + count))
                return decoded.first == 0x5C && decoded.count > 1 ? nil : (decoded, count)
            case UInt8(ascii: "x"):
                guard let byte = byte(text, at: position + 2) else { return nil }
                return ([byte], 4)
            case 0x22, 0x27, 0x2F, 0x5C: return ([text[position + 1]], 2)
            default: return nil
            }
        }
    }

    private static func byte(_ text: Bytes, at position: Int) -> UInt8? {
        guard let high = text.at(position).hexValue, let low = text.at(position + 1).hexValue else { return nil }
        return high << 4 | low
    }
}
