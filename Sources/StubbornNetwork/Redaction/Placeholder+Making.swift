import Foundation

// Making placeholders.
extension Placeholder {
    /// Returns the placeholder of a value.
    static func text(for value: Bytes, label: String, next: (String) -> Int) -> [UInt8] {
        let prefix = prefix(of: value)
        let body = value.part(prefix.count..<value.count)
        if body.count >= 16, !body.hasBothCases, body.isMixed, body.allSatisfy({ $0.hexValue != nil }) {
            let isUppercase = body.contains(where: { $0.isUppercase })
            return prefix + Array((isUppercase ? "5EC2E7" : "5ec2e7").utf8)
                + digits(next(unlabeled), count: body.count - 6)
        }
        let end = prefix.isEmpty ? body.start(before: body.count) { $0 == .equals } : body.count
        let padding = body.count - end
        let isBase64 = body.part(0..<end).allSatisfy({ $0.isBase64 }) && (padding == 0 || body.count % 4 == 0)
        guard prefix.isEmpty ? body.count >= 20 && isBase64 : body.count >= 14 else {
            return prefix + Array("REDACTED-\(label)-\(next(label))".utf8)
        }
        // The last digit before the padding has unused bits, which must be zero.
        let filler: [UInt8] = padding == 0 ? [] : [UInt8(ascii: "A")]
        return prefix + unnumbered + digits(next(unlabeled), count: end - 8 - filler.count) + filler
            + Array(repeating: .equals, count: padding)
    }

    /// Returns the placeholder of a JSON Web Token's signature: base64url without padding, even to a strict decoder
    /// (RFC 7515, section 2).
    static func signature(count: Int, number: Int) -> [UInt8] {
        let count = Swift.max(count % 4 == 1 ? count + 1 : count, 16)
        let filler: [UInt8] = count % 4 == 0 ? [] : [UInt8(ascii: "A")]
        return unnumbered + digits(number, count: count - 8 - filler.count) + filler
    }

    private static func digits(_ number: Int, count: Int) -> [UInt8] { Array(Swift.max(0, number).digits(count).utf8) }

    /// Returns the prefix that a provider gives its tokens; empty if there is none.
    private static func prefix(of value: Bytes) -> [UInt8] {
        let form = TokenForm.all.first { $0.before == 0 && $0.range(in: value, anchor: $0.anchor) == 0..<value.count }
        return form?.prefix ?? []
    }

    /// Returns the placeholder of a UUID: `5ec2e700-0000-4000-8000-000000000001`.
    static func identifier(number: Int, isUppercase: Bool) -> [UInt8] {
        Array((isUppercase ? "5EC2E700-0000-4000-8000-" : "5ec2e700-0000-4000-8000-").utf8)
            + digits(number, count: 12).suffix(12)
    }

    /// Returns a number of `count` digits for the n-th secret of that length, counted from 0.
    static func digits(count: Int, index: Int) -> [UInt8] {
        var result = [UInt8](repeating: 0x39, count: count)
        if count >= 6 { result[count - 2] -= UInt8(min(index, 99) / 10) }
        if count >= 3 { result[count - 1] -= UInt8(min(index, count >= 6 ? 99 : 9) % 10) }
        return result
    }

    /// Returns a label for a name: lower-case words with `_` between them.
    static func label(_ name: Bytes) -> String {
        var result: [UInt8] = []
        var previous: UInt8 = 0
        for byte in name.prefix(40) {
            if byte.isUppercase, previous.isLowercase || previous.isDigit { result.append(.underscore) }
            if byte.isAlphanumeric {
                result.append(byte.lowercased)
            } else if let last = result.last, last != .underscore {
                result.append(.underscore)
            }
            previous = byte
        }
        while result.last == .underscore { result.removeLast() }
        return result.isEmpty ? "secret" : String(decoding: result, as: UTF8.self)
    }
}

// Numbers count secrets in the order in which they were seen, which differs between recordings if requests overlap. Two
// recordings with the same nameless form are equal apart from these numbers.
extension StubRequest {
    /// The request without the names and numbers of its placeholders: `REDACTED-token-7` becomes `REDACTED`, and a placeholder of
    /// digits as many nines.
    ///
    /// Everything else is kept.
    package var nameless: StubRequest {
        var result = self
        let digits = placeholders ?? []
        result.changeTexts { $0.data.withBytes { Placeholder.nameless($0, digits: digits) }.map { Data($0) } }
        result.placeholders = nil
        return result
    }
}

extension Placeholder {
    /// Returns a text without the names and numbers of placeholders; `nil` if there are none.
    ///
    /// `digits` lists the placeholders of digits.
    static func nameless(_ bytes: Bytes, digits: [String], depth: Int = 0) -> [UInt8]? {
        guard depth < BodyFormat.maximumDepth else { return nil }
        var edits = matches(in: bytes).map { Edit(range: $0.start..<$0.match.end, text: unnumbered) }
        edits += encoded(in: bytes).compactMap { encoded in
            // Padding depends on the length of a number.
            encoded.decoded.withUnsafeBufferPointer { nameless($0, digits: digits, depth: depth + 1) }
                .map { encoded.edit($0, isPadded: false) }
        }
        edits += digits.filter { $0.utf8.areDigits }
            .flatMap { words(Array($0.utf8), in: bytes) }
            .map { Edit(range: $0, text: [UInt8](repeating: 0x39, count: $0.count)) }
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
            text.placeholders.first.map { Found(text: $0.text, part: String(text.part.dropFirst("request ".count))) }
        }.first
    }

    /// Returns a Boolean value that indicates whether a response contains a placeholder.
    static func contains(_ placeholder: String, in response: StubResponse) -> Bool {
        response.texts.contains { text in text.placeholders.contains { $0.text == placeholder } }
    }
}

extension StubText {
    /// The placeholders in the text, including those in base64 and in hexadecimal digits.
    var placeholders: [(text: String, match: Placeholder.Match)] { data.withBytes { Placeholder.all(in: $0) } }
}
