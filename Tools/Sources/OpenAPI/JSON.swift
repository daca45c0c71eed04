import Foundation
@_spi(Tools) import StubbornNetworkTooling

typealias JSON = JSONContent

extension JSON {
    var members: [String: JSON]? {
        if case .object(let members) = self { members } else { nil }
    }

    var elements: [JSON]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    var number: DecimalNumber? {
        if case .number(let digits) = self { DecimalNumber(digits) } else { nil }
    }

    var isTrue: Bool {
        if case .bool(true) = self { true } else { false }
    }

    var isNull: Bool {
        if case .null = self { true } else { false }
    }

    subscript(key: String) -> JSON? { members?[key] }

    /// The name of the type in JSON Schema, other than `integer`.
    var typeName: String {
        switch self {
        case .null: "null"
        case .bool: "boolean"
        case .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }

    /// The value in a single spelling for all equal values: numbers by their value, strings by their code points.
    ///
    /// In Swift, strings are equal if they are equivalent in Unicode; JSON Schema compares code points instead.
    var canonical: Data { Data(spelling.utf8) }

    private var spelling: String {
        switch self {
        case .null, .bool: shown
        case .number(let digits): "\(DecimalNumber(digits));"
        case .string(let text): Self.spelling(text)
        case .array(let elements): "[" + elements.map(\.spelling).joined() + "]"
        case .object(let members):
            "{" + members.sorted { $0.key < $1.key }.map { Self.spelling($0) + $1.spelling }.joined() + "}"
        }
    }

    private static func spelling(_ text: String) -> String { "\"\(text.utf8.count):\(text)" }

    /// Returns a Boolean value that indicates whether two values are the same for JSON Schema.
    func equals(_ other: JSON) -> Bool { typeName == other.typeName && canonical == other.canonical }

    /// The value as a message shows it, cut to a length that fits on a line.
    var shown: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let digits): digits.cut(to: 40)
        case .string(let text): "\"\(text.cut(to: 40))\""
        case .array(let elements): elements.isEmpty ? "[]" : "an array"
        case .object: "an object"
        }
    }
}

extension String {
    func cut(to length: Int) -> String { count > length ? "\(prefix(length - 1))…" : self }
}
