import Foundation

/// The strings of JSON, read and written, and the only table of their escapes (RFC 8259, section 7).
enum JSONString {
    /// Returns the letter that follows the backslash for a byte that has a short escape: `n` for a line feed.
    static func escape(of byte: UInt8) -> UInt8? {
        switch byte {
        case .quote, .backslash: byte
        case .lineFeed: .n
        case .carriageReturn: .r
        case .tab: .t
        default: nil
        }
    }

    /// Returns the byte that a letter after a backslash stands for; `nil` for `u` and for a letter without a meaning.
    static func byte(escapedBy letter: UInt8) -> UInt8? {
        switch letter {
        case .quote, .backslash, .slash: letter
        case .n: .lineFeed
        case .r: .carriageReturn
        case .t: .tab
        case .b: 0x08
        case .f: 0x0C
        default: nil
        }
    }

    // MARK: Reading

    /// Returns the text of a string, whose range includes the quotation marks.
    ///
    /// As Foundation does, it refuses control characters that are not escaped, unknown escapes, surrogates without
    /// their partner, and bytes that are not UTF-8. NUL may be written as an escape.
    static func text(of range: Range<Int>, hasEscapes: Bool, in bytes: Bytes) throws(JSONSyntaxError) -> String {
        let start = range.lowerBound + 1
        let content = bytes.part(start..<range.upperBound - 1)
        let plain = content.end(from: 0) { $0 >= .space }
        if plain < content.count {
            let expected = "control characters in text to be escaped"
            throw .init(at: start + plain, expected: expected, found: "U+00\(content[plain].hexText)")
        }
        var text = content.text
        if let offset = content.firstInvalidUTF8(readAs: &text) {
            throw .init(at: start + offset, expected: "UTF-8 text", found: "the byte 0x\(content[offset].hexText)")
        }
        guard hasEscapes else { return text }
        let unescaped = try unescape(content) { error throws(JSONSyntaxError) in
            throw JSONSyntaxError(at: start + error.offset, expected: error.expected, found: error.found)
        }
        return String(decoding: unescaped, as: UTF8.self)
    }

    /// Returns the bytes that the content of a string stands for.
    ///
    /// An unknown escape becomes its letter, an incomplete `\u` is unchanged, and a surrogate without its partner
    /// becomes U+FFFD.
    static func unescapedLeniently(_ content: Bytes) -> [UInt8] { unescape(content) { _ in } }

