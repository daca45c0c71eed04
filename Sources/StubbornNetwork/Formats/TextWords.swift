/// The words of a text: names, numbers, ids and times, between the punctuation that separates them.
///
/// `-`, `_`, `.` and `~` join letters and digits, and `:` and `+` join digits. A UUID, a version and a time are each one word;
/// the extension of a file is its own.
enum TextWords {
    /// A word that two texts have at the same place, where each has another one.
    struct Pair: Hashable, Sendable {
        let old: String
        let new: String

        /// A Boolean value that indicates whether the words look as if they were drawn.
        var areDrawn: Bool { old.withBytes { old in new.withBytes { TextWords.areDrawn(old, $0) } } }
        /// A Boolean value that indicates whether the words have times.
        var areTimes: Bool { [old, new].allSatisfy { !$0.withBytes(TimeText.all).isEmpty } }
    }

    /// Returns the ranges of the words.
    static func ranges(in bytes: Bytes) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var end = 0
        while true {
            let start = bytes.end(from: end) { !isLetterOrDigit($0) }
            guard start < bytes.count else { return result }
            end = bytes.end(from: start, while: isLetterOrDigit)
            while isJoined(bytes, at: end) {
                let next = bytes.end(from: end + 1, while: isLetterOrDigit)
                if bytes.at(end) == .dot, !isJoined(bytes, at: next), isExtension(bytes.part(end + 1..<next)) { break }
                end = next
            }
            result.append(start..<end)
        }
    }

    /// Returns a Boolean value that indicates whether a text is the extension of a file's name, as of `/users/17.json`.
    private static func isExtension(_ text: Bytes) -> Bool { 2...5 ~= text.count && text.allSatisfy(\.isLetter) }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool { byte.isAlphanumeric || byte > 127 }

    private static func isJoined(_ bytes: Bytes, at position: Int) -> Bool {
        switch bytes.at(position) {
        case .hyphen, .underscore, .dot, .tilde: isLetterOrDigit(bytes.at(position + 1))
        case .colon, .plus: bytes.at(position - 1).isDigit && bytes.at(position + 1).isDigit
        default: false
        }
    }

    /// Returns the words that tell one value from another: of at least four characters, and shorter ones where ids are written;
    /// also the longer pieces that `differences` may return.
    static func tellingWords(in bytes: Bytes) -> Set<String> {
        let words = ranges(in: bytes).lazy.filter { $0.count >= 4 || isReference($0, in: bytes) }
        let pieces = pieces(in: bytes).lazy.filter { bytes.part($0).contains { $0 == .slash || $0 == .plus } }
        return Set(words.map { bytes.part($0).text }).union(pieces.map { bytes.part($0).text })
    }

    /// Returns the text with words replaced, or the longer pieces that they are in, or parts of them, such as the id in
    /// `input_5f3a91c2_1`; `nil` if none is.
    ///
    /// `kind` is what a word is the id of; `nil` where no id is written.
    static func replacing(in bytes: Bytes, _ new: (_ word: String, _ kind: String?) -> String?) -> [UInt8]? {
        var edits: [Edit] = []
        func replace(_ range: Range<Int>) -> Bool {
            guard let text = new(bytes.part(range).text, kind(of: range, in: bytes)) else { return false }
            edits.append(Edit(range: range, text: Array(text.utf8)))
            return true
        }
        for piece in pieces(in: bytes) where !replace(piece) {
            for word in ranges(in: bytes.part(piece)).map({ $0.moved(by: piece.lowerBound) }) where !replace(word) {
                // `REDACTED-key-1` is another secret than `REDACTED-key-1-1`.
                let parts = Placeholder.isIn(bytes.part(word)) ? [] : bytes[word].split { !isLetterOrDigit($0) }
                var index = 0
                while index < parts.count {
                    // The longest one that is known: a UUID has parts too.
                    let end = (index + 1...min(index + 8, parts.count)).reversed().first { end in
                        let range = parts[index].startIndex..<parts[end - 1].endIndex
                        return range.count >= 6 && range != word && replace(range)
                    }
                    index = end ?? index + 1
                }
            }
        }
        return Edit.apply(edits, to: bytes)
    }

    /// Returns the ranges of the names and values in a URL or a form, which are percent-encoded each.
    static func encodedParts(in bytes: Bytes) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var start = 0
        while start <= bytes.count {
            let end = bytes.end(from: start) { !$0.isOne(of: "/?&=#;") }
            result.append(start..<end)
            start = end + 1
        }
        return result
    }

    /// Returns the ranges of the words that differ between two texts; `nil` for texts that differ in more than words.
    ///
    /// Words that punctuation separates differently are taken together, such as `ab/9+c1` in base64; so is base64 with its
    /// padding.
    static func differences(_ old: Bytes, _ new: Bytes) -> [(old: Range<Int>, new: Range<Int>)]? {
        differences(of: pieces, old, 0..<old.count, new, 0..<new.count)?.flatMap { oldPiece, newPiece in
            let isWhole = old.at(oldPiece.upperBound - 1) == .equals
            let words = isWhole ? nil : differences(of: ranges, old, oldPiece, new, newPiece)
            return words ?? [(oldPiece, newPiece)]
        }
    }

    /// Returns the parts of two ranges that differ; `nil` if the ranges have different numbers of parts, or something else
    /// between them.
    private static func differences(
        of parts: (Bytes) -> [Range<Int>],
        _ old: Bytes,
        _ oldRange: Range<Int>,
        _ new: Bytes,
        _ newRange: Range<Int>
    ) -> [(old: Range<Int>, new: Range<Int>)]? {
        let oldParts = parts(old.part(oldRange)).map { $0.moved(by: oldRange.lowerBound) }
        let newParts = parts(new.part(newRange)).map { $0.moved(by: newRange.lowerBound) }
        guard oldParts.count == newParts.count else { return nil }
        var (oldEnd, newEnd) = (oldRange.lowerBound, newRange.lowerBound)
        for (oldPart, newPart) in zip(oldParts, newParts) {
            guard isSame(old, oldEnd..<oldPart.lowerBound, new, newEnd..<newPart.lowerBound) else { return nil }
            (oldEnd, newEnd) = (oldPart.upperBound, newPart.upperBound)
        }
        guard isSame(old, oldEnd..<oldRange.upperBound, new, newEnd..<newRange.upperBound) else { return nil }
        return zip(oldParts, newParts).filter { !isSame(old, $0, new, $1) }.map { ($0, $1) }
    }

    /// Returns the words that differ between two texts; `nil` for texts that differ in more than words.
    static func pairs(_ old: String, _ new: String) -> [Pair]? {
        old.withBytes { old in
            new.withBytes { new in
                differences(old, new)?.map { Pair(old: old.part($0).text, new: new.part($1).text) }
            }
        }
    }

    /// Returns a Boolean value that indicates whether two words look as if they were drawn.
    ///
    /// Such words are as long as each other, and at least every second character differs. In each of them, letters and digits
    /// change twice between two punctuation marks: `i55oew` and `i9vmgk`, but not `black2` and `white1`; or its letters follow
    /// each other as in no name.
    static func areDrawn(_ old: Bytes, _ new: Bytes) -> Bool {
        guard old.count == new.count else { return false }
        let common = zip(old, new).prefix { $0 == $1 }.count
        let start = old.part(0..<common).lastIndex { !$0.isAlphanumeric }.map { $0 + 1 } ?? 0
        guard zip(old, new).count(where: { $0 != $1 }) * 2 >= old.count - start else { return false }
        return [old, new].allSatisfy { word in
            let rest = word.part(start..<word.count)
            guard rest.count(where: \.isAlphanumeric) >= 6, rest.contains(where: \.isLetter) else { return false }
            return RandomText.looksDrawn(rest)
                || rest.split { !$0.isAlphanumeric }.contains { part in
                    zip(part, part.dropFirst()).count { $0.isDigit != $1.isDigit } >= 2
                }
        }
    }

    /// The names of what servers take time for.
    private static let workNames: Set<String> = [
        "cpu", "eval", "execution", "load", "processing", "prompt", "query", "request", "response", "server", "wall",
    ]

    /// Returns the seconds that are left until something expires: `"expires_in": 3599`; `nil` for any other word.
    static func secondsLeft(_ word: Range<Int>, in bytes: Bytes) -> Int? {
        nameWords(of: word, in: bytes).contains("expires") ? Int(bytes.part(word).text) : nil
    }

    /// Returns a Boolean value that indicates whether a number is a time that something took: `12 ms`, `"took": 12`,
    /// `"query_time": 12`, `"seconds": 0.012345`.
    static func isLatency(_ word: Range<Int>, in bytes: Bytes) -> Bool {
        let digitsEnd = bytes.end(from: word.lowerBound) { $0.isDigit || $0 == .dot || $0 == .colon }
        guard digitsEnd > word.lowerBound else { return false }
        let unit = bytes.at(digitsEnd) == .space ? digitsEnd + 1 : digitsEnd
        let isFraction = bytes.part(word.lowerBound..<digitsEnd).contains(.dot)
        let units: [StaticString] = isFraction ? ["ms", "s", "sec", "secs", "seconds"] : ["ms"]
        if units.contains(where: { bytes.has($0, at: unit) && !bytes.at(unit + $0.utf8CodeUnitCount).isAlphanumeric }) {
            return true
        }
        let words = digitsEnd == word.upperBound ? Set(nameWords(of: word, in: bytes)) : []
        if !words.isDisjoint(with: ["took", "elapsed", "latency", "uptime"]) { return true }
        let isMeasured = isFraction && digitsEnd - word.lowerBound >= 6
        return !words.isDisjoint(with: ["time", "duration", "ms", "millis", "secs", "seconds"])
            && (isMeasured || !words.isDisjoint(with: workNames))
    }

    /// Returns the ranges of the pieces: words, and the punctuation inside paths, times and base64.
    private static func pieces(in bytes: Bytes) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var end = 0
        while true {
            let start = bytes.end(from: end) { !isPiecePart($0) }
            guard start < bytes.count else { return result }
            end = bytes.end(from: start, while: isPiecePart)
            // The padding of base64 (RFC 4648, section 4).
            let padded = bytes.end(from: end) { $0 == .equals }
            if padded > end, padded - end <= 2, end - start >= 6, (padded - start) % 4 == 0 { end = padded }
            result.append(start..<end)
        }
    }

    private static func isPiecePart(_ byte: UInt8) -> Bool {
        switch byte {
        case .hyphen, .underscore, .dot, .tilde, .colon, .plus, .slash: true
        default: isLetterOrDigit(byte)
        }
    }

    private static func isSame(_ old: Bytes, _ oldRange: Range<Int>, _ new: Bytes, _ newRange: Range<Int>) -> Bool {
        guard oldRange.count == newRange.count else { return false }
        guard !oldRange.isEmpty, let old = old.baseAddress, let new = new.baseAddress else { return true }
        return memcmp(old + oldRange.lowerBound, new + newRange.lowerBound, oldRange.count) == 0
    }

    /// Returns a Boolean value that indicates whether a word is a segment of a path, or has a name such as `id`, `user_id` or
    /// `taskUid`: `/users/7`, `"id" : 7`, `id=7`, `<id>7`.
    static func isReference(_ word: Range<Int>, in bytes: Bytes) -> Bool { kind(of: word, in: bytes) != nil }

    /// Returns what a word is the id of, in the singular: `user` for `/users/7`, `"user_id" : 7` and `userIds=7`, and an empty
    /// text for `"id" : 7`; `nil` where no id is written.
    static func kind(of word: Range<Int>, in bytes: Bytes) -> String? {
        let start = start(of: word, in: bytes)
        if bytes.at(start - 1).isOne(of: "/#") {
            let segment = bytes.start(before: start - 1) { isLetterOrDigit($0) || $0.isOne(of: "-_.~%") }
            // `nginx/1` is a program and its version.
            let isPath =
                segment == start - 1 || bytes.at(start - 1) != .slash || bytes.at(segment - 1).isOne(of: "/?&=")
            return isPath ? singular(bytes.part(segment..<start - 1).text) : nil
        }
        var words = nameWords(of: word, in: bytes)
        guard let name = words.popLast(), ["id", "ids", "uid", "gid", "guid", "uuid"].contains(name) else { return nil }
        return singular(words.joined())
    }

    /// Returns the name of the member whose value is the object around a word, or the list of such objects, in the singular;
    /// `nil` where there is none nearby, and for the names of envelopes.
    static func owner(of word: Range<Int>, in bytes: Bytes) -> String? {
        var (position, depth) = (word.lowerBound, 0)
        let start = Swift.max(0, position - 1000)
        while position > start {
            position -= 1
            if bytes[position].isOne(of: "]}") { depth += 1 }
            guard bytes[position].isOne(of: "[{") else { continue }
            depth -= 1
            let end = bytes.start(before: position) { $0.isOne(of: "\":") || $0.isSpace }
            guard depth < 0, bytes.part(end..<position).contains(.colon) else { continue }
            let name = singular(bytes.part(bytes.start(before: end) { $0.isWordPart }..<end).text)
            return ["data", "result", "item"].contains(name) ? nil : name
        }
        return nil
    }

    /// Returns a name in the singular, in lower case: `order` for `Orders`.
    static func singular(_ name: String) -> String {
        let name = name.lowercased().filter { $0.isLetter || $0.isNumber }
        return name.hasSuffix("ies") ? "\(name.dropLast(3))y" : name.hasSuffix("s") ? String(name.dropLast()) : name
    }

    /// Returns a Boolean value that indicates whether a word has the name `id` or `_id`.
    static func isID(_ word: Range<Int>, in bytes: Bytes) -> Bool {
        nameWords(of: word, in: bytes) == ["id"]
    }

    /// Returns a Boolean value that indicates whether a word has the name of a checksum: `"content_sha256": "…"`.
    static func isChecksum(_ word: Range<Int>, in bytes: Bytes) -> Bool {
        !checksumNames.isDisjoint(with: nameWords(of: word, in: bytes))
    }

    /// The words in the names of checksums; digits are words of their own, as in `md5`.
    static let checksumNames: Set<String> = ["checksum", "crc", "digest", "hash", "md", "sha"]

    /// Returns the start of the value that a word is in: that of `6078_1` is its first `_` in `_6078_1`.
    private static func start(of word: Range<Int>, in bytes: Bytes) -> Int {
        bytes.start(before: word.lowerBound) { $0 == .underscore || $0 == .hyphen }
    }

    /// Returns the words of the name before a value, such as `took` in `"took" : 7`, `took=7`, `<took>7` and `"took": "7 ms"`;
    /// none where there is no name.
    private static func nameWords(of word: Range<Int>, in bytes: Bytes) -> [String] {
        let start = start(of: word, in: bytes)
        let end = bytes.start(before: start) { $0.isOne(of: "\":=>[#") || $0.isSpace }
        // Words of a sentence are no names: `took 3 retries`.
        guard !bytes.part(end..<start).allSatisfy(\.isSpace) else { return [] }
        return FieldName(bytes.part(bytes.start(before: end) { $0.isWordPart }..<end)).words(from: 0)
    }
}

extension Range<Int> {
    fileprivate func moved(by offset: Int) -> Self { lowerBound + offset..<upperBound + offset }
}
