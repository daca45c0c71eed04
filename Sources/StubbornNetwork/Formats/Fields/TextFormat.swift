/// The format of a text, found from its content rather than from its content type where the two differ.
struct TextFormat {
    enum Kind {
        case json, xml, form, percentEncoded, multipart([Multipart.Part]), binary, other

        fileprivate var isOther: Bool { if case .other = self { true } else { false } }
    }

    /// The number of formats inside each other that are decoded; what lies deeper is searched as text.
    static let maximumDepth = 6

    let kind: Kind
    private let bytes: Bytes

    /// The offset at which the format begins, behind spaces and a byte-order mark.
    private let start: Int

    /// A Boolean value that indicates whether settings may be in the text, outside its fields.
    private(set) var hasSettings = true

    /// Finds the format of a text that claims to have a content type, given in lower case.
    init(_ bytes: Bytes, type: String = "") {
        let format = BodyFormat(bytes, type: type.isEmpty ? nil : ContentType(type))
        (self.bytes, start) = (bytes, format.start)
        switch format.kind {
        case .multipart:
            let parts = Multipart.parts(of: bytes)
            kind = parts.map { .multipart($0) } ?? (bytes.contains(0) ? .binary : .other)
            hasSettings = kind.isOther
        case .binary: (kind, hasSettings) = (.binary, false)
        case .json: kind = .json
        case .jsonLines: kind = .json
        case .markup: kind = .xml
        case .form:
            kind = .form
            hasSettings = !Self.isForm(bytes, claimed: true)
        case .jsonScalar, .events, .text:
            if Self.isForm(bytes) {
                (kind, hasSettings) = (.form, false)
            } else if ["http%3a", "https%3a", "%7b", "%5b"].contains(where: { bytes.hasIgnoringCase($0, at: 0) }) {
                (kind, hasSettings) = (.percentEncoded, false)
            } else {
                kind = .other
            }
        }
    }

    /// The kind of text in which the format's names are used.
    var place: NamePlace {
        switch kind {
        case .xml: .xml
        case .form, .multipart: .form
        default: .json
        }
    }

    /// Visits the fields of the text, except those of a URL.
    ///
    /// A text of no format is a field without a name. `describesNested` indicates whether a name also describes the values
    /// nested below it. Returns a Boolean value that indicates whether the text was read to its end, with all escapes in it.
    func read(describesNested: (Range<Int>) -> Bool, visit: (TextField) -> Void) -> Bool {
        switch kind {
        case .json: return JSONFields.read(bytes, from: start, describesNested: describesNested, visit: visit)
        case .xml: XMLFields.read(bytes, describesNested: describesNested, visit: visit)
        case .form: FormFields.read(bytes, as: .form, visit: visit)
        case .percentEncoded: visit(TextField(value: 0..<bytes.count, spelling: .query))
        case .multipart(let parts): Multipart.read(parts, of: bytes, visit: visit)
        case .other:
            // JSON in the lines of events: `data: {…}`.
            var next = start
            while let data = bytes.position(of: "data:", from: next) {
                let lineEnd = bytes.position(of: .lineFeed, from: data) ?? bytes.count
                next = bytes.end(from: data + 5) { $0 == .space }
                guard bytes.at(next).isOne(of: "{[") else { continue }
                _ = JSONFields.read(bytes.part(0..<lineEnd), from: next, describesNested: describesNested, visit: visit)
            }
            TableFields.read(bytes, visit: visit)
            var range = bytes.trimmed(0..<bytes.count)
            if bytes.at(range.lowerBound) == .quote, range.count > 2 {
                range = range.lowerBound + 1..<range.upperBound - 1
            }
            if !range.isEmpty { visit(TextField(value: range)) }
        case .binary: break
        }
        return !hasSettings
    }

