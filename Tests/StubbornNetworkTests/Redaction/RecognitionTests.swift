import Foundation
import Testing

@_spi(Tools) @testable import StubbornNetwork

/// What the standard rules recognize, and what they leave.
struct RecognitionTests {
    private static let secret = "k9Zx4Tq7Wm2Rb5"
    private static let hex = "9f86d081884c7d659a2feaa0c55ad015"

    private func stored(_ body: String, _ type: String) throws -> String {
        let url = try #require(URL(string: "https://api.example.com/items"))
        let head = ResponseHead(statusCode: 200, headers: ["Content-Type": type])
        let stub = Stub(
            request: StubRequest(method: "POST", url: url, headers: ["Content-Type": type], body: Data(body.utf8)),
            response: StubResponse(head: head, body: Data(body.utf8))
        )
        let redactor = Redactor(.standard, environment: [:])
        let result = redactor.redact(stub)
        try redactor.scan(result, number: 0)
        return result.body
    }

    // MARK: Passwords with quotation marks

    /// `Win"ter\2024!x` in JSON.
    private static let quoted = #"{"password": "Win\"ter\\2024!x", "n": 1}"#
    private static let nested = #"{"body": "{\"password\": \"Win\\\"ter\\\\2024!x\", \"n\": 1}"}"#

