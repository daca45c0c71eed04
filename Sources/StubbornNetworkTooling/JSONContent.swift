import Foundation
import StubbornNetwork

/// A JSON value, for programs that check bodies.
///
/// If a key is repeated, the last value counts.
@_spi(Tools) public enum JSONContent: Sendable {
    /// The value `null`.
    case null
    /// A Boolean value.
    case bool(Bool)
    /// A number as it is written, `1.0` or `1e400`.
    case number(String)
    /// A string without its escapes.
    case string(String)
    /// The elements of an array.
    case array([JSONContent])
    /// The members of an object.
    case object([String: JSONContent])

    /// Reads JSON text strictly.
    ///
    /// - Throws: An error that shows the line, and what was expected there.
    public init(_ text: Data) throws {
        do {
            self.init(try JSONText(reading: text))
        } catch let error as JSONSyntaxError {
            let line = text.prefix(error.offset).count { $0 == 0x0A } + 1
            throw SyntaxError(description: "Line \(line): expected \(error.expected).")
        }
    }

    private init(_ text: JSONText) {
        switch text {
        case .array(let elements): self = .array(elements.map { JSONContent($0) })
        case .object(let members): self = .object(Dictionary(members.map { ($0.name, JSONContent($0.value)) }) { $1 })
        case .scalar("null"): self = .null
        case .scalar("true"): self = .bool(true)
        case .scalar("false"): self = .bool(false)
        case .scalar(let text): self = text.hasPrefix("\"") ? .string(JSONText.unquoted(text)) : .number(text)
        }
    }

    private struct SyntaxError: Error, CustomStringConvertible {
        let description: String
    }
}
