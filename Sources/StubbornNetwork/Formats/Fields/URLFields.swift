/// The ranges of the parts of a URL, absolute or not (RFC 3986, section 3).
struct URLFields {
    /// The user's name and password, before the `@`.
    var userInfo: Range<Int>?
    var host = 0..<0
    var path: Range<Int>
    /// The query, without the `?`; empty where there is none.
    var query: Range<Int>

    /// The fragment, without the `#` and what is before a `?` of its own; empty where there is none.
    var fragment: Range<Int>

    init(_ url: Bytes) {
        var pathStart = 0
        let colon = url.end(from: 0) { $0.isAlphanumeric || $0.isOne(of: "+-.") }
        if url.has("://", at: colon) {
            let authority = colon + 3
            pathStart = url.end(from: authority) { $0 != .slash && $0 != .questionMark && $0 != .numberSign }
            host = authority..<pathStart
            if let at = url.part(host).lastIndex(of: .at) {
                userInfo = authority..<authority + at
                host = authority + at + 1..<pathStart
            }
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
    /// Visits the pairs that have a value, spelled as `.form` or `.query`.
    static func read(_ bytes: Bytes, in range: Range<Int>? = nil, as spelling: Spelling, visit: (TextField) -> Void) {
        for part in bytes.parts(of: range ?? 0..<bytes.count, separatedBy: .ampersand) {
            guard let equals = bytes.position(of: .equals, from: part.lowerBound, to: part.upperBound),
                equals + 1 < part.upperBound
            else { continue }
            let name = part.lowerBound..<equals
            visit(TextField(value: equals + 1..<part.upperBound, names: [name], spelling: spelling))
        }
    }
}
