extension String {
    /// The text in quotes, as a Swift literal: control characters, quotes and backslashes escaped, cut with `…` so that
    /// it holds at most `byteCount` bytes between the quotes.
    package func quoted(upTo byteCount: Int = 256) -> String {
        var escaped = ""
        for scalar in unicodeScalars {
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
            if escaped.utf8.count > byteCount { break }
        }
        return "\"\(escaped.cut(to: byteCount))\""
    }

    /// A name in the place of a difference: on one line, whatever it holds.
    var escapedForPlace: String { String(quoted().dropFirst().dropLast()) }

    /// The text itself where it has at most `byteCount` bytes; otherwise its beginning and `…`, together no more.
    func cut(to byteCount: Int = 256) -> String {
        guard utf8.count > byteCount else { return self }
        let mark = "…"
        var room = byteCount - mark.utf8.count
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            room -= UTF8.width(scalar)
            if room < 0 { break }
            result.append(scalar)
        }
        return String(result) + mark
    }
}
