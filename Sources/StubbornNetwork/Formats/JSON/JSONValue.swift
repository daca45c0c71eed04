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

        init(_ content: JSONScanner.Content) {
            switch content {
            case .key(let text, _): self = .key(text)
            case .string(let text, _): self = .string(text)
            case .number(let number, _): self = .number(number.normalized)
            case .bool(let value): self = .bool(value)
            case .null: self = .null
            case .open(let container): self = .open(container, count: 0)
            case .close(let container): self = .close(container)
            }
        }
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
        guard (try? JSONScanner.read(text) { builder.append(Token($0)) }) != nil else { return nil }
        self = builder.value
    }

    package init?(_ text: Data) {
        guard let value = text.withBytes({ JSONValue($0) }) else { return nil }
        self = value
    }

    package static let null = JSONValue([.null])
    static func bool(_ value: Bool) -> JSONValue { JSONValue([.bool(value)]) }
    static func number(_ normalized: String) -> JSONValue { JSONValue([.number(normalized)]) }
    package static func string(_ text: String) -> JSONValue { JSONValue([.string(text)]) }

    package static func array(_ elements: [JSONValue]) -> JSONValue {
        JSONValue(.array, of: elements.flatMap(\.tokens))
    }

    package static func object(_ members: [Member]) -> JSONValue {
        // Sorting is stable, so repeated keys keep their order.
        let sorted = members.sorted { $0.key < $1.key }
        return JSONValue(.object, of: sorted.flatMap { [Token.key($0.key)] + $0.value.tokens })
    }

    private init(_ container: JSONScanner.Container, of inside: [Token]) {
        let tokens = [Token.open(container, count: inside.count)] + inside + [Token.close(container)]
        self.init(tokens[...])
    }

    /// The value split by one level; members are sorted by key.
    package var content: Content {
        switch tokens[tokens.startIndex] {
        case .bool(let value): .bool(value)
        case .number(let digits): .number(digits)
        case .string(let text): .string(text)
        case .open(.array, _): .array(parts.map(\.value))
        case .open(.object, _): .object(parts)
        case .null, .key, .close: .null
        }
    }

    /// The members of an object; none for any other value.
    var members: [Member] { if case .object(let members) = content { members } else { [] } }

    /// The elements of an array; none for any other value.
    var elements: [JSONValue] { if case .array(let elements) = content { elements } else { [] } }

    /// The text of a string; `nil` for any other value.
    var string: String? { if case .string(let text) = content { text } else { nil } }

    /// Returns the first member with a key; `nil` for a value without such a member.
    subscript(key: String) -> JSONValue? { members.first { $0.key == key }?.value }

    /// The members of an object, or the elements of an array under empty keys.
    private var parts: [Member] {
        var parts: [Member] = []
        var position = tokens.startIndex + 1
        while position < tokens.endIndex - 1 {
            var key = ""
            if case .key(let text) = tokens[position] { (key, position) = (text, position + 1) }
            let end = tokens.end(ofValueAt: position)
            parts.append((key, JSONValue(tokens[position..<end])))
            position = end
        }
        return parts
    }

    /// A builder that puts a value together, token by token.
    struct Builder {
        private var tokens: [Token] = []
        /// The positions of the open arrays and objects.
        private var starts: [Int] = []

        var value: JSONValue { tokens.isEmpty ? .null : JSONValue(tokens[...]) }

        /// Appends a token; the end of an array or an object sets its count.
        mutating func append(_ token: Token) {
            switch token {
            case .open: starts.append(tokens.count)
            case .close(let container):
                guard let start = starts.popLast() else { return }
                if container == .object { sortMembers(from: start + 1) }
                tokens[start] = .open(container, count: tokens.count - start - 1)
            case .null, .bool, .number, .string, .key: break
            }
            tokens.append(token)
        }

        private mutating func sortMembers(from start: Int) {
            var members: [(key: String, range: Range<Int>)] = []
            var position = start
            while position < tokens.count, case .key(let key) = tokens[position] {
                let end = tokens[...].end(ofValueAt: position + 1)
                members.append((key, position..<end))
                position = end
            }
            if zip(members, members.dropFirst()).allSatisfy({ $0.key <= $1.key }) { return }
            // Sorting is stable.
            members.sort { $0.key < $1.key }
            tokens.replaceSubrange(start..., with: members.flatMap { tokens[$0.range] })
        }
    }

    /// Returns the value without the members at the paths.
    ///
    /// All members of a repeated key are left out.
    func removing(_ paths: [JSONKeyPath]) -> JSONValue {
        guard !paths.isEmpty else { return self }
        var builder = Builder()
        // The remaining keys of the paths, inside each open array and object, and for the value that comes next.
        var inside: [[ArraySlice<String>]] = []
        var next = paths.map { $0.keys[...] }
        var position = tokens.startIndex
        while position < tokens.endIndex {
            let token = tokens[position]
            position += 1
            switch token {
            case .key(let key):
                next = (inside.last ?? []).filter { $0.first == key }.map { $0.dropFirst() }
                if next.contains(where: \.isEmpty) {
                    position = tokens.end(ofValueAt: position)
                } else {
                    builder.append(token)
                }
                continue
            case .open: inside.append(next)
            case .close: inside.removeLast()
            case .null, .bool, .number, .string: break
            }
            builder.append(token)
            next = inside.last ?? []
        }
        return builder.value
    }

    /// Returns the value with `null` in place of the texts, numbers and other single values at some offsets.
    func blanked(at offsets: [Int]) -> JSONValue {
        var blank = Array(tokens)
        for offset in offsets where offset < blank.count {
            switch blank[offset] {
            case .key, .open, .close: continue
            case .string, .number, .bool, .null: blank[offset] = .null
            }
        }
        return JSONValue(blank[...])
    }

    /// Returns a Boolean value that indicates whether the value has all members of `part`, at any depth, with equal values.
    ///
    /// Objects may have more members. Arrays must have the same length.
    func contains(_ part: JSONValue) -> Bool {
        var pairs = [(self, part)]
        while let (value, part) = pairs.popLast() {
            switch (value.content, part.content) {
            case (.object(let members), .object(let wanted)):
                for case (_, let member, let wanted?) in Self.pairs(members, wanted) {
                    guard let member else { return false }
                    pairs.append((member, wanted))
                }
            case (.array(let elements), .array(let wanted)):
                guard elements.count == wanted.count else { return false }
                pairs += zip(elements, wanted)
            default:
                guard value == part else { return false }
            }
        }
        return true
    }

    /// Returns the members of two objects side by side, by key.
    ///
    /// The first of a repeated key belongs to the first, the second to the second.
    static func pairs(
        _ first: [Member],
        _ second: [Member]
    ) -> [(key: String, first: JSONValue?, second: JSONValue?)] {
        var result: [(key: String, first: JSONValue?, second: JSONValue?)] = []
        var (first, second) = (first[...], second[...])
        while let key = [first.first, second.first].compactMap({ $0?.key }).min() {
            let one = first.first?.key == key ? first.removeFirst().value : nil
            let other = second.first?.key == key ? second.removeFirst().value : nil
            result.append((key, one, other))
        }
        return result
    }

    /// Returns the value on one line, keys sorted: `{"a":[1,true]}`.
    ///
    /// It ends soon after `byteCount` bytes.
    package func text(upTo byteCount: Int) -> String {
        var writer = JSONWriter(.compact)
        writer.value(self, upTo: byteCount) { $0.quoted(upTo: byteCount) }
        return String(decoding: writer.output, as: UTF8.self)
    }
}

extension ArraySlice<JSONValue.Token> {
    /// Returns the position after a value.
    func end(ofValueAt position: Int) -> Int {
        if case .open(_, let count) = self[position] { position + count + 2 } else { position + 1 }
    }
}
