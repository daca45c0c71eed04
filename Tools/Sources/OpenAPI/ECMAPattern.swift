import Foundation

/// A regular expression of JSON Schema, in the syntax of ECMAScript (ECMA-262, section 22.2).
///
/// Foundation gives some signs a different meaning, so the pattern is translated: `\d`, `\w` and `\s` have ECMAScript's
/// meaning, `$` matches only at the end of the string, and `[`, `{` and `}` may stand for themselves. One difference
/// remains: for `\b`, a letter of any script belongs to a word.
struct ECMAPattern {
    /// The result of a search; `tooComplex` is a search that would take too long, or too much memory.
    enum Outcome { case found, missing, tooComplex }

    private let expression: NSRegularExpression

    /// Creates a pattern; `nil` for a string that is not a regular expression.
    init?(_ pattern: String) {
        guard let expression = try? NSRegularExpression(pattern: Self.translated(pattern)) else { return nil }
        self.expression = expression
    }

    /// The number of reports of progress after which a search ends.
    ///
    /// There is one report for about 10,000 steps, so the search ends at the same point on every machine.
    private static let patience = 1_000

    /// Searches for the pattern in a string.
    func search(in text: String) -> Outcome {
        var outcome = Outcome.missing
        var progress = 0
        let range = NSRange(location: 0, length: text.utf16.count)
        expression.enumerateMatches(in: text, options: [.reportProgress, .reportCompletion], range: range) {
            match,
            flags,
            stop in
            if match != nil {
                outcome = .found
                stop.pointee = true
            } else if flags.contains(.internalError) {
                outcome = .tooComplex
            } else if flags.contains(.progress) {
                progress += 1
                guard progress > Self.patience else { return }
                outcome = .tooComplex
                stop.pointee = true
            }
        }
        return outcome
    }

    private static let classes: [Character: String] = [
        "d": "[0-9]", "D": "[^0-9]", "w": "[A-Za-z0-9_]", "W": "[^A-Za-z0-9_]",
        "s": "[\\t\\n\\x0B\\f\\r\\uFEFF\\u2028\\u2029\\p{Zs}]", "S": "[^\\t\\n\\x0B\\f\\r\\uFEFF\\u2028\\u2029\\p{Zs}]",
    ]

    /// The categories that Foundation knows only by their short names.
    private static let categories = [
        "Letter": "L", "Uppercase_Letter": "Lu", "Lowercase_Letter": "Ll", "Titlecase_Letter": "Lt",
        "Modifier_Letter": "Lm",
        "Other_Letter": "Lo", "Mark": "M", "Number": "N", "Decimal_Number": "Nd", "digit": "Nd", "Letter_Number": "Nl",
        "Punctuation": "P", "punct": "P", "Symbol": "S", "Math_Symbol": "Sm", "Currency_Symbol": "Sc", "Separator": "Z",
        "Space_Separator": "Zs", "Other": "C", "Control": "Cc", "cntrl": "Cc",
    ]

    private static func translated(_ pattern: String) -> String {
        let source = Array(pattern.unicodeScalars.map(Character.init))
        var result = ""
        var position = 0
        var isInClass = false
        func isNext(_ text: String) -> Bool { source[position...].starts(with: Array(text)) }
        while position < source.count {
            let character = source[position]
            switch character {
            case "\\":
                position += 1
                guard position < source.count else { return result + "\\" }
                result += escape(source, &position)
                continue
            case "[" where isInClass: result += "\\["
            case "[" where isNext("[]"):
                result += "(?!)"
                position += 1
            case "[" where isNext("[^]"):
                result += "[\\s\\S]"
                position += 2
            case "[":
                isInClass = true
                result += "["
            case "]" where isInClass:
                isInClass = false
                result += "]"
            case "]": result += "\\]"
            case "&" where isInClass: result += "\\&"
            case "$" where !isInClass: result += "\\z"
            case "." where !isInClass: result += "[^\\n\\r\\u2028\\u2029]"
            case "{" where !isInClass:
                let end = source[position...].firstIndex(of: "}")
                let count = end.map { String(source[position + 1..<$0]) } ?? ""
                if let end, isCount(count) {
                    result += "{\(count)}"
                    position = end
                } else {
                    result += "\\{"
                }
            case "}" where !isInClass: result += "\\}"
            default: result.append(character)
            }
            position += 1
        }
        return result
    }

    /// Returns a Boolean value that indicates whether a string is the inside of a quantifier: `2`, `2,`, `2,3`.
    private static func isCount(_ text: String) -> Bool {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        return parts.count <= 2 && !parts[0].isEmpty && parts.joined().allSatisfy { $0.isASCII && $0.isNumber }
    }

    /// Returns an escape, and moves past it; the position is after the backslash.
    private static func escape(_ source: [Character], _ position: inout Int) -> String {
        let character = source[position]
        position += 1
        if let text = classes[character] { return text }
        if character == "p" || character == "P", position < source.count, source[position] == "{",
            let end = source[position...].firstIndex(of: "}")
        {
            defer { position = end + 1 }
            let name = String(source[position + 1..<end])
            let category = name.split(separator: "=").last.map(String.init) ?? name
            return "\\\(character){\(categories[category] ?? name)}"
        }
        if character == "0" { return "\\x00" }
        guard character == "u" else { return "\\\(character)" }
        if position < source.count, source[position] == "{", let end = source[position...].firstIndex(of: "}") {
            defer { position = end + 1 }
            return "\\x{\(String(source[position + 1..<end]))}"
        }
        func unit(_ start: Int) -> UInt32? {
            guard start + 4 <= source.count else { return nil }
            return UInt32(String(source[start..<start + 4]), radix: 16)
        }
        guard let high = unit(position) else { return "u" }
        position += 4
        // Two escapes may be the halves of one character.
        if (0xD800..<0xDC00).contains(high), position + 6 <= source.count, source[position] == "\\",
            source[position + 1] == "u", let low = unit(position + 2), (0xDC00..<0xE000).contains(low)
        {
            position += 6
            return "\\x{\(String(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00), radix: 16))}"
        }
        return "\\u" + String(repeating: "0", count: 4 - String(high, radix: 16).count) + String(high, radix: 16)
    }
}
