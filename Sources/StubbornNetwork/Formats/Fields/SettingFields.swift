/// The settings in a text of no format that another reader knows: `password: "…"`, `PASSWORD=…`, `"password": "…"` in a
/// script, a list of settings, a query language or a message.
struct SettingFields {
    /// The evidence that `name: value` needs to be a setting.
    enum Strictness {
        /// The name or the value is in quotation marks, or the value does not look like a word. For text of any kind.
        case likely
        /// None. For messages, query languages, and text that is cut off or claims a format that it does not have.
        case any
    }

    /// The extent of a value without quotation marks.
    enum Extent {
        case word
        /// The line, as a header field's.
        case line
    }

    let bytes: Bytes
    let strictness: Strictness

    /// A function that returns the extent of a name's value; `nil` for a name that is not asked for.
    let extent: (Bytes) -> Extent?

    /// Visits the settings whose names are asked for: those with a colon or an equals sign, and words that look random.
    ///
    /// Such a word has a name among the four words before it, as in `login ann password …` and `the token … has expired`.
    /// Where `visit` returns `false`, the settings inside the value are visited too.
    func read(visit: (TextField) -> Bool) {
        for separator: UInt8 in [.colon, .equals] {
            var next = 0
            while let position = bytes.position(of: separator, from: next) {
                next = position + 1
                var end = next
                let isUsed = field(at: position, end: &end).map(visit) ?? false
                // A long value is not read again from each name in it, which would take quadratic time.
                if isUsed || end - next > 4096 { next = Swift.max(next, end) }
            }
        }
        readDefinitions(visit)
        for word in RandomText.words(in: bytes, atLeast: 14) {
            // Not a part of an address, nor of a token that is known by its form.
            let isPart = ".@#".utf8.contains(bytes.at(word.lowerBound - 1)) || bytes.has("eyJ", at: word.lowerBound)
            guard !isPart, let name = name(before: word.lowerBound), !isDeclared(name, word, separator: name.upperBound)
            else { continue }
            _ = visit(TextField(value: word, names: [name]))
        }
    }

    /// Visits values that have their names in another way.
    ///
    /// - `define('DB_PASSWORD', '…')` in PHP
    /// - `--token …` in a command
    /// - `name: DB_PASSWORD` and, in the next line, `value: …` in YAML
    private func readDefinitions(_ visit: (TextField) -> Bool) {
        func isQuote(_ byte: UInt8) -> Bool { byte == .quote || byte == .apostrophe }
        var next = 0
        while let start = bytes.position(of: "define(", from: next) {
            next = start + 7
            let name = bytes.end(from: next) { $0.isSpace || isQuote($0) }
            let nameEnd = bytes.end(from: name, while: { $0.isWordPart })
            let value = bytes.end(from: nameEnd) { $0.isSpace || isQuote($0) || $0 == .comma }
            guard isQuote(bytes.at(nameEnd)), isQuote(bytes.at(value - 1)), extent(bytes.part(name..<nameEnd)) != nil,
                let end = end(ofQuoted: value, quote: bytes.at(value - 1), slashes: 0)
            else { continue }
            _ = visit(TextField(value: value..<end, names: [name..<nameEnd]))
        }
        next = 0
        while let start = bytes.position(of: "--", from: next) {
            let nameEnd = bytes.end(from: start + 2, while: { $0.isWordPart })
            next = nameEnd
            let end = bytes.end(from: nameEnd + 1) { $0.isTokenPart }
            guard bytes.at(nameEnd) == .space, end - nameEnd > 12, bytes.part(nameEnd + 1..<end).isMixed,
                extent(bytes.part(start + 2..<nameEnd)) != nil
            else { continue }
            _ = visit(TextField(value: nameEnd + 1..<end, names: [start + 2..<nameEnd]))
        }
        next = 0
        while let start = bytes.position(of: "name: ", from: next) {
            let name = start + 6..<bytes.end(from: start + 6, while: { $0.isWordPart })
            next = name.upperBound
            let value = bytes.end(from: next, while: { $0.isSpace })
            guard value > next, bytes.has("value: ", at: value), extent(bytes.part(name)) != nil else { continue }
            let start = bytes.end(from: value + 7) { $0 == .space || isQuote($0) }
            let end = bytes.end(from: start) { !$0.isSpace && !isQuote($0) }
            if end - start >= 4 { _ = visit(TextField(value: start..<end, names: [name])) }
        }
    }

