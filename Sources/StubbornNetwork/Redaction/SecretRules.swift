/// The value of a field, as the rules see it.
struct FieldValue {
    let bytes: Bytes
    let field: SecretField
    /// A Boolean value that indicates whether the value is written as a number of JSON.
    var isNumber = false
    var isResponse = false
    /// A Boolean value that indicates whether the value is in the body of a public response: the request only reads, and contains
    /// no secret.
    var isPublic = false
}

/// A rule that says whether the value of a field is a secret.
///
/// The first rule in `all` that applies decides. Above each rule are its sentence, as in the article "Redaction rules", a body in
/// which it decides, and a body to which it does not apply.
struct SecretRule: Sendable {
    let name: String
    /// Returns `true` for a secret, `false` for an ordinary value, and `nil` if the rule does not apply.
    let isSecret: @Sendable (FieldValue) -> Bool?

    /// Returns a Boolean value that indicates whether a value is a secret.
    static func isSecret(_ value: FieldValue) -> Bool {
        all.lazy.compactMap { $0.isSecret(value) }.first ?? false
    }

    static let all: [SecretRule] = [
        // An empty value, a mask such as `***`, a word such as `null`, and the field's own name, if it has several words, are not
        // secrets.
        // {"password":"null"} in a request, and not {"password":"nullify"}
        SecretRule(name: "no value") { value in
            if SecretValues.isTrivial(value.bytes) { return false }
            // `client_secret=client_secret` in Python.
            let isOwnName = value.field.label.contains("_") && Placeholder.label(value.bytes) == value.field.label
            return isOwnName ? false : nil
        },
        // Under a name that you include, and under `sig` and `signature` in a query, any other value is a secret.
        // {"nickname":"ada"} in a request, and not {"name":"ada"}
        SecretRule(name: "your names") { $0.field.kind == .named ? true : nil },
        // A URL without a query or a user, a checksum with its algorithm, the address of a contract, a constant and a version are not
        // secrets.
        // {"token":"https://api.example.com/token"} in a request, and not {"token":"https://api.example.com/?token=a1b2c3d4e5"}
        SecretRule(name: "public forms") { value in
            SecretValues.publicForms.contains { $0(value.bytes) } ? false : nil
        },
        // In a response, words are not a secret if they contain a space or a letter outside ASCII, or begin with a capital letter;
        // under the name of a token, a key or a code, words without digits are never a secret.
        // {"password":"Forgot your password?"} in a response, and not {"password":"garden-gate"}
        SecretRule(name: "text for people") { value in
            value.isResponse && SecretValues.isText(value.bytes, of: value.field) ? false : nil
        },
        // The response to a GET request without a secret is public, so weak names do not count in its body.
        // {"session":"Qx7RkP2vLw9ZtB4nHs6Jd3Gc"} in the response to a GET request, and not {"sessionToken":"Qx7RkP2vLw9ZtB4nHs6Jd3Gc"}
        SecretRule(name: "public answers") { value in
            value.isPublic && value.field.kind.isWeak ? false : nil
        },
        // Under the name of a code that users type, a number is a secret if it has at least three digits. Under the name of a password,
        // it needs three digits in a request and six in a response; under other strong names, six.
        // {"pin":4831} in a request, and not {"tokens":1024} in a response
        SecretRule(name: "numbers") { $0.isNumber ? SecretValues.isSecretNumber($0) : nil },
        // Under the name of a password or a secret, any value is a secret; in a response, it needs three characters. Under the name of a
        // token, a key or an authorization, it needs six characters, or four that are not all letters.
        // {"access_token":"sunshine"} in a request, and not {"access_token":"USDC"}
        SecretRule(name: "strong names") { value in
            guard value.field.kind == .strong else { return nil }
            return SecretValues.isLongEnough(value.bytes, for: value.field, isResponse: value.isResponse)
        },
        // Under such a name, three or more digits, five or more characters with a digit, groups of letters and random values are
        // secrets.
        // {"user_code":"WDJB-MJHT"} in a request, and not {"user_code":"A4"}
        SecretRule(name: "codes that users type") { $0.field.kind == .typed ? SecretValues.isTyped($0.bytes) : nil },
        // In a request, except in its query, four to eight digits and random values are secrets under the name `code`, and under `pin`
        // in a longer name.
        // {"code":"482913"} in a request, and not {"code":"sold_out"}
        SecretRule(name: "codes") { value in
            guard value.field.kind == .code, !value.isResponse else { return nil }
            return SecretValues.isDigits(value.bytes, 4...8) || SecretValues.looksRandom(value.bytes)
        },
        // In a header field, a query or a form of a request, a value that looks random is a secret under words such as `key`, `hash`,
        // `sid` and `sign`.
        // hash=9f8a7b6c5d in a query, and not {"hash":"9f8a7b6c5d"} in a request
        SecretRule(name: "parameters") { value in
            guard value.field.kind == .parameter else { return nil }
            return !value.isResponse && SecretValues.looksRandom(value.bytes)
        },
        // In a request, a random value of at least 16 characters is a secret, unless its name denotes an id or content.
        // {"partner":"Qx7RkP2vLw9ZtB4nHs6Jd3Gc"} in a request, and not {"partner_id":"Qx7RkP2vLw9ZtB4nHs6Jd3Gc"}
        SecretRule(name: "unknown names") { value in
            guard value.field.kind == .unknown else { return nil }
            return !value.isResponse && SecretValues.isOpaque(value.bytes)
        },
        // A value that looks random is a secret under a weak name, under a strong name with other words, and under any name below a
        // strong one.
        // {"session":"Qx7RkP2vLw9ZtB4nHs6Jd3Gc"} in a response, and not {"session":"morning-run"}
        SecretRule(name: "weak names") { SecretValues.looksRandom($0.bytes) },
    ]
}

