/// A text whose escapes are decoded, with the offset that each of its bytes has in the original.
///
/// Percent-encoding, the escapes of JSON and scripts (`\u0041`, `\x41`, `\/`) and the entities of XML and HTML
/// (`&#x41;`, `&amp;`) are decoded side by side: a text of unknown format may have any of them.
struct EscapedText {
    private(set) var bytes: [UInt8]

    /// The offset in the original text of each byte, and of the end.
    private var positions: [Int]

    /// Decodes the escapes of a text; `nil` where nothing is escaped.
    ///
    /// - Parameters:
    ///   - text: The bytes of the text.
    ///   - plusAsSpace: A Boolean value that indicates whether `+` stands for a space, as in a form.
    init?(_ text: Bytes, plusAsSpace: Bool = false) {
        bytes = []
        positions = []
        guard decode(text, plusAsSpace: plusAsSpace, { $0 }) else { return nil }
    }

    /// Decodes what is still escaped.
    ///
    /// - Returns: `false` where nothing is.
    mutating func decodeAgain() -> Bool {
        let (text, origins) = (bytes, positions)
        (bytes, positions) = ([], [])
        let hasChanged = text.withUnsafeBufferPointer { decode($0) { origins[$0] } }
        return hasChanged
    }

    /// Returns a range in the original text, and a Boolean value that indicates whether any of it is escaped.
    func original(_ range: Range<Int>) -> (range: Range<Int>, isEscaped: Bool) {
        let original = positions[range.lowerBound]..<positions[range.upperBound]
        return (original, original.count != range.count)
    }

    /// Returns the parts of a text that have unusual escapes, with what is around them.
    ///
    /// `&amp;`, `\"` and the like are not unusual: values are looked for with them anyway.
    static func regions(in text: Bytes) -> [Range<Int>] {
        let (margin, limit) = (512, 1 << 20)
        var result: [Range<Int>] = []
        var next: [(byte: UInt8, position: Int?)] = [UInt8.percent, .backslash, .ampersand].map {
            ($0, text.position(of: $0, from: 0))
        }
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
        case .percent:
            // A letter needs no escape, base64 has `+`, `/` and `=`, and the rest begins an escape inside this one.
            guard let byte = PercentEncoding.byte(in: text, at: position) else { return false }
            return byte.isTokenPart || byte == .percent || byte == .ampersand || byte == .backslash
        case .ampersand:
            if following == .numberSign { return !isQuotationMark(text, at: position) }
            guard text.has("amp;", at: position + 1) else { return false }
            let end = text.end(from: position + 5) { $0.isAlphanumeric || $0 == .numberSign }
            return end > position + 5 && text.at(end) == .semicolon
        default: return following == .u || following == .x || following == .slash
        }
    }

    /// Returns a Boolean value that indicates whether `&#39;` or its like is at an offset, which pages are full of.
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
            if byte == .percent || byte == .backslash || byte == .ampersand,
                let (decoded, count) = Self.escape(text, at: position)
            {
                hasChanged = true
                for byte in decoded {
                    bytes.append(byte)
                    positions.append(origin(position))
                }
                position += count
            } else {
                bytes.append(plusAsSpace && byte == .plus ? .space : byte)
                positions.append(origin(position))
                position += 1
            }
        }
        positions.append(origin(text.count))
        return hasChanged
    }

    /// Returns what an escape at an offset stands for, and the number of its bytes; `nil` where none is.
    private static func escape(_ text: Bytes, at position: Int) -> (decoded: [UInt8], count: Int)? {
        switch text[position] {
        case .percent:
            return PercentEncoding.byte(in: text, at: position).map { ([$0], 3) }
        case .ampersand:
            guard let end = text.position(of: .semicolon, from: position, to: position + 12) else { return nil }
            let entity = text.part(position..<end + 1)
            let decoded = XMLText.unescaped(entity)
            return decoded.elementsEqual(entity) ? nil : (decoded, entity.count)
        default:
            switch text.at(position + 1) {
            case .u:
                var count = 6
                if text.has("\\u", at: position + 6) { count = 12 }
                let decoded = JSONString.unescapedLeniently(text.part(position..<position + count))
                return decoded.first == .backslash && decoded.count > 1 ? nil : (decoded, count)
            case .x:
                guard let high = text.at(position + 2).hexValue, let low = text.at(position + 3).hexValue else {
                    return nil
                }
                return ([high << 4 | low], 4)
            case .quote, .apostrophe, .slash, .backslash: return ([text[position + 1]], 2)
            default: return nil
            }
        }
    }
}
