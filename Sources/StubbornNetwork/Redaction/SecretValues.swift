/// The tests that decide by its looks whether a value can be a secret.
enum SecretValues {
    /// Returns a Boolean value that indicates whether a value is a word for no secret, a mask, or the name of the field
    /// itself.
    static func isTrivial(_ value: Bytes, label: String) -> Bool {
        guard value.count <= 32 else { return false }
        if value.allSatisfy({ $0 == UInt8(ascii: "*") || $0 == .dot || $0 == .hyphen || $0 >= 0x80 }) { return true }
        let text = FieldName(value).text
        return SecretList.commonWords.contains(text) || text == label.filter { $0 != "_" }
    }

    /// Returns a Boolean value that indicates whether a value is looked for elsewhere, where a common one would stand
    /// by chance.
    ///
    /// A mixture of letters and digits is from 6 characters on, digits alone from 8, and letters alone from 12, or from
    /// 8 where capitals stand among them. A PIN of four digits and the password `sunshine` are replaced in their fields
    /// alone.
    static func isFollowable(_ value: Bytes) -> Bool {
        guard value.count >= 6, value.count <= 65_536, !Placeholder.isWhole(value),
            value.contains(where: { $0 != value[0] }), !isTrivial(value, label: "")
        else { return false }
        if value.isMixed { return true }
        guard value.count >= 8 else { return false }
        guard value.allSatisfy(\.isLetter), value.count < 12 else { return true }
        return value.dropFirst().contains(where: \.isUppercase) && value.contains(where: \.isLowercase)
    }

    /// Returns a Boolean value that indicates whether a value has to stand alone to be meant: words and numbers are
    /// parts of others by chance.
    static func needsBoundary(_ value: Bytes) -> Bool {
        value.allSatisfy(\.isDigit) || value.allSatisfy(\.isLetter)
    }

    /// Returns a Boolean value that indicates whether a value looks drawn at random rather than written by a person.
    ///
    /// Such a value has no spaces and at least 8 characters. Letters and digits are mixed within a word, or there are
    /// 20 letters in mixed case.
    ///
    /// `price_2024` and `en-US` do not look random, `9f8a7b6c5d` does.
    static func looksRandom(_ value: Bytes) -> Bool {
        guard value.count >= 8, value.allSatisfy({ $0.isTokenPart || $0 == .colon || $0 == .percent }) else {
            return false
        }
        if value.isMixed {
            return value.split { !$0.isAlphanumeric }.contains { word in
                let digits = word.reduce(0) { $0 + ($1.isDigit ? 1 : 0) }
                return digits == word.count ? digits > 5 : digits > 1 && word.count > 4
            }
        }
        return value.count >= 20 && value.contains(where: \.isUppercase) && value.contains(where: \.isLowercase)
            && value.allSatisfy(\.isLetter)
    }

    /// Returns a Boolean value that indicates whether a value is a remark on its field, as in
    /// `"password": ["is too short"]`: it begins like one, and no word mixes letters and digits.
    static func isRemark(_ value: Bytes) -> Bool {
        guard value.count < 256, value.contains(.space) else { return false }
        let words = value.split(separator: .space).map { Bytes(rebasing: $0) }
        guard words.count > 1, words[0].count < 12, SecretList.remarks.contains(words[0].text.lowercased()) else {
            return false
        }
        return words.allSatisfy { $0.count < 24 && !$0.isMixed }
    }
}
