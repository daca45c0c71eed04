import Foundation

/// A JSON value, for comparing bodies.
///
/// Values are equal whatever the spacing, the order of keys, the escapes in strings or the spelling of numbers.
/// Repeated keys are kept in their order.
///
/// The value is a flat list of tokens, members sorted by key, so that comparing, hashing and freeing a deep value need no
/// more stack than a flat one.
package struct JSONValue: Hashable, Sendable {
    enum Token: Hashable, Sendable {
        case null
        case bool(Bool)
        /// A number in the one spelling of `JSONNumber.normalized`.
        case number(String)
        case string(String)
        /// A member's key. Its value follows.
        case key(String)
        /// The beginning of an array or an object; `count` is the number of tokens inside.
        case open(JSONScanner.Container, count: Int)
        case close(JSONScanner.Container)
    }

    /// A member of an object.
    package typealias Member = (key: String, value: JSONValue)

    /// A value split by one level.
    package enum Content {
        case null
        case bool(Bool)
        case number(String)
        case string(String)
        case array([JSONValue])
        case object([Member])
    }

    /// The tokens of the value, never empty.
    let tokens: ArraySlice<Token>

    init(_ tokens: ArraySlice<Token>) { self.tokens = tokens }

    /// Reads JSON text strictly, as `JSONScanner.read(_:visit:)` does; `nil` for anything else.
    init?(_ text: Bytes) {
        var builder = Builder()
        guard (try? JSONScanner.read(text) { builder.append($0) }) != nil else { return nil }
        self = builder.value
    }

    package init?(_ text: Data) {
        guard let value = text.withBytes({ JSONValue($0) }) else { return nil }
        self = value
    }

    /// Reads a body whose format is JSON, or the lines of one as an array; `nil` for anything else.
    package init?(body: Data, of type: ContentType? = nil) {
        let value: JSONValue?
        switch BodyFormat(body, type: type).kind {
        case .json, .jsonScalar: value = JSONValue(body)
        case .jsonLines: value = JSONValue(lines: body)
        case .events, .form, .multipart, .markup, .text, .binary: value = nil
        }
        guard let value else { return nil }
        self = value
    }

    /// Reads a body that has a JSON text in each line, as the array of these texts; `nil` for anything else.
    ///
    /// Empty lines are left out.
    init?(lines body: Data) {
        var elements: [JSONValue] = []
        for line in body.split(whereSeparator: { $0.isLineBreak }) {
            guard let value = JSONValue(line) else { return nil }
            elements.append(value)
        }
        self = .array(elements)
    }

    static let null = JSONValue([.null])
    static func bool(_ value: Bool) -> JSONValue { JSONValue([.bool(value)]) }
    static func number(_ normalized: String) -> JSONValue { JSONValue([.number(normalized)]) }
    package static func string(_ text: String) -> JSONValue { JSONValue([.string(text)]) }

    package static func array(_ elements: [JSONValue]) -> JSONValue {
        var builder = Builder()
        builder.open(.array)
        elements.forEach { builder.append($0) }
        builder.close()
        return builder.value
    }

    package static func object(_ members: [Member]) -> JSONValue {
        var builder = Builder()
        builder.open(.object)
        for (key, value) in members {
            builder.append(.key(key))
            builder.append(value)
        }
        builder.close()
        return builder.value
    }

    /// The value split by one level; members are sorted by key.
    package var content: Content {
        switch tokens[tokens.startIndex] {
        case .bool(let value): return .bool(value)
        case .number(let digits): return .number(digits)
        case .string(let text): return .string(text)
        case .open(.array, _):
            var elements: [JSONValue] = []
            var position = tokens.startIndex + 1
            while position < tokens.endIndex - 1 {
                let end = tokens.end(ofValueAt: position)
                elements.append(JSONValue(tokens[position..<end]))
                position = end
            }
            return .array(elements)
        case .open(.object, _):
            var members: [Member] = []
            var position = tokens.startIndex + 1
            while position < tokens.endIndex - 1, case .key(let key) = tokens[position] {
                let end = tokens.end(ofValueAt: position + 1)
                members.append((key, JSONValue(tokens[position + 1..<end])))
                position = end
            }
            return .object(members)
        case .null, .key, .close: return .null
        }
    }
}

extension JSONValue {
    /// A builder that puts a value together, token by token.
    struct Builder {
        private var tokens: [Token] = []
        /// The positions of the open arrays and objects.
        private var starts: [Int] = []

        var value: JSONValue { tokens.isEmpty ? .null : JSONValue(tokens[...]) }

        mutating func append(_ content: JSONScanner.Content) {
            switch content {
            case .key(let text, _): tokens.append(.key(text))
            case .string(let text, _): tokens.append(.string(text))
            case .number(let number, _): tokens.append(.number(number.normalized))
            case .bool(let value): tokens.append(.bool(value))
            case .null: tokens.append(.null)
            case .open(let container): open(container)
            case .close: close()
            }
        }

        /// Appends a key, or a value without parts.
        mutating func append(_ token: Token) { tokens.append(token) }

        mutating func append(_ value: JSONValue) { tokens += value.tokens }

        mutating func open(_ container: JSONScanner.Container) {
            starts.append(tokens.count)
            tokens.append(.open(container, count: 0))
        }

        /// Closes the innermost array or object that is open.
        mutating func close() {
            guard let start = starts.popLast(), case .open(let container, _) = tokens[start] else { return }
            if container == .object { sortMembers(from: start + 1) }
            tokens[start] = .open(container, count: tokens.count - start - 1)
            tokens.append(.close(container))
        }

        private mutating func sortMembers(from start: Int) {
            var members: [(key: String, range: Range<Int>)] = []
            var isSorted = true
            var position = start
            while position < tokens.count, case .key(let key) = tokens[position] {
                let end = tokens[...].end(ofValueAt: position + 1)
                if let last = members.last, last.key > key { isSorted = false }
                members.append((key, position..<end))
                position = end
            }
            guard !isSorted else { return }
            members.sort { ($0.key, $0.range.lowerBound) < ($1.key, $1.range.lowerBound) }
            tokens.replaceSubrange(start..., with: members.flatMap { tokens[$0.range] })
        }
    }
}

extension ArraySlice<JSONValue.Token> {
    /// Returns the position after a value.
    func end(ofValueAt position: Int) -> Int {
        if case .open(_, let count) = self[position] { position + count + 2 } else { position + 1 }
    }
}
