import Foundation
import Testing

@testable import StubbornNetwork

/// The rules that say which values of fields are secrets.
struct SecretRulesTests {
    // MARK: The list

    /// A rule, and two bodies of JSON, or queries, as a test sends or receives them.
    struct Row {
        enum Sample {
            /// The body of a POST request.
            case request(String)
            /// The body of the response to a POST request.
            case response(String)
            /// The body of the response to a GET request without a secret.
            case publicResponse(String)
            /// The query of a request.
            case query(String)
        }

        let name: String
        /// The rule in one or two sentences, as in the article.
        let sentence: String
        /// A sample in which the rule decides, and one to which it does not apply.
        let example: Sample
        let counterexample: Sample
    }

    private static let rows = [
        Row(
            name: "no value",
            sentence: """
                An empty value, a mask such as `***`, a word such as `null`, and the field's own name, if it has several words, \
                are not secrets.
                """,
            example: .request(#"{"password":"null"}"#),
            counterexample: .request(#"{"password":"nullify"}"#)
        ),
        Row(
            name: "your names",
            sentence: """
                Under a name that you include, and under `sig` and `signature` in a query, any other value is a \
                secret.
                """,
            example: .request(#"{"nickname":"ada"}"#),
            counterexample: .request(#"{"name":"ada"}"#)
        ),
        Row(
            name: "public forms",
            sentence: """
                A URL without a query or a user, a checksum with its algorithm, the address of a contract, a constant \
                and a version are not secrets.
                """,
            example: .request(#"{"token":"https://api.example.com/token"}"#),
            counterexample: .request(#"{"token":"https://api.example.com/?token=a1b2c3d4e5"}"#)
        ),
        Row(
            name: "text for people",
            sentence: """
                In a response, words are not a secret if they contain a space or a letter outside ASCII, or begin with a \
                capital letter; under the name of a token, a key or a code, words without digits are never a secret.
                """,
            example: .response(#"{"password":"Forgot your password?"}"#),
            counterexample: .response(#"{"password":"garden-gate"}"#)
        ),
        Row(
            name: "public answers",
            sentence:
                "The response to a GET request without a secret is public, so weak names do not count in its body.",
            example: .publicResponse(#"{"session":"Qx7RkP2vLw9ZtB4nHs6Jd3Gc"}"#),
            counterexample: .publicResponse(#"{"sessionToken":"Qx7RkP2vLw9ZtB4nHs6Jd3Gc"}"#)
        ),
        Row(
            name: "numbers",
            sentence: """
                Under the name of a code that users type, a number is a secret if it has at least three digits. \
                Under the name of a password, it needs three digits in a request and six in a response; under other \
                strong names, six.
                """,
            example: .request(#"{"pin":4831}"#),
            counterexample: .response(#"{"tokens":1024}"#)
        ),
        Row(
            name: "strong names",
            sentence: """
                Under the name of a password or a secret, any value is a secret; in a response, it needs three \
                characters. Under the name of a token, a key or an authorization, it needs six characters, or four \
                that are not all letters.
                """,
            example: .request(#"{"access_token":"sunshine"}"#),
            counterexample: .request(#"{"access_token":"USDC"}"#)
        ),
        Row(
            name: "codes that users type",
            sentence: """
                Under such a name, three or more digits, five or more characters with a digit, groups of letters and \
                random values are secrets.
                """,
            example: .request(#"{"user_code":"WDJB-MJHT"}"#),
            counterexample: .request(#"{"user_code":"A4"}"#)
        ),
        Row(
            name: "codes",
            sentence: """
                In a request, except in its query, four to eight digits and random values are secrets under the name \
                `code`, and under `pin` in a longer name.
                """,
            example: .request(#"{"code":"482913"}"#),
            counterexample: .request(#"{"code":"sold_out"}"#)
        ),
        Row(
            name: "parameters",
            sentence: """
                In a header field, a query or a form of a request, a value that looks random is a secret under words \
                such as `key`, `hash`, `sid` and `sign`.
                """,
            example: .query("hash=9f8a7b6c5d"),
            counterexample: .request(#"{"hash":"9f8a7b6c5d"}"#)
        ),
        Row(
            name: "unknown names",
            sentence: """
                In a request, a random value of at least 16 characters is a secret, unless its name denotes an id or \
                content.
                """,
            example: .request(#"{"partner":"Qx7RkP2vLw9ZtB4nHs6Jd3Gc"}"#),
            counterexample: .request(#"{"partner_id":"Qx7RkP2vLw9ZtB4nHs6Jd3Gc"}"#)
        ),
        Row(
            name: "weak names",
            sentence: """
                A value that looks random is a secret under a weak name, under a strong name with other words, and \
                under any name below a strong one.
                """,
            example: .response(#"{"session":"Qx7RkP2vLw9ZtB4nHs6Jd3Gc"}"#),
            counterexample: .response(#"{"session":"morning-run"}"#)
        ),
    ]

    @Test(arguments: rows.map(\.name))
    func `a rule does what its example says, and nothing of its counterexample`(name: String) throws {
        let row = try #require(Self.rows.first { $0.name == name })
        // The rules before the one that asks for names say what is no secret.
        let findsSecrets = !["no value", "public forms", "text for people", "public answers"].contains(name)
        #expect(try Self.isReplaced(row.example) == findsSecrets, "\(row.example)")
        #expect(try Self.isReplaced(row.counterexample) == !findsSecrets, "\(row.counterexample)")
    }

    private static func isReplaced(_ sample: Row.Sample) throws -> Bool {
        let redactor = Redactor(.standard.including(jsonKeys: ["nickname"]), environment: [:])
        let type: HeaderFields = ["Content-Type": "application/json"]
        var stub = Stub.answer("{}", fields: type)
        stub.request = StubRequest(
            method: "POST",
            url: try URL.parsed("https://api.example.com/items"),
            headers: type
        )
        switch sample {
        case .request(let body): stub.request.body = Data(body.utf8)
        case .query(let query): stub.request.url = try URL.parsed("https://api.example.com/items?\(query)")
        case .response(let body): stub = Stub(request: stub.request, response: Stub.answer(body, fields: type).response)
        case .publicResponse(let body):
            stub = Stub(request: StubRequest(url: stub.request.url), response: Stub.answer(body, fields: type).response)
        }
        return redactor.redact(stub) != stub
    }

    @Test func `the article and the source say each rule in the same words and in the same order`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Sources/StubbornNetwork")
        let article = try String(
            contentsOf: root.appendingPathComponent("StubbornNetwork.docc/RedactionRules.md"),
            encoding: .utf8
        )
        let source = try String(contentsOf: root.appendingPathComponent("Redaction/SecretRules.swift"), encoding: .utf8)
        let comments = source.replacingOccurrences(of: #"\n *// "#, with: " ", options: .regularExpression)
        let lines = article.split(separator: "\n").map(String.init)
        #expect(SecretRule.all.map(\.name) == Self.rows.map(\.name))
        #expect(
            lines.filter { $0.hasPrefix("| ") }.compactMap { line in
                Self.rows.first { line.contains($0.sentence) }?.name
            }
                == Self.rows.map(\.name)
        )
        for row in Self.rows {
            #expect(lines.contains("| \(row.name) | \(row.sentence) |"))
            #expect(comments.contains(" \(row.sentence) "), "\(row.sentence)")
        }
    }

    private func isSecret(
        _ kind: SecretField.Kind,
        _ value: String,
        label: String = "field",
        rule: Redaction.Rule = .secretFields,
        isResponse: Bool = false
    ) -> Bool {
        value.withBytes { bytes in
            let field = SecretField(label: label, rule: rule, kind: kind)
            return SecretRule.isSecret(FieldValue(bytes: bytes, field: field, isResponse: isResponse))
        }
    }

    // MARK: Words for no secret

    @Test func `no common word is a secret, in capitals neither, and with one letter more it is`() {
        for word in SecretWords.none {
            #expect(!isSecret(.strong, word))
            // REDACTED is a placeholder.
            #expect(!isSecret(.strong, word.uppercased()) || word == "redacted", "\(word)")
            #expect(isSecret(.strong, "\(word)q"), "\(word)")
        }
    }

    @Test(arguments: [
        ("***", false), ("...", false), ("---", false), ("*.-", false), ("***x", true),
        (String(repeating: "*", count: 32), false), (String(repeating: "*", count: 33), true), ("", false),
    ])
    func `a mask of up to 32 characters is no secret`(value: String, isExpected: Bool) {
        #expect(isSecret(.strong, value) == isExpected)
    }

    // MARK: Values

    @Test(arguments: [
        // Six letters, or another character.
        ("letter", true), ("words", false), ("usd-1", true), ("USDC", false), ("latest", true),
        // Prices and the addresses of contracts.
        ("1.50", false), ("1.500,00", false), ("1500", true), ("1.5x", true), ("^2.0.1", false), ("1.2.3-beta2", false),
        ("https://a.example/i.png", false), ("https://a.example/i?t=1", true), ("https://u:p@a.example/", true),
        ("0x\(String(repeating: "9f8a7b6c", count: 5))", false),
        ("0x\(String(repeating: "9f8a7b6c", count: 5))1", true),
        ("sha256-abcdef", false), ("sha384:abcdef", false), ("sha-abcdef", true), ("sha1abcdef", true),
        ("DEFAULT_UPDATE", false), ("DEFAULT_UPDATE2", true),
    ])
    func `a token is no short word, and none of the public forms`(value: String, isExpected: Bool) {
        #expect(isSecret(.strong, value, rule: .tokenFields) == isExpected)
    }

    @Test(arguments: [
        ("color.primary", false), ("latest", false), ("latestest9x8", true), ("abcdefghijklmnop", true),
    ])
    func `bare token is no word`(value: String, isExpected: Bool) {
        #expect(isSecret(.strong, value, label: "token", rule: .tokenFields) == isExpected)
        #expect(isSecret(.strong, value, label: "access_token", rule: .tokenFields))
    }

    @Test(arguments: [
        ("123", true), ("12", false), ("12-34 5", true), ("A4", false), ("ab12", false), ("abc12", true),
        ("abcde", false), ("WDJB-MJHT", true), ("WDJB-MJH", true), ("WDJ-MJH", false), ("USRQNMQO", true),
        ("abcdef", false),
    ])
    func `a code that users type has three digits, five characters with a digit, or groups`(
        value: String,
        isExpected: Bool
    ) {
        #expect(isSecret(.typed, value, rule: .pinFields) == isExpected)
    }

    @Test(arguments: [("482913", true), ("4829", true), ("482913750", false), ("482", false), ("4-829-13", true)])
    func `under the name code, four to eight digits are a secret in a request`(value: String, isExpected: Bool) {
        #expect(isSecret(.code, value, rule: .pinFields) == isExpected)
        #expect(!isSecret(.code, value, rule: .pinFields, isResponse: true))
    }

    @Test(arguments: [
        ("00D5g0!AQ2GId8f7k.x", true), ("9f8a7b6c5d", true), ("user_name", false), ("img/9f8a7b6c5d.png", false),
        ("9f8a7b6c5d.png", false), ("a sentence of 9f8a7b6c5d", false), ("a=9f8a7b6c5d", false), ("9f8a7b6c5d==", true),
        ("/N+u1Ct9v05UVen/eR3L==", true), ("z/VBxKEWfWIHLi0hAszn4EU=", true), ("a/9f8a7b6c5d", true),
        ("/img/9f8a7b6c5d", false),
    ])
    func `a value under a weak name is a secret as a whole if a part of it looks random`(
        value: String,
        isExpected: Bool
    ) {
        #expect(isSecret(.weak, value) == isExpected)
        #expect(isSecret(.parameter, value) == isExpected)
        #expect(!isSecret(.parameter, value, isResponse: true))
    }

    // MARK: Text in responses

    @Test(arguments: [
        ("Forgot your password?", false), ("is too short", false), ("hunter2!", true), ("パスワード", false),
        ("Salasana", false), ("Lösenord", false), ("sunshine", true), ("Sunshine1", true),
        ("Choose a new one.", false), ("Hasło jest za krótkie", false), ("Your Passwort", false),
        ("Your pass1word!", true), ("At least 8 characters", false), ("garden-gate", true), ("Falcon!", false),
    ])
    func `words for people are a secret in a request, and not in a response`(value: String, isExpected: Bool) {
        #expect(isSecret(.strong, value, rule: .passwordFields, isResponse: true) == isExpected)
        #expect(isSecret(.strong, value, rule: .passwordFields))
    }

    @Test func `what a user has listed is a secret even as a label`() {
        #expect(isSecret(.named, "Forgot your password?", rule: .included, isResponse: true))
    }

    @Test(arguments: [
        ("api_key", Redaction.Rule.keyFields, "your-key-here", false), ("api_key", .keyFields, "clé2", true),
        ("token", .tokenFields, "any words", false), ("pin", .pinFields, "code", false),
    ])
    func `under the name of a token, a key or a code, any words are text in a response`(
        label: String,
        rule: Redaction.Rule,
        value: String,
        isExpected: Bool
    ) {
        #expect(isSecret(.strong, value, label: label, rule: rule, isResponse: true) == isExpected)
    }
}
