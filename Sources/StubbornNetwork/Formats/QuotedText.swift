import Foundation

extension String {
    /// Returns the text in quotation marks, as a Swift literal.
    ///
    /// Control characters, quotation marks and backslashes are escaped. A long text is cut, and ends with `…`. Neither
    /// a character nor an escape is cut in two.
    package func quoted(upTo byteCount: Int = 256) -> String {
        let mark = "…"
        var (escaped, fitting) = ("", 0)
        for character in self {
            for scalar in character.unicodeScalars { Self.append(scalar, to: &escaped) }
            if escaped.utf8.count > byteCount {
                return "\"\(String(decoding: escaped.utf8.prefix(fitting), as: UTF8.self))\(mark)\""
            }
            if escaped.utf8.count <= byteCount - mark.utf8.count { fitting = escaped.utf8.count }
        }
        return "\"\(escaped)\""
    }

    /// Adds a character with the escapes of JSON, but with `\u{7f}` for a control character that has no short one.
    private static func append(_ scalar: Unicode.Scalar, to escaped: inout String) {
        // A character outside ASCII becomes a byte without an escape.
        let byte = UInt8(clamping: scalar.value)
        if let letter = JSONString.escape(of: byte) {
            escaped += "\\" + String(Unicode.Scalar(letter))
        } else if byte.isControl {
            escaped += "\\u{\(String(byte, radix: 16))}"
        } else {
            escaped.unicodeScalars.append(scalar)
        }
    }

    /// The text on one line, as `quoted()` returns it between quotation marks.
    var onOneLine: String { String(quoted().dropFirst().dropLast()) }

    /// A Boolean value that indicates whether the text holds no control characters but tabs and line breaks.
    var isPlainText: Bool { utf8.allSatisfy { $0.isJSONSpace || !$0.isControl } }

    /// Returns the text, cut to at most `byteCount` bytes.
    package func cut(to byteCount: Int = 256) -> String {
        let mark = "…"
        return utf8.count > byteCount ? prefix(ofByteCount: byteCount - mark.utf8.count) + mark : self
    }

    /// Returns the longest prefix of whole characters that fits into a number of bytes.
    func prefix(ofByteCount byteCount: Int) -> Substring {
        var room = byteCount
        return prefix { character in
            room -= character.utf8.count
            return room >= 0
        }
    }
}

extension Int {
    /// Returns the number with a noun: `1 byte`, `2 bytes`.
    package func counting(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}

/// Texts that differ, but that people cannot distinguish: a space and a no-break space, a Latin and a Cyrillic `a`.
enum LookAlikes {
    /// Returns two texts with escapes in place of the characters outside ASCII; `nil` for texts that do not look alike.
    ///
    ///     "50\u{a0}km" and "50 km"       an escape in the first one
    ///     "50 km" and "50 m"             nil
    static func escaped(_ first: String, _ second: String) -> (first: String, second: String)? {
        guard !first.utf8.elementsEqual(second.utf8), appearance(of: first) == appearance(of: second) else {
            return nil
        }
        return (escaped(first), escaped(second))
    }

    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { $0.isASCII ? String($0) : "\\u{\(String($0.value, radix: 16))}" }.joined()
    }

    /// Returns the visible characters, with one character for all that look the same.
    private static func appearance(of text: String) -> [Unicode.Scalar] {
        text.decomposedStringWithCompatibilityMapping.unicodeScalars.compactMap { scalar in
            if scalar.properties.isDefaultIgnorableCodePoint { return nil }
            return scalar.properties.isWhitespace ? " " : latin[scalar] ?? scalar
        }
    }

    /// The Cyrillic and Greek letters that look like Latin ones (Unicode Technical Standard 39, section 4).
    private static let latin = Dictionary(
        uniqueKeysWithValues: zip(
            "аеорсухіјѕһԁԛԝАВЕКМНОРСТХІЈЅΑΒΕΖΗΙΚΜΝΟΡΤΥΧο".unicodeScalars,
            "aeopcyxijshdqwABEKMHOPCTXIJSABEZHIKMNOPTYXo".unicodeScalars
        )
    )
}
