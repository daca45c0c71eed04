import Foundation

/// The ways in which a value is written inside another format.
enum TextEncodings {
    private static let upperHex = Array("0123456789ABCDEF".utf8)
    private static let lowerHex = Array("0123456789abcdef".utf8)

    /// Percent-encoding, of everything but the unreserved characters (RFC 3986, section 2.3) and `keeping`.
    static func percentEncoded(
        _ bytes: [UInt8],
        keeping: [UInt8] = [],
        spaceAsPlus: Bool = false,
        lowercase: Bool = false
    ) -> [UInt8] {
        let hex = lowercase ? lowerHex : upperHex
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for byte in bytes {
            if byte.isUnreserved || keeping.contains(byte) {
                result.append(byte)
            } else if byte == 0x20 && spaceAsPlus {
                result.append(0x2B)
            } else {
                result += [0x25, hex[Int(byte >> 4)], hex[Int(byte & 15)]]
            }
        }
        return result
    }

    /// The decoded bytes; a `%` without two digits behind it stays.
    static func percentDecoded(_ bytes: Bytes, plusAsSpace: Bool = false) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            if byte == 0x25, let high = bytes.at(position + 1).hexValue, let low = bytes.at(position + 2).hexValue {
                result.append(high << 4 | low)
                position += 3
            } else {
                result.append(byte == 0x2B && plusAsSpace ? 0x20 : byte)
                position += 1
            }
        }
        return result
    }

    /// The content of a JSON string, without its quotation marks (RFC 8259, section 7).
    static func jsonEscaped(_ bytes: [UInt8], slashes: Bool = false) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for byte in bytes {
            switch byte {
            case 0x22, 0x5C: result += [0x5C, byte]
            case 0x2F where slashes: result += [0x5C, byte]
            case 0x0A: result += [0x5C, 0x6E]
            case 0x0D: result += [0x5C, 0x72]
            case 0x09: result += [0x5C, 0x74]
            case 0..<0x20: result += [0x5C, 0x75, 0x30, 0x30, lowerHex[Int(byte >> 4)], lowerHex[Int(byte & 15)]]
            default: result.append(byte)
            }
        }
        return result
    }

    /// What the content of a JSON string stands for; an escape that is none stays.
    static func jsonUnescaped(_ bytes: Bytes) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            guard byte == 0x5C, position + 1 < bytes.count else {
                result.append(byte)
                position += 1
                continue
            }
            let next = bytes[position + 1]
            position += 2
            switch next {
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "r"): result.append(0x0D)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "b"): result.append(0x08)
            case UInt8(ascii: "f"): result.append(0x0C)
            case UInt8(ascii: "u"):
                guard let unit = codeUnit(bytes, at: position) else {
                    result += [0x5C, next]
                    continue
                }
                position += 4
                var units = [unit]
                if unit & 0xFC00 == 0xD800, bytes.has("\\u", at: position),
                    let low = codeUnit(bytes, at: position + 2), low & 0xFC00 == 0xDC00
                {
                    units.append(low)
                    position += 6
                }
                result += Array(String(decoding: units, as: UTF16.self).utf8)
            default: result.append(next)
            }
        }
        return result
    }

    private static func codeUnit(_ bytes: Bytes, at position: Int) -> UInt16? {
        var unit: UInt16 = 0
        for offset in 0..<4 {
            guard let digit = bytes.at(position + offset).hexValue else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }

    private static let entities: [(UInt8, StaticString)] = [
        (0x26, "&amp;"), (0x3C, "&lt;"), (0x3E, "&gt;"), (0x22, "&quot;"), (0x27, "&apos;"), (0x27, "&#39;"),
    ]

    /// - Parameter characters: what is escaped, which differs from writer to writer.
    static func xmlEscaped(_ bytes: [UInt8], _ characters: StaticString = "&<>\"'") -> [UInt8] {
        let isEscaped = characters.withUTF8Buffer(Array.init)
        return bytes.flatMap { byte in
            guard isEscaped.contains(byte) else { return [byte] }
            return entities.first { $0.0 == byte }.map { $0.1.withUTF8Buffer(Array.init) } ?? [byte]
        }
    }

    /// What the text stands for: the five entities of XML, and characters by their numbers (XML 1.0, section 4.1).
    static func xmlUnescaped(_ bytes: Bytes) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var position = 0
        while position < bytes.count {
            guard bytes[position] == 0x26 else {
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

    /// `&#65;` or `&#x41;`, and where it ends.
    private static func numericEntity(_ bytes: Bytes, at position: Int) -> (scalar: Unicode.Scalar, end: Int)? {
        guard bytes.at(position + 1) == 0x23,
            let end = bytes.position(of: 0x3B, from: position + 2, to: position + 12)
        else { return nil }
        let isHex = bytes.at(position + 2) | 0x20 == UInt8(ascii: "x")
        let digits = bytes.part(position + (isHex ? 3 : 2)..<end).text
        guard let scalar = UInt32(digits, radix: isHex ? 16 : 10).flatMap(Unicode.Scalar.init) else { return nil }
        return (scalar, end + 1)
    }

    /// The decoded bytes of base64 in either alphabet, padded or not; `nil` where it is none.
    static func base64Decoded(_ bytes: Bytes) -> [UInt8]? {
        if bytes.count % 4 == 0, !bytes.contains(0x2D), !bytes.contains(0x5F) {
            return Data(base64Encoded: Data(buffer: bytes)).map { Array($0) }
        }
        var text = bytes.map { $0 == 0x2D ? 0x2B : $0 == 0x5F ? 0x2F : $0 }
        while text.last == 0x3D { text.removeLast() }
        guard text.count % 4 != 1 else { return nil }
        text += Array(repeating: 0x3D, count: (4 - text.count % 4) % 4)
        return Data(base64Encoded: Data(text)).map(Array.init)
    }

    private static let base64Alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static func shortBase64(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let count = Swift.min(3, bytes.count - start)
            var group: UInt32 = 0
            for offset in 0..<3 { group = group << 8 | (offset < count ? UInt32(bytes[start + offset]) : 0) }
            for place in 0..<4 {
                result.append(place <= count ? base64Alphabet[Int(group >> UInt32(18 - 6 * place) & 63)] : 0x3D)
            }
        }
        return result
    }

    static func base64Encoded(_ bytes: [UInt8], urlSafe: Bool = false, padded: Bool = true) -> [UInt8] {
        var text = bytes.count > 256 ? [UInt8](Data(bytes).base64EncodedData()) : shortBase64(bytes)
        if urlSafe {
            for position in text.indices {
                if text[position] == 0x2B { text[position] = 0x2D }
                if text[position] == 0x2F { text[position] = 0x5F }
            }
        }
        if !padded {
            while text.last == 0x3D { text.removeLast() }
        }
        return text
    }
}
