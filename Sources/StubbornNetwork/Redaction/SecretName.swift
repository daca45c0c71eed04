/// A part of names that carry secrets: `token`, in `accessTokenValue` and `TOKEN_2`.
struct SecretStem: Sendable {
    enum Match: Sendable {
        /// The stem ends a word: `accesstoken`, and not `tokenizer`.
        case part
        /// The stem is a word, or words: `user_pin`, and not `spin`.
        case word
        /// The stem is the whole name.
        case whole
    }

    /// The stem in lower case, without what separates its words.
    let text: [UInt8]
    let match: Match
    let places: NamePlaces

    /// The meaning of the name; without a label where the field's own name is it.
    let field: SecretField
}

/// The meaning of a field's name for its value.
struct SecretField: Sendable {
    /// The form that the value has, and keeps.
    enum Form: Sendable {
        case value, credentials, cookies, setCookie
    }

    /// The values that are secrets: a name often does not say it by itself.
    enum Test: Sendable {
        /// Any but plain words for "none".
        case any
        /// Not short words, prices and addresses of contracts: `token=USDC`.
        case notShortWord
        /// Values that look random: `key=AIzaSy…`, but not `key=user_name`.
        case randomLooking
        /// At least 6 characters without a space.
        case loginCode
        /// Three digits or more, or five characters with a digit among them: not `pin=A4`.
        case pin
    }

    /// The label of its placeholder.
    var label: String
    let rule: Redaction.Rule
    var form = Form.value
    var test = Test.any

    /// A Boolean value that indicates whether the value is looked for outside its field too.
    var follows = true

    /// A Boolean value that indicates whether the value is another one each time, which its placeholder says.
    var isVolatile = false

    /// A Boolean value that indicates whether a pseudonym takes the value's place.
    var isPersonal = false

    /// A Boolean value that indicates whether a number under that name is a secret too: a `pin` is, `tokens: 1024` is a
    /// count.
    var takesNumbers = true

    /// A Boolean value that indicates whether names that go on behind the stem, and what is beneath the name, count
    /// where the value looks random.
    var isInherited = false

    /// The field for what is beneath it, or under a name that goes on behind the stem: what looks random is a secret.
    var inherited: SecretField {
        SecretField(label: label, rule: rule, test: .randomLooking, takesNumbers: false)
    }
}
