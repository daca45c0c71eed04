import Foundation
import StubbornNetwork

/// A JSON value, for programs that judge bodies.
///
/// Text is read as the library reads it everywhere. Of equal keys the last one counts.
@_spi(Tools) public enum JSONContent: Sendable {
    /// The value `null`.
    case null
    /// A truth value.
    case bool(Bool)
    /// A number as it is written, `1.0` or `1e400`.
    case number(String)
    /// A text without its escapes.
    case string(String)
    /// The elements of an array.
    case array([JSONContent])
    /// The members of an object.
    case object([String: JSONContent])

    /// Reads JSON text strictly.
    ///
    /// - Throws: An error that describes itself by the line and what was expected there.
    public init(_ text: Data) throws {
        var open: [Container] = []
        var (key, result) = ("", JSONContent.null)
        func add(_ value: JSONContent) {
            guard let last = open.indices.last else { return result = value }
            if open[last].isObject { open[last].members[key] = value } else { open[last].elements.append(value) }
        }
        do {
            try text.withBytes { bytes in
                try JSONScanner.read(bytes) { content in
                    switch content {
                    case .key(let text, _): key = text
                    case .string(let text, _): add(.string(text))
                    case .number(_, let range): add(.number(String(decoding: bytes[range], as: UTF8.self)))
                    case .bool(let value): add(.bool(value))
                    case .null: add(.null)
                    case .open(let container): open.append(Container(isObject: container == .object, key: key))
                    case .close:
                        guard let container = open.popLast() else { return }
                        key = container.key
                        add(container.isObject ? .object(container.members) : .array(container.elements))
                    }
                }
            }
        } catch let error as JSONSyntaxError {
            let line = text.prefix(error.offset).count { $0 == 0x0A } + 1
            throw SyntaxError(description: "Line \(line): expected \(error.expected).")
        }
        self = result
    }

    /// An array or an object that is not read to its end.
    private struct Container {
        let isObject: Bool
        /// The key that it has in the object around it.
        let key: String
        var elements: [JSONContent] = []
        var members: [String: JSONContent] = [:]
    }

    private struct SyntaxError: Error, CustomStringConvertible {
        let description: String
    }
}
