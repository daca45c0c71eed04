import Foundation

/// The live values that replace the placeholders in the response of a recorded stub.
///
/// A client may compare a value in the response, such as a state, with the one that it has sent.
struct Echo {
    /// A function that returns the live value of a placeholder; `nil` where none is known.
    let value: (String) -> [UInt8]?

    /// Recorded values that are not placeholders, from older files.
    let literals: [String]

    // Digits may stand in a response by chance; other placeholders of older files are looked for too.
    private let forms = PlaceholderForms()

    private static let maximumByteCount = 4 << 20

    /// Returns a Boolean value that indicates whether a recorded value that is not a placeholder is given back.
    static func isGivenBack(_ literal: String) -> Bool {
        literal.withBytes { bytes in
            !Placeholder.isIn(bytes) && !bytes.allSatisfy(\.isDigit)
                && (bytes.count >= 20 || RandomText.looksRandom(bytes))
        }
    }

    /// Returns a Boolean value that indicates whether a response has placeholders.
    static func isNeeded(by response: StubResponse) -> Bool {
        func isIn(_ bytes: Bytes) -> Bool { Placeholder.isIn(bytes) || !Placeholder.finder.hits(in: bytes).isEmpty }
        let texts = (response.head?.headerFields.map(\.value) ?? []) + [response.head?.url?.absoluteString ?? ""]
        return texts.contains { $0.withBytes(isIn) } || body(of: response)?.withBytes(isIn) == true
    }

    private static func body(of response: StubResponse) -> Data? {
        guard (response.content?.maximumByteCount ?? 0) <= maximumByteCount else { return nil }
        return try? response.body
    }

    /// Returns the response with the live values.
    func response(_ response: StubResponse) -> StubResponse {
        var result = response
        if let head = response.head {
            let fields = head.headerFields.map { field -> HeaderFields.Field in
                let spelling: Spelling = Self.references.contains(field.name.lowercased()) ? .query : .plain
                return .init(name: field.name, value: text(field.value, spelling) ?? field.value)
            }
            if fields != head.headerFields.map(\.self) { result.head?.headerFields = HeaderFields(fields) }
            if let url = head.url.flatMap({ text($0.absoluteString, .query) }) {
                result.head?.url = URL(encodingOnlyInvalid: url)
            }
        }
        if let body = Self.body(of: response) {
            let type = response.head?.headerFields["Content-Type"] ?? ""
            let changed = body.withBytes { text($0, Self.spelling(of: $0, type), depth: 0) }
            if let changed { result.content = .data(Data(changed)) }
        }
        return result
    }

    private static let references = ["location", "content-location", "refresh", "link"]

    private static func spelling(of bytes: Bytes, _ type: String) -> Spelling {
        switch bytes.at(bytes.end(from: 0, while: \.isSpace)) {
        case .openingBrace, .openingBracket: .json
        case .lessThan: .xml
        default: ContentType(type).isForm ? .form : ContentType(type).isJSON ? .json : .plain
        }
    }

    private func text(_ text: String, _ spelling: Spelling) -> String? {
        text.withBytes { self.text($0, spelling, depth: 0) }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns a text with the live values; `nil` for a text without any of the placeholders.
    private func text(_ bytes: Bytes, _ spelling: Spelling, depth: Int) -> [UInt8]? {
        guard depth < FieldText.maximumDepth else { return nil }
        func spelled(_ value: [UInt8]) -> [UInt8] {
            switch spelling {
            case .plain: value.filter { $0 != .carriageReturn && $0 != .lineFeed }
            case .query, .form: PercentEncoding.encoded(value)
            case .json: JSONString.escaped(value)
            case .xml: XMLText.escaped(value)
            }
        }
        var edits: [Edit] = forms.wildcards(in: bytes, isValue: false).compactMap { found in
            value(found.wildcard.placeholder).map { Edit(range: found.range, text: spelled($0)) }
        }
        for text in literals {
            guard let value = value(text) else { continue }
            let literal = Array(text.utf8)
            var next = 0
            while let start = bytes.position(of: literal[0], from: next) {
                next = start + 1
                guard bytes.part(start..<start + literal.count).elementsEqual(literal) else { continue }
                edits.append(Edit(range: start..<start + literal.count, text: spelled(value)))
                next = start + literal.count
            }
        }
        for hit in Placeholder.finder.hits(in: bytes) {
            guard case .base64(let offset) = hit.pattern.coding else { continue }
            let range = ValueFinder.base64Range(bytes, around: hit.range, group: hit.range.lowerBound - offset)
            guard !edits.contains(where: { $0.range.overlaps(range) }) else { continue }
            let edit = Base64.edit(bytes, range, keepsPadding: true) { inner in
                text(inner, Self.spelling(of: inner, ""), depth: depth + 1)
            }
            if let edit { edits.append(edit) }
        }
        return Edit.apply(edits, to: bytes)
    }
}
