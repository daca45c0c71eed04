/// A text whose escapes are decoded, and where each of its bytes comes from.
///
/// Percent-encoding, the escapes of JSON and scripts (`\u0041`, `\x41`, `\/`) and the entities of XML and HTML (`&#x41;`,
/// `&amp;`) are decoded side by side: a text that nobody has said the format of may hold any of them.
struct EscapedText {
    private(set) var bytes: [UInt8]

    /// The position in the original text of each byte, and of the end.
    private(set) var positions: [Int]

    /// `nil` where nothing is escaped.
    ///
    /// - Parameter plusAsSpace: whether a space is written as in a form.
    init?(_ text: Bytes, plusAsSpace: Bool = false) {
        bytes = []
        positions = []
        guard decode(text, plusAsSpace: plusAsSpace, { $0 }) else { return nil }
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

    /// The parts of a text in which something may be spelled in an unusual way, with what is around it.
    ///
    /// `&amp;`, `\"` and the like are not unusual: values are looked for with them anyway.
    static func regions(in text: Bytes) -> [Range<Int>] {
        let (margin, limit) = (512, 1 << 20)
        var result: [Range<Int>] = []
        var next: [(byte: UInt8, position: Int?)] = [0x25, 0x5C, 0x26].map { ($0, text.position(of: $0, from: 0)) }
        while let first = next.indices.filter({ next[$0].position != nil }).min(by: {
            (next[$0].position ?? 0) < (next[$1].position ?? 0)
        }), let position = next[first].position {
            next[first].position = text.position(of: next[first].byte, from: position + 1)
            guard isUnusual(text, at: position) else { continue }
            let region = Swift.max(0, position - margin)..<Swift.min(text.count, position + margin)
            if let last = result.last, last.upperBound >= region.lowerBound, last.count < limit {
                result[result.count - 1] = last.lowerBound..<region.upperBound
            } else {
                result.append(region)
            }
        }
        return result
    }

    private static func isUnusual(_ text: Bytes, at position: Int) -> Bool {
        let following = text.at(position + 1)
        switch text[position] {
        case 0x25:
            // A letter needs no escape, base64 has `+`, `/` and `=`, and the rest begins an escape inside this one.
            guard let byte = byte(text, at: position + 1) else { return false }
            return byte.isTokenPart || byte == 0x25 || byte == 0x26 || byte == 0x5C
        case 0x26:
            if following == 0x23 { return !isQuotationMark(text, at: position) }
            guard text.has("amp;", at: position + 1) else { return false }
            let end = text.end(from: position + 5) { $0.isAlphanumeric || $0 == 0x23 }
            return end > position + 5 && text.at(end) == 0x3B
        default: return following == UInt8(ascii: "u") || following == UInt8(ascii: "x") || following == 0x2F
        }
    }

    /// `&#39;` and its kin, which pages are full of.
    private static func isQuotationMark(_ text: Bytes, at position: Int) -> Bool {
        let marks: [StaticString] = ["&#39;", "&#34;", "&#x27;", "&#x22;", "&#039;"]
        return marks.contains { text.has($0, at: position) }
    }

    private mutating func decode(_ text: Bytes, plusAsSpace: Bool = false, _ origin: (Int) -> Int) -> Bool {
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
                bytes.append(plusAsSpace && byte == 0x2B ? 0x20 : byte)
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
            let decoded = XMLText.unescaped(entity)
            return decoded.elementsEqual(entity) ? nil : (decoded, entity.count)
        default:
            switch text.at(position + 1) {
            case UInt8(ascii: "u"):
                var count = 6
                if text.has("\\u", at: position + 6) { count = 12 }
                let decoded = JSONString.unescapedLeniently(text.part(position..<position + count))
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
