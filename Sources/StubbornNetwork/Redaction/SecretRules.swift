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
