/// The meaning of a field's name for its value.
struct SecretField: Sendable {
    /// The form that the value has, and keeps.
    enum Form: Sendable {
        case value, credentials, cookies, setCookie
    }

    /// The kind of a name.
    ///
    /// `SecretRule.all` says which values are secrets under it.
    enum Kind: Int, Sendable {
        /// A name that the user has included, and `sig` in a query.
        case named
        /// `password`, `accessToken`, `api_key`.
        case strong
        /// A code that somebody types in: `pin`, `user_code`.
        case typed
        /// A strong name with other words, and any name below a strong one: `tokenId`, `{"token":{"id":"…"}}`.
        case related
        /// `code`, and `doorPin`.
        case code
        /// `session`, `state`.
        case weak
        /// A word that marks a secret only among the parameters of a request: `?key=`.
        case parameter
        /// Any other name in a request that denotes neither an id nor content.
        case unknown
    }

    /// The label of its placeholder.
    var label: String
    var rule: Redaction.Rule
    var kind = Kind.strong
    var form = Form.value

    /// A Boolean value that indicates whether the value is looked for outside its field too.
    var follows = true

    /// A Boolean value that indicates whether the value differs each time, which its placeholder shows.
    var isVolatile = false

    /// A Boolean value that indicates whether random values nested below the name are secrets too.
    var describesNested = false
}
