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
            let found = part.templates(with: forms)
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
        return zip(parts, values).allSatisfy { $0.match($1, into: &captures) } ? captures : nil
    }
}

extension RequestMatcher.Part {
    /// A value of a part, as it is compared with a template.
    private enum Value {
        /// The values of the items of one name.
        case items([String?])
        /// A text, and a Boolean value that indicates whether it is the whole value of a field.
        case text(Data, isValue: Bool)
        case token(JSONValue.Token)
    }

    /// The values of the part, in its order, with their places.
    private var values: [(place: RequestTemplate.Location, value: Value)] {
        func items(_ items: [QueryItem]) -> [(RequestTemplate.Location, Value)] {
            Dictionary(grouping: items, by: \.name).sorted { $0.key < $1.key }
                .map { (.item($0), .items($1.map(\.value))) }
        }
        func segments(_ path: String) -> [(RequestTemplate.Location, Value)] {
            PathTemplate.segments(of: path).enumerated().map { index, segment in
                (.segment(index), .text(Data(PercentEncoding.decoded(String(segment)).utf8), isValue: true))
            }
        }
        switch self {
        case .method, .host: return []
        case .path(let path): return segments(path)
        case .url(let url): return segments(url.path) + items(url.query)
        case .query(let query): return items(query)
        case .headers(let fields):
            return fields.sorted { $0.key < $1.key }.map {
                (.item($0), .text(Data($1.utf8), isValue: true))
            }
        case .body(.form(let fields)): return items(fields)
        case .body(.json(let value)):
            return value.tokens.enumerated().compactMap { offset, token in
                switch token {
                case .string, .number, .bool, .null: (.token(offset), .token(token))
                default: nil
                }
            }
        case .body(.multipart(let parts)):
            return parts.enumerated().map { (.part($0), .text($1.text, isValue: false)) }
        case .body(.bytes(let bytes)): return [(.body, .text(bytes.data, isValue: false))]
        case .body(.none): return [(.body, .text(Data(), isValue: false))]
        }
    }

    /// Returns the values that have holes, with the holes in them.
    fileprivate func templates(with forms: PlaceholderForms) -> [(
        value: RequestTemplate.Value, holes: [Hole]
    )] {
        values.compactMap { place, value in
            let compiled =
                switch value {
                case .items(let items): ValueTemplate.values(items, forms)
                case .text(let text, let isValue):
                    text.withBytes { ValueTemplate.text($0, forms, isValue: isValue) }
                case .token(let token): ValueTemplate.token(token, forms)
                }
            return compiled.map { (RequestTemplate.Value(place: place, template: $0.template), $0.holes) }
        }
    }

    /// Returns a Boolean value that indicates whether the part matches all recorded values, and adds the live values in their
    /// holes.
    fileprivate func match(
        _ recorded: [RequestTemplate.Value],
        into captures: inout ValueTemplate.Captures
    ) -> Bool {
        guard !recorded.isEmpty else { return true }
        let live = Dictionary(uniqueKeysWithValues: values.map { ($0.place, $0.value) })
        return recorded.allSatisfy { recorded in
            switch live[recorded.place] {
            case .items(let items): recorded.template.match(items, into: &captures)
            case .text(let text, _): text.withBytes { recorded.template.match($0, into: &captures) }
            case .token(let token): recorded.template.match(token, into: &captures)
            // The part is of another kind, or has no value there.
            case nil: false
            }
        }
    }

    /// The part without any values: requests of one form have the same shape.
    var shape: Self { blanked(at: values.map(\.place)) }

    /// Returns the part without the values at some places.
    func blanked(at places: [RequestTemplate.Location]) -> Self { replacing(Set(places), from: nil) }

    /// Returns the part with the recorded values wherever the recorded part has a matching hole.
    ///
    /// The differences that are left are the reason why the requests are not equal. Tokens of JSON of another structure stay.
    func filled(from recorded: Self, _ forms: PlaceholderForms) -> Self {
        let filled = recorded.templates(with: forms).filter { value, _ in
            var captures = ValueTemplate.Captures()
            return match([value], into: &captures)
        }
        return replacing(Set(filled.map(\.value.place)), from: recorded)
    }

    /// Returns the part with the values of another part at some places; without values there if that is `nil`.
    private func replacing(_ places: Set<RequestTemplate.Location>, from other: Self?) -> Self {
        guard !places.isEmpty else { return self }
        let isBlank = other == nil
        func items(_ items: [QueryItem], _ others: [QueryItem]) -> [QueryItem] {
            if isBlank {
                return items.map {
                    places.contains(.item($0.name)) ? QueryItem(name: $0.name, value: nil) : $0
                }
            }
            return
                (items.filter { !places.contains(.item($0.name)) }
                + others.filter { places.contains(.item($0.name)) })
                .sorted()
        }
        func path(_ path: String, _ other: String) -> String {
            let (segments, others) = (PathTemplate.segments(of: path), PathTemplate.segments(of: other))
            guard segments.count == others.count else { return path }
            return segments.indices.map {
                places.contains(.segment($0)) ? isBlank ? "" : others[$0] : segments[$0]
            }
            .joined(separator: "/")
        }
        switch (self, other ?? self) {
        case (.path(let text), .path(let new)): return .path(path(text, new))
        case (.url(var url), .url(let new)):
            url.path = path(url.path, new.path)
            url.query = items(url.query, new.query)
            return .url(url)
        case (.query(let query), .query(let new)): return .query(items(query, new))
        case (.headers(let fields), .headers(let new)):
            let changed = fields.map {
                ($0, places.contains(.item($0)) ? isBlank ? "" : new[$0] ?? $1 : $1)
            }
            return .headers(Dictionary(uniqueKeysWithValues: changed))
        case (.body(.form(let fields)), .body(.form(let new))): return .body(.form(items(fields, new)))
        case (.body(.json(let value)), .body(.json(let new))):
            // Tokens of another structure are compared by their paths.
            guard isBlank || shape == other?.shape else { return self }
            let tokens = zip(value.tokens, new.tokens).enumerated().map { offset, pair in
                places.contains(.token(offset)) ? isBlank ? .null : pair.1 : pair.0
            }
            return .body(.json(JSONValue(tokens[...])))
        case (.body(.multipart(let parts)), .body(.multipart(let new))):
            guard parts.count == new.count else { return self }
            let none = ComparableBody.Part(head: BodyBytes(Data()), content: BodyBytes(Data()))
            return .body(
                .multipart(
                    parts.indices.map { places.contains(.part($0)) ? isBlank ? none : new[$0] : parts[$0] }
                )
            )
        case (.body, .body): return places.contains(.body) ? other ?? .body(.none) : self
        // Parts without values, or of two kinds.
        case (.method, _), (.host, _), (.path, _), (.url, _), (.query, _), (.headers, _), (.body, _):
            return self
        }
    }
}