    /// Returns a Boolean value that indicates whether a value may be a text of another format, to be read by itself.
    ///
    /// Such a value looks like another format, or has escapes. The escapes that every writer makes do not count, because
    /// known values are looked for with them anyway.
    static func isLikely(in raw: Bytes, _ spelling: Spelling) -> Bool {
        switch spelling {
        case .query, .form:
            return raw.contains(.percent) || (spelling == .form && raw.contains(.plus)) || raw.at(0) == .openingBrace
                || raw.position(of: "://", from: 0) != nil || Base64.isText(raw)
        case .json:
            let signs: [StaticString] = ["=", "<", "&", "%", ": ", "\\u"]
            if signs.contains(where: { raw.position(of: $0, from: 0) != nil })
                || raw.contains(.colon) && (raw.contains(.backslash) || raw.contains(UInt8(ascii: "(")))
            {
                return true
            }
            // A sentence with a code, or with a word that looks random.
            if raw.contains(.space), raw.contains(where: { $0.isDigit }),
                RandomText.mayHaveCode(raw) || !RandomText.words(in: raw, atLeast: 10).isEmpty
            {
                return true
            }
            // In one line, or up to an escaped line end.
            return Base64.isText(raw.part(0..<raw.end(from: 0) { $0 != .backslash }))
        case .xml:
            // Tags in CDATA are visited as those of the text around it.
            if raw.contains(.lessThan) { return false }
            let signs: [StaticString] = ["&lt;", "&quot;", "{\"", "[{"]
            return signs.contains { raw.position(of: $0, from: 0) != nil }
        case .plain: return !raw.contains(0)
        }
    }

    /// Returns a Boolean value that indicates whether text is `name=value&…`.
    private static func isForm(_ bytes: Bytes, claimed: Bool = false) -> Bool {
        let nameEnd = bytes.part(0..<128).end(from: 0) { $0.isUnreserved || $0.isOne(of: "%[]+") }
        // The padding of base64 is not the end of a name.
        let isPadding = nameEnd >= 16 && bytes.end(from: nameEnd) { $0 == .equals } == bytes.count
        // No space, bracket or quotation mark follows.
        let end = bytes.end(from: nameEnd) { $0 > .space && !$0.isOne(of: "<>\"{}") }
        guard nameEnd > 0, nameEnd < 128, !isPadding, bytes.at(nameEnd) == .equals, end == bytes.count else {
            return false
        }
        return claimed || (bytes.count < 65_536 && (bytes.contains(.ampersand) || !bytes.contains(.semicolon)))
    }
}

/// The cells of a table in CSV or TSV whose first line names the columns (RFC 4180).
enum TableFields {
    /// Visits the cells of a text with as many separators in its second line as in its first.
    static func read(_ bytes: Bytes, visit: (TextField) -> Void) {
        let lines = bytes.parts(of: 0..<bytes.count, separatedBy: .lineFeed)
        guard lines.count > 1, lines[0].count < 4_096, !bytes.part(lines[0]).contains(.openingBrace) else { return }
        for separator: UInt8 in [.comma, .semicolon, UInt8(ascii: "\t")] {
            let names = cells(of: lines[0], in: bytes, separatedBy: separator)
            guard names.count > 1, cells(of: lines[1], in: bytes, separatedBy: separator).count == names.count else {
                continue
            }
            for line in lines.dropFirst() {
                for (name, cell) in zip(names, cells(of: line, in: bytes, separatedBy: separator)) where !cell.isEmpty {
                    visit(TextField(value: cell, names: [name]))
                }
            }
            return
        }
    }

    /// Returns the ranges of the cells of a line, without quotation marks; none where text follows a quoted cell.
    private static func cells(of line: Range<Int>, in bytes: Bytes, separatedBy separator: UInt8) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var start = line.lowerBound
        while start <= line.upperBound {
            let isQuoted = bytes.at(start) == .quote && start < line.upperBound
            var closing = isQuoted ? bytes.position(of: .quote, from: start + 1, to: line.upperBound) : nil
            // Two quotation marks are one inside the cell.
            while let mark = closing, bytes.has("\"\"", at: mark) {
                closing = bytes.position(of: .quote, from: mark + 2, to: line.upperBound)
            }
            let end = bytes.position(of: separator, from: closing ?? start, to: line.upperBound) ?? line.upperBound
            if let closing, !bytes.part(closing + 1..<end).allSatisfy(\.isSpace) { return [] }
            result.append(closing.map { start + 1..<$0 } ?? bytes.trimmed(start..<end))
            start = end + 1
        }
        return result
    }
}
