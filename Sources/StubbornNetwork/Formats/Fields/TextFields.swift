/// The fields in markup, and in text of no other format.
///
///     password: garden-gate                API_KEY=a1b2c3d4e5
///     "token": "a1b2c3d4e5"                <user password="garden-gate">
///     <a:password>garden-gate</a:password>
///
/// A value ends at its quotation mark, or at the end tag of its element. Without quotation marks, it ends at a space or a bracket. It
/// is then a value only if it has a digit, or if the line or an item of a list with `;` or `&` ends after it:
/// `password: sunshine of ours` has none.
struct TextFields {
    let bytes: Bytes

    /// The number of bytes of a value that are read, so that one long line takes linear time.
    private static let longestValue = 1 << 14
    private static let longestName = 64
    /// The longest text between a name and its separator: `"key\\\"  :`.
    private static let longestGap = 7

    /// Visits the fields for whose names `isAsked` returns `true`.
    ///
    /// If `visit` returns `false`, the fields inside the value are visited too.
    static func read(_ bytes: Bytes, isAsked: (Bytes) -> Bool, visit: (TextField) -> Bool) {
        let fields = TextFields(bytes: bytes)
        for separator: UInt8 in [.colon, .equals, .greaterThan] {
            var next = 0
            while let position = bytes.position(of: separator, from: next) {
                next = position + 1
                guard let name = separator == .greaterThan ? fields.tag(at: position) : fields.name(before: position),
                    isAsked(bytes.part(name)),
                    let field = separator == .greaterThan
                        ? fields.element(name, position) : fields.setting(name, position)
                else { continue }
                if visit(field) { next = Swift.max(next, field.value.upperBound) }
            }
        }
    }

    // MARK: Elements

    /// Returns the name of the element whose start tag ends at an offset, without its namespace.
    private func tag(at end: Int) -> Range<Int>? {
        let start = bytes.start(before: end) { !$0.isOne(of: "<>") }
        guard bytes.at(start - 1) == .lessThan, bytes.at(end - 1) != .slash else { return nil }
        let nameEnd = bytes.part(0..<end).end(from: start) { Self.isNamePart($0) || $0 == .colon }
        let local = start + bytes.part(start..<nameEnd).start(before: nameEnd - start) { $0 != .colon }
        return local < nameEnd ? local..<nameEnd : nil
    }

    private func element(_ name: Range<Int>, _ tagEnd: Int) -> TextField? {
        let start = bytes.end(from: tagEnd + 1, while: { $0.isSpace })
        if bytes.has("<![CDATA[", at: start) {
            guard let end = bytes.position(of: "]]>", from: start + 9) else { return nil }
            return TextField(value: start + 9..<end, names: [name])
        }
        let limit = Swift.min(start + Self.longestValue, bytes.count)
        let end = bytes.position(of: .lessThan, from: start, to: limit) ?? limit
        // `-u <user>:<password> https://…` is not an element. An element may be cut off.
        guard end == limit || isEnd(of: name, at: end) else { return nil }
        let value = bytes.trimmed(start..<end)
        return value.isEmpty ? nil : TextField(value: value, names: [name], spelling: .xml)
    }

    /// Returns a Boolean value that indicates whether the end tag of an element is at an offset.
    private func isEnd(of name: Range<Int>, at tag: Int) -> Bool {
        let nameEnd = bytes.end(from: tag + 2) { Self.isNamePart($0) || $0 == .colon }
        let local = bytes.part(Swift.max(0, nameEnd - name.count)..<nameEnd)
        return bytes.at(tag + 1) == .slash && local.elementsEqual(bytes.part(name))
    }

    // MARK: Settings

    private static func isNamePart(_ byte: UInt8) -> Bool { byte.isWordPart || byte >= 0x80 }

