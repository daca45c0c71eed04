/// The codes of digits in messages, as in `Your login code is 123456`.
enum MessageCodes {
    /// Returns the ranges of numbers of five to eight digits that have a word for a code near them, and no word that says that it
    /// is another thing: `error code 50012`.
    static func ranges(in bytes: Bytes, atLeast minimum: Int = 5) -> [Range<Int>] {
        guard RandomText.mayHaveCode(bytes) else { return [] }
        return TextWords.ranges(in: bytes).map { word in
            // `G-482913` has a prefix. A price, a time and a phone number are longer words.
            let start = bytes.part(0..<word.upperBound).start(before: word.upperBound, while: \.isDigit)
            let isPrefix = start == word.lowerBound + 2 && bytes[start - 1] == .hyphen
            return isPrefix ? start..<word.upperBound : word
        }.filter { number in
            let before = bytes.at(number.lowerBound - 1)
            let near = bytes.part(number.lowerBound - 28..<number.upperBound + 28)
            guard minimum...8 ~= number.count, bytes.part(number).allSatisfy(\.isDigit),
                before == 0 || before.isOne(of: " \n:>*[-"), bytes.at(number.upperBound) != .percent,
                RandomText.mayHaveCode(near)
            else { return false }
            let words = near.split { !$0.isLetter && $0 < 0x80 }.map { FieldName(Bytes(rebasing: $0)).text }
            return words.contains { SecretList.codeWords.contains($0) || $0.hasSuffix("code") }
                && !words.contains { SecretList.contentBefore.contains($0) && $0.count > 2 }
        }
    }
}
