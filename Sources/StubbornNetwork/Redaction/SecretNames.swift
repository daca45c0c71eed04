/// What the name of a field says about its value.
struct SecretField {
    /// How the value is replaced.
    enum Form {
        case value, credentials, cookies, setCookie
    }

    /// Which values are secrets: a name alone often does not say.
    enum Test {
        /// Any but plain words for "none".
        case any
        /// Not short words: `token=USDC`.
        case notShortWord
        /// What looks drawn at random: `key=AIzaSy…`, and not `key=user_name`.
        case randomLooking
        /// At least 6 characters without a space.
        case loginCode
        /// Three digits or more, or five characters with a digit among them: not `pin=A4`.
        case pin
    }

    var label: String
    var rule: Redaction.Rule
    var form = Form.value
    var test = Test.any

    /// Whether the value is looked for elsewhere too.
    var follows = SecretVault.Following.always

    /// Whether a number under that name is a secret too: a `pin` is, `tokens: 1024` is a count.
    var takesNumbers = true

    func accepts(_ value: Bytes) -> Bool {
        if value.isEmpty || Placeholder.isWhole(value) { return !value.isEmpty }
        if SecretValues.isTrivial(value, label: label) { return false }
        switch test {
        case .any: return true
        case .notShortWord: return value.count >= 6 || value.contains { !$0.isLetter }
        case .randomLooking: return SecretValues.looksRandom(value)
        case .loginCode: return value.count >= 6 && !value.contains(0x20)
        case .pin:
            return value.count >= 3 && value.allSatisfy { $0.isDigit || $0 == 0x2D || $0 == 0x20 }
                || value.count >= 5 && value.contains(where: \.isDigit)
        }
    }
}

/// The names that carry secrets, by place.
struct SecretNames {
    let redaction: Redaction

    /// Where a name stands.
    enum Place {
        case header, query, json, form, xml

        var mask: NamedSecret.Places {
            switch self {
            case .header: .header
            case .query: .query
            case .json: .json
            case .form: .form
            case .xml: .xml
            }
        }
    }

    /// The field of that name in that place, or `nil` where its value is no secret.
    ///
    /// - Parameter isLogin: whether what stands beside it speaks of OAuth, which makes a secret of `code`. A plain
    ///   `?code=US` is none.
    func field(_ name: Bytes, in place: Place, isLogin: Bool = false) -> SecretField? {
        guard !name.isEmpty, name.count <= 128 else { return nil }
        guard hasAdditions || NamedSecret.mayMatch(name) else { return nil }
        let compact = FieldName(name)
        guard !compact.compact.isEmpty else { return nil }
        if hasAdditions, isIncluded(compact.text, in: place) {
            return SecretField(label: Placeholder.label(name), rule: .rule("included"))
        }
        guard redaction.usesStandardRules, var field = standard(compact, in: place, isLogin: isLogin) else {
            return nil
        }
        if !redaction.excluded.isEmpty {
            if redaction.excluded.contains(field.rule) { return nil }
            let exclusions = Self.exclusions(compact.text, in: place)
            if exclusions.contains(where: redaction.excluded.contains) { return nil }
        }
        field.label = field.label.isEmpty ? Placeholder.label(name) : field.label
        return field
    }

    private var hasAdditions: Bool {
        !(redaction.headers.isEmpty && redaction.queryItems.isEmpty && redaction.jsonKeys.isEmpty
            && redaction.formFields.isEmpty)
    }

    private func isIncluded(_ name: String, in place: Place) -> Bool {
        switch place {
        case .header: redaction.headers.contains(name)
        case .query: redaction.queryItems.contains(name)
        case .json: redaction.jsonKeys.contains(name)
        case .form: redaction.formFields.contains(name)
        case .xml: redaction.jsonKeys.contains(name) || redaction.formFields.contains(name)
        }
    }

    private static func exclusions(_ name: String, in place: Place) -> [Redaction.Rule] {
        switch place {
        case .header: [.header(name)]
        case .query: [.queryItem(name)]
        case .json: [.jsonKey(name)]
        case .form: [.formField(name)]
        case .xml: [.jsonKey(name), .formField(name)]
        }
    }

    private func standard(_ name: FieldName, in place: Place, isLogin: Bool) -> SecretField? {
        if isLogin, name.equals("code"), place != .header, place != .xml {
            return SecretField(label: "code", rule: .pinFields, test: .loginCode)
        }
        for secret in NamedSecret.candidates(for: name) where secret.places.contains(place.mask) && secret.matches(name)
        {
            guard !NamedSecret.isHarmless(name) else { return nil }
            var field = SecretField(label: secret.label, rule: secret.rule, form: secret.form, test: secret.test)
            field.follows = secret.follows
            field.takesNumbers = secret.takesNumbers
            return field
        }
        return nil
    }

    /// Returns whether the value of a variable of the environment is a secret.
    static func isSecret(variable: String, value: String) -> Bool {
        let name = variable.withBytes { FieldName($0) }
        let stems: [StaticString] = [
            "token", "secret", "password", "passwd", "passphrase", "apikey", "accesskey", "privatekey", "credential",
        ]
        let locations: [StaticString] = ["file", "path", "dir", "url", "uri", "name", "type", "id"]
        guard stems.contains(where: name.contains), !locations.contains(where: name.ends) else { return false }
        guard !value.hasPrefix("/"), !value.hasPrefix("~/"), !value.hasPrefix("./") else { return false }
        return value.utf8.count >= 8 && value.withBytes { SecretValues.isFollowable($0) }
    }
}