    /// Returns the offset of the quotation mark that ends a value; `nil` where none does on the line.
    ///
    /// It has as many backslashes before it as the mark that begins the value. In JSON inside JSON, a mark inside the value has
    /// twice as many and one more.
    private func end(ofQuoted start: Int, quote: UInt8, slashes: Int) -> Int? {
        var next = start
        let lineEnd = bytes.position(of: .lineFeed, from: start) ?? bytes.count
        while let end = bytes.position(of: quote, from: next, to: lineEnd) {
            let before = end - Swift.max(start, bytes.start(before: end) { $0 == .backslash })
            if before % (2 * slashes + 2) == slashes { return end }
            next = end + 1
        }
        return nil
    }

    /// Returns a Boolean value that indicates whether a setting is all of its line: `export PASSWORD="…"`.
    private func isLine(_ name: Range<Int>, _ end: Int) -> Bool {
        let lineStart = bytes.start(before: name.lowerBound) { $0 != .lineFeed }
        let before = bytes.part(bytes.trimmed(lineStart..<name.lowerBound))
        let after = bytes.end(from: end + 1) { $0 == .space || $0 == .semicolon || $0 == .carriageReturn }
        return (before.isEmpty || before.isOne(of: ["export", "set", "env"]))
            && (after >= bytes.count || bytes[after] == .lineFeed)
    }

    /// Returns the range of one of the four words before an offset, or of all four together, if that name is asked for.
    private func name(before end: Int) -> Range<Int>? {
        var start = end
        for _ in 0..<4 {
            let wordEnd = bytes.start(before: start) { !$0.isWordPart && !",.>".utf8.contains($0) }
            let wordStart = bytes.start(before: wordEnd, while: { $0.isWordPart })
            let breaksLine = bytes.position(of: .lineFeed, from: wordEnd, to: start) != nil
            guard wordStart < wordEnd, start - wordEnd < 16, end - wordStart < 64,
                !breaksLine || bytes.at(wordEnd) == .colon
            else { break }
            if extent(bytes.part(wordStart..<wordEnd)) != nil { return wordStart..<wordEnd }
            start = wordStart
        }
        return start < end && extent(bytes.part(start..<end)) != nil ? start..<end : nil
    }

    /// The left side of a setting.
    private struct LeftSide {
        let name: Range<Int>
        /// A Boolean value that indicates whether the name is in quotation marks.
        let isQuoted: Bool
        let separator: Int
        /// A Boolean value that indicates whether the separator is an equals sign, and not a colon.
        let isAssignment: Bool
        let extent: Extent
    }

    /// Returns the setting at a separator; `nil` where there is none.
    ///
    /// Its value ends at `valueEnd`, which is set for a value that is no setting too, so that it is not read again.
    private func field(at separator: Int, end valueEnd: inout Int) -> TextField? {
        guard let left = leftSide(of: separator) else { return nil }
        // `"password" => "…"` in Ruby and PHP.
        let isArrow = left.isQuoted && left.isAssignment && bytes.at(separator + 1) == .greaterThan
        let valueStart = bytes.end(from: separator + (isArrow ? 2 : 1), while: { $0.isSpace })
        guard valueStart - separator < 64 else { return nil }
        let start = bytes.end(from: valueStart) { $0 == .backslash }
        if bytes.has("\"\"\"", at: start) {
            // A block string of a query language.
            valueEnd = bytes.position(of: "\"\"\"", from: start + 3) ?? bytes.count
            return field(bytes.trimmed(start + 3..<valueEnd), left.name)
        }
        if bytes.at(start) == .quote || bytes.at(start) == .apostrophe {
            return quotedField(from: start + 1, slashes: start - valueStart, left, end: &valueEnd)
        }
        // `https://token:…` has no space there.
        guard left.isAssignment || start > separator + 1 || left.isQuoted || strictness == .any else { return nil }
        valueEnd = end(ofWordFrom: start, left.extent)
        return bareField(start..<valueEnd, left)
    }

    /// Returns what is before a separator; `nil` if that is no name that is asked for.
    private func leftSide(of separator: Int) -> LeftSide? {
        var end = Swift.max(separator - 8, bytes.start(before: separator) { $0 == .space })
        let isQuoted = bytes.at(end - 1) == .quote || bytes.at(end - 1) == .apostrophe
        if isQuoted { end = bytes.start(before: end - 1) { $0 == .backslash } }
        guard bytes.at(end - 1).isAlphanumeric || bytes.at(end - 1) == .underscore else { return nil }
        let name = Swift.max(end - 64, bytes.start(before: end, while: { $0.isWordPart }))..<end
        guard let extent = extent(bytes.part(name)) else { return nil }
        let isAssignment = bytes[separator] == .equals
        return LeftSide(
            name: name,
            isQuoted: isQuoted,
            separator: separator,
            isAssignment: isAssignment,
            extent: extent
        )
    }

