import Foundation

/// Swift source for values.
enum SwiftLiteral {
    /// Returns a string literal that stands for a text.
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

    /// Returns a Boolean value that indicates whether a character cannot be seen, or changes the order of those around it.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        [.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
    }

    /// Returns the number of `#` with which nothing in a text is an escape or the end of the literal.
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

    /// Returns a literal of mixed types for JSON; `nil` for other bytes, and for JSON that is long or has numbers that
    /// Swift does not.
    static func json(_ data: Data) -> String? {
        guard data.count <= 2_000, let value = try? JSONDecoder().decode(JSONNode.self, from: data) else { return nil }
        return value.literal
    }
}

/// JSON as a tree.
private indirect enum JSONNode: Decodable {
    case null
    case bool(Bool)
    case integer(Int)
    case string(String)
    case array([JSONNode])
    case object([String: JSONNode])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONNode].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONNode].self))
        }
    }

    var literal: String {
        switch self {
        case .null: return "nil"
        case .bool(let value): return "\(value)"
        case .integer(let value): return "\(value)"
        case .string(let value): return SwiftLiteral.text(value)
        case .array(let values): return "[" + values.map(\.literal).joined(separator: ", ") + "]"
        case .object(let members):
            if members.isEmpty { return "[:]" }
            let sorted = members.sorted { $0.key < $1.key }
            return "[" + sorted.map { "\(SwiftLiteral.text($0.key)): \($0.value.literal)" }.joined(separator: ", ")
                + "]"
        }
    }
}