    /// Returns the name before a separator, without its quotation marks; `nil` if there is none.
    private func name(before separator: Int) -> Range<Int>? {
        var end = bytes.start(before: separator) { $0 == .space }
        if bytes.at(end - 1).isOne(of: "\"'") { end = bytes.start(before: end - 1) { $0 == .backslash } }
        let name = bytes.start(before: end, while: Self.isNamePart)..<end
        return 1...Self.longestName ~= name.count && separator - end <= Self.longestGap ? name : nil
    }

    private func setting(_ name: Range<Int>, _ separator: Int) -> TextField? {
        let isColon = bytes[separator] == .colon
        // `a.password === b.password`.
        if !isColon, bytes.at(separator + 1) == .equals || bytes.at(separator - 1).isOne(of: "=!<>") { return nil }
        // `"password" => "…"` in Ruby and PHP.
        let first = bytes.at(separator + 1) == .greaterThan ? separator + 2 : separator + 1
        var start = bytes.end(from: first) { $0.isBlank }
        // `"Authorization": ["token …"]`.
        if bytes.at(start) == .openingBracket { start = bytes.end(from: start + 1) { $0.isBlank } }
        let quoteStart = bytes.end(from: start) { $0 == .backslash }
        if bytes.at(quoteStart).isOne(of: "\"'") {
            let value = quoted(from: quoteStart + 1, bytes[quoteStart], slashes: quoteStart - start)
            return TextField(value: value, names: [name], spelling: bytes.at(name.upperBound) == .equals ? .xml : .json)
        }
        let isQuoted = bytes.at(name.upperBound).isOne(of: "\"'\\")
        // `https://token:a1b2…` has no space there.
        if isColon, start == first, !isQuoted { return nil }
        let limit = bytes.part(0..<start + Self.longestValue)
        let value = start..<limit.end(from: start) { !$0.isSpace && !$0.isOne(of: "&,;\"'<>()[]{}") }
        let text = bytes.part(value)
        let isDigits = text.areDigits
        // `"pin": 1204`, `token a1b2`, and a word that ends its line or its item; not `token: see above`.
        let isWhole = isQuoted || text.contains { $0.isDigit } || endsList(at: value.upperBound)
        guard !value.isEmpty, isWhole, !isComputed(value) else { return nil }
        // `…?token=a%2Fb&page=2`.
        let isInQuery = bytes.at(name.lowerBound - 1).isOne(of: "?&")
        return TextField(value: value, names: [name], spelling: isInQuery ? .query : .plain, isNumber: isDigits)
    }

    /// Returns the range up to the quotation mark that ends a value, or up to the end of the line if none does.
    ///
    /// The mark has as many backslashes before it as the mark that begins the value.
    private func quoted(from start: Int, _ quote: UInt8, slashes: Int) -> Range<Int> {
        let limit = Swift.min(start + Self.longestValue, bytes.count)
        let lineEnd = bytes.position(of: .lineFeed, from: start, to: limit) ?? limit
        var next = start
        while let end = bytes.position(of: quote, from: next, to: lineEnd) {
            let before = end - Swift.max(start, bytes.start(before: end) { $0 == .backslash })
            if before % (2 * slashes + 2) == slashes { return start..<end - slashes }
            next = end + 1
        }
        return start..<lineEnd
    }

    /// Returns a Boolean value that indicates whether a line, or an item of a list with `;` or `&`, or a text in quotation marks, ends at an offset.
    private func endsList(at offset: Int) -> Bool {
        let next = bytes.end(from: offset) { $0.isOne(of: " \r") }
        return bytes.at(next).isOne(of: "\0\n;&<'\"")
    }

    /// Returns a Boolean value that indicates whether a value is computed by a script: `form.password1`, `decode(…)`.
    private func isComputed(_ value: Range<Int>) -> Bool {
        if bytes.at(value.upperBound).isOne(of: "([") { return true }
        let parts = bytes.part(value).split(separator: .dot, omittingEmptySubsequences: false)
        return parts.count > 1 && parts.allSatisfy { $0.first?.isLetter == true && $0.allSatisfy(\.isAlphanumeric) }
    }
}
