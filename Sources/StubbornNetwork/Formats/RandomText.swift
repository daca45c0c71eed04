import Foundation

/// Tests that distinguish random text from text that a person has written.
///
/// It knows nothing of names: ids, hashes and page tokens look random too.
enum RandomText {
    /// The form of letters and digits that look random.
    enum Form {
        /// 12 hexadecimal digits or more, with letters in one case; or 8, if letters and decimal digits change twice: `d348209d`,
        /// and not `abc12345`.
        case hexadecimal
        /// Letters and digits that alternate often: `9f8a7b6c`, and not `iPhone5s`; or 12 or more of them, of which the letters do
        /// not form words: `kqzjxwvbnmpl`, and not `JavaScriptEngine`.
        case mixed
        /// 16 digits or more, at least six of them different, but not a date: `7302948561203948`.
        case digits
    }

    /// Returns the form of letters and digits that look random; `nil` for letters and digits that a person may have
    /// written.
    static func form(of part: Bytes) -> Form? {
        guard part.count >= shortest else { return nil }
        let part = part.part(0..<Swift.min(part.count, longest))
        let digits = part.count { $0.isDigit }
        if digits == part.count { return isDrawn(part) ? .digits : nil }
        if digits > 0, isHexadecimal(part) { return .hexadecimal }
        if part.count >= 12, hasRareLetters(part) { return .mixed }
        if digits == 0 || isTime(part) { return nil }
        // A model has one digit, and a short name.
        return (digits >= 2 || part.count >= 10) && changesOften(part) ? .mixed : nil
    }

    /// Returns a Boolean value that indicates whether a value looks random.
    ///
    /// It is a UUID, or has a part that looks random; or its parts do when they are joined, if they have eight characters on average. The address of a contract does not count, and neither does base64 of an image.
    ///
    /// `9f8a7b6c5d` looks random. `SUMMER2024`, `iPhone5s-case` and a date do not.
    static func looksRandom(_ value: Bytes) -> Bool {
        guard value.count >= shortest, !isContract(value), !isMedia(value) else { return false }
        if isIdentifier(value) { return true }
        var (start, count, length) = (0, 0, 0)
        while start < value.count {
            let end = value.end(from: start, while: { $0.isAlphanumeric })
            if form(of: value.part(start..<end)) != nil { return true }
            if end > start { (count, length) = (count + 1, length + end - start) }
            start = end + 1
        }
        // Base64 for URLs has one hyphen in 32 characters on average, and names have more: `SM-G991B-128GB`.
        guard count > 1, (count - 1) * 8 <= length, value.allSatisfy({ $0.isWordPart }) else { return false }
        if !value.contains(where: { $0.isDigit }) { return length >= 12 && hasRareLetters(value) }
        return value.filter({ $0.isAlphanumeric }).withUnsafeBufferPointer { form(of: $0) == .mixed }
    }

    /// The fewest characters of a random text, and the number of characters of a part that are examined.
    static let (shortest, longest) = (8, 256)

    /// Returns a Boolean value that indicates whether letters and digits change three times, or the kind of characters four times
    /// and at two of five places.
    private static func changesOften(_ part: Bytes) -> Bool {
        if digitChanges(in: part) >= 3 { return true }
        let count = zip(part, part.dropFirst()).count { $0.isDigit != $1.isDigit || $0.isUppercase != $1.isUppercase }
        return count >= 4 && count * 5 >= (part.count - 1) * 2
    }

    /// Returns the number of changes between letters and digits.
    private static func digitChanges(in part: Bytes) -> Int {
        zip(part, part.dropFirst()).count { $0.isDigit != $1.isDigit }
    }

    private static func isHexadecimal(_ part: Bytes) -> Bool {
        guard !part.hasBothCases, part.allSatisfy({ $0.hexValue != nil }) else { return false }
        return part.count >= 12 || digitChanges(in: part) >= 2
    }

    private static func isDrawn(_ digits: Bytes) -> Bool {
        digits.count >= 16 && Set(digits).count >= 6 && !beginsWithYear(digits)
    }

    private static func beginsWithYear(_ digits: Bytes) -> Bool { digits.has("20", at: 0) || digits.has("19", at: 0) }

