/// The settings in a text of no format that another reader knows: `password: "…"`, `PASSWORD=…`, `"password": "…"` in a
/// script, a list of settings, a query language or a message.
struct SettingFields {
    /// The meaning of a name for its value.
    enum Meaning {
        /// The value has to look random, or consist of digits.
        case weak
        /// Any word is a value.
        case strong
        /// The rest of the line is the value, as a header field's.
        case line
    }

    let bytes: Bytes

    /// A function that returns the meaning of a name; `nil` for a name that is not asked for.
    let meaning: (Bytes) -> Meaning?

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
        readQuoted(visit)
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

    /// Visits the values in quotation marks behind a strong name alone, as in SQL: `CREATE USER ann WITH PASSWORD 'a1b2c3'`.
    private func readQuoted(_ visit: (TextField) -> Bool) {
        var next = 0
        while let quote = bytes.position(of: .apostrophe, from: next) {
            next = quote + 1
            guard bytes.at(quote - 1) == .space, let left = leftSide(of: quote), left.meaning == .strong,
                !left.isQuoted,
                let field = quotedField(from: next, slashes: 0, left, end: &next), bytes.part(field.value).isMixed
            else { continue }
            _ = visit(field)
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

    /// Returns the offset at which the line of an offset begins, at most 256 bytes before it.
    private func lineStart(_ position: Int) -> Int {
        let window = bytes.part(Swift.max(0, position - 256)..<position)
        return position - window.count + window.start(before: window.count) { $0 != .lineFeed }
    }

    /// Returns a Boolean value that indicates whether a setting is all of its line, as in `export PASSWORD=…` and
    /// `db.password: …`, or a word of a log: `… password=…`.
    private func isSeparate(_ name: Range<Int>, _ value: Range<Int>, isAssignment: Bool) -> Bool {
        let after = bytes.at(bytes.end(from: value.upperBound) { $0 == .space || $0 == .carriageReturn })
        let before = bytes.part(bytes.trimmed(lineStart(name.lowerBound)..<name.lowerBound))
        let isFirst = before.allSatisfy { $0.isWordPart || $0 == .dot } && bytes.at(name.lowerBound - 1) != .space
        if after == 0 || after == .lineFeed, isFirst || before.isOne(of: ["", "export", "set", "env", "-"]) {
            return true
        }
        return isAssignment && value.lowerBound == name.upperBound + 1 && bytes.at(name.lowerBound - 1) == .space
            && (after == 0 || after == .lineFeed || bytes.at(value.upperBound) == .space)
    }

    /// Returns the range of one of the four words before a word that looks random, or of two of them, if that name is asked for.
    ///
    /// A weak name counts for a long word only.
    private func name(before word: Range<Int>) -> Range<Int>? {
        var (start, last) = (word.lowerBound, word.lowerBound)
        let text = bytes.part(word)
        let isLong = text.count >= 16 && !text.allSatisfy { $0.hexValue != nil || $0 == .hyphen }
        func isName(_ range: Range<Int>) -> Bool {
            bytes.at(range.lowerBound) != .hyphen && meaning(bytes.part(range)).map { isLong || $0 != .weak } ?? false
        }
        for _ in 0..<4 {
            let wordEnd = bytes.start(before: start) { !$0.isWordPart && !$0.isOne(of: ",.>") }
            let wordStart = bytes.start(before: wordEnd, while: { $0.isWordPart })
            let breaksLine = bytes.position(of: .lineFeed, from: wordEnd, to: start) != nil
            guard wordStart < wordEnd, start - wordEnd < 16, word.lowerBound - wordStart < 64,
                !breaksLine || bytes.at(wordEnd) == .colon
            else { return nil }
            if isName(wordStart..<wordEnd) { return wordStart..<wordEnd }
            if start < last, isName(wordStart..<last) { return wordStart..<last }
            // A name of its own.
            if start == word.lowerBound, bytes.at(wordEnd).isOne(of: ":=") { return nil }
            (start, last) = (wordStart, wordEnd)
        }
        return nil
    }

    /// The left side of a setting.
    private struct LeftSide {
        let name: Range<Int>
        /// A Boolean value that indicates whether the name is in quotation marks.
        let isQuoted: Bool
        let separator: Int
        let meaning: Meaning
    }

    /// Returns the setting at a separator; `nil` where there is none.
    ///
    /// Its value ends at `valueEnd`, which is set for a value that is no setting too, so that it is not read again.
    private func field(at separator: Int, end valueEnd: inout Int) -> TextField? {
        guard let left = leftSide(of: separator) else { return nil }
        // `"password" => "…"` in Ruby and PHP.
        let isAssignment = bytes[separator] == .equals
        let isArrow = left.isQuoted && isAssignment && bytes.at(separator + 1) == .greaterThan
        let valueStart = bytes.end(from: separator + (isArrow ? 2 : 1), while: { $0.isSpace })
        // A name with nothing behind its equals sign has no value.
        let isEmpty = isAssignment && bytes.position(of: .lineFeed, from: separator, to: valueStart) != nil
        guard valueStart - separator < 64, !isEmpty else { return nil }
        let start = bytes.end(from: valueStart) { $0 == .backslash }
        if bytes.at(start) == .quote || bytes.at(start) == .apostrophe {
            return quotedField(from: start + 1, slashes: start - valueStart, left, end: &valueEnd)
        }
        // `https://token:…` has no space there.
        guard isAssignment || start > separator + 1 || left.isQuoted else { return nil }
        valueEnd = end(ofWordFrom: start, left.meaning)
        return bareField(start..<valueEnd, left)
    }

    /// Returns what is before a separator; `nil` if that is no name that is asked for.
    private func leftSide(of separator: Int) -> LeftSide? {
        var end = Swift.max(separator - 8, bytes.start(before: separator) { $0 == .space })
        let isQuoted = bytes.at(end - 1) == .quote || bytes.at(end - 1) == .apostrophe
        if isQuoted { end = bytes.start(before: end - 1) { $0 == .backslash } }
        guard bytes.at(end - 1).isAlphanumeric || bytes.at(end - 1) == .underscore else { return nil }
        let name = Swift.max(end - 64, bytes.start(before: end, while: { $0.isWordPart }))..<end
        guard let meaning = meaning(bytes.part(name)) else { return nil }
        return LeftSide(name: name, isQuoted: isQuoted, separator: separator, meaning: meaning)
    }

    /// Returns a field whose value begins behind a quotation mark, with as many backslashes before it.
    private func quotedField(from start: Int, slashes: Int, _ left: LeftSide, end valueEnd: inout Int) -> TextField? {
        let closing = end(ofQuoted: start, quote: bytes[start - 1], slashes: slashes)
        let limit = start + Self.limit
        let line = bytes.part(0..<(bytes.position(of: .lineFeed, from: start, to: limit) ?? limit))
        // The end may be cut off, but not behind an element that ends.
        valueEnd = closing ?? line.position(of: "</", from: start) ?? line.count
        let value = start..<Swift.max(start, valueEnd - (closing == nil ? 0 : slashes))
        guard left.isQuoted || closing != nil && (left.meaning != .weak || !bytes.part(value).contains(.space)) else {
            return nil
        }
        return TextField(value: value, names: [left.name], spelling: .json)
    }

    private func end(ofWordFrom start: Int, _ meaning: Meaning) -> Int {
        let bytes = bytes.part(0..<start + Self.limit)
        guard meaning == .line else {
            return bytes.end(from: start) { !$0.isSpace && !$0.isOne(of: "&,;\"'<>()[]{}") }
        }
        // The parameters of a scheme may be in quotation marks: `Digest username="…"`.
        var (isOpen, previous): (Bool, UInt8) = (false, 0)
        return bytes.end(from: start) { byte in
            defer { previous = byte }
            if byte == .quote, isOpen || previous == .equals { isOpen.toggle() } else if byte == .quote { return false }
            return byte != .lineFeed && byte != .carriageReturn && byte != .apostrophe && byte != .lessThan
        }
    }

    /// Returns a field whose value has no quotation marks.
    private func bareField(_ range: Range<Int>, _ left: LeftSide) -> TextField? {
        let (isSpaced, isAssignment) = (range.lowerBound > left.separator + 1, bytes[left.separator] == .equals)
        let range = bytes.trimmed(range)
        let value = bytes.part(range)
        guard !value.isEmpty, value[0] != .equals else { return nil }
        if value.allSatisfy(\.isDigit) { return TextField(value: range, names: [left.name], isNumber: true) }
        guard !isCode(range), isAssignment || isSpaced else { return nil }
        let isSentence = left.meaning == .line && value.filter { $0 == .space }.count > 1 && !value.contains(.equals)
        let isMixed = value.isMixed || RandomText.looksRandom(value)
        let isSecret =
            left.isQuoted
            || value.count >= 6
                && (isMixed || left.meaning != .weak && isSeparate(left.name, range, isAssignment: isAssignment))
            || isAssignment && bytes.at(range.upperBound) == .semicolon && value.count >= 4
        return isSecret && !isSentence ? field(range, left.name) : nil
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
