/// A value in a text of some format: its place, its names and its spelling.
struct TextField {
    /// The offsets of the value's bytes, without quotation marks.
    var value: Range<Int>

    /// The offsets of the names that may say what the value is, the nearest one first.
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

    /// A Boolean value that indicates whether a value there is a parameter of a request: `?key=…`.
    var isParameter: Bool {
        switch self {
        case .header, .query, .form: true
        case .json, .part, .text: false
        }
    }
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

    var isPercentEncoded: Bool {
        switch self {
        case .query, .form: true
        case .plain, .json, .xml: false
        }
    }

    /// Returns what the bytes of a text stand for.
    func decoded(_ bytes: Bytes) -> [UInt8] {
        switch self {
        case .plain: Array(bytes)
        case .query: PercentEncoding.decoded(bytes)
        case .form: PercentEncoding.decoded(bytes, plusAsSpace: true)
        case .json: bytes.contains(.backslash) ? JSONString.unescapedLeniently(bytes) : Array(bytes)
        case .xml: XMLText.unescaped(bytes)
        }
    }

    /// Returns a value as it is written in a text, in place of another: each character as the other spells it.
    func encoded(_ value: [UInt8], inPlaceOf other: Bytes) -> [UInt8] {
        switch self {
        case .plain: return value
        case .query, .form: return PercentEncoding.encoded(value, inPlaceOf: other, plusAsSpace: self == .form)
        case .json: return JSONString.escaped(value, inPlaceOf: other)
        case .xml:
            // Quotation marks and `>` are unchanged where the text has them.
            return XMLText.escaped(value, "&<>\"'".utf8.filter { $0.isOne(of: "&<") || !other.contains($0) })
        }
    }
}
