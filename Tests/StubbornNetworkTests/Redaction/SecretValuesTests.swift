import Foundation
import Testing

@testable import StubbornNetwork

/// Which values under the name of a secret are secrets.
struct SecretValuesTests {
    private func accepts(
        _ test: SecretField.Test,
        _ value: String,
        label: String = "field",
        rule: Redaction.Rule = .secretFields,
        isResponse: Bool = false
    ) -> Bool {
        let field = SecretField(label: label, rule: rule, test: test)
        return value.withBytes { field.accepts($0, isResponse: isResponse) }
    }

    // MARK: Words for no secret

    @Test func `no common word is a secret, in capitals neither, and with one letter more it is`() {
        for word in SecretList.commonWords {
            #expect(!accepts(.any, word))
            // REDACTED is a placeholder.
            #expect(!accepts(.any, word.uppercased()) || word == "redacted", "\(word)")
            #expect(accepts(.any, "\(word)q"), "\(word)")
        }
    }

    @Test(arguments: [
        ("***", false), ("...", false), ("---", false), ("*.-", false), ("***x", true),
        (String(repeating: "*", count: 32), false), (String(repeating: "*", count: 33), true), ("", false),
    ])
    func `a mask of up to 32 characters is no secret`(value: String, isSecret: Bool) {
        #expect(accepts(.any, value) == isSecret)
    }

    // MARK: The tests of a field

    @Test(arguments: [
        // Six letters, or another character.
        ("letter", true), ("words", false), ("usd-1", true), ("USDC", false), ("latest", true),
        // Prices and the addresses of contracts.
        ("1.50", false), ("1.500,00", false), ("1500", true), ("1.5x", true), ("^2.0.1", false), ("1.2.3-beta2", false),
        ("https://a.example/i.png", false), ("https://a.example/i?t=1", true), ("https://u:p@a.example/", true),
        ("0x\(String(repeating: "9f8a7b6c", count: 5))", false),
        ("0x\(String(repeating: "9f8a7b6c", count: 5))1", true),
        ("sha256-abcdef", false), ("sha384:abcdef", false), ("sha-abcdef", true), ("sha1abcdef", true),
    ])
    func `a token is no short word, price or address of a contract`(value: String, isSecret: Bool) {
        #expect(accepts(.notShortWord, value) == isSecret)
    }

    @Test(arguments: [
        ("color.primary", false), ("latest", false), ("latestest9x8", true), ("abcdefghijklmnop", true),
    ])
    func `bare token is no word`(value: String, isSecret: Bool) {
        #expect(accepts(.notShortWord, value, label: "token") == isSecret)
        #expect(accepts(.notShortWord, value, label: "access_token"))
    }

    @Test(arguments: [
        ("123", true), ("12", false), ("12-34 5", true), ("A4", false), ("ab12", false), ("abc12", true),
        ("abcde", false), ("WDJB-MJHT", true), ("WDJBMJHT", true), ("abcdef", true),
    ])
    func `a PIN has three digits, or five characters with a digit`(value: String, isSecret: Bool) {
        #expect(accepts(.pin, value) == isSecret)
    }

    @Test(arguments: [
        ("WDJB-MJHT", true), ("WDJ-MJH", false), ("WDJBMJHT", false), ("Wdjb-Mjht", false), ("ab-1c", true),
    ])
    func `in a response, a code has a digit, or capital letters in groups`(value: String, isSecret: Bool) {
        #expect(accepts(.pin, value, isResponse: true) == isSecret)
    }

    @Test(arguments: [
        ("00D5g0!AQ2GId8f7k.x", true), ("9f8a7b6c5d", true), ("user_name", false), ("img/9f8a7b6c5d.png", false),
        ("9f8a7b6c5d.png", false), ("a sentence of 9f8a7b6c5d", false), ("a=9f8a7b6c5d", false), ("9f8a7b6c5d==", true),
        ("/N+u1Ct9v05UVen/eR3L==", true), ("z/VBxKEWfWIHLi0hAszn4EU=", true), ("a/9f8a7b6c5d", true),
        ("/img/9f8a7b6c5d", false), ("0x9f8a7b6c5d", false),
    ])
    func `a value under a weak name is a secret as a whole if a part of it looks random`(value: String, isSecret: Bool)
    {
        #expect(accepts(.randomLooking, value) == isSecret)
        #expect(accepts(.sentRandomLooking, value) == isSecret)
        #expect(!accepts(.sentRandomLooking, value, isResponse: true))
    }

