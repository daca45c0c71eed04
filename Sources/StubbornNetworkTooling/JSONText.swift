import Foundation
import StubbornNetwork

/// JSON as a tree that keeps the order of members and the spelling of keys and values.
@_spi(Tools) public enum JSONText: Sendable, Hashable {
    /// A string, a number, a Boolean value or null, as it is written: `"Ada"`, `1.0`, `true`.
    case scalar(String)
    /// The elements of an array.
    case array([JSONText])
    /// The members of an object, in their order.
    case object([Member])

    /// A member of an object.
    public struct Member: Sendable, Hashable {
        /// The key as it is written, with its quotation marks.
        public let key: String
        /// The value.
        public var value: JSONText

        /// The key without its quotation marks and escapes.
        var name: String { JSONText.unquoted(key) }

        /// Creates a member.
        public init(key: String, value: JSONText) { (self.key, self.value) = (key, value) }
    }

    /// Reads JSON text strictly; `nil` for anything else.
    public init?(_ text: Data) {
        guard let value = try? JSONText(reading: text) else { return nil }
        self = value
    }

    /// Reads JSON text strictly, or throws a `JSONSyntaxError`.
    init(reading text: Data) throws {
        var open: [(isObject: Bool, key: String, members: [Member])] = []
        var (key, result) = ("", JSONText.scalar("null"))
        func add(_ value: JSONText) {
            guard let last = open.indices.last else { return result = value }
            open[last].members.append(Member(key: key, value: value))
        }
        try text.withBytes { bytes in
            let written = { (range: Range<Int>) in String(decoding: bytes[range], as: UTF8.self) }
            try JSONScanner.read(bytes) { content in
                switch content {
                case .key(_, let range): key = written(range)
                case .string(_, let range), .number(_, let range): add(.scalar(written(range)))
                case .bool(let value): add(.scalar("\(value)"))
                case .null: add(.scalar("null"))
                case .open(let container): open.append((container == .object, key, []))
                case .close:
                    guard let closed = open.popLast() else { return }
                    key = closed.key
                    add(closed.isObject ? .object(closed.members) : .array(closed.members.map(\.value)))
                }
            }
        }
        self = result
    }

    /// Returns a string without its quotation marks and escapes, and any other text unchanged.
    static func unquoted(_ text: String) -> String {
        if case .string(let unquoted)? = JSONValue(Data(text.utf8))?.content { unquoted } else { text }
    }

    /// The text, without white space.
    public var text: String {
        switch self {
        case .scalar(let text): text
        case .array(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { "\($0.key):\($0.value.text)" }.joined(separator: ",") + "}"
        }
    }
}
