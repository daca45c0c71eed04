extension String {
    /// The text in quotes, as a Swift literal: control characters, quotes and backslashes escaped, cut with `…` so that
    /// it holds at most `byteCount` bytes between the quotes. Neither a character nor an escape is cut in two.
    package func quoted(upTo byteCount: Int = 256) -> String {
        let mark = "…"
        var escaped = ""
        var fitting = 0
        for character in self {
            for scalar in character.unicodeScalars {
                Self.append(scalar, to: &escaped)
                if escaped.utf8.count > byteCount { break }
            }
            if escaped.utf8.count > byteCount { return "\"\(escaped.utf8.prefix(fitting).text)\(mark)\"" }
            if escaped.utf8.count <= byteCount - mark.utf8.count { fitting = escaped.utf8.count }
        }
        return "\"\(escaped)\""
    }

    private static func append(_ scalar: Unicode.Scalar, to escaped: inout String) {
        switch scalar {
        case "\"": escaped += "\\\""
        case "\\": escaped += "\\\\"
        case "\n": escaped += "\\n"
        case "\r": escaped += "\\r"
        case "\t": escaped += "\\t"
        case _ where scalar.value < 0x20 || scalar.value == 0x7F:
            escaped += "\\u{\(String(scalar.value, radix: 16))}"
        default: escaped.unicodeScalars.append(scalar)
        }
    }

    /// Whether it holds no control characters but tabs and line breaks.
    var isPlainText: Bool {
        utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || [0x09, 0x0A, 0x0D].contains($0) }
    }

    /// A name in the place of a difference: on one line, whatever it holds.
    var escapedForPlace: String { String(quoted().dropFirst().dropLast()) }

    /// The text itself where it has at most `byteCount` bytes; otherwise its beginning and `…`, together no more. No
    /// character is cut in two.
    func cut(to byteCount: Int = 256) -> String {
        guard utf8.count > byteCount else { return self }
        let mark = "…"
        var room = byteCount - mark.utf8.count
        var result = ""
        for character in self {
            room -= character.utf8.count
            if room < 0 { break }
            result.append(character)
        }
        return result + mark
    }
}

extension Substring.UTF8View {
    fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}
