/// A part of a text whose escapes are decoded, with the offset that each of its bytes has in the text.
///
/// Percent-encoding, the escapes of JSON and scripts (`\u0041`, `\x41`, `\/`) and the entities of XML and HTML
/// (`&#x41;`, `&amp;`) are decoded together: a text of unknown format may have any of them.
struct EscapedText {
    private(set) var bytes: [UInt8] = []

    /// The offset in the original text of each byte, and of the end.
    private var positions: [Int] = []

    /// Decodes the escapes of a region; `nil` if nothing is escaped.
    init?(_ text: Bytes, in region: Range<Int>, plusAsSpace: Bool = false) {
        bytes.reserveCapacity(region.count)
        positions.reserveCapacity(region.count + 1)
        let part = text.part(region)
        var position = 0
        while position < part.count {
            let byte = part[position]
            let start = region.lowerBound + position
            if byte.isOne(of: "%\\&"), let (decoded, count) = Self.escape(part, at: position) {
                bytes += decoded
                positions += Array(repeating: start, count: decoded.count)
                position += count
            } else {
                bytes.append(plusAsSpace && byte == .plus ? .space : byte)
                positions.append(start)
                position += 1
            }
        }
        positions.append(region.lowerBound + part.count)
        // An escape is longer than the text that it stands for.
        if bytes.count == part.count { return nil }
    }

    /// Returns a range in the original text; `nil` if none of it is escaped.
    func original(_ range: Range<Int>) -> Range<Int>? {
        let original = positions[range.lowerBound]..<positions[range.upperBound]
        return original.count == range.count ? nil : original
    }

    /// Returns the parts of a text that have unusual escapes, with the text around them.
    ///
    /// `&amp;`, `\"` and the like are not unusual: the search for values covers them anyway.
    static func regions(in text: Bytes) -> [Range<Int>] {
        let (margin, limit) = (512, 1 << 20)
        let beginnings: [UInt8] = [.percent, .backslash, .ampersand]
        let positions = beginnings.flatMap { text.ranges(of: [$0]) }.map(\.lowerBound)
        var result: [Range<Int>] = []
        for position in positions.filter({ isUnusual(text, at: $0) }).sorted() {
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
        case .percent: return PercentEncoding.byte(in: text, at: position) != nil
        case .ampersand:
            let end = text.end(from: position + 5) { $0.isAlphanumeric || $0 == .numberSign }
            let isTwice = text.has("amp;", at: position + 1) && end > position + 5 && text.at(end) == .semicolon
            return isTwice || following == .numberSign
        default: return following.isOne(of: "ux/\\")
        }
    }

    /// Returns the bytes that an escape at an offset stands for, and the escape's length; `nil` if there is no escape.
    private static func escape(_ text: Bytes, at position: Int) -> (decoded: [UInt8], count: Int)? {
        switch (text[position], text.at(position + 1)) {
        case (.percent, _): return PercentEncoding.byte(in: text, at: position).map { ([$0], 3) }
        case (.ampersand, _): return XMLText.entity(in: text, at: position)
        case (_, .u): return JSONString.character(in: text, at: position).map { (Array($0.utf8), $1) }
        case (_, .x): return text.hexByte(at: position + 2).map { ([$0], 4) }
        case (_, let byte): return byte.isOne(of: "\"'/\\") ? ([byte], 2) : nil
        }
    }
}

/// The escapes of XML and HTML.
enum XMLText {
    private static let entities: [(UInt8, StaticString)] = [
        (.ampersand, "&amp;"), (.lessThan, "&lt;"), (.greaterThan, "&gt;"), (.quote, "&quot;"),
        (.apostrophe, "&apos;"), (.apostrophe, "&#39;"),
    ]

    /// Returns the text with its special characters escaped.
    static func escaped(_ bytes: [UInt8], _ characters: some Sequence<UInt8> = "&<>\"'".utf8) -> [UInt8] {
        bytes.flatMap { byte in
            guard characters.contains(byte) else { return [byte] }
            return entities.first { $0.0 == byte }.map { $0.1.withUTF8Buffer(Array.init) } ?? [byte]
        }
    }

    /// Returns the text with the five entities of XML, and characters by their numbers, decoded (XML 1.0, section 4.1).
    static func unescaped(_ bytes: Bytes) -> [UInt8] {
        let edits = bytes.ranges(of: [.ampersand]).map(\.lowerBound).compactMap { start in
            entity(in: bytes, at: start).map { Edit(range: start..<start + $1, text: $0) }
        }
        return Edit.apply(edits, to: bytes) ?? Array(bytes)
    }

    /// Returns the character that the entity at an `&` stands for, `&amp;`, `&#65;` or `&#x41;`, and its length; `nil` if there is none.
    static func entity(in bytes: Bytes, at position: Int) -> (decoded: [UInt8], count: Int)? {
        if let (byte, text) = entities.first(where: { bytes.has($0.1, at: position) }) {
            return ([byte], text.utf8CodeUnitCount)
        }
        guard bytes.at(position + 1) == .numberSign,
            let end = bytes.position(of: .semicolon, from: position + 2, to: position + 12)
        else { return nil }
        let isHex = bytes.at(position + 2).lowercased == .x
        let digits = bytes.part(position + (isHex ? 3 : 2)..<end).text
        guard let scalar = UInt32(digits, radix: isHex ? 16 : 10).flatMap(Unicode.Scalar.init) else { return nil }
        return (Array(String(scalar).utf8), end + 1 - position)
    }
}
