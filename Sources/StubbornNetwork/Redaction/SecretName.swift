/// The places where a name stands.
struct SecretPlaces: OptionSet, Sendable {
    let rawValue: UInt8

    static let header = Self(rawValue: 1)
    static let query = Self(rawValue: 2)
    static let json = Self(rawValue: 4)
    static let form = Self(rawValue: 8)
    static let xml = Self(rawValue: 16)
    static let everywhere = Self(rawValue: 31)
}

/// A name that carries a secret.
struct SecretName: Sendable {
    /// The part of a field's name that must be equal: `access_token` ends in `token`.
    enum Match: Sendable {
        case whole, end
        /// The end, and the beginning of a word: `user_pin`, and not `spin`.
        case lastWord
    }

    /// The name in lower case, without what separates its words.
    let name: [UInt8]
    let match: Match
    let places: SecretPlaces

    /// The meaning of the name; without a label where the field's own name is it.
    let field: SecretField

    func matches(_ name: FieldName) -> Bool {
        switch match {
        case .whole: name.compact == self.name
        case .end: name.ends(in: self.name)
        case .lastWord: name.endsInWord(self.name)
        }
    }
}

/// The meaning of a field's name for its value.
struct SecretField: Sendable {
    /// The form that the value has, and keeps.
    enum Form: Sendable {
        case value, credentials, cookies, setCookie
    }

    /// The values that are secrets: a name alone often does not say.
    enum Test: Sendable {
        /// Any but plain words for "none".
        case any
        /// Not short words: `token=USDC`.
        case notShortWord
        /// Values that look random: `key=AIzaSy…`, but not `key=user_name`.
        case randomLooking
        /// At least 6 characters without a space.
        case loginCode
        /// Three digits or more, or five characters with a digit among them: not `pin=A4`.
        case pin
    }

    /// The values that are looked for outside their own field too.
    enum Following: Sendable {
        case always
        /// Only a mixture of letters and digits: cookies hold common words too.
        case ifMixed
        case never
    }

    /// The label of its placeholder.
    var label: String
    let rule: Redaction.Rule
    var form = Form.value
    var test = Test.any
    var follows = Following.always

    /// A Boolean value that indicates whether a number under that name is a secret too: a `pin` is, `tokens: 1024` is a
    /// count.
    var takesNumbers = true

    /// Returns a Boolean value that indicates whether a value under that name is a secret, or a placeholder for one.
    func accepts(_ value: Bytes) -> Bool {
        if value.isEmpty || Placeholder.isWhole(value) { return !value.isEmpty }
        if SecretValues.isTrivial(value, label: label) { return false }
        switch test {
        case .any: return true
        case .notShortWord: return value.count >= 6 || value.contains { !$0.isLetter }
        case .randomLooking: return SecretValues.looksRandom(value)
        case .loginCode: return value.count >= 6 && !value.contains(.space)
        case .pin:
            return value.count >= 3 && value.allSatisfy { $0.isDigit || $0 == .hyphen || $0 == .space }
                || value.count >= 5 && value.contains(where: \.isDigit)
        }
    }
}