    // MARK: Labels in responses

    @Test(arguments: [
        ("Forgot your password?", false), ("is too short", false), ("hunter2!", true), ("パスワード", false),
        ("Salasana", false), ("Lösenord", false), ("sunshine", true), ("SUNSHINE", true), ("Sunshine1", true),
        ("Password\(String(repeating: " ok", count: 82))?", false),
        ("Password\(String(repeating: " ok", count: 83))?", true),
        ("Your \(String(repeating: "o", count: 31))!", false), ("Your \(String(repeating: "o", count: 32))!", true),
        ("Choose a new one.", false), ("Choose a new one:", false), ("Choose a new one!", false),
        ("Choose a new one", false), ("Hasło jest za krótkie", false), ("your-key-here", false),
        ("choose a new one!", false), ("Your Passwort", false), ("Your pass1word!", true), ("Kennsatz", false),
        ("KennSatz", true), ("Falcon!", true), ("At least 8 characters", false), ("Falcon 8", true),
        ("Summer 2024 real", true), ("correct horse battery", true), ("correct horse is it", false),
        ("enter password", false), ("api-key-name", false), ("garden-gate", true), ("a=b c", true),
    ])
    func `a label is a secret in a request, and not in a response`(value: String, isSecret: Bool) {
        #expect(accepts(.any, value, isResponse: true) == isSecret)
        #expect(accepts(.any, value))
    }

    @Test func `what a user has listed is a secret even as a label`() {
        #expect(accepts(.any, "Forgot your password?", rule: .included, isResponse: true))
    }

    @Test(arguments: [
        ("password_confirm", Redaction.Rule.passwordFields, "Confirmer", false),
        ("password_confirmation", .passwordFields, "Mot encore", false),
        ("password_confirm", .passwordFields, "Confirmer1", true), ("password", .passwordFields, "Confirmer", false),
        ("api_key", .keyFields, "Clé d'API", false), ("token", .tokenFields, "Clé d'API", false),
        ("pin", .pinFields, "Clé d'API", false), ("password", .passwordFields, "Clé d'API", false),
        ("api_key", .keyFields, "clé2", true), ("api_key", .keyFields, "API-nyckel", false),
    ])
    func `the label of a field in another language is no secret in a response`(
        label: String,
        rule: Redaction.Rule,
        value: String,
        isSecret: Bool
    ) {
        #expect(accepts(.any, value, label: label, rule: rule, isResponse: true) == isSecret)
        #expect(accepts(.any, value, label: label, rule: rule))
    }

    // MARK: Values that differ each time

    private func isVolatile(_ name: String, _ value: String, isSigned: Bool = false) -> Bool {
        name.withBytes { name in value.withBytes { VolatileNames.isVolatile(name, $0, isSigned: isSigned) } }
    }

    @Test func `each nonce and signature differs each time if it looks random`() {
        for name in SecretList.nonces.map(\.description) + ["X-Hub-Signature", "sig", "hmac", "API-Sign"] {
            #expect(isVolatile(name, "9f8a7b6c5d4e3f2a"), "\(name)")
            #expect(!isVolatile(name, "9f8a7b6c5d4e3f2"), "\(name), 15 characters")
            #expect(isVolatile(name, "Aaaa-Bbbb_Cccc-Dddd_"), "\(name), 20 characters")
            #expect(!isVolatile(name, "Aaaa-Bbbb_Cccc-Dddd"), "\(name), 19 characters")
            #expect(!isVolatile(name, "aaaa-bbbb_cccc-dddd_"), "\(name), small letters")
            #expect(!isVolatile(name, "AAAA-BBBB_CCCC-DDDD_"), "\(name), capitals")
            #expect(!isVolatile(name, "Aaaa Bbbb Cccc Dddd "), "\(name), words")
            #expect(!isVolatile(name, "pending"), "\(name)")
        }
        #expect(!isVolatile("id", "9f8a7b6c5d4e3f2a"))
    }

