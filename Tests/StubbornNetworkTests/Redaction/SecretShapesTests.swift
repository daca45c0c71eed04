import Foundation
import Testing

@testable import StubbornNetwork

/// The secrets that are known by their form, at each border of the forms.
struct SecretShapesTests {
    private static func found(_ text: String, _ redaction: Redaction = .standard) -> [String] {
        text.withBytes { bytes in
            SecretShapes.matches(in: bytes, redaction).map {
                "\($0.field.label.isEmpty ? "encoded" : $0.field.label): \(bytes.part($0.range).text)"
            }
        }
    }

    private static func letters(_ count: Int) -> String { String(repeating: "a", count: count) }
    private static let header = "eyJ" + "hbGciOi"

    @Test(arguments: [
        // Eight characters that look random, or 32.
        ("Bearer 9f8a7b6c", "token: 9f8a7b6c"), ("Bearer 9f8a7b6", nil),
        ("Bearer \(letters(32))", "token: \(letters(32))"),
        ("Bearer \(letters(31))", nil), ("BEARER 9f8a7b6c", "token: 9f8a7b6c"), ("bearer 9f8a7b6c", "token: 9f8a7b6c"),
        ("see Bearer 9f8a7b6c.", "token: 9f8a7b6c."), ("xBearer 9f8a7b6c", nil), ("-bearer 9f8a7b6c", nil),
        ("bearer: 9f8a7b6c", nil), ("Bearer \"9f8a7b6c\"", nil),
        // A name and a password in base64.
        ("Basic dTpwYXNz", "password: dTpwYXNz"), ("basic dTpwYXNz", "password: dTpwYXNz"),
        ("BASIC dTpwYXNz", "password: dTpwYXNz"),
        ("Basic dTpwYQ==", "password: dTpwYQ=="), ("Basic dTpwYQ", nil), ("Basic bm9jb2xvbg==", nil),
        ("Basic AAA6AAAA", nil),
        ("Basic instructions", nil), ("xBasic dTpwYXNz", nil),
    ])
    func `credentials are found behind their words`(text: String, match: String?) {
        #expect(Self.found(text) == (match.map { [$0] } ?? []))
    }

    @Test(arguments: [
        // Ten characters, four and eight.
        ("\(header).aaaa.\(letters(8))", "jwt: \(header).aaaa.\(letters(8))"), ("\(header).aaaa.\(letters(7))", nil),
        ("\(header).aaa.\(letters(8))", nil), ("\(header.dropLast()).aaaa.\(letters(8))", nil),
        ("\(header)..\(letters(8))", "jwt: \(header)..\(letters(8))"), ("\(header).aaaa", nil),
        ("x \(header).aaaa.\(letters(8)) x", "jwt: \(header).aaaa.\(letters(8))"),
        ("x\(header).aaaa.\(letters(8))", nil),
        ("_\(header).aaaa.\(letters(8))", nil), ("=\(header).aaaa.\(letters(8))", "jwt: \(header).aaaa.\(letters(8))"),
        // Up to five parts, the last two of any length.
        ("\(header).aaaa.\(letters(8)).a.a", "jwt: \(header).aaaa.\(letters(8)).a.a"),
        ("\(header).aaaa.\(letters(8)).a.a.a", "jwt: \(header).aaaa.\(letters(8)).a.a"),
        ("\(header).aaaa.\(letters(8)).", "jwt: \(header).aaaa.\(letters(8))"),
        // An object in base64: eighteen characters.
        ("eyJ\(letters(15))", "encoded: eyJ\(letters(15))"), ("eyJ\(letters(14))", nil), ("eyJ\(letters(15)).x", nil),
        ("eyj\(letters(15))", nil), ("xeyJ\(letters(15))", nil),
        // A key in base64.
        ("a: LS0tLS1CRUdJ\(letters(16))==", "encoded: LS0tLS1CRUdJ\(letters(16))=="),
        ("xLS0tLS1CRUdJ\(letters(16))", nil),
    ])
    func `a JSON Web Token has three to five parts, and an object in base64 has none`(text: String, match: String?) {
        #expect(Self.found(text) == (match.map { [$0] } ?? []))
    }

    private static let token = "gh" + "p_k9Zx4Tq7Wm2Rb5Yp8Lc3k9Zx4Tq7Wm2Rb5Yp"