    @Test(arguments: [
        ("<script>var s=\(quoted);</script>", "text/html"),
        ("data: \(nested)\n\n", "text/event-stream"),
        ("callback(\(nested))", "application/javascript"),
        ("<plist><dict><key>cfg</key><string>\(quoted)</string></dict></plist>", "text/xml"),
        (#"<script>var s="{\"password\": \"Win\\\"ter\\\\2024!x\", \"n\": 1}";</script>"#, "text/html"),
    ])
    func `a password with a quotation mark is replaced to its end`(body: String, type: String) throws {
        let redacted = try stored(body, type)
        #expect(!redacted.contains("ter") && !redacted.contains("2024"), "\(redacted)")
        // What is around the password stays.
        let pattern = #"Win\\*"ter\\+2024!x"#
        let expected = body.replacingOccurrences(of: pattern, with: "REDACTED-password-1", options: .regularExpression)
        #expect(redacted == expected)
    }

    @Test func `the names in each of several events are read`() throws {
        let event = #"data: {"user":{"password":"%","api_key":"%","pin":4831}}"# + "\n\n"
        let redacted = try stored(
            String(repeating: event.replacing("%", with: "sunshine7"), count: 3),
            "text/event-stream"
        )
        #expect(!redacted.contains("sunshine7") && !redacted.contains("4831"), "\(redacted)")
    }

    @Test func `a passphrase of plain words is a secret`() throws {
        let stored = try stored(#"{"passphrase":"pé de moleque!"}"#, "application/json")
        #expect(stored == #"{"passphrase":"REDACTED-passphrase-1"}"#)
    }

    // MARK: Names and forms

    @Test(arguments: [
        ("HOST=x\nSMTP_PASSWORD=\"crqn sdjs %@\"\nA=1\n", "text/plain"),
        ("export DB_PASSWORD='correct horse %@'\n", "text/plain"),
        (#"{"usuario":"ann","contraseña":"%@"}"#, "application/json"),
        ("usuario=ann&contrase%C3%B1a=%@", "application/x-www-form-urlencoded"),
        (#"{"логин":"ann","пароль":"%@"}"#, "application/json"), (#"{"密码":"%@"}"#, "application/json"),
        ("<r><パスワード>%@</パスワード></r>", "text/xml"), (#"{"비밀번호":"%@"}"#, "application/json"),
        (#"{"backupCodes":[{"code":"%@"}]}"#, "application/json"),
        (#"{"pw":"%@"}"#, "application/json"), (#"{"pswd":"%@"}"#, "application/json"),
        (#"{"login_pw":"%@"}"#, "application/json"), (#"{"psk":"%@"}"#, "application/json"),
        (#"{"local_key":"%@"}"#, "application/json"), (#"{"webhookKey":"%@"}"#, "application/json"),
        (#"{"creds":"%@"}"#, "application/json"), (#"{"privKey":"%@"}"#, "application/json"),
        (#"{"name":"spring.datasource.password","value":"%@"}"#, "application/json"),
        (#"{"reinput_token":"%@"}"#, "application/json"),
        (#"{"user"=>"ann", "password"=>"%@"}"#, "text/plain"),
        ("code=%@&id_token=x", "application/x-www-form-urlencoded"),
    ])
    func `a secret is replaced under its name`(body: String, type: String) throws {
        let redacted = try stored(body.replacingOccurrences(of: "%@", with: Self.secret), type)
        #expect(!redacted.contains(Self.secret), "\(redacted)")
    }

    @Test(arguments: [
        ("Fastly-Key", "Qx7RkP2vLw9ZtB4nHs6Jd3G"), ("X-Pass", "Qx7RkP2vLw9ZtB4n"), ("X-Sign", hex),
        ("X-ClickUp-Auth", "Qx7RkP2vLw9ZtB4nHs6Jd3G"), ("CB-ACCESS-SIGN", hex),
    ])
    func `a header field with a key is replaced`(name: String, value: String) throws {
        let request = StubRequest(
            url: try #require(URL(string: "https://api.example.com/")),
            headers: [name: value]
        )
        #expect(Redactor(.standard, environment: [:]).redact(request).headerFields[name] != value)
    }

    @Test(arguments: [
        ("X-Form-Ticket", "ab12345cdeab", true), ("X-Form-Ticket", "ab12345", false),
        ("X-Cart-Session", "KuERdWqzPlMn-oTyB", true),
        ("X-Cart-Session", "New-York-City-Tour", false), ("X-Cart-Session", "userProfileView", false),
        ("X-Cart-Session", "kuer-dwqz-plmn-otyb", false),
    ])
    func `letters and hyphens, and hexadecimal digits, look random under a weak name`(
        name: String,
        value: String,
        isSecret: Bool
    ) throws {
        let url = try #require(URL(string: "https://api.example.com/"))
        let request = StubRequest(url: url, headers: [name: value])
        #expect((Redactor(.standard, environment: [:]).redact(request).headerFields[name] != value) == isSecret)
        #expect(
            (try stored(#"{"cart_session":"\#(value)"}"#, "application/json") != #"{"cart_session":"\#(value)"}"#)
                == isSecret
        )
    }

    @Test func `a short value of a header field with a weak name is listed`() throws {
        let redactor = Redactor(.standard, environment: [:])
        try redactor.scan(.answer("", fields: ["X-Form-Ticket": "abf1234567", "X-Form-Page": "abf1234567"]), number: 0)
        #expect(redactor.report.unredacted.map(\.part) == ["response header X-Form-Ticket"])
    }

    @Test func `the token that a path promises is replaced in a text with padding too`() throws {
        let request = StubRequest(
            method: "PUT",
            url: try #require(URL(string: "http://169.254.169.254/latest/api/token"))
        )
        let token = "AQAEAQx7RkP2vLw9ZtB4nHs6Jd3G=="
        let stub = Stub(
            request: request,
            response: StubResponse(head: ResponseHead(statusCode: 200), body: Data(token.utf8))
        )
        #expect(!Redactor(.standard, environment: [:]).redact(stub).body.contains("Qx7R"))
    }

    /// The body of a token, and the beginning that its provider gives it.
    private static let body = String(repeating: "k9Zx4Tq7Wm2Rb5Yp8Lc3", count: 8)

    @Test(arguments: [
        "sk.eyJ\(body.prefix(60)).\(body.prefix(22))",
        "EAAAE\(body.prefix(59))", "EAAG\(body.prefix(120))", "v2.local.\(body.prefix(90))",
        "v4.public.\(body.prefix(90))",
        "cfut_\(body.prefix(40))", "AKCp\(body.prefix(69))", "ops_eyJ\(body.prefix(120))",
        "IQoJb3JpZ2lu\(body.prefix(140))", "sb_secret_\(body.prefix(30))", "ek_live_\(body.prefix(24))",
    ])
    func `a token is known by its provider's form`(token: String) throws {
        #expect(try !stored(#"{"data":"\#(token)"}"#, "application/json").contains(token.suffix(20)))
    }

    // MARK: What is not a secret

    @Test(arguments: [
        (#"{"api_key":"Clé d'API","password":"Mot de passe","password_confirm":"Confirmer"}"#, "application/json"),
        (#"{"api_key":"APIキー","password":"パスワード"}"#, "application/json"),
        (#"{"api_key":"API-Schlüssel","security_code":"Sicherheitsprüfung fehlgeschlagen"}"#, "application/json"),
        (
            #"{"node_modules/jsonwebtoken":{"integrity":"sha512-Qx7RkP2vLw9ZtB4nHs6Jd3GQx7RkP2vLw9ZtB4nHs6Jd3G=="}}"#,
            "application/json"
        ),
        (#"{"node_modules/js-tokens":{"resolved":"k9Zx4Tq7Wm2Rb5Yp8Lc3"}}"#, "application/json"),
        ("<r><Key>secrets/readme.txt</Key><ETag>&quot;\(hex)&quot;</ETag></r>", "text/xml"),
        ("<r><Key>token</Key><ETag>\(hex)</ETag></r>", "text/xml"),
        (
            #"{"logprobs":{"content":[{"token":"ing2","logprob":-0.1},{"token":" Paris","logprob":-1}]}}"#,
            "application/json"
        ),
        (#"{"tokenAccount":"k9Zx4Tq7Wm2Rb5Yp8Lc3k9Zx4Tq7Wm2Rb5Yp8Lc3"}"#, "application/json"),
        (#"{"session_id":1700000123}"#, "application/json"),
        (#"{"since_token":"s72595_4483_1934"}"#, "application/json"),
        // One letter more than a key of AWS.
        (#"{"data":"\("AKIA")QX7RKP2VLW9ZTB4Nx"}"#, "application/json"),
        (#"{"security_code":"US0378331005"}"#, "application/json"),
        // Titles of files and of other things, which are not written as names.
        (#"{"name":"ApiKeyStore.kt","value":"k9Zx4Tq7Wm2Rb5Yp8Lc3"}"#, "application/json"),
        (#"{"value":"k9Zx4Tq7Wm2Rb5Yp8Lc3","key":"Secret Garden"}"#, "application/json"),
        (#"{"name":"password","content":"k9Zx4Tq7Wm2Rb5Yp8Lc3"}"#, "application/json"),
        (#"<entry key="i18n/token">k9Zx4Tq7Wm2Rb5Yp8Lc3</entry>"#, "text/xml"),
        ("<r><name>secret.yaml</name><value>k9Zx4Tq7Wm2Rb5Yp8Lc3</value></r>", "text/xml"),
        (#"<meta name="token count.1" content="k9Zx4Tq7Wm2Rb5Yp8Lc3">"#, "text/html"),
        // Words inside other words.
        (#"{"error":"unknown_logclient_id","code":"E-2040-expired"}"#, "application/json"),
        (#"{"estate=":1,"code":"BERLIN-MITTE-7"}"#, "application/json"),
        (#"{"pw":"kW","sign":"+","auth":"basic"}"#, "application/json"),
    ])
    func `an ordinary value is kept`(body: String, type: String) throws {
        let stub = Stub.answer(body, fields: ["Content-Type": type])
        #expect(Redactor(.standard, environment: [:]).redact(stub).body == body)
    }

    @Test(arguments: [
        "/posts?afterToken=post_881", "/zip?code=DE12345&client_id=app", "/coauthors?code=SAVE-ME-NOW-20",
        "/a?design=1&timestamp=1700000000",
    ])
    func `an ordinary query is kept`(path: String) throws {
        let url = try #require(URL(string: "https://api.example.com\(path)"))
        #expect(Redactor(.standard, environment: [:]).redact(StubRequest(url: url)).url == url)
    }

    @Test func `a cookie with a time or the name of a place is kept`() throws {
        let fields: HeaderFields = ["Cookie": "tz=Europe%2FBerlin; lastVisit=2026-01-05T10:00:00Z; lang=en"]
        let request = StubRequest(url: try #require(URL(string: "https://api.example.com/")), headers: fields)
        #expect(Redactor(.standard, environment: [:]).redact(request).headerFields == fields)
    }

    // MARK: Large bodies

    @Test func `of thousands of values that begin alike the right one is found`() throws {
        var finder = ValueFinder()
        let tokens = (0..<5_000).map { "eyJhbGciOiJIUzI1NiJ9.\($0).x" }
        for token in tokens { finder.insert(Array(token.utf8), .everywhere) }
        // One begins with another, and is found whole.
        finder.insert(Array("eyJhbGciOiJIUzI1NiJ9.7.x.longer".utf8), .everywhere)
        let text = "\(tokens[7]) \(tokens[4_999]) eyJhbGciOiJIUzI1NiJ9.none eyJhbGciOiJIUzI1NiJ9.7.x.longer!"
        let found = text.withBytes { bytes in
            finder.hits(in: bytes).map { String(decoding: $0.pattern.value, as: UTF8.self) }
        }
        #expect(found == [tokens[7], tokens[4_999], "eyJhbGciOiJIUzI1NiJ9.7.x.longer"])
    }

    @Test func `a private key without an end ends where the next one begins`() throws {
        let line = "-----BEGIN " + "PRIVATE KEY-----\nabc1\n"
        let redacted = try stored(String(repeating: line, count: 3), "text/plain")
        #expect(
            redacted
                == String(repeating: line.replacingOccurrences(of: "abc1", with: "REDACTED-private_key-1"), count: 3)
        )
    }
}
