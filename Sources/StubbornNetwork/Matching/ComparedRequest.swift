import Foundation

/// A request as one list of named values, which matchers compare: `url.query.page`, `headers.accept`, `body.form.id`.
struct ComparedRequest: Hashable, Sendable {
    /// The part of a request that a value is in, in the order of reports.
    enum Part: Int, Sendable {
        case method, origin, host, path, query, header, json, form, formField, multipart, bytes

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
        /// A JSON body, a text, or the texts of one name in an array. An item without a value is `null`.
        case json(JSONValue)
        /// The parts of a multipart body, or any other body as one part.
        case bytes([ComparableBody.Part])
    }

    struct Field: Hashable, Sendable {
        let name: Name
        var value: Value
    }

    var fields: [Field]

    init(_ fields: [Field]) { self.fields = fields }

    /// Reads the values that matchers compare; matchers in code compare none.
    init(_ request: ParsedRequest, by matchers: [RequestMatcher]) {
        fields = matchers.flatMap { $0.fields(of: request) }
    }

    /// A number that is equal for equal requests, in every process.
    var checksum: UInt64 {
        var checksum = Checksum()
        func add(_ bytes: Bytes) {
            checksum.add(bytes)
            withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { checksum.add($0.bindMemory(to: UInt8.self)) }
        }
        for field in fields {
            "\(field.name.part) \(field.name.key)".withBytes(add)
            switch field.value {
            case .json(let value): value.text(upTo: .max).withBytes(add)
            case .bytes(let parts): for part in parts { [part.head, part.content].forEach { $0.data.withBytes(add) } }
            }
        }
        return checksum.value
    }
}

extension ComparedRequest.Field {
    /// Creates a field with a text, or several; `nil` stands for an item without a value.
    init(_ part: ComparedRequest.Part, named key: String = "", _ texts: [String?]) {
        var tokens = texts.map { $0.map { JSONValue.Token.string($0) } ?? .null }
        if tokens.count != 1 { tokens = [.open(.array, count: tokens.count)] + tokens + [.close(.array)] }
        self.init(name: .init(part: part, key: key), value: .json(JSONValue(tokens[...])))
    }

    static func path(_ path: String) -> Self { Self(.path, PathTemplate.segments(of: path).map { String($0) }) }

    /// Returns a field for each name of some items, sorted.
    static func items(_ items: [QueryItem], _ part: ComparedRequest.Part) -> [Self] {
        var names: [(name: String, values: [String?])] = []
        for item in items.sorted() {
            if names.last?.name == item.name {
                names[names.count - 1].values.append(item.value)
            } else {
                names.append((item.name, [item.value]))
            }
        }
        return names.map { Self(part, named: $0.name, $0.values) }
    }

    /// Returns the fields of a body.
    static func body(_ body: ComparableBody) -> [Self] {
        func bytes(_ part: ComparedRequest.Part, _ parts: [ComparableBody.Part]) -> [Self] {
            [Self(name: .init(part: part), value: .bytes(parts))]
        }
        switch body {
        case .none: return bytes(.bytes, [.init(content: BodyBytes(Data()))])
        case .bytes(let body): return bytes(.bytes, [.init(content: body)])
        case .multipart(let parts): return bytes(.multipart, parts)
        case .json(let value): return [Self(name: .init(part: .json), value: .json(value))]
        // A form without fields is a form too.
        case .form(let fields): return [Self(.form, [""])] + items(fields, .formField)
        }
    }

    /// The texts of the value, in their order.
    var texts: [String?] {
        guard case .json(let value) = value else { return [] }
        return value.tokens.compactMap { token in
            switch token {
            case .string(let text): .some(text)
            case .null: .some(nil)
            default: nil
            }
        }
    }
}

extension RequestMatcher {
    /// Returns the values of a request that the matcher compares, in one spelling.
    func fields(of request: ParsedRequest) -> [ComparedRequest.Field] {
        let (url, ignored) = (request.url, spelledIgnored)
        func path() -> [ComparedRequest.Field] { [.path(ignored.comparable(url.path))] }
        func query() -> [ComparedRequest.Field] {
            url.query.isEmpty
                ? []
                : ComparedRequest.Field.items(
                    url.query.filter { !ignored.queryItems.contains($0.name) }.comparingGraphQL,
                    .query
                )
        }
        func headers(_ fields: [String: String]) -> [ComparedRequest.Field] {
            fields.sorted { $0.key < $1.key }.map { .init(.header, named: $0.key, [$0.value]) }
        }
        switch criterion {
        case .httpMethod: return [.init(.method, [request.request.method])]
        case .host: return [.init(.host, [url.host])]
        case .path: return path()
        case .query: return query()
        case .url: return [.init(.origin, [url.scheme, url.host, url.port])] + path() + query()
        case .headers: return headers(HeaderComparison.fields(of: request.request, except: ignored.headerFields))
        case .namedHeaders:
            return headers(HeaderComparison.fields(of: request.request, where: comparedFieldNames.contains))
        case .requestBody: return ComparedRequest.Field.body(request.body.removing(ignored))
        case .custom: return []
        }
    }
}
