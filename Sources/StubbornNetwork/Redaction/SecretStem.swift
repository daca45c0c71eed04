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
