import Foundation

/// An object of a stub file, with its values read by key. `null` is as good as absent everywhere.
struct StubFileObject {
    /// Where the object begins.
    let offset: Int
    private let name: String
    private let bytes: UnsafeRawBufferPointer
    private let text: StubFileText
    private let members: [String: JSONScanner.Value]

    /// - Parameter name: what errors call the object.
    init(
        _ value: JSONScanner.Value,
        named name: String,
        in bytes: UnsafeRawBufferPointer,
        of text: StubFileText
    ) throws(StubFileSyntaxError) {
        self.text = text
        offset = value.range.lowerBound
        guard case .container(.object) = value.kind else { throw .wrongType("an object", under: name, at: offset) }
        var scanner = JSONScanner(bytes, at: offset)
        let object = try scanner.enter(depth: 0)
        var members: [String: JSONScanner.Value] = [:]
        var isFirst = true
        while try scanner.moveToElement(of: object, isFirst: isFirst) {
            isFirst = false
            let key = try scanner.skipKey()
            let value = try scanner.skipValue(depth: 1)
            guard let name = try text.string(key, in: bytes) else { continue }
            if members[name] == nil { members[name] = value }
        }
        self.name = name
        self.bytes = bytes
        self.members = members
    }

    var isEmpty: Bool { members.isEmpty }

    func isAbsent(_ key: String) -> Bool { member(key) == nil }

    func wrongType(_ expected: String, under key: String) -> StubFileSyntaxError {
        .wrongType(expected, under: key, at: members[key]?.range.lowerBound ?? offset)
    }

    func required(_ key: String) throws(StubFileSyntaxError) -> JSONScanner.Value {
        guard let value = members[key] else { throw .missing(key, in: name, at: offset) }
        return value
    }

    func object(_ key: String) throws(StubFileSyntaxError) -> StubFileObject? {
        try member(key).map { value throws(StubFileSyntaxError) in
            try StubFileObject(value, named: key, in: bytes, of: text)
        }
    }

    func array(_ key: String, of content: String) throws(StubFileSyntaxError) -> [JSONScanner.Value]? {
        guard let value = member(key) else { return nil }
        guard case .container(.array) = value.kind else { throw wrongType(content, under: key) }
        return try elements(of: value)
    }

    /// The elements of an array; none of what is not one.
    func elements(of value: JSONScanner.Value) throws(StubFileSyntaxError) -> [JSONScanner.Value] {
        guard case .container(.array) = value.kind else { return [] }
        var scanner = JSONScanner(bytes, at: value.range.lowerBound)
        let array = try scanner.enter(depth: 0)
        var elements: [JSONScanner.Value] = []
        while try scanner.moveToElement(of: array, isFirst: elements.isEmpty) {
            elements.append(try scanner.skipValue(depth: 1))
        }
        return elements
    }

    private func member(_ key: String) -> JSONScanner.Value? {
        guard let value = members[key] else { return nil }
        if case .null = value.kind { return nil }
        return value
    }
}

// Texts.
extension StubFileObject {
    func text(_ key: String) throws(StubFileSyntaxError) -> String? {
        guard let value = member(key) else { return nil }
        guard let text = try text(value) else { throw wrongType("text", under: key) }
        return text
    }

    func requiredText(_ key: String) throws(StubFileSyntaxError) -> String {
        if let text = try text(key) { return text }
        throw isMissing(key) ? .missing(key, in: name, at: offset) : wrongType("text", under: key)
    }

    func url(_ key: String) throws(StubFileSyntaxError) -> URL? {
        guard let text = try text(key) else { return nil }
        guard let url = URL(string: text), url.scheme != nil else {
            throw wrongType("an absolute URL", under: key)
        }
        return url
    }

    func headerFields(_ key: String) throws(StubFileSyntaxError) -> HeaderFields {
        var fields = HeaderFields()
        for value in try array(key, of: "an array of header fields") ?? [] {
            guard let text = try text(value), let separator = text.range(of: "[:::]", options: .literal) else {
                throw .headerField(at: value.range.lowerBound)
            }
            fields.append(name: String(text[..<separator.lowerBound]), value: String(text[separator.upperBound...]))
        }
        return fields
    }

