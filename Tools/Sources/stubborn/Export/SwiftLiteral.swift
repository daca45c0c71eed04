import Foundation
@_spi(Tools) import StubbornNetworkTooling

/// Swift source for values.
enum SwiftLiteral {
    /// Returns a string literal that stands for a string.
    static func text(_ text: String) -> String {
        let isLong = text.contains("\n") && !text.contains("\r")
        let marks = String(repeating: "#", count: hashCount(text))
        let escape = "\\" + marks
        let body = text.unicodeScalars.map { scalar -> String in
            switch scalar {
            case "\n": isLong ? "\n" : escape + "n"
            case "\r": escape + "r"
            case "\t": isLong ? "\t" : escape + "t"
            case _ where isInvisible(scalar): escape + "u{" + String(scalar.value, radix: 16) + "}"
            default: String(scalar)
            }
        }.joined()
        return isLong ? "\(marks)\"\"\"\n\(body)\n\"\"\"\(marks)" : "\(marks)\"\(body)\"\(marks)"
    }

    /// Returns a Boolean value that indicates whether a character is invisible, or changes the order of the characters around it.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        [.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
    }

    /// Returns the number of `#` that a literal needs, so that the string contains neither an escape nor the end of the
    /// literal.
    private static func hashCount(_ text: String) -> Int {
        let bytes = Array(text.utf8)
        let marks = bytes.indices.filter { bytes[$0] == UInt8(ascii: "\"") || bytes[$0] == UInt8(ascii: "\\") }
        return marks.map { bytes[($0 + 1)...].prefix { $0 == UInt8(ascii: "#") }.count + 1 }.max() ?? 0
    }

    /// Returns an expression for bytes.
    static func data(_ data: Data) -> String {
        if let text = String(data: data, encoding: .utf8), Data(text.utf8) == data, !text.contains("\0") {
            return "Data(\(self.text(text)).utf8)"
        }
        return "Data(base64Encoded: \"\(data.base64EncodedString())\") ?? Data()"
    }

    /// Returns a literal of mixed types for JSON; `nil` for other bytes, for long JSON, and for numbers that Swift
    /// cannot represent.
    static func json(_ data: Data) -> String? {
        data.count <= 2_000 ? JSONText(data).flatMap(literal) : nil
    }

    private static func literal(_ json: JSONText) -> String? {
        switch json {
        case .scalar("null"): return "nil"
        case .scalar(let text):
            return json.string.map(self.text) ?? (text == "true" || text == "false" || Int(text) != nil ? text : nil)
        case .array(let elements):
            let literals = elements.compactMap(literal)
            return literals.count == elements.count ? "[\(literals.joined(separator: ", "))]" : nil
        case .object(let members):
            // A literal with a repeated key would crash.
            guard Set(members.map(\.name)).count == members.count else { return nil }
            let pairs = members.compactMap { member in
                literal(member.value).map { "\(self.text(member.name)): \($0)" }
            }
            guard pairs.count == members.count else { return nil }
            return members.isEmpty ? "[:]" : "[\(pairs.joined(separator: ", "))]"
        }
    }
}
