import Foundation

/// The body of a GraphQL request under the key `requestGraphQL` of a stub file: JSON, with each `query` as an array of
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
/// The body is one request, or an array of requests. The lines keep the spelling of their characters, and the reader
/// joins them with `\n`. A body is read back without white space, like any other JSON.
enum GraphQLBody {
    /// Returns a Boolean value that indicates whether a JSON body is written like this.
    ///
    /// Each `query` must be a string. One of them must have several lines, and a brace, which distinguishes GraphQL
    /// from SQL.
    static func matches(_ body: Data) -> Bool {
        let queries = queries(in: body).map { body.part($0) }
        return queries.allSatisfy { $0.first == .quote }
            && queries.contains { $0.contains(.openingBrace) && $0.withBytes(lines).count > 1 }
    }

    /// Writes a body that matches.
    static func write(_ body: Data, to writer: inout JSONWriter) {
        writer.json(
            replacing(queries(in: body), in: body) { query in
                let lines = body.part(query).withBytes(lines)
                return lines.count > 1 ? "[\"\(lines.joined(separator: "\",\""))\"]" : nil
            }
        )
    }

    /// Returns the body, or any other JSON, that begins at the scanner's position without white space, and moves past
    /// it.
    static func compact(_ scanner: inout JSONScanner, depth: Int) throws(JSONSyntaxError) -> Data {
        let (start, compact) = (scanner.position, try JSONText.compact(&scanner, depth: depth))
        let body = Data(buffer: scanner.bytes.part(start..<scanner.position))
        var texts: [Range<Int>: String] = [:]
        for query in queries(in: body) where body[query.lowerBound] != .quote {
            texts[query] = "\"\(try lines(at: start + query.lowerBound, in: scanner.bytes).joined(separator: "\\n"))\""
        }
        if texts.isEmpty { return compact }
        return JSONText.compact(body: replacing(Array(texts.keys), in: body) { texts[$0] }) ?? compact
    }

    /// Returns the ranges of the queries of one request or of several; queries at deeper levels are ordinary values.
    private static func queries(in body: Data) -> [Range<Int>] {
        JSONMembers.ranges(of: [JSONKeyPath(keys: ["query"])], in: body)
            .filter { $0.key.count { $0 == "[" } < 2 }.map(\.value)
    }

    private static func replacing(_ queries: [Range<Int>], in body: Data, by text: (Range<Int>) -> String?) -> Data {
        let edits = queries.compactMap { query in text(query).map { Edit(range: query, text: Array($0.utf8)) } }
        return body.withBytes { Edit.apply(edits, to: $0) }.map { Data($0) } ?? body
    }

    /// Returns the lines of an array of lines, in their spelling.
    private static func lines(at position: Int, in bytes: Bytes) throws(JSONSyntaxError) -> [String] {
        let fault = { JSONSyntaxError.wrongType("text or an array of lines", under: "query", at: $0) }
        var scanner = JSONScanner(bytes, at: position)
        guard scanner.current == .openingBracket else { throw fault(position) }
        _ = try scanner.enter(depth: 0)
        var lines: [String] = []
        while try scanner.moveToElement(of: .array, isFirst: lines.isEmpty) {
            let line = try scanner.skipValue(depth: 0)
            guard case .string = line.kind else { throw fault(line.range.lowerBound) }
            lines.append(bytes.part(line.range.lowerBound + 1..<line.range.upperBound - 1).text)
        }
        return lines
    }

    /// Returns the lines of a JSON string, in their spelling; the string includes its quotation marks.
    private static func lines(of string: Bytes) -> [String] {
        var lines: [String] = []
        var (start, next) = (1, 1)
        while let backslash = string.position(of: .backslash, from: next) {
            next = backslash + 2
            guard string.at(backslash + 1) == .n else { continue }
            lines.append(string.part(start..<backslash).text)
            start = next
        }
        return lines + [string.part(start..<string.count - 1).text]
    }
}
