import Foundation

/// The compared parts of a recorded request, with holes that stand for any value.
///
/// Two templates are equal if they differ only in the names of their placeholders.
struct RequestTemplate: Sendable {
    /// A place in a compared part, where the live value is found.
    enum Location: Hashable, Sendable {
        /// A segment of the path.
        case segment(Int)
        /// All items of a name, in a query or a form, or a header field.
        case item(String)
        /// A token of a JSON body.
        case token(Int)
        /// A part of a multipart body.
        case part(Int)
        /// A body of text.
        case body
    }

    struct Value: Hashable, Sendable {
        let place: Location
        let template: ValueTemplate
    }

    /// The places with holes, for each compared part.
    typealias Mask = [[Location]]

    /// The parts without the values that have holes.
    let blank: [RequestMatcher.Part]

    /// The values that have holes, for each part.
    let values: [[Value]]

    let holes: [Hole]

    init(_ parts: [RequestMatcher.Part], _ forms: PlaceholderForms) {
        var holes: [Hole] = []
        var values: [[Value]] = []
        blank = parts.map { part in
            let found = part.values(with: forms)
            holes += found.flatMap(\.holes)
            values.append(found.map(\.value))
            return found.isEmpty ? part : part.blanked(at: found.map(\.value.place))
        }
        (self.values, self.holes) = (values, holes)
    }

    var mask: Mask { values.map { $0.map(\.place) } }

    /// Returns the live values in the holes; `nil` for parts that differ.
    ///
    /// Only the values that have holes are compared.
    func match(_ parts: [RequestMatcher.Part]) -> ValueTemplate.Captures? {
        var captures = ValueTemplate.Captures()
        for (part, values) in zip(parts, values) {
            for value in values where !part.match(value, into: &captures) { return nil }
        }
        return captures
    }
}

extension RequestMatcher.Part {
    fileprivate typealias Found = (value: RequestTemplate.Value, holes: [Hole])

    /// Returns the values that have holes, with the holes in them.
    fileprivate func values(with forms: PlaceholderForms) -> [Found] {
        func found(_ place: RequestTemplate.Location, _ compiled: ValueTemplate.Compiled?) -> [Found] {
            compiled.map { [(.init(place: place, template: $0.template), $0.holes)] } ?? []
        }
        func items(_ items: [QueryItem]) -> [Found] {
            Dictionary(grouping: items, by: \.name).sorted { $0.key < $1.key }.flatMap { name, items in
                found(.item(name), ValueTemplate.values(items.map(\.value), forms))
            }
        }
        func segments(_ path: String) -> [Found] {
            PathTemplate.segments(of: path).enumerated().flatMap { index, segment in
                let text = PercentEncoding.decoded(String(segment))
                return found(.segment(index), text.withBytes { ValueTemplate.text($0, forms) })
            }
        }
        switch self {
        case .method, .host: return []
        case .path(let path): return segments(path)
        case .url(let url): return segments(url.path) + items(url.query)
        case .query(let query): return items(query)
        case .headers(let fields):
            return fields.sorted { $0.key < $1.key }.flatMap { name, value in
                found(.item(name), value.withBytes { ValueTemplate.text($0, forms) })
            }
        case .body(.none): return []
        case .body(.json(let value)):
            return value.tokens.enumerated().flatMap { offset, token in
                found(.token(offset), ValueTemplate.token(token, forms))
            }
        case .body(.form(let fields)): return items(fields)
        case .body(.multipart(let parts)):
            return parts.enumerated().flatMap { index, part in
                found(.part(index), part.text.withBytes { ValueTemplate.text($0, forms, isValue: false) })
            }
        case .body(.bytes(let bytes)):
            return found(.body, bytes.data.withBytes { ValueTemplate.text($0, forms, isValue: false) })
        }
    }

    /// Returns a Boolean value that indicates whether the part matches a recorded value, and adds the live values in its holes.
    fileprivate func match(_ value: RequestTemplate.Value, into captures: inout ValueTemplate.Captures) -> Bool {
        func items(_ items: [QueryItem], _ name: String) -> Bool {
            value.template.match(items.filter { $0.name == name }.map(\.value), into: &captures)
        }
        func segment(_ path: String, _ index: Int) -> Bool {
            let segments = PathTemplate.segments(of: path)
            guard index < segments.count else { return false }
            let text = PercentEncoding.decoded(String(segments[index]))
            return text.withBytes { value.template.match($0, into: &captures) }
        }
        switch (self, value.place) {
        case (.path(let path), .segment(let index)): return segment(path, index)
        case (.url(let url), .segment(let index)): return segment(url.path, index)
        case (.url(let url), .item(let name)): return items(url.query, name)
        case (.query(let query), .item(let name)): return items(query, name)
        case (.body(.form(let fields)), .item(let name)): return items(fields, name)
        case (.headers(let fields), .item(let name)):
            return fields[name]?.withBytes { value.template.match($0, into: &captures) } ?? false
        case (.body(.json(let json)), .token(let offset)):
            guard offset < json.tokens.count else { return false }
            return value.template.match(json.tokens[json.tokens.startIndex + offset], into: &captures)
        case (.body(.multipart(let parts)), .part(let index)):
            return index < parts.count && parts[index].text.withBytes { value.template.match($0, into: &captures) }
        case (.body(.bytes(let bytes)), .body):
            return bytes.data.withBytes { value.template.match($0, into: &captures) }
        case (.body(.none), .body): return "".withBytes { value.template.match($0, into: &captures) }
        // A place in another kind of part.
        case (.method, _), (.host, _), (.path, _), (.url, _), (.query, _), (.headers, _), (.body, _): return false
        }
    }

