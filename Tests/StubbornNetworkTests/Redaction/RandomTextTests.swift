import Testing

@testable import StubbornNetwork

struct RandomTextTests {
    @Test(arguments: [
        ("9f8a7b6c5d", true), ("AIzaSy-9tSrke72", true), ("aBcDeFgHiJkLmNoPqRsT", true), ("k3jd92ls", true),
        ("6f9619ff-8b86-d011-b42d-00c04fc964ff", true), ("ABCD-EF12-GH34", true), ("kqzjxwvbnmplrtdf", true),
        ("dGhlIHNhbXBsZSBub25jZQ==", true), ("7e3b0c9a-1", true), ("sk_9aB8cD7eF6", true),
        ("481292", false), ("48129266", false), ("12-34-56-78", false), ("2024-1234-5678", false),
        ("price_2024", false), ("en-US", false), ("iPhone5s-case", false), ("user_name", false), ("SAVE20NOW", false),
        ("SUMMER2024", false), ("admin123", false), ("two words 1a2b3c", false), ("abcdefghijklmnopqrstuvw", true),
        ("internationalization", false), ("aebcdfgaeiouaeio", true), ("aebcdfaeiouaeiou", false),
        ("userAccountManagerFactory", false), ("SHA256withRSA", false),
        ("20240101T000000Z", false), ("2026-11-21T18:00:00.123Z", false), ("1.2.3-beta4", false), ("1a2b3", false),
        ("aB12Cdef", true), ("aB12cdef", false), ("abcd3efg4", true), ("abcd3efgh", false),
        ("0x6b175474e89094c44da98b954eedeac495271d0f", false), ("", false),
    ])
    func `a value looks random if its characters change more often than in words`(value: String, isRandom: Bool) {
        #expect(value.withBytes { RandomText.looksRandom($0) } == isRandom)
    }

    @Test(arguments: [
        ("t=17,v1=9f86d081884c7d65,v0=x", ["9f86d081884c7d65"]),
        ("v1,dGhlIHNhbXBsZSBub25jZQ== x", ["dGhlIHNhbXBsZSBub25jZQ=="]),
        ("the token 9f86d081884c7d65 has expired", ["9f86d081884c7d65"]), ("nothing here", []),
    ])
    func `the words of a text that look random are found`(text: String, expected: [String]) {
        #expect(
            text.withBytes { bytes in RandomText.words(in: bytes, atLeast: 14).map { bytes.part($0).text } } == expected
        )
    }

    @Test(arguments: [
        ("dark", true), ("en-US", true), ("Europe/Berlin", true), ("2024-01-31", true), ("2024-12345", false),
        ("one1one1", false),
        ("9f8a7b6c5d", false), ("12345678", false), ("onehundredbees", false),
        ("/css/dist/bg/icons.data.svg.css?v39", true), ("https://www.example.com/welcome-1?from=newsletter", true),
        ("http://www.example.com/welcome-1?from=newsletter", true), ("www.example.com/welcome/from/newsletter", false),
        ("/9jkK2mP+4xQz7/Tn1w", false), ("/s/9f8a7b6c5d", false), ("https://example.com/?t=hq3zk9vw", false),
    ])
    func `words and short numbers are plain`(value: String, isPlain: Bool) {
        #expect(value.withBytes { RandomText.isPlain($0) } == isPlain)
    }

    @Test(arguments: [
        ("s3cret-Va1ue", "everywhere everywhere"), ("k9Zx4Tq7", "everywhere everywhere"), ("hunt3r", "whole whole"),
        ("admin123", "whole whole"), ("SUMMER2024", "whole whole"), ("sunshine", "nowhere whole"),
        ("Sunshine", "nowhere whole"), ("sunShine", "word word"), ("onehundredbees", "word word"),
        ("1234567", "nowhere whole"), ("12345678", "word word"), ("20260101", "nowhere whole"),
        ("aaaaaaaaaaaa", "nowhere whole"), ("password", "nowhere whole"), ("a1b2", "nowhere whole"),
        ("REDACTED-token-1", "nowhere whole"),
    ])
    func `a secret that may occur elsewhere by chance is replaced only where that cannot be`(
        value: String,
        reaches: String
    ) {
        let found = [false, true].map { isCertain in
            value.withBytes { SecretValues.reach(of: $0, isCertain: isCertain) }.map { "\($0)" } ?? "nowhere"
        }
        #expect(found.joined(separator: " ") == reaches)
    }

    @Test(arguments: [
        ("is too short", true), ("must be at least 8 characters", true), ("Please try again", true), ("too", false),
        ("Forgot your password?", true), ("Mot de passe", true), ("Enter your PIN", true), ("パスワード", true),
        ("is 4x7Kq9Zw", false), ("correct horse battery staple", false), ("sunshine", false),
        ("Échec de la connexion.", true), ("pé de moleque!", false),
    ])
    func `the label of a field and a remark on it are recognised`(value: String, isLabel: Bool) {
        #expect(value.withBytes { SecretValues.isLabel($0) } == isLabel)
    }

    @Test(arguments: [
        ("accessTokenValue", true), ("SECRET_KEY_BASE", true), ("api_key_v2", true), ("token1", true),
        ("password_confirm", true), ("passwordAgain", true), ("X-API-Key", true), ("smtppassword", true),
        ("user_pin", true), ("twoFactorCode", true), ("hmacKey", true), ("JWTToken", true),
        ("spin", nil), ("secretary", nil), ("tokenizer", nil), ("nextPageToken", nil), ("publicKeyToken", nil),
        ("token_expires_at", false), ("passwordPolicy", false), ("apiKeyId", false), ("credentials", false),
    ])
    func `a stem counts anywhere in a name, and without doubt if nothing else follows`(name: String, isCertain: Bool?) {
        let field = name.withBytes { SecretNames(redaction: .standard).field($0, in: .json) }
        #expect(field.map { $0.test != .randomLooking } == isCertain)
    }
}
