import Foundation

/// The body of a GraphQL request, as a stub file holds it under `requestGraphQL`: JSON, with each `query` as an array of
/// lines.
///
///     {
///       "query" : [
///         "query User($id: ID!) {",
///         "  user(id: $id) { name }",
///         "}"
///       ],
///       "variables" : {
///         "id" : "42"
///       }
///     }
///
/// The body is one request, or an array of requests. The lines keep the spelling of their characters, and the reader joins
/// them with `\n`. So a body is read back as it was, without white space, like any other JSON.
enum GraphQLBody {
    /// Returns a Boolean value that indicates whether a JSON body is written like this.
    ///
    /// Each `query` must be a text. One of them must have several lines, and a brace, which tells GraphQL from SQL.
    static func matches(_ body: Data) -> Bool {
        body.withBytes { bytes in
            var (path, isGraphQL, hasLines) = (Path(), true, false)
            try? JSONScanner.read(bytes) { content in
                if case .string(_, let range) = content, path.isAtQuery {
                    let text = bytes.part(range)
                    hasLines = hasLines || (text.contains(.openingBrace) && lines(of: text).count > 1)
                } else if path.isAtQuery {
                    isGraphQL = false
                }
                path.move(past: content)
            }
            return isGraphQL && hasLines
        }
    }

    /// Writes a body that matches.
    static func write(_ body: Data, to writer: inout JSONWriter) {
        body.withBytes { bytes in
            var path = Path()
            try? JSONScanner.read(bytes) { content in
                if path.isAtQuery, case .string(_, let range) = content, case let lines = lines(of: bytes.part(range)),
                    lines.count > 1
                {
                    writer.array(lines) { $1.literal("\"\($0.text)\"") }
                } else {
                    writer.append(content, of: bytes)
                }
                path.move(past: content)
            }
        }
    }

    /// Returns the body, or any other JSON, that begins at the scanner's position without white space, and moves behind it.
    static func compact(_ scanner: inout JSONScanner) throws(JSONSyntaxError) -> Data {
        let bytes = scanner.bytes
        var (path, writer) = (Path(), JSONWriter(.compact))
        path.end = scanner.position
        // The lines of the query that is being read.
        var lines: [String]?
        try scanner.read { content throws(JSONSyntaxError) in
            switch content {
            case .open(.array) where path.isAtQuery: lines = []
            case .string(_, let range) where lines != nil:
                lines?.append(bytes.part(range.lowerBound + 1..<range.upperBound - 1).text)
            case .close where lines != nil:
                writer.literal("\"\((lines ?? []).joined(separator: "\\n"))\"")
                lines = nil
            case .string where path.isAtQuery: writer.append(content, of: bytes)
            case _ where lines != nil || path.isAtQuery:
                let offset = bytes.end(from: path.end) { $0.isJSONSpace || $0.isOne(of: lines == [] ? ":,[" : ":,") }
                throw .wrongType("text or an array of lines", under: "query", at: offset)
            default: writer.append(content, of: bytes)
            }
            path.move(past: content)
        }
        return writer.output
    }

    /// Returns the lines of a JSON string, which is given with its quotation marks, as they are spelled.
    private static func lines(of string: Bytes) -> [Bytes] {
        var lines: [Bytes] = []
        var (start, next) = (1, 1)
        while let backslash = string.position(of: .backslash, from: next) {
            next = backslash + 2
            guard string.at(backslash + 1) == .n else { continue }
            lines.append(string.part(start..<backslash))
            start = next
        }
        return lines + [string.part(start..<string.count - 1)]
    }

    /// The arrays and objects around a part of a body.
    private struct Path {
        private var containers: [JSONScanner.Container] = []

        /// A Boolean value that indicates whether the part is the value of a request's `query`.
        private(set) var isAtQuery = false

        /// The offset behind the last key, text or number.
        var end = 0

        mutating func move(past content: JSONScanner.Content) {
            isAtQuery = false
            switch content {
            case .key(let name, let range):
                end = range.upperBound
                isAtQuery = name == "query" && (containers == [.object] || containers == [.array, .object])
            case .open(let container): containers.append(container)
            case .close: containers.removeLast()
            case .string(_, let range), .number(_, let range): end = range.upperBound
            case .bool, .null: break
            }
        }
    }
}
