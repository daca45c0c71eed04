/// Tests that tell random text from text that a person has written.
///
/// It knows nothing of names: ids, hashes and page tokens look random too.
enum RandomText {
    /// Returns a Boolean value that indicates whether a value looks drawn at random.
    ///
    /// Such a value has no spaces and at least 8 characters, and one of these:
    /// - a word in which letters and digits, or small and capital letters, change more often than in names;
    /// - base64 for URLs, with a few `-` and `_`, in which they do;
    /// - 16 letters in one case that nobody can pronounce;
    /// - three groups or more of equal length, as keys of licences have;
    /// - the form of a UUID.
    ///
    /// `9f8a7b6c5d` looks random. `SUMMER2024`, `iPhone5s-case`, a date, and the address of a contract do not.
    static func looksRandom(_ value: Bytes) -> Bool {
        value.count >= 8 && value.allSatisfy { $0.isTokenPart || $0 == .colon || $0 == .percent }
            && hasRandomWord(value)
    }

    /// Returns a Boolean value that indicates whether one of the words in a value looks random, or all of them together.
    static func hasRandomWord(_ value: Bytes) -> Bool {
        if value.count == 42 && value.has("0x", at: 0) { return false }
        if isIdentifier(value) { return true }
        var groups = (count: 0, length: 0, areEqual: true)
        var start = 0
        while start < value.count {
            let end = value.end(from: start, while: { $0.isAlphanumeric })
            if end > start {
                if isRandom(value.part(start..<end)) { return true }
                groups.areEqual = groups.areEqual && (groups.count == 0 || groups.length == end - start)
                groups = (groups.count + 1, end - start, groups.areEqual)
            }
            start = end + 1
        }
        let isKey =
            groups.areEqual && groups.count >= 3 && 4...8 ~= groups.length && value.isMixed
            && (groups.count >= 4 || !value.contains(where: \.isLowercase))
        return isKey || groups.count >= 2 && changesOften(value)
    }

    /// Returns a Boolean value that indicates whether characters change as often as in base64 for URLs, which has few separators:
    /// `8T6L-pQjnMsV`, and not `kWh_MWh_GWh_TWh`.
    ///
    /// A capital that a word begins with does not count.
    private static func changesOften(_ value: Bytes) -> Bool {
        guard value.hasBothCases, value.allSatisfy({ $0.isAlphanumeric || $0 == .hyphen || $0 == .underscore }) else {
            return false
        }
        var (count, changes, breaks) = (0, 0, -1)
        for word in value.split(whereSeparator: { !$0.isAlphanumeric }) {
            count += word.count
            breaks += 1
            changes += zip(word, word.dropFirst()).count {
                $0.isDigit != $1.isDigit || $0.isUppercase != $1.isUppercase
            }
            if word.first?.isUppercase == true, word.dropFirst().first?.isLowercase == true { changes -= 1 }
        }
        return count >= 10 && breaks * 6 <= count && changes >= 4 && changes * 10 >= (count - 1) * 4
    }

    /// The number of characters of a word that are looked at.
    private static let longestWord = 256

    /// Returns a Boolean value that indicates whether a word of letters and digits looks random.
    private static func isRandom(_ word: Bytes) -> Bool {
        guard word.count >= 7 else { return false }
        var (digits, digitChanges, changes, consonants, longest) = (0, 0, 0, 0, 0)
        var (isTime, isHexadecimal) = (true, word.count >= 8)
        var previous: UInt8 = 0
        for byte in word.prefix(longestWord) {
            digits += byte.isDigit ? 1 : 0
            if previous != 0 {
                digitChanges += byte.isDigit != previous.isDigit ? 1 : 0
                changes += byte.isDigit != previous.isDigit || byte.isUppercase != previous.isUppercase ? 1 : 0
            }
            isTime = isTime && (byte.isDigit || byte == UInt8(ascii: "T") || byte == UInt8(ascii: "Z"))
            isHexadecimal = isHexadecimal && byte.hexValue != nil
            consonants = byte.isDigit || byte.isVowel ? 0 : consonants + 1
            longest = Swift.max(longest, consonants)
            previous = byte
        }
        if isTime { return false }
        let count = Swift.min(word.count, longestWord)
        let changesOften = changes >= 4 && changes * 10 >= (count - 1) * 4
        if digits >= 2, digitChanges >= 3 || digitChanges == 2 && (changesOften || isHexadecimal) { return true }
        return (count >= 10 && changesOften) || (count >= 16 && digits == 0 && changes <= 1 && longest >= 5)
    }

    // MARK: By frequency

    /// The smallest number of characters of a text that is judged by the frequency of its bytes.
    static let shortest = 8

    /// Returns a Boolean value that indicates whether a text without spaces looks drawn at random, also one of letters or
    /// of digits.
    ///
    /// Letters do if a quarter of their pairs is rare in names. Digits do if they are many and differ, and do not begin with
    /// a year.
    static func looksDrawn(_ text: Bytes) -> Bool {
        guard text.count >= shortest, !isMedia(text) else { return false }
        if hasRandomWord(text) || hasRareLetters(text) { return true }
        var start = 0
        while start < text.count {
            let end = text.end(from: start, while: { $0.isAlphanumeric })
            if end - start >= 16, isDrawn(text.part(start..<end)) { return true }
            start = end + 1
        }
        return false
    }

    private static func isDrawn(_ digits: Bytes) -> Bool {
        digits.allSatisfy(\.isDigit) && Set(digits).count >= 6 && !digits.has("20", at: 0) && !digits.has("19", at: 0)
    }

