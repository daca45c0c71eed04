import Foundation

/// Percent-encoding (RFC 3986, section 2): the only decoder and encoder, and the canonical spelling for comparisons.
package enum PercentEncoding {
    /// Returns the decoded bytes.
    ///
    /// A `%` without two digits after it is kept. If `plusAsSpace` is `true`, `+` stands for a space, as in a form.
    static func decoded(_ bytes: Bytes, plusAsSpace: Bool = false) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var position = 0
        while position < bytes.count { result.append(read(bytes, at: &position, plusAsSpace: plusAsSpace).byte) }
        return result
    }

    /// Returns the byte at a position, decoded if it is escaped, and moves past it.
    private static func read(
        _ bytes: Bytes,
        at position: inout Int,
        plusAsSpace: Bool
    ) -> (byte: UInt8, isEscaped: Bool) {
        if let byte = byte(in: bytes, at: position) {
            position += 3
            return (byte, true)
        }
        let byte = bytes[position]
        position += 1
        return (plusAsSpace && byte == .plus ? .space : byte, false)
    }

    /// Returns the decoded text.
    ///
    /// Bytes that are not UTF-8 become U+FFFD: this is for showing, not for comparing.
    package static func decoded(_ text: String) -> String {
        text.withBytes { bytes in
            bytes.contains(.percent) ? String(decoding: decoded(bytes), as: UTF8.self) : text
        }
    }

    /// Returns the byte that an escape stands for; `nil` if there is no escape.
    static func byte(in bytes: Bytes, at position: Int) -> UInt8? {
        bytes.at(position) == .percent ? bytes.hexByte(at: position + 1) : nil
    }

    /// Returns the bytes, with everything encoded except the unreserved characters (RFC 3986, section 2.3) and `kept`.
    static func encoded(
        _ bytes: some Sequence<UInt8>,
        keeping kept: some Collection<UInt8> = "".utf8,
        spaceAsPlus: Bool = false
    ) -> [UInt8] {
        bytes.flatMap { byte -> [UInt8] in
            switch byte {
            case _ where byte.isUnreserved || kept.contains(byte): [byte]
            case .space where spaceAsPlus: [.plus]
            default: escape(byte)
            }
        }
    }

    /// Returns the bytes, each spelled as in another text: `a/b` is `a%2fb` in place of `c%2fd`, and `a/b` in place of `c/d`.
    ///
    /// A byte that is missing in the other text is encoded, unless that text encodes nothing and the byte is allowed in a query.
    static func encoded(_ bytes: [UInt8], inPlaceOf other: Bytes, plusAsSpace: Bool) -> [UInt8] {
        var spellings = [Bytes?](repeating: nil, count: 256)
        var isEncoded = false
        var position = 0
        while position < other.count {
            let start = position
            let (byte, isEscaped) = read(other, at: &position, plusAsSpace: plusAsSpace)
            if isEscaped || spellings[Int(byte)] == nil { spellings[Int(byte)] = other.part(start..<position) }
            isEncoded = isEncoded || isEscaped || byte != other[start]
        }
        let kept = (isEncoded ? "" : "/:@!$'()*+,;=?&{}[]\"%#").utf8
        return bytes.flatMap { byte in spellings[Int(byte)].map { Array($0) } ?? encoded([byte], keeping: kept) }
    }

    private static func escape(_ byte: UInt8) -> [UInt8] { [.percent] + byte.hexDigits() }

    // MARK: The one spelling

    /// A part of a URL, which determines the characters that are unchanged.
    enum Part {
        /// The characters of a path are kept; `?` and characters that are not allowed in a URL are encoded.
        case path
        /// The characters of a path and `?` are unchanged.
        case query
        /// Only unreserved characters are kept, and `+` is a space: the spelling of form fields.
        case form
    }

    /// Returns the canonical spelling of a text, so that equal texts have equal bytes.
    ///
    /// Unreserved characters are decoded, and hexadecimal digits are in upper case. Characters that are not allowed in a URL are
    /// encoded: spaces, brackets, bytes above ASCII, and a `%` without two digits.
    ///
    /// `%7euser/%c3%a4 ä` becomes `~user/%C3%A4%20%C3%A4`. In a query, `%3A` also becomes `:`, but `%2B`, `%26` and `%3D` are
    /// kept, because `+`, `&` and `=` have a meaning there.
    static func normalized(_ bytes: Bytes, as part: Part) -> String {
        if bytes.end(from: 0, while: { isPlain($0, in: part) }) == bytes.count { return bytes.text }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 16)
        var position = 0
        while position < bytes.count {
            let (byte, isEscaped) = read(bytes, at: &position, plusAsSpace: part == .form)
            if isEscaped ? isSameWithoutEscape(byte, in: part) : isPlain(byte, in: part) {
                result.append(byte)
            } else {
                result += escape(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns the canonical spelling of a text.
    static func normalized(_ text: String, as part: Part) -> String {
        text.withBytes { normalized($0, as: part) }
    }

    /// Returns a field's name or value, given as plain text, in the spelling of form fields.
    static func encodedField(_ text: String) -> String {
        String(decoding: encoded(text.utf8), as: UTF8.self)
    }

    /// Returns a Boolean value that indicates whether an escape in a part means the same as the character itself.
    private static func isSameWithoutEscape(_ byte: UInt8, in part: Part) -> Bool {
        switch (part, byte) {
        case (.query, .plus), (.query, .ampersand), (.query, .equals): false
        case (.query, _): isPlain(byte, in: part)
        case (.path, _), (.form, _): byte.isUnreserved
        }
    }

    private static func isPlain(_ byte: UInt8, in part: Part) -> Bool {
        if byte.isUnreserved { return true }
        return switch byte {
        case .slash, .colon, .at, .ampersand, .apostrophe, .plus, .comma, .semicolon, .equals: part != .form
        case 0x21, 0x24, 0x28, 0x29, 0x2A: part != .form  // ! $ ( ) *
        case .questionMark: part == .query
        default: false
        }
    }

    /// Returns a URL, or the rest after its host, with the invalid characters encoded; `nil` if there are none.
    ///
    /// The host, and the user in front of it, are unchanged.
    fileprivate static func encodedInvalid(_ bytes: Bytes) -> String? {
        let start = URLFields(bytes).path.lowerBound
        let fragment = bytes.position(of: .numberSign, from: start)
        let invalid = (start..<bytes.count).filter { position in
            position != fragment && !isPlain(bytes[position], in: .query) && byte(in: bytes, at: position) == nil
        }
        let edits = invalid.map { Edit(range: $0..<$0 + 1, text: escape(bytes[$0])) }
        return Edit.apply(edits, to: bytes).map { String(decoding: $0, as: UTF8.self) }
    }
}

// URLs from other programs.
extension URL {
    /// Creates a URL from the text of another program, and encodes only the characters that are not allowed in a URL.
    ///
    /// If one character is invalid, `URL(string:)` encodes the whole path or query again, with each `%` in it:
    /// `?filter[name]=a%20b` becomes `?filter%5Bname%5D=a%2520b` there, and `?filter%5Bname%5D=a%20b` here. A `%` without
    /// two hexadecimal digits becomes `%25`.
    package init?(encodingOnlyInvalid text: String) {
        // Without a `%` nothing can be encoded twice.
        let encoded = text.withBytes { $0.contains(.percent) ? PercentEncoding.encodedInvalid($0) : nil }
        self.init(string: encoded ?? text)
    }
}
