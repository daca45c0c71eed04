import Foundation

/// The words of a text: names, numbers, ids and times, between the punctuation that separates them.
///
/// `-`, `_`, `.` and `~` join letters and digits, and `:` and `+` join digits. A UUID, a version and a time are each one word.
enum TextWords {
    /// A word that two texts have at the same place, where each has another one.
    struct Pair: Hashable, Sendable {
        let old: String
        let new: String
        /// A Boolean value that indicates whether ids are written at this place: in a path, or under a name such as `userId`.
        var isReference = false
    }

    /// Returns the ranges of the words.
    static func ranges(in bytes: Bytes) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var end = 0
        while true {
            let start = bytes.end(from: end) { !isLetterOrDigit($0) }
            guard start < bytes.count else { return result }
            end = bytes.end(from: start, while: isLetterOrDigit)
            while isJoined(bytes, at: end) { end = bytes.end(from: end + 1, while: isLetterOrDigit) }
            result.append(start..<end)
        }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool { byte.isAlphanumeric || byte > 127 }

    private static func isJoined(_ bytes: Bytes, at position: Int) -> Bool {
        switch bytes.at(position) {
        case .hyphen, .underscore, .dot, .tilde: isLetterOrDigit(bytes.at(position + 1))
        case .colon, .plus: bytes.at(position - 1).isDigit && bytes.at(position + 1).isDigit
        default: false
        }
    }

    /// Returns the words of at least four characters.
    static func words(in bytes: Bytes) -> Set<String> {
        Set(ranges(in: bytes).lazy.filter { $0.count >= 4 }.map { bytes.part($0).text })
    }

    /// Returns the words that are written where ids are.
    static func references(in bytes: Bytes) -> Set<String> {
        Set(ranges(in: bytes).lazy.filter { isReference($0, in: bytes) }.map { bytes.part($0).text })
    }

    /// Returns the text with words replaced; `nil` if none is.
    static func replacing(in text: String, _ new: (_ word: String, _ isReference: Bool) -> String?) -> String? {
        text.withBytes { bytes in
            let edits = ranges(in: bytes).compactMap { range in
                new(bytes.part(range).text, isReference(range, in: bytes)).map {
                    Edit(range: range, text: Array($0.utf8))
                }
            }
            return Edit.apply(edits, to: bytes).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// Returns the words that differ between two texts; `nil` for texts that differ in more than that.
    static func pairs(_ old: Bytes, _ new: Bytes) -> [Pair]? {
        let (oldRanges, newRanges) = (ranges(in: old), ranges(in: new))
        guard oldRanges.count == newRanges.count else { return nil }
        var result: [Pair] = []
        var (oldEnd, newEnd) = (0, 0)
        for (oldRange, newRange) in zip(oldRanges, newRanges) {
            guard isSame(old, oldEnd..<oldRange.lowerBound, new, newEnd..<newRange.lowerBound) else { return nil }
            (oldEnd, newEnd) = (oldRange.upperBound, newRange.upperBound)
            guard !isSame(old, oldRange, new, newRange) else { continue }
            let isReference = isReference(oldRange, in: old) && Self.isReference(newRange, in: new)
            result.append(
                Pair(old: old.part(oldRange).text, new: new.part(newRange).text, isReference: isReference)
            )
        }
        return isSame(old, oldEnd..<old.count, new, newEnd..<new.count) ? result : nil
    }

    private static func isSame(_ old: Bytes, _ oldRange: Range<Int>, _ new: Bytes, _ newRange: Range<Int>) -> Bool {
        guard oldRange.count == newRange.count else { return false }
        guard !oldRange.isEmpty, let old = old.baseAddress, let new = new.baseAddress else { return true }
        return memcmp(old + oldRange.lowerBound, new + newRange.lowerBound, oldRange.count) == 0
    }

    /// Returns a Boolean value that indicates whether a word is a segment of a path, or has a name such as `id`, `user_id` or
    /// `userId`: `/users/7`, `"id" : 7`, `id=7`, `<id>7`.
    private static func isReference(_ word: Range<Int>, in bytes: Bytes) -> Bool {
        if bytes.at(word.lowerBound - 1) == .slash { return true }
        let nameEnd = bytes.start(before: word.lowerBound) { byte in
            byte == .quote || byte == .colon || byte == .equals || byte == .greaterThan || byte.isSpace
        }
        guard nameEnd < word.lowerBound else { return false }
        let name = bytes.part(bytes.start(before: nameEnd) { $0.isWordPart }..<nameEnd)
        let start = name.count - 2
        guard name.hasIgnoringCase("id", at: start) else { return false }
        let before = name.at(start - 1)
        return start == 0 || !before.isAlphanumeric || (before.isLowercase && name[start].isUppercase)
    }
}
