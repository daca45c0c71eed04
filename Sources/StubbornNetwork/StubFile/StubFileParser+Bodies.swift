import Foundation

/// Reads the bodies of requests and responses, in each form that they are written in.
extension StubFileParser {
    /// Reads the body under the current key, unless there is another one.
    mutating func body(after other: Body?) throws(JSONSyntaxError) -> Body {
        let key = key
        if let other {
            let found = "both \"\(min(key, other.key))\" and \"\(max(key, other.key))\""
            throw JSONSyntaxError(at: scanner.position, expected: "one body", found: found)
        }
        // The older shape's `responseData` is the same base64.
        bodyKeys.insert(key == "responseData" ? "data" : key)
        switch StubFileKey.shapes[key] {
        case .json?: return (key, try json(JSONText.compact))
        case .graphQL?: return (key, try json(GraphQLBody.compact))
        case .text?: return (key, try strings(joinedBy: "\n"))
        case .form?: return (key, try strings(joinedBy: "&"))
        case .multipart?:
            let offset = keyOffset
            multipart = (try parts(), key, offset)
            return (key, Data())
        case .base64?, nil: return (key, try base64())
        }
    }

    /// Reads the parts of a multipart body.
    mutating func parts() throws(JSONSyntaxError) -> MultipartBody {
        let keys = bodyKeys
        defer { bodyKeys = keys }
        var body = MultipartBody()
        var end: String?
        _ = try array("an array of parts") { parser throws(JSONSyntaxError) in
            guard end == nil else {
                throw JSONSyntaxError(at: parser.scanner.position, expected: "nothing after the text at the end")
            }
            if parser.scanner.current == .quote {
                end = try parser.text()
            } else {
                body.parts.append(try parser.part())
            }
        }
        if let end { body.end = end }
        return body
    }

    mutating func part() throws(JSONSyntaxError) -> MultipartBody.Part {
        var part = MultipartBody.Part(headerFields: [], content: Data())
        var content: Body?
        try object("part") { parser throws(JSONSyntaxError) in
            switch StubFileKey.OfPart(rawValue: parser.key) {
            case .headerFields:
                let expected = "an array of header fields"
                part.headerFields = try parser.array(expected) { parser throws(JSONSyntaxError) in
                    try parser.text(expected)
                }
            case .data, .json, .text: content = try parser.body(after: content)
            case nil: throw .unknownKey(parser.key, in: "part", at: parser.keyOffset)
            }
        }
        if let content { part.content = content.content }
        return part
    }

    /// Returns the multipart body that was read, with the boundary of its header fields; `nil` if there was none.
    mutating func multipart(in headerFields: HeaderFields?) throws(JSONSyntaxError) -> Data? {
        guard let (body, key, offset) = multipart else { return nil }
        multipart = nil
        guard let boundary = headerFields?["Content-Type"].flatMap({ ContentType($0).boundary }) else {
            throw JSONSyntaxError(
                at: offset,
                expected: "a header field Content-Type with the boundary of \"\(key)\"",
                found: "none"
            )
        }
        return body.data(boundary: boundary)
    }

    /// Reads a body in base64.
    mutating func base64() throws(JSONSyntaxError) -> Data {
        let value = try value()
        let fault = JSONSyntaxError.wrongType("base64 text", under: key, at: value.range.lowerBound)
        guard case .string(let hasEscapes) = value.kind else { throw fault }
        let digits = text.data(in: value.range.lowerBound + 1..<value.range.upperBound - 1)
        let data = hasEscapes ? try string(value).flatMap { Data(base64Encoded: $0) } : Data(base64Encoded: digits)
        guard let data else { throw fault }
        return data
    }

    /// Reads a body that is written as JSON, which `compact` returns without the white space.
    mutating func json(
        _ compact: (inout JSONScanner) throws(JSONSyntaxError) -> Data
    ) throws(JSONSyntaxError) -> Data {
        let range = try value().range
        return try withBytes(in: range) { bytes throws(JSONSyntaxError) in
            var scanner = JSONScanner(bytes)
            return try compact(&scanner)
        }
    }

    /// Reads a body that is written as an array of lines or of a form's fields, or as one string.
    mutating func strings(joinedBy separator: String) throws(JSONSyntaxError) -> Data {
        if scanner.current == .quote { return Data(try text().utf8) }
        let expected = separator == "&" ? "an array of fields" : "an array of lines"
        let strings = try array(expected) { parser throws(JSONSyntaxError) in try parser.text(expected) }
        return Data(strings.joined(separator: separator).utf8)
    }
}
