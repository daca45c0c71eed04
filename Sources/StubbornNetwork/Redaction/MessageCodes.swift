/// The codes of digits in messages, as in `Your login code is 123456`.
enum MessageCodes {
    /// Returns the ranges of numbers of five to eight digits that have a word for a code near them, and no word that says that it
    /// is another thing: `error code 50012`.
    static func ranges(in bytes: Bytes, atLeast minimum: Int = 5) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var (end, last) = (0, 0)
        while end < bytes.count {
            let start = bytes.end(from: end) { !$0.isDigit }
            end = bytes.end(from: start, while: { $0.isDigit })
            // What is before another long number belongs to that.
            let first = Swift.max(last, start - 28)
            if end - start >= 4 { last = end }
            guard minimum...8 ~= end - start, isFree(bytes, start..<end) else { continue }
            // Before it, or behind it in `123456 is your code`.
            let verb = bytes.part(0..<end + 5).end(from: end + 1) { !$0.isSpace }
            let isSubject = bytes.at(end) == .space && 3...4 ~= verb - end
            let near = bytes.part(first..<(isSubject ? Swift.min(bytes.count, end + 40) : start))
            guard RandomText.mayHaveCode(near) else { continue }
            let words = near.split { !$0.isLetter && $0 < 0x80 }.map { FieldName(Bytes(rebasing: $0)).text }
            let isCode = words.contains { SecretList.codeWords.contains($0) || $0.hasSuffix("code") }
            if isCode, !words.contains(where: { SecretList.contentBefore.contains($0) && $0.count > 2 }) {
                result.append(start..<end)
            }
        }
        return result
    }

    /// Returns a Boolean value that indicates whether a number is a word: not a part of a price, a time or a phone number.
    private static func isFree(_ bytes: Bytes, _ range: Range<Int>) -> Bool {
        let (before, after) = (bytes.at(range.lowerBound - 1), bytes.at(range.upperBound))
        let isPrefix = before == .hyphen && bytes.at(range.lowerBound - 2).isUppercase
        return (isPrefix || before == 0 || before.isOne(of: " \n:>\"'=*[")) && !after.isWordPart
            && !bytes.has("=\"", at: range.lowerBound - 2)
            && after != .percent
            && !(after.isOne(of: ".,:/") && bytes.at(range.upperBound + 1).isDigit)
    }
}
