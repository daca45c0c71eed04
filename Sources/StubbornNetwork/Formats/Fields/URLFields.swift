/// The ranges of the parts of a URL, absolute or not (RFC 3986, section 3).
struct URLFields {
    /// The scheme, without the colon; empty if there is none.
    var scheme = 0..<0
    /// The user's name and password, before the `@`.
    var userInfo: Range<Int>?
    /// The host and the port.
    var host = 0..<0
    var path: Range<Int>
    /// The query, without the `?`; empty if there is none.
    var query: Range<Int>

    /// The fragment, without the `#`, and without the part before a `?` in it; empty if there is none.
    var fragment: Range<Int>

    init(_ url: Bytes) {
        var pathStart = 0
        let colon = url.end(from: 0) { $0.isAlphanumeric || $0.isOne(of: "+-.") }
        if url.at(0).isLetter, url.at(colon) == .colon { (scheme, pathStart) = (0..<colon, colon + 1) }
        if url.has("//", at: pathStart) {
            let authority = pathStart + 2
            pathStart = url.end(from: authority) { !$0.isOne(of: "/?#") }
            let start = authority + url.part(authority..<pathStart).start(before: pathStart - authority) { $0 != .at }
            host = start..<pathStart
            if start > authority { userInfo = authority..<start - 1 }
        }
        let hash = url.position(of: .numberSign, from: pathStart) ?? url.count
        let pathEnd = url.position(of: .questionMark, from: pathStart, to: hash) ?? hash
        path = pathStart..<pathEnd
        query = Swift.min(pathEnd + 1, hash)..<hash
        let start = url.position(of: .questionMark, from: hash) ?? hash
        fragment = Swift.min(start + 1, url.count)..<url.count
    }
}

/// The pairs of a form or of a URL's query: `a=1&b=2`.
enum FormFields {
    /// Returns a Boolean value that indicates whether a text is `name=value&…`, and nothing else.
    static func isForm(_ bytes: Bytes) -> Bool {
        let nameEnd = bytes.part(0..<128).end(from: 0) { $0.isUnreserved || $0.isOne(of: "%[]+") }
        guard 1..<128 ~= nameEnd, bytes.at(nameEnd) == .equals else { return false }
        // The padding of base64 is not the end of a name.
        if nameEnd >= 16, bytes.end(from: nameEnd, while: { $0 == .equals }) == bytes.count { return false }
        return bytes.end(from: nameEnd) { $0 > .space && !$0.isOne(of: "<>\"{};") } == bytes.count
    }

    /// Visits the pairs that have a value, spelled as `.form` or `.query`.
    ///
    /// A name begins after the last `;` before its `=`, because markup has `&amp;` or `&#38;` in place of `&`.
    static func read(_ bytes: Bytes, in range: Range<Int>? = nil, as spelling: Spelling, visit: (TextField) -> Void) {
        for part in bytes.parts(of: range ?? 0..<bytes.count, separatedBy: .ampersand) {
            guard let equals = bytes.position(of: .equals, from: part.lowerBound, to: part.upperBound),
                equals + 1 < part.upperBound
            else { continue }
            let text = bytes.part(part.lowerBound..<equals)
            let name = part.lowerBound + text.start(before: text.count) { $0 != .semicolon }..<equals
            visit(TextField(value: equals + 1..<part.upperBound, names: [name], spelling: spelling))
        }
    }
}

/// The values of `Cookie` and `Set-Cookie`.
enum CookieFields {
    /// Returns the offsets of the values in `a=1; b=2` (RFC 6265, section 4.2).
    static func values(inCookie field: Bytes) -> [Range<Int>] {
        field.parts(of: 0..<field.count, separatedBy: .semicolon).map { value(field, $0) }
    }

    /// Returns a Boolean value that indicates whether a value is words, short numbers or a time, as in `theme=dark`.
    static func isPlain(_ value: Bytes) -> Bool {
        PercentEncoding.decoded(value).withUnsafeBufferPointer { RandomText.isPlain($0) }
    }

    /// Returns a Boolean value that indicates whether all values in `a=1; b=2` are plain.
    static func arePlain(inCookie field: Bytes) -> Bool {
        values(inCookie: field).allSatisfy { isPlain(field.part($0)) }
    }

    /// Returns the offsets of the values in `a=1; Path=/` (RFC 6265, section 4.1).
    ///
    /// There are several values if fields have been joined by commas.
    static func values(inSetCookie field: Bytes) -> [Range<Int>] {
        let commas = field.indices.filter { field[$0] == .comma && beginsCookie(field, at: $0 + 1) }
        return zip([-1] + commas, commas + [field.count]).map { comma, end in
            value(field, comma + 1..<(field.position(of: .semicolon, from: comma + 1, to: end) ?? end))
        }
    }

    /// Returns a Boolean value that indicates whether a name and `=` follow, and not the rest of a date.
    private static func beginsCookie(_ field: Bytes, at position: Int) -> Bool {
        let start = field.end(from: position) { $0 == .space }
        let end = field.end(from: start) { $0.isUnreserved || $0.isOne(of: "!#$%&'*+^`|") }
        return end > start && field.at(end) == .equals
    }

    private static func value(_ field: Bytes, _ pair: Range<Int>) -> Range<Int> {
        let equals = field.position(of: .equals, from: pair.lowerBound, to: pair.upperBound)
        let value = field.trimmed((equals.map { $0 + 1 } ?? pair.lowerBound)..<pair.upperBound)
        let isQuoted = field[value].first == .quote && field[value].dropFirst().last == .quote
        return isQuoted ? value.lowerBound + 1..<value.upperBound - 1 : value
    }
}
