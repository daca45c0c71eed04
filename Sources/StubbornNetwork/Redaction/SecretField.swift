/// The meaning of a field's name for its value.
struct SecretField: Sendable {
    /// The form that the value has, and keeps.
    enum Form: Sendable {
        case value, credentials, cookies, setCookie
    }

    /// The values that are secrets under a name.
    enum Test: Sendable {
        /// Any value except a plain word for "none".
        case any
        /// The same, but not a short word: `token=USDC`.
        case notShortWord
        /// Three digits or more, or five characters with a digit among them, or what looks random: not `pin=A4`.
        case pin
        /// Values that look random; in a request, four to eight digits too.
        case code
        /// Values that look random: `key=AIzaSy…`, but not `key=user_name`.
        case randomLooking
        /// Values that look random, in a request. In a response they are content or an id: the `hash` of a file.
        case sentRandomLooking
    }

    /// The label of its placeholder.
    var label: String
    var rule: Redaction.Rule
    var form = Form.value
    var test = Test.any

    /// A Boolean value that indicates whether the value is looked for outside its field too.
    var follows = true

    /// A Boolean value that indicates whether the value differs each time, which its placeholder shows.
    var isVolatile = false

    /// A Boolean value that indicates whether a number under that name is a secret too: a `pin` is, `tokens: 1024` is a
    /// count.
    var takesNumbers = true

    /// A Boolean value that indicates whether random-looking values nested below the name are secrets too.
    var isInherited = false

    /// A Boolean value that indicates whether the name is strong: the values decide little.
    var isStrong: Bool { [.any, .notShortWord, .pin].contains(test) }

    /// A Boolean value that indicates whether the id of such a value is public: the id of a key, and not that of a session.
    var isPublicByID: Bool { !isStrong && [.keyFields, .pinFields, .cookies].contains(rule) }

    /// The meaning for longer names that contain the name, and for values nested below it: random-looking values are secrets.
    var inherited: SecretField {
        SecretField(label: label, rule: rule, test: .randomLooking, takesNumbers: false, isInherited: true)
    }
}

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

    /// A Boolean value that indicates whether words next to the stem may say that it is not a secret: `nextPageToken`.
    let hasNeighbours: Bool

    /// The meaning of the name; without a label where the field's own name is it.
    let field: SecretField
}
