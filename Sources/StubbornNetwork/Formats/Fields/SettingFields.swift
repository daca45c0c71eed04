/// The settings in a text of no format that another reader knows: `password: "…"`, `PASSWORD=…`, `"password": "…"` in a
/// script, a list of settings, a query language or a message.
struct SettingFields {
    let bytes: Bytes

    /// A function that returns a Boolean value that indicates whether any word is a value of a name; `false` where the value has to
    /// look random, or to consist of digits, and `nil` for a name that is not asked for.
    let isStrong: (Bytes) -> Bool?

    /// The number of bytes around a separator that are read, so that one long line takes linear time.
    private static let limit = 1 << 12

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
                if isUsed || end - next >= Self.limit / 4 { next = Swift.max(next, end) }
            }
        }
        for part in RandomText.words(in: bytes, atLeast: 10) {
            // A value in parts is one: `a1.b2`.
            let end = bytes.end(from: part.upperBound) { $0.isTokenPart || $0 == .colon }
            let word =
                part.lowerBound..<Swift.max(part.upperBound, bytes.start(before: end) { $0 == .dot || $0 == .colon })
            // Not a part of an address, nor of a token that is known by its form.
            let isPart = bytes.at(word.lowerBound - 1).isOne(of: ".@#") || bytes.has("eyJ", at: word.lowerBound)
            guard !isPart, let name = name(before: word) else { continue }
            _ = visit(TextField(value: word, names: [name]))
        }
    }

    /// Returns the offset of the quotation mark that ends a value; `nil` where none does on the line.
    ///
    /// It has as many backslashes before it as the mark that begins the value. In JSON inside JSON, a mark inside the value has
    /// twice as many and one more.
    private func end(ofQuoted start: Int, quote: UInt8, slashes: Int) -> Int? {
        var next = start
        let limit = Swift.min(start + 4 * Self.limit, bytes.count)
        let lineEnd = bytes.position(of: .lineFeed, from: start, to: limit) ?? limit
        while let end = bytes.position(of: quote, from: next, to: lineEnd) {
            let before = end - Swift.max(start, bytes.start(before: end) { $0 == .backslash })
            if before % (2 * slashes + 2) == slashes { return end }
            next = end + 1
        }
        return nil
    }

    /// Returns a Boolean value that indicates whether a setting is all of its line, as in `export PASSWORD=…` and
    /// `db.password: …`.
    private func isSeparate(_ name: Range<Int>, _ value: Range<Int>) -> Bool {
        let after = bytes.at(bytes.end(from: value.upperBound) { $0 == .space || $0 == .carriageReturn })
        let window = bytes.part(name.lowerBound - 256..<name.lowerBound)
        let line = window.trimmed(window.start(before: window.count) { $0 != .lineFeed }..<window.count)
        return (after == 0 || after == .lineFeed) && window.part(line).allSatisfy { $0.isWordPart || $0 == .dot }
    }

    /// Returns the range of one of the four words before a word that looks random, if that name is asked for.
    ///
    /// A weak name counts for a long word only.
    private func name(before word: Range<Int>) -> Range<Int>? {
        var start = word.lowerBound
        let text = bytes.part(word)
        let isLong = text.count >= 16 && !text.allSatisfy { $0.hexValue != nil || $0 == .hyphen }
        for _ in 0..<4 {
            let wordEnd = bytes.start(before: start) { !$0.isWordPart && !$0.isOne(of: ",.>") }
            let wordStart = bytes.start(before: wordEnd, while: { $0.isWordPart })
            let breaksLine = bytes.position(of: .lineFeed, from: wordEnd, to: start) != nil
            guard wordStart < wordEnd, start - wordEnd < 16, word.lowerBound - wordStart < 64,
                !breaksLine || bytes.at(wordEnd) == .colon
            else { return nil }
            let name = bytes.part(wordStart..<wordEnd)
            if let isStrong = isStrong(name), isStrong || isLong { return wordStart..<wordEnd }
            // A name of its own.
            if start == word.lowerBound, bytes.at(wordEnd).isOne(of: ":=") { return nil }
            start = wordStart
        }
        return nil
    }

    /// Returns the setting at a separator; `nil` where there is none.
    ///
    /// Its value ends at `valueEnd`, which is set for a value that is no setting too, so that it is not read again.
    private func field(at separator: Int, end valueEnd: inout Int) -> TextField? {
        var nameEnd = Swift.max(separator - 8, bytes.start(before: separator) { $0 == .space })
        let isQuoted = bytes.at(nameEnd - 1) == .quote || bytes.at(nameEnd - 1) == .apostrophe
        if isQuoted { nameEnd = bytes.start(before: nameEnd - 1) { $0 == .backslash } }
        guard bytes.at(nameEnd - 1).isAlphanumeric || bytes.at(nameEnd - 1) == .underscore else { return nil }
        let name = Swift.max(nameEnd - 64, bytes.start(before: nameEnd, while: { $0.isWordPart }))..<nameEnd
        guard let isStrong = isStrong(bytes.part(name)) else { return nil }
        let isAssignment = bytes[separator] == .equals
        // `"password" => "…"` in Ruby and PHP.
        let isArrow = isQuoted && isAssignment && bytes.at(separator + 1) == .greaterThan
        let valueStart = bytes.end(from: separator + (isArrow ? 2 : 1), while: { $0.isSpace })
        // A name with nothing behind its equals sign has no value.
        let isEmpty = isAssignment && bytes.position(of: .lineFeed, from: separator, to: valueStart) != nil
        guard valueStart - separator < 64, !isEmpty else { return nil }
        let start = bytes.end(from: valueStart) { $0 == .backslash }
        if bytes.at(start) == .quote || bytes.at(start) == .apostrophe {
            let (first, slashes) = (start + 1, start - valueStart)
            let closing = end(ofQuoted: first, quote: bytes[start], slashes: slashes)
            let limit = first + Self.limit
            let line = bytes.part(0..<(bytes.position(of: .lineFeed, from: first, to: limit) ?? limit))
            // The end may be cut off, but not behind an element that ends.
            valueEnd = closing ?? line.position(of: "</", from: first) ?? line.count
            let value = first..<Swift.max(first, valueEnd - (closing == nil ? 0 : slashes))
            let isValue = isQuoted || closing != nil && (isStrong || !bytes.part(value).contains(.space))
            return isValue ? TextField(value: value, names: [name], spelling: .json) : nil
        }
        let limit = start + Self.limit
        valueEnd = bytes.part(0..<limit).end(from: start) { !$0.isSpace && !$0.isOne(of: "&,;\"'<>()[]{}") }
        let field = TextField(value: start..<valueEnd, names: [name])
        let value = bytes.part(field.value)
        // `https://token:…` has no space there.
        let isSpaced = isAssignment || start > separator + 1
        guard !value.isEmpty, value[0] != .equals, isSpaced || isQuoted else { return nil }
        if value.allSatisfy(\.isDigit) { return TextField(value: field.value, names: [name], isNumber: true) }
        let isMixed = value.isMixed || RandomText.looksRandom(value)
        let isSecret =
            isQuoted || value.count >= 6 && (isMixed || isStrong && isSeparate(name, field.value))
            || isAssignment && bytes.at(valueEnd) == .semicolon && value.count >= 4
        return isSpaced && isSecret && !isComputed(field.value) ? field : nil
    }

    /// Returns a Boolean value that indicates whether a value is what a script computes: `form.password1`, `decode(…)`.
    private func isComputed(_ value: Range<Int>) -> Bool {
        if bytes.at(value.upperBound).isOne(of: "([") { return true }
        let parts = bytes.part(value).split(separator: .dot, omittingEmptySubsequences: false)
        return parts.count > 1 && parts.allSatisfy { $0.first?.isLetter == true && $0.allSatisfy(\.isAlphanumeric) }
    }
}