/// The tests of values that the rules use, one sentence each.
enum SecretValues {
    // MARK: Ordinary values

    /// Returns a Boolean value that indicates whether a value is a word for no secret, or a mask: `null`, `***`.
    static func isTrivial(_ value: Bytes) -> Bool {
        let text = value.count <= 32 ? FieldName(value).text : "-"
        return text.isEmpty || SecretWords.none.contains(text)
    }

    /// The forms of values that are public under any name.
    static let publicForms: [@Sendable (Bytes) -> Bool] = [
        isPublicURL, isChecksum, RandomText.isContract, isConstant, isVersion,
    ]

    /// Returns a Boolean value that indicates whether a value is a URL with neither a user nor a query: `https://example.com/a`.
    private static func isPublicURL(_ value: Bytes) -> Bool {
        let scheme = value.end(from: 0, while: { $0.isLetter })
        guard value.has("://", at: scheme), !value.contains(.equals) else { return false }
        // A version is not a query: `a.png?v5`.
        return value.end(from: 0) { !$0.isOne(of: "?#@") } >= value.count - 5
    }

    /// Returns a Boolean value that indicates whether a value is a checksum with its algorithm: `sha256:9f86…`.
    private static func isChecksum(_ value: Bytes) -> Bool {
        ["sha1", "sha256", "sha384", "sha512"].contains {
            value.has($0, at: 0) && value.at($0.utf8CodeUnitCount).isOne(of: "-:")
        }
    }

    /// Returns a Boolean value that indicates whether a value is the name of a constant: `DEFAULT_UPDATE`.
    private static func isConstant(_ value: Bytes) -> Bool {
        guard value.count < 128, value.contains(.underscore), !RandomText.looksRandom(value) else { return false }
        return value.allSatisfy { $0.isUppercase || $0 == .underscore }
    }

    /// Returns a Boolean value that indicates whether a value is a version or a number with a fraction: `^1.2.3-beta4`.
    private static func isVersion(_ value: Bytes) -> Bool {
        guard value.count < 24, value.contains(.dot), RandomText.isPlain(value) else { return false }
        return value.at(value.end(from: 0) { $0.isOne(of: "^~v>=<") }).isDigit
    }

    /// Returns a Boolean value that indicates whether a value in a response is text that people read.
    static func isText(_ value: Bytes, of field: SecretField) -> Bool {
        var text = value
        // `Bearer YOUR_API_KEY`.
        if field.form == .credentials, let space = value.position(of: .space, from: 0) {
            text = value.part(space + 1..<value.count)
        }
        let words = text.split { !$0.isLetterOrDigit }.map { Bytes(rebasing: $0) }
        guard !words.isEmpty, words.allSatisfy(isWord), text.allSatisfy(isTextByte), !isGroups(text) else {
            return false
        }
        if text[0].isUppercase || text.contains(where: { $0 == .space || $0 >= 0x80 }) { return true }
        switch field.rule {
        case .keyFields, .tokenFields, .pinFields: return !text.contains(where: { $0.isDigit })
        default: return false
        }
    }

    /// Returns a Boolean value that indicates whether letters or digits may be a word of a text.
    private static func isWord(_ word: Bytes) -> Bool {
        if word[0].isDigit { return word.count < 3 && word.areDigits }
        return word.count < 32 && !word.isMixed
    }

    private static func isTextByte(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || byte.isOne(of: " '-.,:;!?()/\"{}_")
    }

    // MARK: Secrets

    /// Returns a Boolean value that indicates whether a number of JSON is a secret under a name.
    static func isSecretNumber(_ value: FieldValue) -> Bool {
        guard value.bytes.areDigits else { return false }
        switch (value.field.kind, value.field.rule) {
        case (.typed, _): return value.bytes.count >= 3
        case (.code, _): return !value.isResponse && 4...8 ~= value.bytes.count
        case (.strong, .passwordFields): return value.bytes.count >= (value.isResponse ? 6 : 3)
        case (.strong, _): return value.bytes.count >= 6
        default: return false
        }
    }

    /// Returns a Boolean value that indicates whether a value is long enough for a secret under a strong name.
    static func isLongEnough(_ value: Bytes, for field: SecretField, isResponse: Bool) -> Bool {
        switch field.rule {
        case .passwordFields, .secretFields: return !isResponse || value.count >= 3
        // The bare name `token` may also mean a part of a text.
        case .tokenFields where field.label == "token" && isWords(value): return false
        default: return value.count >= (value.allSatisfy({ $0.isLetter }) ? 6 : 4)
        }
    }

