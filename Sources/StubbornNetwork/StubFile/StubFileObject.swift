import Foundation

/// What is parsed. A class, so that an object of the file takes it along at little cost.
final class StubFileInput {
    let bytes: Bytes
    let text: StubFileText

    init(bytes: Bytes, text: StubFileText) {
        self.bytes = bytes
        self.text = text
    }
}

/// An object of a stub file, with its values read by key. `null` is as good as absent everywhere.
struct StubFileObject {
    /// Where the object begins.
    let offset: Int
    private let name: String
    private let input: StubFileInput
    private var members: [(key: String, value: JSONScanner.Value)] = []

    /// - Parameter name: what errors call the object.
    init(_ value: JSONScanner.Value, named name: String, in input: StubFileInput) throws(StubFileSyntaxError) {
        guard case .container(.object) = value.kind else {
            throw .wrongType("an object", under: name, at: value.range.lowerBound)
        }
        var scanner = JSONScanner(input.bytes, at: value.range.lowerBound)
        try self.init(&scanner, depth: 0, named: name, in: input)
    }

    /// Reads an object that begins at the scanner's position, and moves behind it.
    init(
        _ scanner: inout JSONScanner,
        depth: Int,
        named name: String,
        in input: StubFileInput
    ) throws(StubFileSyntaxError) {
        self.name = name
        self.input = input
        offset = scanner.position
        members.reserveCapacity(4)
        let object = try StubFileSyntaxError.wrapping(try scanner.enter(depth: depth))
        var isFirst = true
        while try StubFileSyntaxError.wrapping(try scanner.moveToElement(of: object, isFirst: isFirst)) {
            isFirst = false
            let key = try StubFileSyntaxError.wrapping(try scanner.skipKey())
            let value = try StubFileSyntaxError.wrapping(try scanner.skipValue(depth: depth + 1))
            if let key = try input.text.string(key, in: input.bytes) { members.append((key, value)) }
        }
    }

    private var bytes: Bytes { input.bytes }

    var isEmpty: Bool { members.isEmpty }

    func isAbsent(_ key: String) -> Bool { member(key) == nil }

    func wrongType(_ expected: String, under key: String) -> StubFileSyntaxError {
        .wrongType(expected, under: key, at: value(key)?.range.lowerBound ?? offset)
    }

    func required(_ key: String) throws(StubFileSyntaxError) -> JSONScanner.Value {
        guard let value = value(key) else { throw .missing(key, in: name, at: offset) }
        return value
    }

    /// The value of the first of the members with a key.
    private func value(_ key: String) -> JSONScanner.Value? {
        for member in members where member.key == key { return member.value }
        return nil
    }

    func object(_ key: String) throws(StubFileSyntaxError) -> StubFileObject? {
        try member(key).map { value throws(StubFileSyntaxError) in
            try StubFileObject(value, named: key, in: input)
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
        let array = try StubFileSyntaxError.wrapping(try scanner.enter(depth: 0))
        var elements: [JSONScanner.Value] = []
        while try StubFileSyntaxError.wrapping(try scanner.moveToElement(of: array, isFirst: elements.isEmpty)) {
            elements.append(try StubFileSyntaxError.wrapping(try scanner.skipValue(depth: 1)))
        }
        return elements
    }

    private func member(_ key: String) -> JSONScanner.Value? {
        guard let value = value(key) else { return nil }
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
            guard let field = try text(value)?.headerField else { throw .headerField(at: value.range.lowerBound) }
            fields.append(name: field.name, value: field.value)
        }
        return fields
    }

    private func isMissing(_ key: String) -> Bool { value(key) == nil }

    /// The text of a value; `nil` for what is not a string.
    private func text(_ value: JSONScanner.Value) throws(StubFileSyntaxError) -> String? {
        try input.text.string(value, in: bytes)
    }
}

// Numbers.
extension StubFileObject {
    func integer(_ key: String, _ expected: String) throws(StubFileSyntaxError) -> Int? {
        guard let value = member(key) else { return nil }
        guard case .number = value.kind, let integer = JSONNumber(bytes.part(value.range))?.integer else {
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
        guard case .number = value.kind, let seconds = JSONNumber(bytes.part(value.range))?.double, seconds >= 0 else {
            return nil
        }
        return seconds
    }

    func length(_ value: JSONScanner.Value) -> Int? {
        guard case .number = value.kind, let length = JSONNumber(bytes.part(value.range))?.integer, length >= 0 else {
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
        return try input.text.compactJSON(value, in: bytes)
    }

    func deferrableBase64(_ key: String) throws(StubFileSyntaxError) -> StubBody? {
        if let value = member(key), let body = input.text.deferredBase64(value, under: key) { return .deferred(body) }
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
        if hasEscapes || input.text.skeleton.cut(of: value) != nil {
            data = try text(value).flatMap { Data(base64Encoded: Data($0.utf8)) }
        } else {
            data = Data(base64Encoded: Data(buffer: bytes.part(content(of: value))))
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
            if number > 0 { body.append(.lineFeed) }
            body.append(contentsOf: text.utf8)
        }
        return body
    }
}

extension String {
    /// Name and value, divided at the first `[:::]`.
    fileprivate var headerField: (name: String, value: String)? {
        withBytes { bytes in
            bytes.position(of: "[:::]", from: 0).map { separator in
                (bytes.part(0..<separator).text, bytes.part(separator + 5..<bytes.count).text)
            }
        }
    }
}
