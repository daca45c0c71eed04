import Testing

@testable import StubbornNetwork

struct RandomTextTests {
    @Test(arguments: [
        ("9f8a7b6c5d", true), ("AIzaSy-9tSrke72", true), ("aBcDeFgHiJkLmNoPqRsT", true), ("k3jd92ls", true),
        ("6f9619ff-8b86-d011-b42d-00c04fc964ff", true), ("ABCD-EF12-GH34", false), ("kqzjxwvbnmplrtdf", true),
        ("dGhlIHNhbXBsZSBub25jZQ==", true), ("7e3b0c9a-1", true), ("sk_9aB8cD7eF6", true),
        ("7302948561203948", true), ("481292", false), ("48129266", false), ("12-34-56-78", false),
        ("2024-1234-5678", false), ("price_2024", false), ("en-US", false), ("iPhone5s-case", false),
        ("user_name", false), ("SAVE20NOW", false), ("SUMMER2024", false), ("admin123", false),
        ("internationalization", false), ("userAccountManagerFactory", false), ("SHA256withRSA", false),
        ("20240101T000000Z", false), ("2026-11-21T18:00:00.123Z", false), ("1.2.3-beta4", false), ("1a2b3", false),
        ("0x6b175474e89094c44da98b954eedeac495271d0f", false), ("", false),
        ("8T6L-pQjnMsV", true), ("8T6L_pQjnMsV", true), ("kJ8-wQz3bN_vX2", false),
        ("kWh_MWh_GWh_TWh", false), ("CO2-H2O-NaCl", false), ("Jan-Feb-Mar-Apr", false),
        ("YouTube-TV-LiveNow", false), ("SM-G991B-128GB", false), ("JavaScript-GraphQL", false),
        ("9C-8E-CD-0F-7A-2B", false), ("macOS-14-arm64-Xcode", false), ("8T6L.pQjnMsV", false),
    ])
    func `a value looks random if its characters change more often than in words`(value: String, isRandom: Bool) {
        #expect(value.withBytes { RandomText.looksRandom($0) } == isRandom)
    }

    /// The last value that does, and the first one that does not, for each number in the rules.
    @Test(arguments: [
        // Eight characters.
        ("9f8a7b6c", true), ("9f8a7b6", false), ("9f8a7b6-x", true), ("9f8a7b-x", false),
        // Digits that begin or end three times among letters.
        ("abc1def2", true), ("abcd1efg", false), ("abcd12eg", false),
        // Four changes, at two of five places; with one digit, in ten characters.
        ("ab12CdEG", true), ("ab12Cdeg", false), ("ab12CdGGGGG", true), ("ab12CdGGGGGG", false),
        ("aBc1dEfgHi", true), ("aBc1dEfg", false),
        // Twelve hexadecimal digits in one case, or eight with two changes.
        ("abcdefabcd12", true), ("abcdefabc12", false), ("abcdefabcd12-x", true), ("Abcdefabcd12", false),
        ("abcd12ef", true), ("abc12ef", false), ("abc12345", false), ("abcd12eg", false),
        // Sixteen digits of six kinds that do not begin with a year.
        ("1212121212345612", true), ("1212121212345512", false), ("121212121234561", false),
        ("2112345678901234", true), ("2012345678901234", false), ("1912345678901234", false),
        // Twelve letters, a quarter of whose pairs is rare in names.
        ("aqaqaqaaaaaa", true), ("aqaqaqaaaaaaa", true), ("aqaqaqaaaaaaaa", false), ("aqaqaqaaaaa", false),
        ("aqaqaqaq-aaaaaa", true), ("aqaqaqaq-aaaaaaa", false), ("aqaqa-aqaaaa", false),
        // A separator for eight characters.
        ("8T6L-pQjnMs-Vxbcde", true), ("8T6L-pQjnMs-Vxbcd", false),
        // A time has nothing but digits, T and Z.
        ("20260105T100000X", true), ("20260105T100000Z", false),
        // The address of a contract has 40 digits.
        ("0x\(String(repeating: "9f8a7b6c", count: 5))", false),
        ("0x9\(String(repeating: "9f8a7b6c", count: 5))", true),
        // 256 characters of a part are looked at.
        ("\(String(repeating: "g", count: 252))9f8a", true), ("\(String(repeating: "g", count: 254))9f8a7b6c", false),
    ])
    func `a value looks random up to the borders of the rules`(value: String, isRandom: Bool) {
        #expect(value.withBytes { RandomText.looksRandom($0) } == isRandom)
    }