    /// Returns a field whose value begins behind a quotation mark, with as many backslashes before it.
    private func quotedField(from start: Int, slashes: Int, _ left: LeftSide, end valueEnd: inout Int) -> TextField? {
        let closing = end(ofQuoted: start, quote: bytes[start - 1], slashes: slashes)
        valueEnd = closing ?? bytes.position(of: .lineFeed, from: start) ?? bytes.count
        let value = start..<Swift.max(start, valueEnd - (closing == nil ? 0 : slashes))
        let isSetting = left.isAssignment && closing != nil && isLine(left.name, valueEnd)
        guard left.isQuoted || strictness == .any || isSetting || !bytes.part(value).contains(.space) else {
            return nil
        }
        return TextField(value: value, names: [left.name], spelling: .json)
    }

    private func end(ofWordFrom start: Int, _ extent: Extent) -> Int {
        bytes.end(from: start) {
            switch extent {
            case .line: $0 != .lineFeed && $0 != .carriageReturn && $0 != .quote && $0 != .apostrophe
            case .word: !$0.isSpace && !"&,;\"'<>()[]{}".utf8.contains($0)
            }
        }
    }

    /// Returns a field whose value has no quotation marks.
    private func bareField(_ range: Range<Int>, _ left: LeftSide) -> TextField? {
        let isSpaced = range.lowerBound > left.separator + 1
        let range = bytes.trimmed(range)
        let value = bytes.part(range)
        if left.isQuoted || strictness == .any, !value.isEmpty, value.allSatisfy(\.isDigit) {
            return TextField(value: range, names: [left.name], isNumber: true)
        }
        if strictness == .any { return left.isQuoted || value.count >= 4 ? field(range, left.name) : nil }
        guard !isCode(range), !isDeclared(left.name, range, separator: left.separator), left.isAssignment || isSpaced
        else { return nil }
        let endsStatement = left.isAssignment && bytes.at(range.upperBound) == .semicolon && value.count >= 4
        let isSentence = left.extent == .line && value.filter { $0 == .space }.count > 1 && !value.contains(.equals)
        let isSecret = value.count >= 6 && (value.isMixed || RandomText.looksRandom(value))
        return (endsStatement || isSecret) && !isSentence ? field(range, left.name) : nil
    }

    /// Returns a Boolean value that indicates whether a name stands for a type or a package: `let token: Token2D`, and
    /// `TokenField: <checksum>` in a lock file.
    private func isDeclared(_ name: Range<Int>, _ value: Range<Int>, separator: Int) -> Bool {
        let text = bytes.part(value)
        guard bytes.at(separator) == .colon else { return false }
        if text.count == 40, text.allSatisfy({ $0.hexValue != nil }) {
            return bytes.at(name.lowerBound).isUppercase && bytes.part(name).contains(where: \.isLowercase)
        }
        let lineStart = bytes.start(before: name.lowerBound) { $0 != .lineFeed }
        let words = bytes.part(lineStart..<name.lowerBound)
        let keywords: [StaticString] = ["let", "var", "val", "const", "func", "fun", "function", "def"]
        return text.at(0).isUppercase && !RandomText.looksRandom(text) && keywords.contains(where: words.hasWord)
    }

    /// Returns a field of a value that is written as it is, or in percent-encoding.
    private func field(_ value: Range<Int>, _ name: Range<Int>) -> TextField {
        let isEncoded = bytes.position(of: .percent, from: value.lowerBound, to: value.upperBound) != nil
        return TextField(value: value, names: [name], spelling: isEncoded ? .query : .plain)
    }

    /// Returns a Boolean value that indicates whether a value is what a script computes: `form.password1`, `decode(…)`.
    private func isCode(_ value: Range<Int>) -> Bool {
        let following = bytes.at(value.upperBound)
        if following == UInt8(ascii: "(") || following == .openingBracket { return true }
        let parts = bytes.part(value).split(separator: .dot, omittingEmptySubsequences: false)
        return parts.count > 1 && parts.allSatisfy { $0.first?.isLetter == true && $0.allSatisfy(\.isAlphanumeric) }
    }
}