    private static func isWords(_ value: Bytes) -> Bool {
        RandomText.isPlain(value) && value.allSatisfy { $0.isUnreserved || $0 == .space }
    }

    /// Returns a Boolean value that indicates whether a value looks like a code that users type: `4831`, `84314-8fba1`,
    /// `WDJB-MJHT`.
    static func isTyped(_ value: Bytes) -> Bool {
        if isDigits(value, 3...64) || isGroups(value) { return true }
        if value.count >= 5, value.contains(where: { $0.isDigit }) { return true }
        return looksRandom(value)
    }

    /// Returns a Boolean value that indicates whether a value is digits, with spaces or hyphens between them.
    static func isDigits(_ value: Bytes, _ count: ClosedRange<Int>) -> Bool {
        count ~= value.count(where: \.isDigit) && value.allSatisfy { $0.isDigit || $0.isOne(of: " -") }
    }

    /// Returns a Boolean value that indicates whether a value consists of eight or more capital letters and digits, possibly in
    /// groups: `WDJB-MJHT`.
    static func isGroups(_ value: Bytes) -> Bool {
        value.count >= 8 && value.allSatisfy { $0.isAlphanumeric ? !$0.isLowercase : $0 == .hyphen }
    }

    /// Returns a Boolean value that indicates whether a value, or a part of it, looks random, and is neither a path nor a text.
    static func looksRandom(_ value: Bytes) -> Bool {
        let value = value.part(0..<value.start(before: value.count) { $0 == .equals })
        guard 8...65_536 ~= value.count, value.allSatisfy(isTokenByte), value.position(of: "://", from: 0) == nil,
            !isPath(value)
        else { return false }
        return RandomText.looksRandom(value)
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        0x21..<0x7F ~= byte && !byte.isOne(of: "\"'<>{}[],;=\\")
    }

    /// Returns a Boolean value that indicates whether a value is the name of a file or a place in a folder: `a/b.png`.
    static func isPath(_ value: Bytes) -> Bool {
        let extensionStart = value.start(before: value.count, while: { $0.isLowercase })
        if value.at(extensionStart - 1) == .dot, 2...4 ~= value.count - extensionStart { return true }
        let start = value.at(0) == .slash ? 1 : 0
        let end = value.end(from: start) { $0.isLowercase || $0.isOne(of: "-_") }
        // Base64 may have a slash after its first letter, or before it.
        guard value.at(end) == .slash, end > start + 1 else { return false }
        return value.at(value.count - 1) != .equals
    }

    /// Returns a Boolean value that indicates whether a value looks like a credential whatever its name is: long and random, and
    /// neither an id in one of the usual forms nor text.
    static func isOpaque(_ value: Bytes) -> Bool {
        guard 16...4_096 ~= value.count, value.allSatisfy({ $0.isTokenPart || $0.isOne(of: ":|!*$#") }),
            value.hasBothCases || value.count >= 24, !value.has("0x", at: 0), !isPath(value), !isID(value),
            !Base64.isText(value)
        else { return false }
        return RandomText.looksRandom(value)
    }

    /// Returns a Boolean value that indicates whether a value has the form of an id: `cus_4fx8…`, `org-Qx7R…`, a UUID, and
    /// hexadecimal digits that are fewer than 32.
    private static func isID(_ value: Bytes) -> Bool {
        if hasPrefixOfID(value) { return true }
        if RandomText.isIdentifier(value) { return true }
        return value.count < 32 && value.allSatisfy { $0.hexValue != nil }
    }

    /// Returns a Boolean value that indicates whether a value begins with small letters and `_` or `-`, as ids do.
    static func hasPrefixOfID(_ value: Bytes) -> Bool {
        let prefix = value.end(from: 0, while: { $0.isLowercase })
        return prefix > 1 && value.at(prefix).isOne(of: "_-")
    }

    // MARK: Everywhere else

    /// Returns the surroundings in which a value is replaced outside its own field; `nil` if it is replaced only there.
    ///
    /// A value that is certain to be a secret is always searched for. A value that was only recognized by its name is not, if it
    /// may occur elsewhere by coincidence: a PIN of four digits, the password `sunshine`, a date.
    static func reach(of value: Bytes, isCertain: Bool = false) -> ValueFinder.Reach? {
        let whole: ValueFinder.Reach? = isCertain ? .whole : nil
        guard 6...65_536 ~= value.count, value.contains(where: { $0 != value[0] }), !isTrivial(value) else {
            return whole
        }
        let letters = value.end(from: 0, while: { $0.isLetter })
        switch (letters, value.end(from: letters, while: { $0.isDigit })) {
        case (0, value.count): return value.count < 8 || RandomText.isPlain(value) ? whole : .word
        case (value.count, _): return value.count < 12 ? whole : .word
        // A word with a number: `admin123`.
        case (3..., value.count) where value.count - letters <= 4: return .whole
        default: return value.count >= 8 ? .everywhere : value.isMixed ? .whole : whole
        }
    }
}
