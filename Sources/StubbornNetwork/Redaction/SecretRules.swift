/// The value of a field, as the rules see it.
struct FieldValue {
    let bytes: Bytes
    let field: SecretField
    /// A Boolean value that indicates whether the value is written as a number of JSON.
    var isNumber = false
    var isResponse = false
    /// A Boolean value that indicates whether the value is in the body of a response that anybody gets: the request only
    /// reads, and has no secret.
    var isPublic = false
}

/// A rule that says whether the value of a field is a secret.
///
/// The first rule in `all` that says yes or no decides. The article "Redaction rules" has the same list.
struct SecretRule: Sendable {
    let name: String
    /// The rule in one or two sentences, as in the article.
    let sentence: String
    /// A body in which the rule decides, and one to which it does not apply.
    let example: Sample
    let counterexample: Sample
    /// Returns `true` for a secret, `false` for an ordinary value, and `nil` if the rule does not apply.
    let isSecret: @Sendable (FieldValue) -> Bool?

    /// A body of JSON, as a test sends or receives it.
    enum Sample: Sendable {
        /// The body of a POST request.
        case request(String)
        /// The body of the response to a POST request.
        case response(String)
        /// The body of the response to a GET request without a secret.
        case publicResponse(String)
        /// The query of a request.
        case query(String)
    }

    /// Returns a Boolean value that indicates whether a value is a secret.
    static func isSecret(_ value: FieldValue) -> Bool {
        for rule in all {
            if let verdict = rule.isSecret(value) { return verdict }
        }
        return false
    }

    static let all: [SecretRule] = [
        SecretRule(
            name: "no value",
            sentence: "An empty value, a mask such as `***`, and a word such as `null` are not secrets.",
            example: .request(#"{"password":"null"}"#),
            counterexample: .request(#"{"password":"nullify"}"#),
            isSecret: { SecretValues.isTrivial($0.bytes) ? false : nil }
        ),
        SecretRule(
            name: "your names",
            sentence:
                "Under a name that you include, and under `sig` and `signature` in a query, any other value is a secret.",
            example: .request(#"{"nickname":"ada"}"#),
            counterexample: .request(#"{"name":"ada"}"#),
            isSecret: { $0.field.kind == .named ? true : nil }
        ),
        SecretRule(
            name: "public forms",
            sentence: """
                A URL without a query, a public key, a checksum with its algorithm, the address of a contract, a constant \
                and a version are not secrets.
                """,
            example: .request(#"{"token":"https://api.example.com/token"}"#),
            counterexample: .request(#"{"token":"https://api.example.com/?token=a1b2c3d4e5"}"#),
            isSecret: { value in SecretValues.publicForms.contains { $0(value.bytes) } ? false : nil }
        ),
        SecretRule(
            name: "text for people",
            sentence: """
                In a response, text is not a secret if it has a space, a capital first letter or letters outside ASCII; \
                under the name of a token, a key or a code, any words are text.
                """,
            example: .response(#"{"password":"Forgot your password?"}"#),
            counterexample: .response(#"{"password":"garden-gate"}"#),
            isSecret: { $0.isResponse && SecretValues.isText($0.bytes, of: $0.field) ? false : nil }
        ),
        SecretRule(
            name: "public answers",
            sentence:
                "The response to a GET request without a secret is public, so weak names do not count in its body.",
            example: .publicResponse(#"{"session":"Qx7RkP2vLw9ZtB4nHs6Jd3Gc"}"#),
            counterexample: .publicResponse(#"{"sessionToken":"Qx7RkP2vLw9ZtB4nHs6Jd3Gc"}"#),
            isSecret: { $0.isPublic && $0.field.kind.rawValue > SecretField.Kind.related.rawValue ? false : nil }
        ),
        SecretRule(
            name: "numbers",
            sentence: """
                Under the name of a code that is typed in, a number is a secret if it has at least three digits. Under the \
                name of a password, it needs three digits in a request and six in a response; under other strong names, six.
                """,
            example: .request(#"{"pin":4831}"#),
            counterexample: .response(#"{"tokens":1024}"#),
            isSecret: { $0.isNumber ? SecretValues.isSecretNumber($0) : nil }
        ),
        SecretRule(
            name: "strong names",
            sentence: """
                Under the name of a password or a secret, any value is a secret; in a response, it needs three characters. \
                Under the name of a token, a key or an authorization, it needs six characters, or four that are not all \
                letters.
                """,
            example: .request(#"{"access_token":"sunshine"}"#),
            counterexample: .request(#"{"access_token":"USDC"}"#),
            isSecret: {
                $0.field.kind == .strong
                    ? SecretValues.isLongEnough($0.bytes, for: $0.field, isResponse: $0.isResponse) : nil
            }
        ),
        SecretRule(
            name: "codes that are typed in",
            sentence: """
                Under such a name, three or more digits, five or more characters with a digit, groups of letters and random \
                values are secrets.
                """,
            example: .request(#"{"user_code":"WDJB-MJHT"}"#),
            counterexample: .request(#"{"user_code":"A4"}"#),
            isSecret: { $0.field.kind == .typed ? SecretValues.isTyped($0.bytes) : nil }
        ),
        SecretRule(
            name: "codes",
            sentence: """
                In a request, except in its query, four to eight digits and random values are secrets under the name `code`, \
                and under `pin` in a longer name.
                """,
            example: .request(#"{"code":"482913"}"#),
            counterexample: .request(#"{"code":"sold_out"}"#),
            isSecret: { value in
                guard value.field.kind == .code, !value.isResponse else { return nil }
                return SecretValues.isDigits(value.bytes, 4...8) || SecretValues.looksRandom(value.bytes)
            }
        ),
        SecretRule(
            name: "parameters",
            sentence: """
                In a header field, a query or a form of a request, a value that looks random is a secret under words such as \
                `key`, `hash`, `sid` and `sign`.
                """,
            example: .query("hash=9f8a7b6c5d"),
            counterexample: .request(#"{"hash":"9f8a7b6c5d"}"#),
            isSecret: { value in
                guard value.field.kind == .parameter else { return nil }
                return !value.isResponse && SecretValues.looksRandom(value.bytes)
            }
        ),
        SecretRule(
            name: "unknown names",
            sentence:
                "In a request, a random value of at least 16 characters is a secret, unless its name denotes an id or content.",
            example: .request(#"{"partner":"Qx7RkP2vLw9ZtB4nHs6Jd3Gc"}"#),
            counterexample: .request(#"{"partner_id":"Qx7RkP2vLw9ZtB4nHs6Jd3Gc"}"#),
            isSecret: { value in
                guard value.field.kind == .unknown else { return nil }
                return !value.isResponse && SecretValues.isOpaque(value.bytes)
            }
        ),
        SecretRule(
            name: "weak names",
            sentence: """
                A value that looks random is a secret under a weak name, under a strong name with other words, and under any \
                name below a strong one.
                """,
            example: .response(#"{"session":"Qx7RkP2vLw9ZtB4nHs6Jd3Gc"}"#),
            counterexample: .response(#"{"session":"morning-run"}"#),
            isSecret: { SecretValues.looksRandom($0.bytes) }
        ),
    ]
}
