import Foundation

/// A request as one list of named values, which matchers compare: `url.query.page`, `headers.accept`, `body.form.id`.
struct ComparedRequest: Hashable, Sendable {
    /// The part of a request that a value is in, in the order of reports.
    enum Part: Int, Sendable, CaseIterable {
        case method, scheme, host, port, path, query, header, json, form, formField, multipart, bytes

        var isOfBody: Bool { rawValue >= Part.json.rawValue }
    }

    struct Name: Hashable, Comparable, Sendable {
        let part: Part
        /// The name of a query item, a header field or a form field; empty for any other value.
        var key = ""

        static func < (left: Self, right: Self) -> Bool {
            (left.part.rawValue, left.key) < (right.part.rawValue, right.key)
        }
    }

    enum Value: Hashable, Sendable {
        /// A string, or `null` for an item without a value; the strings of one name; the segments of a path; or a JSON
        /// value.
        case tokens(ArraySlice<JSONValue.Token>)
        /// The parts of a multipart body, or any other body as one part.
        case bytes([ComparedRequest.BodyPart])
    }

    struct Field: Hashable, Sendable {
        let name: Name
        var value: Value
    }

    var fields: [Field]

    init(_ fields: [Field]) { self.fields = fields }

    /// A number that is equal for equal requests, in every process.
    var checksum: UInt64 {
        var checksum = Checksum()
        func add(_ bytes: Bytes) {
            checksum.add(bytes)
            withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { checksum.add($0.bindMemory(to: UInt8.self)) }
        }
        for field in fields {
            "\(field.name.part.rawValue) \(field.name.key)".withBytes(add)
            switch field.value {
            case .tokens(let tokens) where field.name.part == .json: JSONValue(tokens).text(upTo: .max).withBytes(add)
            case .tokens: for text in field.texts { (text.map { "=\($0)" } ?? "").withBytes(add) }
            case .bytes(let parts): for part in parts { [part.head, part.content].forEach { $0.data.withBytes(add) } }
            }
        }
        return checksum.value
    }
}

extension ComparedRequest.Field {
    init(_ part: ComparedRequest.Part, named key: String = "", _ text: String?) {
        let segments = part == .path ? PathTemplate.segments(of: text ?? "") : nil
        self.init(part, named: key, segments?.map { .string(String($0)) } ?? [.init(text)])
    }

    private init(_ part: ComparedRequest.Part, named key: String, _ tokens: [JSONValue.Token]) {
        self.init(name: .init(part: part, key: key), value: .tokens(tokens[...]))
    }

    /// Creates the field of a JSON body.
    init(_ value: JSONValue) { self.init(name: .init(part: .json), value: .tokens(value.tokens)) }

    /// Creates the field of a multipart body.
    init(_ parts: [ComparedRequest.BodyPart]) { self.init(name: .init(part: .multipart), value: .bytes(parts)) }

    /// Creates the field of any other body.
    init(_ body: Data) { self.init(name: .init(part: .bytes), value: .bytes([.init(content: BodyBytes(body))])) }

    /// Returns a field for each name of some items, sorted.
    static func items(_ items: [QueryItem], _ part: ComparedRequest.Part) -> [Self] {
        var names: [(name: String, values: [JSONValue.Token])] = []
        for item in items.sorted() {
            if names.last?.name == item.name {
                names[names.count - 1].values.append(.init(item.value))
            } else {
                names.append((item.name, [.init(item.value)]))
            }
        }
        return names.map { Self(part, named: $0, $1) }
    }

    /// The strings, numbers and other tokens of the value, in their order.
    var tokens: ArraySlice<JSONValue.Token> { if case .tokens(let tokens) = value { tokens } else { [] } }

    /// The strings of the value, in their order.
    var texts: [String?] {
        tokens.compactMap { token in
            switch token {
            case .string(let text): .some(text)
            case .null: .some(nil)
            default: nil
            }
        }
    }
}

extension JSONValue.Token {
    /// Creates a string; `null` for `nil`.
    fileprivate init(_ text: String?) { self = text.map(Self.string) ?? .null }
}
