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

    /// A function that returns the extent of a name's value; `nil` for a name that nobody asks for.
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
        for run in RandomText.runs(in: bytes, atLeast: 14) {
            // Not a part of an address, nor of a token that is known by its form.
            let isPart = "/.-@#".utf8.contains(bytes.at(run.lowerBound - 1)) || bytes.has("eyJ", at: run.lowerBound)
            guard !isPart, let name = words(before: run.lowerBound) else { continue }
            _ = visit(TextField(value: run, names: [name]))
        }
    }

    /// Returns the range of one of the four words before an offset, or of all, if it is asked for.
    private func words(before end: Int) -> Range<Int>? {
        var start = end
        for _ in 0..<4 {
            let wordEnd = bytes.start(before: start) { !$0.isWordPart && !",.>".utf8.contains($0) }
            let wordStart = bytes.start(before: wordEnd, while: \.isWordPart)
            let breaksLine = bytes.position(of: .lineFeed, from: wordEnd, to: start) != nil
            guard wordStart < wordEnd, start - wordEnd < 16, end - wordStart < 64,
                !breaksLine || bytes.at(wordEnd) == .colon
            else { break }
            if extent(bytes.part(wordStart..<wordEnd)) != nil { return wordStart..<wordEnd }
            start = wordStart
        }
        return start < end && extent(bytes.part(start..<end)) != nil ? start..<end : nil
    }

    /// Returns the setting at a separator; `nil` where there is none.
    private func field(at separator: Int, end valueEnd: inout Int) -> TextField? {
        var nameEnd = Swift.max(separator - 8, bytes.start(before: separator) { $0 == .space })
        let isQuoted = bytes.at(nameEnd - 1) == .quote || bytes.at(nameEnd - 1) == .apostrophe
        if isQuoted { nameEnd -= bytes.at(nameEnd - 2) == .backslash ? 2 : 1 }
        guard bytes.at(nameEnd - 1).isAlphanumeric || bytes.at(nameEnd - 1) == .underscore else { return nil }
        let name = Swift.max(nameEnd - 64, bytes.start(before: nameEnd, while: \.isWordPart))..<nameEnd
        guard let extent = extent(bytes.part(name)) else { return nil }

        var start = bytes.end(from: separator + 1, while: \.isSpace)
        guard start - separator < 64 else { return nil }
        if bytes.at(start) == .backslash { start += 1 }
        if bytes.has("\"\"\"", at: start) {
            // A block string of a query language.
            valueEnd = bytes.position(of: "\"\"\"", from: start + 3) ?? bytes.count
            return field(bytes.trimmed(start + 3..<valueEnd), name)
        }
        let quote = bytes.at(start)
        guard quote == .quote || quote == .apostrophe else {
            // `https://token:…` has no space there.
            let isSpaced = bytes[separator] == .equals || start > separator + 1
            guard isSpaced || isQuoted || strictness == .any else { return nil }
            valueEnd = end(ofWordFrom: start, extent)
            return bareField(start..<valueEnd, name, separator: separator, isQuoted: isQuoted, extent)
        }
        start += 1
        var end = start
        while end < bytes.count, bytes[end] != quote, bytes[end] != .lineFeed {
            end += bytes[end] == .backslash && bytes.at(end + 1) != quote ? 2 : 1
        }
        end = Swift.min(end, bytes.count)
        valueEnd = end
        if end > start, bytes[end - 1] == .backslash, bytes.at(start - 2) == .backslash { end -= 1 }
        guard isQuoted || strictness == .any || !bytes.part(start..<end).contains(.space) else { return nil }
        return TextField(value: start..<end, names: [name], spelling: .json)
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
    private func bareField(
        _ range: Range<Int>,
        _ name: Range<Int>,
        separator: Int,
        isQuoted: Bool,
        _ extent: Extent
    ) -> TextField? {
        let start = range.lowerBound
        let range = bytes.trimmed(range)
        let value = bytes.part(range)
        if isQuoted || strictness == .any, !value.isEmpty, value.allSatisfy(\.isDigit) {
            return TextField(value: range, names: [name], isNumber: true)
        }
        if strictness == .any { return isQuoted || value.count >= 4 ? field(range, name) : nil }
        guard !isCode(range), bytes[separator] == .equals || start > separator + 1 else { return nil }
        let endsStatement = bytes[separator] == .equals && bytes.at(range.upperBound) == .semicolon && value.count >= 4
        let isSentence = extent == .line && value.filter { $0 == .space }.count > 1 && !value.contains(.equals)
        let isSecret = value.count >= 6 && (value.isMixed || RandomText.looksRandom(value))
        return (endsStatement || isSecret) && !isSentence ? field(range, name) : nil
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