    /// Returns the part without the values at some places.
    func blanked(at places: [RequestTemplate.Location]) -> Self {
        guard !places.isEmpty else { return self }
        func items(_ items: [QueryItem]) -> [QueryItem] {
            items.map { places.contains(.item($0.name)) ? QueryItem(name: $0.name, value: nil) : $0 }
        }
        func path(_ path: String) -> String {
            PathTemplate.segments(of: path).enumerated()
                .map { places.contains(.segment($0)) ? "" : $1 }.joined(separator: "/")
        }
        switch self {
        case .path(let text): return .path(path(text))
        case .url(var url):
            url.path = path(url.path)
            url.query = items(url.query)
            return .url(url)
        case .query(let query): return .query(items(query))
        case .headers(let fields):
            return .headers(
                Dictionary(uniqueKeysWithValues: fields.map { ($0, places.contains(.item($0)) ? "" : $1) })
            )
        case .body(.form(let fields)): return .body(.form(items(fields)))
        case .body(.json(let value)):
            let offsets = places.compactMap { if case .token(let offset) = $0 { offset } else { nil } }
            return .body(.json(value.blanked(at: offsets)))
        case .body(.multipart(let parts)):
            let none = ComparableBody.Part(head: BodyBytes(Data()), content: BodyBytes(Data()))
            return .body(.multipart(parts.enumerated().map { places.contains(.part($0)) ? none : $1 }))
        case .body(.bytes) where places.contains(.body): return .body(.none)
        case .method, .host, .body(.none), .body(.bytes): return self
        }
    }

    /// Returns the part with the recorded values wherever the recorded part has a matching hole.
    ///
    /// The differences that are left are the reason why the requests are not equal. Tokens of JSON of another structure stay.
    func filled(from recorded: Self, _ forms: PlaceholderForms) -> Self {
        var result = self
        for (value, _) in recorded.values(with: forms) {
            var captures = ValueTemplate.Captures()
            guard result.match(value, into: &captures) else { continue }
            result = result.replacing(value.place, from: recorded)
        }
        return result
    }

    private func replacing(_ place: RequestTemplate.Location, from recorded: Self) -> Self {
        func items(_ items: [QueryItem], _ others: [QueryItem], _ name: String) -> [QueryItem] {
            (items.filter { $0.name != name } + others.filter { $0.name == name }).sorted()
        }
        func path(_ path: String, _ other: String, _ index: Int) -> String {
            var segments = PathTemplate.segments(of: path)
            let others = PathTemplate.segments(of: other)
            if segments.count == others.count { segments[index] = others[index] }
            return segments.joined(separator: "/")
        }
        switch (self, recorded, place) {
        case (.path(let live), .path(let old), .segment(let index)): return .path(path(live, old, index))
        case (.url(var live), .url(let old), .segment(let index)):
            live.path = path(live.path, old.path, index)
            return .url(live)
        case (.url(var live), .url(let old), .item(let name)):
            live.query = items(live.query, old.query, name)
            return .url(live)
        case (.query(let live), .query(let old), .item(let name)): return .query(items(live, old, name))
        case (.body(.form(let live)), .body(.form(let old)), .item(let name)):
            return .body(.form(items(live, old, name)))
        case (.headers(var live), .headers(let old), .item(let name)):
            live[name] = old[name]
            return .headers(live)
        case (.body(.multipart(var live)), .body(.multipart(let old)), .part(let index)) where live.count == old.count:
            live[index] = old[index]
            return .body(.multipart(live))
        case (.body(.json(let live)), .body(.json(let old)), .token(let offset)):
            // Tokens of another structure are compared by their paths.
            guard live.shape == old.shape else { return self }
            var tokens = Array(live.tokens)
            tokens[offset] = Array(old.tokens)[offset]
            return .body(.json(JSONValue(tokens[...])))
        case (.body, .body, .body): return recorded
        // Two kinds of part, or a place in another kind.
        case (.method, _, _), (.host, _, _), (.path, _, _), (.url, _, _), (.query, _, _), (.headers, _, _),
            (.body, _, _):
            return self
        }
    }

    /// The part without any values: requests of one form have the same shape.
    var shape: Self {
        switch self {
        case .method, .host, .body(.none): return self
        case .path(let path): return blanked(at: Self.segments(of: path))
        case .url(let url): return blanked(at: Self.segments(of: url.path) + url.query.map { .item($0.name) })
        case .query(let items), .body(.form(let items)): return blanked(at: items.map { .item($0.name) })
        case .headers(let fields): return blanked(at: fields.map { .item($0.key) })
        case .body(.json(let value)): return .body(.json(value.shape))
        case .body(.multipart(let parts)): return blanked(at: parts.indices.map { .part($0) })
        case .body(.bytes): return blanked(at: [.body])
        }
    }

    private static func segments(of path: String) -> [RequestTemplate.Location] {
        PathTemplate.segments(of: path).indices.map { .segment($0) }
    }
}

extension JSONValue {
    /// The value with `null` in place of all texts, numbers and truth values.
    fileprivate var shape: JSONValue {
        JSONValue(
            tokens.map { token in
                switch token {
                case .string, .number, .bool: .null
                default: token
                }
            }[...]
        )
    }
}