    /// Returns a Boolean value that indicates whether the letters of a text follow each other as in no name: a quarter of the
    /// pairs is rare in words, or a capital behind a small letter.
    ///
    /// What is between the letters does not matter, so the hyphens of base64 for URLs make no words: `KuER-dWqz-PlMn`.
    static func hasRareLetters(_ text: Bytes) -> Bool {
        guard text.count > 8 else { return false }
        var (pairs, rare) = (0, 0)
        var first: UInt8 = 0
        let isCommon = isCommon
        for second in text {
            if first.isLetter, second.isLetter {
                pairs += 1
                let isName = isCommon[Int(first & 31) << 5 | Int(second & 31)]
                rare += isName && !(first.isLowercase && second.isUppercase) ? 0 : 1
            }
            first = second
        }
        return pairs >= 8 && rare * 4 >= pairs
    }

    /// The Boolean values that indicate whether a pair of letters is common in words, by the numbers of the letters.
    private static let isCommon: [Bool] = {
        var result = [Bool](repeating: false, count: 1 << 10)
        for (first, seconds) in commonPairs.enumerated() {
            for second in seconds.utf8 { result[(first + 1) << 5 | Int(second & 31)] = true }
        }
        return result
    }()

    /// The letters that often follow `a`, `b` and so on: at least two of 10,000 pairs in English texts, and what is common in
    /// German, French, Italian, Spanish and Dutch.
    private static let commonPairs = """
        abcdefghijklmnopqrstuvwxy abcdefgijlmoprstuxyz abcdefhijklmnoprstuvxy abcdefghijklmnoprstuvyz abcdefghijklmnopqrstuvwxyz \
        acdefilmnoprstuy abcdeghilmnoprstuwy aeilmnoprstuwy abcdefghijklmnopqrstuvwxz aeiosu abcdegilnorstuw \
        abcdefghijklmnoprstuvwyz abcdefgijklmnoprstuvy abcdefghijklmnopqrstuvwyz abcdefghijklmnopqrstuvwxyz acdefghiklmnoprstuvwy \
        u abcdefghijklmnoprstuvwyz abcdefghiklmnopqrstuvwyz abcdefghiklmnoprstuvwxyz abcdefghiklmnoprstuvxz aceilmoprst \
        acehilmnorsuw aceilmpstx abcegilmnoprstwz aegilnotuwz
        """.split(separator: " ").map(String.init)

    /// Returns a Boolean value that indicates whether a text is base64 of an image, a font, a document or an archive.
    private static func isMedia(_ text: Bytes) -> Bool {
        let beginnings: [StaticString] = [
            "iVBORw0KGgo", "/9j/", "H4sI", "R0lGOD", "UklGR", "JVBERi0", "UEsDB", "d09G", "AAEAAAA",
        ]
        return text.count > 64 && beginnings.contains { text.has($0, at: 0) || text.has($0, at: 1) }
    }

    /// Returns the ranges of the words in a text that look random: letters, digits, `-`, `_`, `+` and `/`, and the
    /// padding of base64.
    ///
    /// The digits of a percent escape, which may be escaped again (`%253D`), are not part of a word.
    static func words(in text: Bytes, atLeast minimum: Int) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var start = 0
        while start < text.count {
            var end = text.end(from: start, while: { $0.isBase64 })
            if end - start >= Swift.max(minimum, 8), hasRandomWord(text.part(start..<end)) {
                while text.at(end) == .equals { end += 1 }
                result.append(start..<end)
            }
            start = end + 1
            guard text.at(end) == .percent else { continue }
            while text.has("25", at: start) { start += 2 }
            if text.at(start).hexValue != nil, text.at(start + 1).hexValue != nil { start += 2 }
        }
        return result
    }

    /// Returns a Boolean value that indicates whether a value is a UUID (RFC 9562, section 4).
    static func isIdentifier(_ bytes: Bytes) -> Bool {
        bytes.count == 36
            && bytes.indices.allSatisfy {
                [8, 13, 18, 23].contains($0) ? bytes[$0] == .hyphen : bytes[$0].hexValue != nil
            }
    }

    /// Returns a Boolean value that indicates whether a value is a time, or the beginning of one: `2026-01-05T10:00:00Z`
    /// (RFC 3339).
    static func isTime(_ value: Bytes) -> Bool {
        10...35 ~= value.count && value[4] == .hyphen && value[7] == .hyphen
            && value.allSatisfy { $0.isDigit || $0.isOne(of: "-:.+TZ ") }
    }

    /// Returns a Boolean value that indicates whether a value consists of words, short numbers and times: `dark`, `en-US`,
    /// `Europe/Berlin`, `2024-01-31`, `1920x1080`, and the seconds since 1970.
    static func isPlain(_ value: Bytes) -> Bool {
        value.count <= 32
            && value.split { !$0.isAlphanumeric }.allSatisfy { word in
                if word.allSatisfy(\.isDigit) {
                    let isTime = [10, 13].contains(word.count) && word[word.startIndex] == UInt8(ascii: "1")
                    return word.count <= 4 || isTime
                        || word.count == 8 && (word.starts(with: "20".utf8) || word.starts(with: "19".utf8))
                }
                let letters = word.prefix(while: \.isLetter)
                let isVersion = word.count <= 5 && !letters.isEmpty && word[letters.endIndex...].allSatisfy(\.isDigit)
                let isSize = word.split(separator: UInt8(ascii: "x")).map { $0.allSatisfy(\.isDigit) } == [true, true]
                return isVersion || isSize || word.count < 12 && word.allSatisfy(\.isLetter)
            }
    }
}

extension UInt8 {
    /// A Boolean value that indicates whether the byte is `a`, `e`, `i`, `o`, `u` or `y`, in either case.
    var isVowel: Bool { 0x220_8222 >> UInt32(self & 31) & 1 == 1 }
}