    @Test(arguments: [#"\n"#, #"\t"#, #"\\n"#, #"\/"#, #"\u0022"#, #"\x22"#, "%22", "%0A"])
    func `an escape is not part of the secret after it`(escape: String) {
        let secrets = [
            Self.token, "110201543" + ":AA" + "HdqTcvCH1vGWJxfSeofSAs0K5PALDsawQ",
            "9f8a7b6c5d4e3f2a9f8a7b6c5d4e3f2a" + "-us6", "\(Self.header).aaaa.\(Self.letters(8))", "Bearer 9f8a7b6c",
        ]
        for secret in secrets {
            let body = #"data: {"text":"see\#(escape)\#(secret)"}"# + "\n\n"
            let stored = Redactor(.standard, environment: [:])
                .redact(.answer(body, fields: ["Content-Type": "text/event-stream"])).body
            #expect(!stored.contains(secret), "\(stored)")
            #expect(stored.hasPrefix(#"data: {"text":"see\#(escape)"#), "\(stored)")
            #expect(!stored.contains(#"\R"#) && !stored.contains("%R"), "\(stored)")
        }
    }

    @Test(arguments: [
        // Not an escape.
        #"\gBearer 9f8a7b6c"#, "%2gBearer 9f8a7b6c", #"C:\task\notBearer 9f8a7b6c"#, #"\\nx\#(token)"#, "5%x\(token)",
        // The name of a class, and an image in base64 in a script.
        #"<b class=\u0022sk-Button-2-large-primary-x\u0022>"#, #"\nsk-button-2-large-primary-rounded"#,
        "url(data:image/png;base64,iVBORw0KGgo%2Fb%2Fvu5YDWwjsVQ%2BSK80707a5fe9e3f5768a45d267bdebc965)",
        "a+b+sk-Button-2-large-primary-x",
    ])
    func `a part of a word is not a secret, and neither is a name after an escape`(text: String) {
        #expect(Self.found(text) == [])
    }

    @Test(arguments: [
        "text=see:+\(token)", "text=org:acme+\(token)", "text=\(String(repeating: "a+long+text+", count: 20))\(token)",
    ])
    func `a token after the plus of a query is replaced`(query: String) {
        let live = StubRequest.get("https://api.example.com/post?\(query)")
        #expect(!Redactor(.standard, environment: [:]).redact(live).url.absoluteString.contains(Self.token))
    }

    private static func key(_ content: String, end: String = "-----END RSA ", kind: String = "PRIVATE KEY-----")
        -> String
    {
        "-----BEGIN RSA " + kind + content + (end.isEmpty ? "" : end + kind)
    }

    @Test(arguments: [
        (key("\nMIIEow\nIBAAKC\n"), "MIIEow\nIBAAKC"), (key("\r\n MIIEow \r\n"), "MIIEow"), (key("MIIEow"), "MIIEow"),
        // As JSON writes line ends.
        (key(#"\nMIIEow\nIBAAKC\n"#), #"\nMIIEow\nIBAAKC\n"#), (key(""), nil), (key("\n"), nil),
        (key("\nMIIEow\n", kind: "PRIVATE KEY BLOCK-----"), "MIIEow"),
        (key("\nMIIEow\n", kind: "Static key V1-----"), "MIIEow"),
        (key("\nMIIEow\n", kind: "PUBLIC KEY-----"), nil), (key("\nMIIEow\n", kind: "CERTIFICATE-----"), nil),
        // Without an end, up to what cannot be in a key, or to the next key.
        (key("\nMIIEow \"x\"", end: ""), "MIIEow"), (key("\nMIIEow", end: ""), "MIIEow"),
        (key("\nMIIEow", end: "").replacing("BEGIN ", with: "BEGIN"), nil),
    ])
    func `a private key is found without the lines around it`(text: String, key: String?) {
        #expect(Self.found(text) == (key.map { ["private_key: \($0)"] } ?? []))
    }

    @Test(arguments: [
        (Redaction.Rule.bearer, "Bearer 9f8a7b6c"), (.basic, "Basic dTpwYXNz"),
        (.jwt, "\(header).aaaa.\(letters(8))"), (.providerKeys, "AKIA" + "Q7T4W2R5Y8Z9X6V3"),
    ])
    func `a form is not looked for without its rule`(rule: Redaction.Rule, text: String) {
        #expect(Self.found(text).count == 1)
        #expect(Self.found(text, .standard.excluding(rule)) == [])
        #expect(Self.found(text, .none) == [])
    }

    @Test func `each of several secrets is found, also of one form`() {
        let text =
            "Bearer 9f8a7b6c, Bearer 9f8a7b6d; \(Self.header).aaaa.\(Self.letters(8))"
        #expect(
            Set(Self.found(text)) == [
                "token: 9f8a7b6c", "token: 9f8a7b6d",
                "jwt: \(Self.header).aaaa.\(Self.letters(8))",
            ]
        )
    }
}
