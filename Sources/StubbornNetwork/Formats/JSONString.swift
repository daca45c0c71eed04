import Foundation

/// The text of a JSON string: read with all checks, and written (RFC 8259, section 7).
enum JSONString {
    /// The text of a string, unescaped.
    ///
    /// As Foundation does, it refuses control characters that are not escaped, unknown escapes, surrogates without their
    /// partner, and bytes that are not UTF-8. NUL may be written as an escape.
    ///
    /// - Parameter range: the string's bytes, with its quotation marks.
    static func text(
        of range: Range<Int>,
        hasEscapes: Bool,
        in bytes: UnsafeRawBufferPointer
    ) throws(StubFileSyntaxError) -> String {
        guard range.count >= 2 else { return "" }
        let content = range.lowerBound + 1..<range.upperBound - 1
        for offset in content where bytes[offset] < 0x20 {
            throw .controlCharacter(bytes[offset], at: offset)
        }
        let raw = UnsafeRawBufferPointer(rebasing: bytes[content])
        var text = String(decoding: raw, as: UTF8.self)
        if let offset = raw.firstInvalidUTF8(as: &text) {
            throw .utf8(raw[offset], at: content.lowerBound + offset)
        }
        return hasEscapes ? try unescape(content, in: bytes) : text
    }

    /// Writes a text as a JSON string. Only what must be escaped is: quotation marks, backslashes and control characters.
    static func append(_ text: String, to output: inout Data) {
        output.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { bytes in
            var start = 0
            for (offset, byte) in bytes.enumerated() where mustBeEscaped(byte) {
                output.append(UnsafeBufferPointer(rebasing: bytes[start..<offset]))
                appendEscape(of: byte, to: &output)
                start = offset + 1
            }
            output.append(UnsafeBufferPointer(rebasing: bytes[start...]))
        }
        output.append(UInt8(ascii: "\""))
    }

    // Asked for every byte: literals, because `UInt8(ascii:)` is a slow call in a debug build.
    private static func mustBeEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x22 || byte == 0x5C
    }

    private static func appendEscape(of byte: UInt8, to output: inout Data) {
        switch byte {
        case UInt8(ascii: "\""): output.append(contentsOf: #"\""#.utf8)
        case UInt8(ascii: "\\"): output.append(contentsOf: #"\\"#.utf8)
        case UInt8(ascii: "\n"): output.append(contentsOf: #"\n"#.utf8)
        case UInt8(ascii: "\r"): output.append(contentsOf: #"\r"#.utf8)
        case UInt8(ascii: "\t"): output.append(contentsOf: #"\t"#.utf8)
        default:
            output.append(contentsOf: (byte < 0x10 ? #"\u000"# : #"\u00"#).utf8)
            output.append(contentsOf: String(byte, radix: 16).utf8)
        }
    }

    private static func unescape(
        _ content: Range<Int>,
        in bytes: UnsafeRawBufferPointer
    ) throws(StubFileSyntaxError) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(content.count)
        var offset = content.lowerBound
        while offset < content.upperBound {
            guard bytes[offset] == UInt8(ascii: "\\") else {
                output.append(bytes[offset])
                offset += 1
                continue
            }
            let start = offset
            guard start + 1 < content.upperBound else { throw .escape("\\", at: start) }
            offset += 2
            switch bytes[start + 1] {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): output.append(bytes[start + 1])
            case UInt8(ascii: "b"): output.append(0x08)
            case UInt8(ascii: "f"): output.append(0x0C)
            case UInt8(ascii: "n"): output.append(0x0A)
            case UInt8(ascii: "r"): output.append(0x0D)
            case UInt8(ascii: "t"): output.append(0x09)
            case UInt8(ascii: "u"):
                let scalar = try unescapeScalar(at: start, upTo: content.upperBound, in: bytes)
                output.append(contentsOf: String(Character(scalar)).utf8)
                offset = start + (scalar.value > 0xFFFF ? 12 : 6)
            default: throw .escape(excerpt(start, 2, content.upperBound, bytes), at: start)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func unescapeScalar(
        at start: Int,
        upTo end: Int,
        in bytes: UnsafeRawBufferPointer
    ) throws(StubFileSyntaxError) -> Unicode.Scalar {
        guard let first = codeUnit(at: start, upTo: end, in: bytes) else {
            throw .escape(excerpt(start, 6, end, bytes), at: start)
        }
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard (0xD800..<0xDC00).contains(first), let second = codeUnit(at: start + 6, upTo: end, in: bytes),
            (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
        else { throw .surrogate(excerpt(start, 6, end, bytes), at: start) }
        return scalar
    }

    private static func codeUnit(at start: Int, upTo end: Int, in bytes: UnsafeRawBufferPointer) -> UInt32? {
        guard start + 6 <= end, bytes[start] == UInt8(ascii: "\\"), bytes[start + 1] == UInt8(ascii: "u") else {
            return nil
        }
        var unit: UInt32 = 0
        for byte in bytes[start + 2..<start + 6] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else { return nil }
            unit = unit << 4 | UInt32(digit)
        }
        return unit
    }

    private static func excerpt(_ start: Int, _ count: Int, _ end: Int, _ bytes: UnsafeRawBufferPointer) -> String {
        String(decoding: bytes[start..<min(start + count, end)], as: UTF8.self)
    }
}

extension UnsafeRawBufferPointer {
    /// Where the bytes stop being UTF-8; `nil` when all of them are.
    var firstInvalidUTF8: Int? {
        var repaired = String(decoding: self, as: UTF8.self)
        return firstInvalidUTF8(as: &repaired)
    }

    /// The same, told by the text that these bytes were read as, repaired where they are no text.
    fileprivate func firstInvalidUTF8(as repaired: inout String) -> Int? {
        guard let base = baseAddress else { return nil }
        return repaired.withUTF8 { repaired in
            if repaired.count == count,
                memcmp(repaired.baseAddress.map { UnsafeRawPointer($0) } ?? base, base, count) == 0
            {
                return nil
            }
            return zip(self, repaired).enumerated().first { $0.element.0 != $0.element.1 }?.offset
                ?? count - 1
        }
    }
}
