import Foundation

/// The live values that replace the placeholders in the response of a recorded stub.
///
/// A client may compare a value in the response, such as a state, with the value that it sent.
struct PlaceholderSubstitution {
    /// A function that returns the live value of a placeholder; `nil` if none is known.
    let value: (String) -> [UInt8]?

    private static let maximumByteCount = 4 << 20

    /// Returns a Boolean value that indicates whether a response has placeholders.
    static func isNeeded(by response: StubResponse) -> Bool {
        response.texts.contains { text in
            text.data.count <= maximumByteCount
                && text.data.withBytes { Placeholder.isIn($0) || !Placeholder.finder.hits(in: $0).isEmpty }
        }
    }

    /// Returns the response with the live values.
    func response(_ response: StubResponse) -> StubResponse {
        var result = response
        result.changeTexts { text in
            // A frame that the client sends is compared with its placeholders.
            if text.isRequest || text.data.count > Self.maximumByteCount { return nil }
            return text.data.withBytes { bytes in
                let spelling: Spelling
                switch text.place {
                case .url: spelling = .query
                case .field(let name): spelling = Self.references.contains(name.lowercased()) ? .query : .plain
                case .body: spelling = BodyFormat(bytes, type: text.fields.contentType).spelling
                case .error: return nil
                }
                return self.text(bytes, spelling, depth: 0).map { Data($0) }
            }
        }
        return result
    }

    private static let references = ["location", "content-location", "refresh", "link"]

    /// Returns a Boolean value that indicates whether an offset is in the value of a URL's query item:
    /// `…?state=REDACTED-state-1`.
    private static func isInQuery(_ bytes: Bytes, _ offset: Int) -> Bool {
        guard bytes.at(offset - 1) == .equals else { return false }
        let name = bytes.start(before: offset - 1) { $0.isUnreserved }
        return name < offset - 1 && bytes.at(name - 1).isOne(of: "?&")
    }

    /// Returns a text with the live values; `nil` for a text without any of the placeholders.
    private func text(_ bytes: Bytes, _ spelling: Spelling, depth: Int) -> [UInt8]? {
        guard depth < BodyFormat.maximumDepth else { return nil }
        func spelled(_ value: [UInt8]) -> [UInt8] {
            switch spelling {
            case .plain: value.filter { !$0.isLineBreak }
            case .query, .form: PercentEncoding.encoded(value)
            case .json: JSONString.escaped(value)
            case .xml: XMLText.escaped(value)
            }
        }
        // Digits are not replaced, because a response may contain the same digits by coincidence. All other placeholders are
        // replaced, even those of older files.
        var edits: [Edit] = PlaceholderForms().wildcards(in: bytes, isValue: false).compactMap { found in
            value(found.wildcard.placeholder).map { value in
                let isInQuery = ![.query, .form].contains(spelling) && Self.isInQuery(bytes, found.range.lowerBound)
                return Edit(range: found.range, text: spelled(isInQuery ? PercentEncoding.encoded(value) : value))
            }
        }
        for encoded in Placeholder.encoded(in: bytes) where !encoded.isHex {
            let changed = encoded.decoded.withUnsafeBufferPointer {
                text($0, BodyFormat($0).spelling, depth: depth + 1)
            }
            if let changed { edits.append(encoded.edit(changed)) }
        }
        return Edit.apply(edits, to: bytes)
    }
}
