import Foundation

/// Reads the bodies of requests and responses in every form.
extension StubFileParser {
    /// Reads the body under the current key, unless there is another one.
    mutating func body(after other: Body?) throws(JSONSyntaxError) -> Body {
        let key = key
        if let other {
            let found = "both \"\(min(key, other.key))\" and \"\(max(key, other.key))\""
            throw JSONSyntaxError(at: scanner.position, expected: "one body", found: found)
        }
        // The older shape's `responseData` is the same base64.
        bodyKeys.append(key == "responseData" ? "data" : key)
        var body = Body(key: key)
        switch key {
        case "json", "requestJSON": body.content = try JSONText.compact(&scanner, depth: depth)
        case "requestGraphQL": body.content = try GraphQLBody.compact(&scanner, depth: depth)
        case "text", "requestText": body.content = try strings("an array of lines", joinedBy: "\n")
        case "form", "requestForm": body.content = try strings("an array of fields", joinedBy: "&")
        case "frames": body.content = try frames()
        default: body.content = try base64()
        }
        return body
    }

    /// Reads the frames of a web socket as lines.
    private mutating func frames() throws(JSONSyntaxError) -> Data {
        let expected = #"frames such as {"sent":"hello"} and {"received":"world"}"#
        let lines = try array(expected) { parser throws(JSONSyntaxError) in
            let start = parser.scanner.position
            let line = try JSONText.compact(&parser.scanner, depth: parser.depth)
            guard let frame = WebSocketFrame(line: line) else { throw .wrongType(expected, under: "frames", at: start) }
            return frame.line
        }
        return Data(lines.joined(separator: [.lineFeed]))
    }

    /// Reads a body in base64.
    mutating func base64() throws(JSONSyntaxError) -> Data {
        // A NUL stands for a long body, which was decoded while the file was read.
        if scanner.bytes.has("\"\0\"", at: scanner.position), let body = longBodies.popFirst() {
            scanner = JSONScanner(scanner.bytes, at: scanner.position + 3)
            return body
        }
        let value = try value()
        let data: Data?
        if case .string(hasEscapes: false) = value.kind {
            data = Data(base64Encoded: text.content.part(value.range.lowerBound + 1..<value.range.upperBound - 1))
        } else {
            data = try scanner.text(of: value).flatMap { Data(base64Encoded: $0) }
        }
        guard let data else { throw .wrongType("base64 text", under: key, at: value.range.lowerBound) }
        return data
    }

    /// Reads a body that is written as an array of lines or of a form's fields, or as one string.
    mutating func strings(_ expected: String, joinedBy separator: String) throws(JSONSyntaxError) -> Data {
        if scanner.current == .quote { return Data(try text().utf8) }
        return Data(try texts(expected).joined(separator: separator).utf8)
    }

    /// A body that was read.
    struct Body {
        let key: String
        var content = Data()
    }
}