    @Test(arguments: ["iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR", "JVBERi0", "UEsDB", "d09G", "AAEAAAA"])
    func `base64 of an image, a font, a document or an archive does not look random`(beginning: String) {
        let random = String(repeating: "k9Zx4Tq7", count: 8)
        #expect(!"\(beginning)\(random)".withBytes { RandomText.looksRandom($0) })
        // An image may follow a comma.
        #expect(!",\(beginning)\(random)".withBytes { RandomText.looksRandom($0) })
        #expect("x\(random)\(beginning)".withBytes { RandomText.looksRandom($0) })
        // 64 characters are no image.
        let short = "\(beginning)\(random)".prefix(64)
        #expect(String(short).withBytes { RandomText.looksRandom($0) })
    }

    @Test(arguments: [
        ("dark", true), ("en-US", true), ("Europe/Berlin", true), ("2024-01-31", true), ("2024-12345", false),
        ("one1one1", false),
        ("9f8a7b6c5d", false), ("12345678", false), ("onehundredbees", false),
        ("/welcome/v2", true), ("/s/9f8a7b6c5d", false),
        ("abcdefghijk", true), ("abcdefghijkl", false), ("1234", true), ("12345", false),
        (String(repeating: "ab-", count: 10) + "ab", true), (String(repeating: "ab-", count: 11), false),
        ("/v1/v2", true), ("v39", true), ("v391", true), ("v39123", false), ("20261126", true),
        ("1764150000", true), ("9764150000", false), ("1764150000123", true), ("1920x1080", true), ("x9x", false),
        ("2026-01-05T10", true), ("20260105T100000Z", true), ("20260105T100000X", false), ("T10", true),
    ])
    func `words and short numbers are plain`(value: String, isPlain: Bool) {
        #expect(value.withBytes { RandomText.isPlain($0) } == isPlain)
    }

    @Test(arguments: [
        ("s3cret-Va1ue", "everywhere everywhere"), ("k9Zx4Tq7", "everywhere everywhere"), ("hunt3r", "whole whole"),
        ("admin123", "whole whole"), ("SUMMER2024", "whole whole"), ("sunshine", "nowhere whole"),
        ("Sunshine", "nowhere whole"), ("sunShine", "nowhere whole"), ("onehundredbees", "word word"),
        ("1234567", "nowhere whole"), ("12345678", "word word"), ("20260101", "nowhere whole"),
        ("aaaaaaaaaaaa", "nowhere whole"), ("password", "nowhere whole"), ("a1b2", "nowhere whole"),
        // Six characters, eight, and no more than 65,536.
        ("k9Zx4", "nowhere whole"), ("k9Zx4T", "whole whole"), ("k9Zx4Tq", "whole whole"),
        (String(repeating: "s3cret-V", count: 8_192), "everywhere everywhere"),
        (String(repeating: "s3cret-V", count: 8_192) + "a", "nowhere whole"),
        // A date of this century and the two next to it.
        ("18991231", "word word"), ("19000101", "nowhere whole"), ("21001231", "word word"),
        ("20261201", "nowhere whole"), ("1764150000", "nowhere whole"), ("9764150000", "word word"),
        // Twelve letters.
        ("onehundredb", "nowhere whole"), ("onehundredbe", "word word"), ("QWERTZUI", "nowhere whole"),
        // A word with a number of four digits.
        ("abcd1234", "whole whole"), ("abcd12345", "everywhere everywhere"), ("ab123456", "everywhere everywhere"),
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
        ("accessTokenValue", true), ("SECRET_KEY_BASE", true), ("api_key_v2", true), ("token1", true),
        ("password_confirm", true), ("passwordAgain", true), ("X-API-Key", true), ("smtppassword", true),
        ("user_pin", true), ("twoFactorCode", true), ("hmacKey", false), ("tokenvalue", true), ("clientkey", false),
        ("monkey", false), ("keyboard", nil), ("JWTToken", true),
        ("spin", nil), ("secretary", nil), ("tokenizer", nil), ("nextPageToken", nil),
        ("token_expires_at", false), ("passwordPolicy", false), ("apiKeyId", false), ("credentials", false),
        ("oauth_client_id", nil), ("oauth_client", false),
    ])
    func `a stem counts anywhere in a name, and without doubt if nothing else follows`(name: String, isCertain: Bool?) {
        let field = name.withBytes { Redaction.standard.field($0, in: .json) }
        #expect(field.map { $0.kind.rawValue < SecretField.Kind.related.rawValue } == isCertain)
    }
}
