/// The meaning of a field's name for its value.
struct SecretField: Sendable {
    /// The form that the value has, and keeps.
    enum Form: Sendable {
        case value, credentials, cookies, setCookie
    }

    /// The values that are secrets: the name is often not enough to decide.
    enum Test: Sendable {
        /// Any value except a plain word for "none".
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

    /// A Boolean value that indicates whether the value differs each time, which its placeholder shows.
    var isVolatile = false

    /// A Boolean value that indicates whether a number under that name is a secret too: a `pin` is, `tokens: 1024` is a
    /// count.
    var takesNumbers = true

    /// A Boolean value that indicates whether longer names that contain the stem, and values nested below the name, are secrets
    /// if the value looks random.
    var isInherited = false

    /// The meaning for values nested below the name, and for longer names that contain the stem: random-looking values are
    /// secrets.
    var inherited: SecretField {
        SecretField(label: label, rule: rule, test: .randomLooking, takesNumbers: false)
    }
}
