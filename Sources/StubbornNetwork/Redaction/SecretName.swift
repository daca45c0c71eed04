/// Where a name stands.
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
    /// How much of a field's name must be equal: `access_token` ends in `token`.
    enum Match: Sendable {
        case whole, end
        /// The end, and the beginning of a word: `user_pin`, and not `spin`.
        case lastWord
    }

    /// In lower case, without what separates its words.
    let name: [UInt8]
    let match: Match
    let places: SecretPlaces

    /// What the name says; without a label where the field's own name is it.
    let field: SecretField

    func matches(_ name: FieldName) -> Bool {
        switch match {
        case .whole: name.compact == self.name
        case .end: name.ends(in: self.name)
        case .lastWord: name.endsInWord(self.name)
        }
    }
}
