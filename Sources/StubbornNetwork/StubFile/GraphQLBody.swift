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
                switch content {
                case .string(_, let range) where path.isAtQuery:
                    let text = bytes.part(range)
                    hasLines = hasLines || (text.contains(.openingBrace) && lines(of: text).count > 1)
                case .open(.object) where path.isInBatch, .close where path.isInBatch: break
                case _ where path.isInBatch || path.isAtQuery: isGraphQL = false
                default: break
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

    /// Returns the body that begins at the scanner's position without white space, and moves behind it.
    static func compact(_ scanner: inout JSONScanner) throws(JSONSyntaxError) -> Data {
        var writer = JSONWriter(.compact)
        if scanner.current == .openingBracket {
            try readElements(of: .array, &scanner, &writer, readRequest)
        } else {
            try readRequest(&scanner, &writer)
        }
        return writer.output
    }

    private static func readRequest(_ scanner: inout JSONScanner, _ writer: inout JSONWriter) throws(JSONSyntaxError) {
        guard scanner.current == .openingBrace else {
            throw .wrongType("an object", under: "requestGraphQL", at: scanner.position)
        }
        try readElements(of: .object, &scanner, &writer) { scanner, writer throws(JSONSyntaxError) in
            let bytes = scanner.bytes
            let key = try scanner.skipKey()
            let name = try text(key, in: bytes)
            writer.append(.key(name, key.range), of: bytes)
            if name == "query" {
                try readQuery(&scanner, &writer)
            } else {
                try scanner.read { writer.append($0, of: bytes) }
            }
        }
    }

    private static func readQuery(_ scanner: inout JSONScanner, _ writer: inout JSONWriter) throws(JSONSyntaxError) {
        let bytes = scanner.bytes
        var lines: [String] = []
        func readLine(_ scanner: inout JSONScanner) throws(JSONSyntaxError) {
            let value = try scanner.skipValue(depth: 0)
            guard case .string = value.kind else {
                throw .wrongType("text or an array of lines", under: "query", at: value.range.lowerBound)
            }
            _ = try text(value, in: bytes)
            lines.append(bytes.part(value.range.lowerBound + 1..<value.range.upperBound - 1).text)
        }
        if scanner.current == .openingBracket {
            var unused = JSONWriter(.compact)
            try readElements(of: .array, &scanner, &unused) { scanner, _ throws(JSONSyntaxError) in
                try readLine(&scanner)
            }
        } else {
            try readLine(&scanner)
        }
        writer.literal("\"\(lines.joined(separator: "\\n"))\"")
    }

    private static func readElements(
        of container: JSONScanner.Container,
        _ scanner: inout JSONScanner,
        _ writer: inout JSONWriter,
        _ read: (inout JSONScanner, inout JSONWriter) throws(JSONSyntaxError) -> Void
    ) throws(JSONSyntaxError) {
        let bytes = scanner.bytes
        var isFirst = true
        _ = try scanner.enter(depth: 0)
        writer.append(.open(container), of: bytes)
        while try scanner.moveToElement(of: container, isFirst: isFirst) {
            try read(&scanner, &writer)
            isFirst = false
        }
        writer.append(.close(container), of: bytes)
    }

    private static func text(_ value: JSONScanner.Value, in bytes: Bytes) throws(JSONSyntaxError) -> String {
        guard case .string(let hasEscapes) = value.kind else { return "" }
        return try JSONString.text(of: value.range, hasEscapes: hasEscapes, in: bytes)
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

        /// A Boolean value that indicates whether the part is an element of an array of requests, or that array's end.
        var isInBatch: Bool { containers == [.array] }

        mutating func move(past content: JSONScanner.Content) {
            isAtQuery = false
            switch content {
            case .key(let name, _):
                isAtQuery = name == "query" && (containers == [.object] || containers == [.array, .object])
            case .open(let container): containers.append(container)
            case .close: containers.removeLast()
            case .string, .number, .bool, .null: break
            }
        }
    }
}
