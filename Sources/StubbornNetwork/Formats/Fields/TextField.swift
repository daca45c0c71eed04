/// A value in a text of some format: its place, its names and its spelling.
struct TextField {
    /// The offsets of the value's bytes, without quotation marks.
    var value: Range<Int>

    /// The offsets of the names that may describe the value, the nearest one first.
    var names: [Range<Int>] = []

    /// The offsets of the nearest name around them that also describes nested values.
    var outerName: Range<Int>?

    var spelling = Spelling.plain

    /// A Boolean value that indicates whether the value is written as a number of JSON.
    var isNumber = false
}

/// The kinds of text in which a name is used.
enum NamePlace {
    case header, query, json, form
    /// A part of a multipart body.
    case part
    /// Markup, and text of no other format.
    case text
}

/// The way in which a value is written inside a text.
enum Spelling {
    case plain
    /// The percent-encoding of a URL's query.
    case query
    /// The percent-encoding of a form: as in a query, with `+` for a space.
    case form
    /// The content of a JSON string.
    case json
    /// The text of an XML element.
    case xml

    /// Returns the decoded bytes of a text.
    func decoded(_ bytes: Bytes) -> [UInt8] {
        switch self {
        case .plain: Array(bytes)
        case .query: PercentEncoding.decoded(bytes)
        case .form: PercentEncoding.decoded(bytes, plusAsSpace: true)
        case .json: bytes.contains(.backslash) ? JSONString.unescapedLeniently(bytes) : Array(bytes)
        case .xml: XMLText.unescaped(bytes)
        }
    }

    /// Returns a value as it is written in a text in the place of another value: each character as the other value
    /// spells it.
    func encoded(_ value: [UInt8], inPlaceOf other: Bytes) -> [UInt8] {
        switch self {
        case .plain: return value
        case .query, .form: return PercentEncoding.encoded(value, inPlaceOf: other, plusAsSpace: self == .form)
        case .json: return JSONString.escaped(value, inPlaceOf: other)
        case .xml:
            // Quotation marks and `>` that the text contains are unchanged.
            return XMLText.escaped(value, "&<>\"'".utf8.filter { $0.isOne(of: "&<") || !other.contains($0) })
        }
    }
}

/// A field's name in the form for comparison: in lower case, without the separators between its words.
struct FieldName {
    /// The name in lower case: `accesstoken` for `access_token`, `accessToken` and `ACCESS-TOKEN`.
    let compact: [UInt8]

    /// The Boolean values that indicate whether a word begins at each byte of `compact`, and at its end.
    let beginsWord: [Bool]

    init(_ bytes: Bytes) {
        guard bytes.contains(where: { $0 >= 0x80 }) else {
            self.init(folded: bytes)
            return
        }
        // Letters outside ASCII have capitals too: `Пароль`.
        let folded = bytes.text.unicodeScalars.map { $0.isASCII ? String($0) : $0.properties.lowercaseMapping }.joined()
        self = folded.withBytes(FieldName.init(folded:))
    }

    /// Reads a name whose letters outside ASCII are in lower case.
    private init(folded bytes: Bytes) {
        var (compact, starts): ([UInt8], [Bool]) = ([], [])
        compact.reserveCapacity(bytes.count)
        starts.reserveCapacity(bytes.count + 1)
        var (previous, before): (UInt8, UInt8) = (.underscore, .underscore)
        for byte in bytes.prefix(256) {
            if byte.isLetterOrDigit {
                // The last capital letter begins a word: `APIKey`, and not `IDs`.
                if byte.isLowercase, byte != UInt8(ascii: "s"), previous.isUppercase, before.isUppercase {
                    starts[starts.count - 1] = true
                }
                let hasHump = byte.isUppercase && !previous.isUppercase
                starts.append(!previous.isLetterOrDigit || hasHump || byte.isDigit != previous.isDigit)
                compact.append(byte.lowercased)
            }
            (before, previous) = (previous, byte)
        }
        self.compact = compact
        beginsWord = starts + [true]
    }

    /// Returns the range of a text's name if the text is a title, as in `{"name": "…", "value": "…"}`; `nil` for a
    /// sentence.
    ///
    /// Of the parts of `db.password` and `/shop/password` the last one is the name, so `password.txt` does not name a
    /// password.
    static func title(_ bytes: Bytes, _ range: Range<Int>) -> Range<Int>? {
        let text = bytes.part(range)
        guard !text.isEmpty, !text.contains(where: { $0.isOne(of: " \\") }) else { return nil }
        return range.lowerBound + text.start(before: text.count) { !$0.isOne(of: "./") }..<range.upperBound
    }

    var text: String { String(decoding: compact, as: UTF8.self) }

    func has(_ part: [UInt8], at start: Int) -> Bool { compact.withUnsafeBufferPointer { $0.has(part, at: start) } }

    /// Returns the words between two offsets; a word that is only partly between them is cut.
    func words(from start: Int, to end: Int? = nil) -> [String] {
        let last = end ?? compact.count
        guard start < last else { return [] }
        let ends = (start + 1...last).filter { beginsWord[$0] || $0 == last }
        return zip([start] + ends, ends).map { String(decoding: compact[$0..<$1], as: UTF8.self) }
    }
}
