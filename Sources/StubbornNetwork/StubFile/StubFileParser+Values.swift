import Foundation

/// Reads arrays, objects, strings, numbers and bodies, with errors that show the key.
extension StubFileParser {
    /// Reads an object, with `read` for each of its keys that has a value.
    ///
    /// The values of keys that people and other programs may write are skipped.
    mutating func object<Key: RawRepresentable<String> & Equatable>(
        _ name: String,
        _ type: Key.Type,
        _ read: (inout StubFileParser, Key) throws(JSONSyntaxError) -> Void
    ) throws(JSONSyntaxError) {
        guard scanner.current == .openingBrace else { throw try wrongType("an object", under: name) }
        _ = try scanner.enter(depth: depth)
        depth += 1
        // An array, because an object has few known keys, and thousands of objects are read.
        var keys: [Key] = []
        keys.reserveCapacity(8)
        var notes: Set<String> = []
        while try scanner.moveToElement(of: .object, isFirst: keys.isEmpty && notes.isEmpty) {
            let value = try scanner.skipKey()
            key = try scanner.text(of: value) ?? ""
            let offset = value.range.lowerBound
            let known = Key(rawValue: key)
            let isNew = known.map { !keys.contains($0) } ?? notes.insert(key).inserted
            guard isNew else { throw .repeatedKey(key, at: offset) }
            if let known { keys.append(known) }
            if let known, scanner.current != .n {
                try read(&self, known)
            } else {
                if known == nil {
                    guard StubFileKey.isNote(key) else { throw .unknownKey(key, in: name, at: offset) }
                    bodyKeys = nil
                }
                try scanner.read(depth: depth) { _ in }
            }
        }
        depth -= 1
    }

    /// Reads an array, whose elements `read` reads.
    mutating func array<Element>(
        _ expected: String,
        _ read: (inout StubFileParser) throws(JSONSyntaxError) -> Element
    ) throws(JSONSyntaxError) -> [Element] {
        guard scanner.current == .openingBracket else { throw try wrongType(expected, under: key) }
        _ = try scanner.enter(depth: depth)
        depth += 1
        var elements: [Element] = []
        while try scanner.moveToElement(of: .array, isFirst: elements.isEmpty) { elements.append(try read(&self)) }
        depth -= 1
        return elements
    }

    /// Reads an array of strings.
    mutating func texts(_ expected: String) throws(JSONSyntaxError) -> [String] {
        try array(expected) { parser throws(JSONSyntaxError) in try parser.text(expected) }
    }

    mutating func headerFields() throws(JSONSyntaxError) -> HeaderFields {
        let fields = try array("an array of header fields") { parser throws(JSONSyntaxError) -> HeaderFields.Field in
            let value = try parser.value()
            guard let field = try parser.scanner.text(of: value)?.headerField else {
                throw JSONSyntaxError(at: value.range.lowerBound, expected: "a header field as \"name[:::]value\"")
            }
            return field
        }
        return HeaderFields(fields)
    }

    // MARK: Values

    mutating func value() throws(JSONSyntaxError) -> JSONScanner.Value { try scanner.skipValue(depth: depth) }

    /// Skips a value, and returns the error about its wrong type.
    ///
    /// Throws if the value is not JSON.
    mutating func wrongType(_ expected: String, under key: String) throws(JSONSyntaxError) -> JSONSyntaxError {
        .wrongType(expected, under: key, at: try value().range.lowerBound)
    }

    mutating func text(_ expected: String = "text") throws(JSONSyntaxError) -> String {
        let value = try value()
        guard let text = try scanner.text(of: value) else {
            throw .wrongType(expected, under: key, at: value.range.lowerBound)
        }
        return text
    }

    /// Reads a string with a meaning.
    mutating func text<Value>(_ expected: String, _ read: (String) -> Value?) throws(JSONSyntaxError) -> Value {
        let start = scanner.position
        guard let value = read(try text()) else { throw .wrongType(expected, under: key, at: start) }
        return value
    }

    mutating func url() throws(JSONSyntaxError) -> URL {
        try text("an absolute URL") { text in
            URL(encodingOnlyInvalid: text).flatMap { $0.scheme == nil ? nil : $0 }
        }
    }

    mutating func number<Value>(_ expected: String, _ read: (JSONNumber) -> Value?) throws(JSONSyntaxError) -> Value {
        let value = try value()
        guard case .number = value.kind, let number = JSONNumber(scanner.bytes.part(value.range)).flatMap(read)
        else { throw .wrongType(expected, under: key, at: value.range.lowerBound) }
        return number
    }

    // MARK: Bodies

    /// Reads the body under the current key, unless there is another one.
    mutating func body(after other: Body?) throws(JSONSyntaxError) -> Body {
        let key = key
        if let other {
            let found = "both \"\(min(key, other.key))\" and \"\(max(key, other.key))\""
            throw JSONSyntaxError(at: scanner.position, expected: "one body", found: found)
        }
        // The older shape's `responseData` is the same base64.
        bodyKeys?.append(key == "responseData" ? "data" : key)
        let content: Data =
            switch key {
            case "json", "requestJSON": try JSONText.compact(&scanner, depth: depth)
            case "requestGraphQL": try GraphQLBody.compact(&scanner, depth: depth)
            case "text", "requestText": try strings("an array of lines", joinedBy: "\n")
            case "form", "requestForm": try strings("an array of fields", joinedBy: "&")
            case "frames": try frames()
            default: try base64()
            }
        return Body(key: key, content: content)
    }

    /// Reads the frames of a web socket as lines.
    private mutating func frames() throws(JSONSyntaxError) -> Data {
        let (expected, key) = (#"frames such as {"sent":"hello"} and {"received":"world"}"#, key)
        let lines = try array(expected) { parser throws(JSONSyntaxError) in
            let (start, line) = (parser.scanner.position, try JSONText.compact(&parser.scanner, depth: parser.depth))
            if WebSocketFrame(line: line) == nil { throw .wrongType(expected, under: key, at: start) }
            return line + [.lineFeed]
        }
        return Data(lines.joined())
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
        let content: Data
    }
}

extension JSONSyntaxError {
    /// Returns the fault of a key that an object of a stub file must not have.
    fileprivate static func unknownKey(_ key: String, in object: String, at offset: Int) -> Self {
        var error = Self(at: offset, expected: "a key of the \(object)", found: "\(key.cut().debugDescription)")
        error.advice =
            ["multipart", "requestMultipart"].contains(key)
            ? "An earlier version wrote the parts of a body under this key: record the file again, or write the body under a different key."
            : "A newer version of the library may have written it: update the library. Your own keys must be comment, or begin with "
                + "x-."
        return error
    }
}

extension String {
    /// The name and the value of a header field, split at the first `[:::]`.
    fileprivate var headerField: HeaderFields.Field? {
        withBytes { bytes -> HeaderFields.Field? in
            guard let separator = bytes.position(of: "[:::]", from: 0) else { return nil }
            return .init(name: bytes.part(0..<separator).text, value: bytes.part(separator + 5..<bytes.count).text)
        }
    }
}