    /// Returns the content of a string with its escapes decoded.
    ///
    /// When `report` does not throw for a fault, the bytes of the fault are kept.
    private static func unescape<Failure: Error>(
        _ content: Bytes,
        _ report: (JSONSyntaxError) throws(Failure) -> Void
    ) throws(Failure) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(content.count)
        var position = 0
        while let backslash = content.position(of: .backslash, from: position) {
            output.append(contentsOf: content.part(position..<backslash))
            if let (character, count) = character(in: content, at: backslash) {
                output.append(contentsOf: character.utf8)
                position = backslash + count
            } else if codeUnit(content, at: backslash) != nil {
                position = backslash + 6
                let found = "\(content.part(backslash..<position).text) alone"
                let expected = "a pair of surrogates such as \\ud83d\\ude00"
                try report(JSONSyntaxError(at: backslash, expected: expected, found: found))
                output.append(contentsOf: "\u{FFFD}".utf8)
            } else {
                position = backslash + 2
                let letter = content.at(backslash + 1)
                let excerpt = content.part(backslash..<backslash + (letter == .u ? 6 : 2))
                try report(.escape(excerpt.text, at: backslash))
                if letter == .u || position > content.count { output.append(.backslash) }
                if position <= content.count { output.append(letter) }
            }
        }
        output.append(contentsOf: content.part(Swift.min(position, content.count)..<content.count))
        return output
    }

    /// Returns the character of the escape at an offset, and the length of the escape; `nil` for an unknown or incomplete one, and
    /// for a surrogate without its partner.
    static func character(in content: Bytes, at backslash: Int) -> (character: Unicode.Scalar, count: Int)? {
        guard let unit = codeUnit(content, at: backslash) else {
            return byte(escapedBy: content.at(backslash + 1)).map { (Unicode.Scalar($0), 2) }
        }
        if let character = Unicode.Scalar(unit) { return (character, 6) }
        guard UTF16.isLeadSurrogate(unit), let low = codeUnit(content, at: backslash + 6), UTF16.isTrailSurrogate(low)
        else { return nil }
        return (UTF16.decode(UTF16.EncodedScalar([unit, low])), 12)
    }

    /// Returns the UTF-16 code unit of the escape `\u0041`; `nil` if there is none.
    private static func codeUnit(_ content: Bytes, at backslash: Int) -> UInt16? {
        guard content.has("\\u", at: backslash), let high = content.hexByte(at: backslash + 2),
            let low = content.hexByte(at: backslash + 4)
        else { return nil }
        return UInt16(high) << 8 | UInt16(low)
    }

    // MARK: Writing

    /// Writes a text as a string, with its quotation marks.
    static func append(_ text: String, to output: inout [UInt8]) {
        output.append(.quote)
        text.withBytes { appendContent($0, to: &output) }
        output.append(.quote)
    }

    /// Returns a text as the content of a string, as `appendContent` writes it.
    static func escaped(_ text: [UInt8], escapesSlashes: Bool = false) -> [UInt8] {
        var result: [UInt8] = []
        text.withUnsafeBufferPointer { appendContent($0, escapesSlashes: escapesSlashes, to: &result) }
        return result
    }

    /// Returns a text as the content of a string, with the escapes of another string: `a/b` as `a\/b` in place of
    /// `c\/d`.
    ///
    /// A character that the other string does not escape is written as `appendContent` does.
    static func escaped(_ text: [UInt8], inPlaceOf other: Bytes) -> [UInt8] {
        let escapes = unusualEscapes(in: other)
        guard !escapes.isEmpty else { return escaped(text) }
        var result: [UInt8] = []
        var rest = String(decoding: text, as: UTF8.self).unicodeScalars[...]
        while let index = rest.firstIndex(where: { escapes[$0] != nil }) {
            result += escaped(Array(String(rest[..<index]).utf8)) + (escapes[rest[index]] ?? [])
            rest = rest[rest.index(after: index)...]
        }
        return result + escaped(Array(String(rest).utf8))
    }

    /// Returns the escapes in the content of a string that `appendContent` would not write, by their characters.
    private static func unusualEscapes(in content: Bytes) -> [Unicode.Scalar: [UInt8]] {
        var result: [Unicode.Scalar: [UInt8]] = [:]
        var position = 0
        while let backslash = content.position(of: .backslash, from: position) {
            let escape = character(in: content, at: backslash)
            position = backslash + (escape?.count ?? 2)
            if let escape { result[escape.character] = Array(content.part(backslash..<position)) }
        }
        return result.filter { escaped(Array(String($0.key).utf8)) != $0.value }
    }

    /// Writes a text as the content of a string.
    ///
    /// Only quotation marks, backslashes and control characters are escaped; some other writers also escape `/`.
    static func appendContent(_ text: Bytes, escapesSlashes: Bool = false, to output: inout [UInt8]) {
        var start = 0
        for offset in 0..<text.count {
            let byte = text[offset]
            guard byte < .space || byte == .quote || byte == .backslash || (escapesSlashes && byte == .slash) else {
                continue
            }
            output.append(contentsOf: text.part(start..<offset))
            start = offset + 1
            output.append(.backslash)
            if let letter = byte == .slash ? byte : escape(of: byte) {
                output.append(letter)
            } else {
                output.append(contentsOf: [.u, .zero, .zero] + byte.hexDigits(lowercase: true))
            }
        }
        output.append(contentsOf: text.part(start..<text.count))
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The offset at which the bytes stop being UTF-8; `nil` when all of them are.
    var firstInvalidUTF8: Int? {
        var text = text
        return firstInvalidUTF8(readAs: &text)
    }

    /// Returns this offset, found by comparing the bytes with the text that `text` returned for them.
    fileprivate func firstInvalidUTF8(readAs text: inout String) -> Int? {
        guard let base = baseAddress else { return nil }
        return text.withUTF8 { repaired in
            if repaired.count == count, memcmp(repaired.baseAddress ?? base, base, count) == 0 { return nil }
            return zip(self, repaired).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? count - 1
        }
    }
}
