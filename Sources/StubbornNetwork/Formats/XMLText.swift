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
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var position = 0
        while position < bytes.count {
            guard bytes[position] == .ampersand else {
                result.append(bytes[position])
                position += 1
                continue
            }
            if let (scalar, end) = numericEntity(bytes, at: position) {
                result += Array(String(scalar).utf8)
                position = end
            } else {
                let entity = entities.first { bytes.has($0.1, at: position) }
                result.append(entity?.0 ?? bytes[position])
                position += entity?.1.utf8CodeUnitCount ?? 1
            }
        }
        return result
    }

    /// Returns the character of `&#65;` or `&#x41;`, and the offset after it; `nil` if there is none.
    private static func numericEntity(_ bytes: Bytes, at position: Int) -> (scalar: Unicode.Scalar, end: Int)? {
        guard bytes.at(position + 1) == .numberSign,
            let end = bytes.position(of: .semicolon, from: position + 2, to: position + 12)
        else { return nil }
        let isHex = bytes.at(position + 2).lowercased == .x
        let digits = bytes.part(position + (isHex ? 3 : 2)..<end).text
        guard let scalar = UInt32(digits, radix: isHex ? 16 : 10).flatMap(Unicode.Scalar.init) else { return nil }
        return (scalar, end + 1)
    }
}