    private func isMissing(_ key: String) -> Bool { members[key] == nil }

    /// The text of a value; `nil` for what is not a string.
    private func text(_ value: JSONScanner.Value) throws(StubFileSyntaxError) -> String? {
        try text.string(value, in: bytes)
    }
}

// Numbers.
extension StubFileObject {
    func integer(_ key: String, _ expected: String) throws(StubFileSyntaxError) -> Int? {
        guard let value = member(key) else { return nil }
        guard case .number = value.kind, let integer = JSONNumber.integer(bytes[value.range]) else {
            throw wrongType(expected, under: key)
        }
        return integer
    }

    func seconds(_ key: String) throws(StubFileSyntaxError) -> Double? {
        guard let value = member(key) else { return nil }
        guard let seconds = seconds(value) else { throw wrongType("seconds (0 or more)", under: key) }
        return seconds
    }

    func seconds(_ value: JSONScanner.Value) -> Double? {
        guard case .number = value.kind, let seconds = JSONNumber.double(bytes[value.range]), seconds >= 0 else {
            return nil
        }
        return seconds
    }

    func length(_ value: JSONScanner.Value) -> Int? {
        guard case .number = value.kind, let length = JSONNumber.integer(bytes[value.range]), length >= 0 else {
            return nil
        }
        return length
    }
}

// Bodies.
extension StubFileObject {
    /// A body in whichever of its three shapes is there; two at once are an error.
    func body(data: String, json: String, text: String) throws(StubFileSyntaxError) -> Data? {
        try checkAlone(data, json, text)
        if let body = try base64(data) { return body }
        return try readableBody(json: json, text: text)
    }

    /// As `body(data:json:text:)`. A large one in base64 is decoded when it is first asked for.
    func deferrableBody(data: String, json: String, text: String) throws(StubFileSyntaxError) -> StubBody? {
        try checkAlone(data, json, text)
        if let body = try deferrableBase64(data) { return body }
        return try readableBody(json: json, text: text).map(StubBody.data)
    }

    private func checkAlone(_ keys: String...) throws(StubFileSyntaxError) {
        let present = keys.filter { !isAbsent($0) }
        guard present.count > 1 else { return }
        throw .twoBodies(present[0], present[1], at: member(present[1])?.range.lowerBound ?? offset)
    }

    private func readableBody(json: String, text: String) throws(StubFileSyntaxError) -> Data? {
        if let body = try lines(text) { return body }
        guard let value = member(json) else { return nil }
        return try self.text.compactJSON(value, in: bytes)
    }

    func deferrableBase64(_ key: String) throws(StubFileSyntaxError) -> StubBody? {
        if let value = member(key), let body = text.deferredBase64(value, under: key) { return .deferred(body) }
        return try base64(key).map(StubBody.data)
    }

    /// What stands between a text's quotation marks.
    private func content(of value: JSONScanner.Value) -> Range<Int> {
        value.range.lowerBound + 1..<value.range.upperBound - 1
    }

    func base64(_ key: String) throws(StubFileSyntaxError) -> Data? {
        guard let value = member(key) else { return nil }
        guard case .string(let hasEscapes) = value.kind else { throw wrongType("base64 text", under: key) }
        let data: Data?
        if hasEscapes || self.text.skeleton.cut(of: value) != nil {
            data = try text(value).flatMap { Data(base64Encoded: Data($0.utf8)) }
        } else {
            data = Data(base64Encoded: Data(UnsafeRawBufferPointer(rebasing: bytes[content(of: value)])))
        }
        guard let data else { throw wrongType("base64 text", under: key) }
        return data
    }

    /// The lines of a text, joined; a text alone is one line.
    private func lines(_ key: String) throws(StubFileSyntaxError) -> Data? {
        guard let value = member(key) else { return nil }
        if let text = try text(value) { return Data(text.utf8) }
        var body = Data()
        for (number, line) in try (array(key, of: "an array of lines") ?? []).enumerated() {
            guard let text = try text(line) else {
                throw .wrongType("an array of lines", under: key, at: line.range.lowerBound)
            }
            if number > 0 { body.append(UInt8(ascii: "\n")) }
            body.append(contentsOf: text.utf8)
        }
        return body
    }
}
