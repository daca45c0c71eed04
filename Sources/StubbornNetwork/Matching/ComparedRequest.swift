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
        case bytes([BodyPart])
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
            case .tokens(let tokens): for token in tokens { token.spelling.withBytes(add) }
            case .bytes(let parts): for part in parts { [part.head, part.content].forEach { $0.withBytes(add) } }
            }
        }
        return checksum.value
    }

    /// Reads a request's body in its format; a body that is not valid in that format is compared as bytes.
    ///
    /// The fields are the value of JSON, or of each line of NDJSON; the fields of a form; the parts of a multipart body; or the
    /// bytes. The boundaries of a multipart body are left out, because clients generate them for each request. A compressed body is
    /// compared by its bytes. A missing body equals an empty one.
    init(bodyOf request: StubRequest) {
        let data = request.body ?? Data()
        switch data.isEmpty ? BodyContent.bytes : BodyContent(data, of: request.headerFields.contentType) {
        case .json(let value): fields = [.init(Self.comparable(value, data))]
        case .form:
            // A form without fields is also a form.
            fields = [.init(.form, nil)] + Field.items(QueryItem.fields(ofForm: data), .formField)
        case .parts(let parts): fields = [.init(parts)]
        case .events, .bytes: fields = [.init(data)]
        }
    }

    /// Returns a JSON body in the form for comparison: the text of a GraphQL query without its white space.
    private static func comparable(_ value: JSONValue, _ data: Data) -> JSONValue {
        let mayBeGraphQL = data.withBytes { $0.position(of: "\"query\"", from: 0) != nil }
        return mayBeGraphQL ? GraphQLOperation.comparable(value) : value
    }

    /// Returns the body without the members and fields that are ignored.
    func removing(_ ignored: IgnoredParts.Spelled) -> Self {
        let names = ignored.bodyFields
        return Self(
            fields.compactMap { field in
                var field = field
                switch (field.name.part, field.value) {
                case (.json, .tokens(let tokens)):
                    field.value = .tokens(JSONValue(tokens).removing(ignored.keyPaths).tokens)
                case (.multipart, .bytes(let parts)):
                    field.value = .bytes(parts.filter { $0.name.map(names.contains) != true })
                case (.formField, _) where names.contains(PercentEncoding.decoded(field.name.key)): return nil
                default: break
                }
                return field
            }
        )
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
    init(_ parts: [BodyPart]) { self.init(name: .init(part: .multipart), value: .bytes(parts)) }

    /// Creates the field of any other body.
    init(_ body: Data) { self.init(name: .init(part: .bytes), value: .bytes([.init(content: body)])) }

    /// Returns a field for each name of some items, sorted.
    static func items(_ items: [QueryItem], _ part: ComparedRequest.Part) -> [Self] {
        Dictionary(grouping: items.sorted()) { $0.name }.sorted { $0.key < $1.key }.map { name, items in
            Self(part, named: name, items.map { JSONValue.Token($0.value) })
        }
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

    /// A text that differs for different tokens.
    fileprivate var spelling: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let digits): digits
        case .string(let text): "=" + text
        case .key(let key): ":" + key
        case .open(let container, _): "open \(container)"
        case .close: "close"
        }
    }
}