    @Test func `each time of a signature differs each time, next to a signature only`() {
        for name in SecretList.signatureTimes.map(\.description) + ["nonce"] {
            #expect(isVolatile(name, "1700000000", isSigned: true), "\(name)")
            #expect(!isVolatile(name, "1700000000"), "\(name)")
            #expect(!isVolatile(name, "never", isSigned: true), "\(name)")
        }
        #expect(!isVolatile("time", "1700000000", isSigned: true))
    }

    @Test(arguments: [
        ("X-Amz-Date=20240101T000000Z&X-Amz-Signature=9f8a7b6c5d4e3f2a9f8a7b6c5d4e3f2b", "20240101T000000Z", true),
        ("timestamp=1700000000&signature=9f8a7b6c5d4e3f2a", "1700000000", true),
        ("timestamp=1700000000&signature=9f8a7b6c5d4e3f2a", "9f8a7b6c5d4e3f2a", false),
        ("nonce=9f8a7b6c5d4e3f2a", "9f8a7b6c5d4e3f2a", false),
    ])
    func `the time of a signature stays in the response, and the signature and a nonce do not`(
        query: String,
        value: String,
        stays: Bool
    ) throws {
        let redactor = Redactor(.standard, environment: [:])
        let request = redactor.redact(StubRequest(url: try URL.parsed("https://a.test/o?\(query)")))
        let stub = redactor.redact(Stub(request: request, response: .status(200, body: "at \(value)")))
        #expect((stub.body == "at \(value)") == stays)
        #expect(stub.body.contains(value) == stays)
    }

    @Test(arguments: [
        ("Authorization", "AWS4-HMAC-SHA256 Credential=x", true), ("authorization", "hmac u:1", true),
        ("AUTHORIZATION", #"OAuth oauth_signature="x""#, true), ("Authorization", "Signature keyId=1", true),
        ("Authorization", "Bearer AWS4-", false), ("X-Other", "hmac u:1", false), ("X-Signature", "x", true),
        ("X-Hub-Sig", "x", true), ("X-Hmac", "x", true), ("X-Signature-Version", "x", false),
    ])
    func `a request is signed in its header fields`(name: String, value: String, isSigned: Bool) throws {
        var request = StubRequest(url: try URL.parsed("https://a.test/"))
        request.headerFields[name] = value
        #expect(VolatileNames.isSigned(request) == isSigned)
    }

    @Test func `the login in a SOAP request has the same text whatever its nonce and its time are`() throws {
        func body(_ digest: String, _ nonce: String, _ second: Int) throws -> Data? {
            let token = """
                <wsse:Password Type="…#PasswordDigest">\(digest)</wsse:Password><wsse:Nonce>\(nonce)</wsse:Nonce>\
                <wsu:Created>2026-11-27T10:26:\(second)Z</wsu:Created>
                """
            let text = "<s:Header><wsse:UsernameToken>\(token)</wsse:UsernameToken></s:Header>"
            var request = StubRequest(method: "POST", url: try URL.parsed("https://a.test/"), body: Data(text.utf8))
            request.headerFields["Content-Type"] = "application/soap+xml"
            return Redactor(.standard, environment: [:]).redact(request).body
        }
        let bodies = try [
            body("tuOSpGlFlIXsozq4HFNeeGeFLEI=", "LKqI6G/AikKCQrN0zqZFlg==", 27),
            body("Rk8pYf0dE1xQm3VtTn7sLw2cJ4U=", "Wm9vQ2FyR2hUcTdLcFh2Tg==", 58),
        ]
        #expect(bodies[0] == bodies[1])
    }
}
