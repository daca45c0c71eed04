/// A visitor of the values in a text, in all formats that are inside each other.
///
/// It is the only decoder of recordings: replacing secrets and searching for secrets that are left both use it. Functions that
/// return an optional return `nil` where nothing changes.
protocol TextVisitor {
    /// A function that indicates whether a name also describes the values nested below it.
    var describesNested: (Bytes, NamePlace) -> Bool { get }

    /// Visits a field, and adds its replacement to the edits of the text; returns `false` where the field stays.
    mutating func visit(_ field: TextField, in text: inout FieldText) -> Bool

    /// Visits user info and path of a URL.
    mutating func visit(_ url: URLFields, in text: inout FieldText)

    /// Visits a text once more after its fields, and returns it with all replacements.
    ///
    /// `isDecoded` indicates whether the fields cover the whole text, with all escapes in it.
    mutating func finish(_ text: FieldText, _ format: TextFormat, isDecoded: Bool) -> [UInt8]?
}

extension TextVisitor {
    /// Visits a text in any format, with the formats inside it, and then as text.
    mutating func content(_ bytes: Bytes, depth: Int, type: String = "", coding: String? = nil) -> [UInt8]? {
        guard depth < FieldText.maximumDepth else { return nil }
        guard let wrapped = WrappedText(bytes, coding: coding) else {
            return plainContent(bytes, depth: depth, type: type)
        }
        // What is compressed may hold itself.
        let changed = wrapped.text.withUnsafeBufferPointer {
            content($0, depth: depth + (wrapped.isCompressed && coding == nil ? 1 : 0), type: type)
        }
        let result = changed.map(wrapped.wrapped)
        if wrapped.isWhole { return result }
        return (result ?? Array(bytes)).withUnsafeBufferPointer { plainContent($0, depth: depth, type: "") } ?? result
    }

    private mutating func plainContent(_ bytes: Bytes, depth: Int, type: String) -> [UInt8]? {
        if let changed = base64Text(bytes, depth: depth) { return changed }
        let format = TextFormat(bytes, type: type)
        var text = FieldText(bytes: bytes, place: format.place, depth: depth)
        if case .other = format.kind { text.readsValues = false }
        let describesNested = describesNested
        let isDecoded = format.read(describesNested: { describesNested(bytes.part($0), format.place) }) {
            _ = visit($0, in: &text)
        }
        return finish(text, format, isDecoded: isDecoded)
    }

    /// Visits the parts of a URL, absolute or not.
    mutating func url(_ bytes: Bytes, depth: Int) -> [UInt8]? {
        guard depth < FieldText.maximumDepth else { return nil }
        var text = FieldText(bytes: bytes, place: .query, depth: depth)
        readURL(in: &text)
        return Edit.apply(text.edits, to: bytes)
    }

    private mutating func readURL(in text: inout FieldText) {
        let url = URLFields(text.bytes)
        visit(url, in: &text)
        for range in [url.query, url.fragment] { readPairs(range, in: &text) }
    }

    /// Visits the pairs in a part of a URL: `a=1&b=2`.
    mutating func readPairs(_ range: Range<Int>, in text: inout FieldText) {
        FormFields.read(text.bytes, in: range, as: .query) { _ = visit($0, in: &text) }
    }

    /// Visits what is in base64, as a text of its own.
    private mutating func base64Text(_ bytes: Bytes, depth: Int) -> [UInt8]? {
        guard Base64.isText(bytes) else { return nil }
        let changed = Base64.decoded(bytes)?.withUnsafeBufferPointer { content($0, depth: depth + 1) }
        return changed.map { Base64.encoded($0, like: bytes) }
    }
}

/// A text while its fields are visited, and the edits so far.
struct FieldText {
    /// The number of formats inside each other that are decoded; what lies deeper is searched as text.
    static let maximumDepth = 6

    let bytes: Bytes
    let place: NamePlace
    /// The number of formats around the text.
    let depth: Int

    /// A Boolean value that indicates whether values are read by themselves, as texts of other formats.
    var readsValues = true

    var edits: [Edit] = []

    /// The answers of `mentions`, by the address of the first name.
    private var mentioned: [UnsafePointer<UInt8>: Bool] = [:]

    /// The arguments that a query gives variables to, by the variables' names.
    private var arguments: [[UInt8]: Range<Int>]?

    init(bytes: Bytes, place: NamePlace, depth: Int, readsValues: Bool = true) {
        (self.bytes, self.place, self.depth, self.readsValues) = (bytes, place, depth, readsValues)
    }

    /// Returns the argument that a GraphQL query in the text gives a variable to: `password` for `p` in
    /// `login(password: $p)`.
    mutating func argument(ofVariable name: Bytes) -> Range<Int>? {
        if arguments == nil {
            var found: [[UInt8]: Range<Int>] = [:]
            var next = 0
            let isQuery = bytes.position(of: "\"query\"", from: 0) != nil
            while isQuery, let dollar = bytes.position(of: UInt8(ascii: "$"), from: next) {
                let end = bytes.end(from: dollar + 1) { $0.isAlphanumeric || $0 == .underscore }
                next = Swift.max(end, dollar + 1)
                let colon = bytes.start(before: dollar, while: \.isSpace) - 1
                let nameEnd = bytes.start(before: Swift.max(colon, 0), while: \.isSpace)
                let start = bytes.start(before: nameEnd) { $0.isAlphanumeric || $0 == .underscore }
                if bytes.at(colon) == .colon, start < nameEnd {
                    found[Array(bytes[dollar + 1..<end])] = start..<nameEnd
                }
            }
            arguments = found
        }
        return arguments?.isEmpty == false ? arguments?[Array(name)] : nil
    }

    /// Returns a Boolean value that indicates whether any of the names is a word of the text, which is searched once.
    mutating func mentions(_ names: [StaticString]) -> Bool {
        let key = names[0].utf8Start
        if let known = mentioned[key] { return known }
        let isMentioned = names.contains(where: bytes.hasWord)
        mentioned[key] = isMentioned
        return isMentioned
    }
}