    /// Returns a Boolean value that indicates whether a value is the address of a contract: `0x`, and 40 digits.
    static func isContract(_ value: Bytes) -> Bool { value.count == 42 && value.has("0x", at: 0) }

    // MARK: Letters

    /// Returns a Boolean value that indicates whether the letters of a text follow each other as they do in no name: a
    /// quarter of the pairs are rare in words, or are a capital after a small letter.
    ///
    /// Other characters between the letters do not matter, so hyphens do not turn base64 for URLs into words:
    /// `KuER-dWqz-PlMn`.
    static func hasRareLetters(_ text: Bytes) -> Bool {
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

    /// The letters that often follow `a`, `b` and so on: at least two of 10,000 pairs in English text, and the common ones in
    /// German, French, Italian, Spanish and Dutch.
    private static let commonPairs = """
        abcdefghijklmnopqrstuvwxy abcdefgijlmoprstuxyz abcdefhijklmnoprstuvxy abcdefghijklmnoprstuvyz abcdefghijklmnopqrstuvwxyz \
        acdefilmnoprstuy abcdeghilmnoprstuwy aeilmnoprstuwy abcdefghijklmnopqrstuvwxz aeiosu abcdegilnorstuw \
        abcdefghijklmnoprstuvwyz abcdefgijklmnoprstuvy abcdefghijklmnopqrstuvwyz abcdefghijklmnopqrstuvwxyz acdefghiklmnoprstuvwy \
        u abcdefghijklmnoprstuvwyz abcdefghiklmnopqrstuvwyz abcdefghiklmnoprstuvwxyz abcdefghiklmnoprstuvxz aceilmoprst \
        acehilmnorsuw aceilmpstx abcegilmnoprstwz aegilnotuwz
        """.split(separator: " ").map(String.init)

    /// Returns a Boolean value that indicates whether a text is base64 of an image, a font, a document or an archive; or a URL with
    /// such data (RFC 2397).
    static func isMedia(_ text: Bytes) -> Bool {
        let beginnings: [StaticString] = [
            "iVBORw0KGgo", "/9j/", "H4sI", "R0lGOD", "UklGR", "JVBERi0", "UEsDB", "d09G", "AAEAAAA",
        ]
        guard text.count > 64 else { return false }
        let isURL = text.has("data:", at: 0)
        let start = isURL ? text.part(0..<64).position(of: ";base64,", from: 0).map { $0 + 8 } ?? 0 : 0
        return beginnings.contains { text.has($0, at: start) || text.has($0, at: start + 1) }
    }

    /// Returns a Boolean value that indicates whether a value is a UUID (RFC 9562, section 4).
    static func isIdentifier(_ bytes: Bytes) -> Bool {
        bytes.count == 36 && UUID(uuidString: bytes.text) != nil
    }

    /// Returns a Boolean value that indicates whether a value is a part of a time (RFC 3339): `2026-01-05T10`.
    static func isTime(_ value: Bytes) -> Bool {
        value[0].isDigit && value.allSatisfy { $0.isDigit || $0.isOne(of: "-TZ") }
    }

    // MARK: Plain text

    /// Returns a Boolean value that indicates whether a value consists of words, short numbers and times: `dark`, `en-US`,
    /// `Europe/Berlin`, `2024-01-31`, `1920x1080`, and the seconds since 1970.
    static func isPlain(_ value: Bytes) -> Bool {
        value.count <= 32 && value.split { !$0.isAlphanumeric }.allSatisfy { isPlainPart(Bytes(rebasing: $0)) }
    }

    private static func isPlainPart(_ part: Bytes) -> Bool {
        let letters = part.end(from: 0, while: { $0.isLetter })
        switch (letters, part.end(from: letters, while: { $0.isDigit })) {
        case (part.count, _): return part.count < 12
        case (0, part.count): return isPlainNumber(part)
        // A version: `v12`.
        case (1..., part.count): return part.count <= 5
        default: return isTime(part) || isSize(part)
        }
    }

    private static func isPlainNumber(_ digits: Bytes) -> Bool {
        switch digits.count {
        case ...4: true
        case 8: beginsWithYear(digits)
        case 10, 13: digits[0] == UInt8(ascii: "1")
        default: false
        }
    }

    private static func isSize(_ part: Bytes) -> Bool {
        part.split(separator: UInt8(ascii: "x")).map { $0.areDigits } == [true, true]
    }
}
