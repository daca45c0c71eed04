import Foundation

// Numbers count secrets in the order in which they were seen, which differs between recordings if requests overlap. Two
// recordings with the same nameless form are equal apart from these numbers.
extension Stub {
    /// The stub without the names and numbers of its placeholders: `REDACTED-token-7` becomes `REDACTED`.
    ///
    /// Everything else is kept.
    var nameless: Stub {
        var result = self
        let digits = request.placeholders ?? []
        result.request = request.nameless
        result.response.changeTexts { $0.nameless(digits: digits) }
        return result
    }
}

extension StubRequest {
    /// The request without the names and numbers of its placeholders; those of digits become as many nines.
    package var nameless: StubRequest {
        var result = self
        let digits = placeholders ?? []
        result.changeTexts { $0.nameless(digits: digits) }
        result.placeholders = nil
        return result
    }
}

extension StubText {
    fileprivate func nameless(digits: [String]) -> Data? {
        data.withBytes { Placeholder.nameless($0, digits: digits) }.map { Data($0) }
    }
}

extension Placeholder {
    /// Returns a text without the names and numbers of placeholders; `nil` if there are none.
    fileprivate static func nameless(_ bytes: Bytes, digits: [String], depth: Int = 0) -> [UInt8]? {
        guard depth < BodyFormat.maximumDepth else { return nil }
        var edits = matches(in: bytes).map { Edit(range: $0.start..<$0.match.end, text: unnumbered) }
        edits += encoded(in: bytes).compactMap { encoded in
            // Padding depends on the length of a number.
            encoded.decoded.withUnsafeBufferPointer { nameless($0, digits: digits, depth: depth + 1) }
                .map { encoded.edit($0, isPadded: false) }
        }
        if !digits.isEmpty {
            edits += digits.filter { $0.utf8.allSatisfy(\.isDigit) }
                .flatMap { words(Array($0.utf8), in: bytes) }
                .map { Edit(range: $0, text: [UInt8](repeating: 0x39, count: $0.count)) }
        }
        return Edit.apply(edits, to: bytes)
    }
}

/// A search for the placeholders of secrets, in a live request or in the response of a stub.
enum PlaceholderSearch {
    /// A placeholder and its location in a request.
    struct Found: Sendable, Equatable {
        /// The placeholder: `REDACTED-token-1`.
        let text: String
        /// The part of the request: `URL`, `body`, `header Authorization`.
        let part: String
    }

    /// Returns the first placeholder in a request; `nil` if there is none.
    static func placeholder(in request: StubRequest) -> Found? {
        request.texts.lazy.compactMap { text in
            text.data.withBytes { Placeholder.all(in: $0).first?.text }
                .map { Found(text: $0, part: String(text.part.dropFirst("request ".count))) }
        }.first
    }

    /// Returns a Boolean value that indicates whether a response contains a placeholder.
    static func contains(_ placeholder: String, in response: StubResponse) -> Bool {
        response.texts.contains { text in
            text.data.withBytes { bytes in Placeholder.all(in: bytes).contains { $0.text == placeholder } }
        }
    }
}
