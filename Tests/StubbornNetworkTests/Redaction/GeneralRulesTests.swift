import Foundation
import Testing

@testable import StubbornNetwork

/// The rules that need no list of services: joined names, links, unnamed header fields, tables and messages.
struct GeneralRulesTests {
    private static let random = "Qx7RkP2vLw9ZtB4nHs6Jd3Gc"

    private func stored(_ body: String, _ type: String = "application/json") -> String {
        Redactor(.standard, environment: [:]).redact(.answer(body, fields: ["Content-Type": type])).body
    }

    private func stored(_ path: String, _ fields: HeaderFields = [:]) throws -> StubRequest {
        let url = try #require(URL(string: "https://api.example.com\(path)"))
        return Redactor(.standard, environment: [:]).redact(StubRequest(url: url, headerFields: fields))
    }

    @Test(arguments: [
        ("/reset/\(random)", true), ("/hooks/T1/\(random)", true), ("/invitations/accept/\(random)", true),
        ("/bot123:\(random)/send", true), ("/tokens/\(random)", true), ("/files/\(random)", false),
        ("/\(random)", true), ("/api/\(random)/lights", true), ("/v3/\(random)", true), ("/v3/users/\(random)", false),
        ("/v3/\(random).png", false), ("/v3/prod-\(random)", false), ("/v3/\(random.prefix(19))", false),
        ("/api-keys/4f8a7b6c9d0e1f2a3b4c5d6e", false), ("/manifests/sha256:4f8a7b6c9d0e1f2a3b4c5d6e", false),
        ("/reset/5ec0de00-1234-4abc-8def-0123456789ab", false),
    ])
    func `a long random segment is a secret behind what it allows, and as the first one`(
        path: String,
        isSecret: Bool
    )
        throws
    {
        #expect((try stored(path).url.path == path) != isSecret)
    }

    @Test(arguments: [
        ("X-Partner", random, true), ("scnt", random, true), ("X-Partner-ID", random, false),
        ("X-Trace", random, false),
        ("X-Partner", "org-\(random)", false), ("X-Partner", "a\(random.prefix(5)) b", false), ("ETag", random, false),
        ("X-Partner", "4f8a7b6c9d0e1f2a3b4c5d6e", false), ("X-Partner", "AQwd-\(random)!x", true),
    ])
    func `a random header field of a request is a credential, unless it is an id or content`(
        name: String,
        value: String,
        isSecret: Bool
    ) throws {
        #expect((try stored("/a", [name: value]).headerFields[name] == value) != isSecret)
        let head = ResponseHead(statusCode: 200, headerFields: [name: value])
        let stub = Stub(request: StubRequest(url: try stored("/a").url), response: StubResponse(head: head))
        #expect(Redactor(.standard, environment: [:]).redact(stub).response.head?.headerFields[name] == value)
    }

    @Test(arguments: [
        ("/a?partner=\(random)", true), ("/a?page_ref=\(random)", false), ("/a?folder=\(random)", false),
        ("/a?partner=abc", false),
        ("/a?partner=cus_\(random)", false), ("/a?partner=4f8a7b6c9d0e1f2a3b4c5d6e", false),
    ])
    func `a random value in a request is a credential, unless its name says id or content`(path: String, isSecret: Bool)
        throws
    {
        let request: StubRequest = try stored(path)
        #expect(request.url.absoluteString.hasSuffix(path) != isSecret)
    }

    @Test(arguments: [
        ("\"\(random)\"", true), (#"{"result":"\#(random)"}"#, true), (#"{"sid":"\#(random)"}"#, true),
        (#"{"user_id":"\#(random)"}"#, false), (#"{"avatar":"img/\#(random).png"}"#, false),
        (#"{"result":"ok"}"#, false),
        (#"{"errors":{"password":["is too short"]}}"#, false),
    ])
    func `what answers a password is a credential, unless its name says id or content`(body: String, isSecret: Bool)
        throws
    {
        let url = try #require(URL(string: "https://api.example.com/rpc"))
        for sent in ["{}", #"{"password":"sunshine"}"#, #"{"password":"REDACTED-password-1"}"#] {
            var stub = Stub.answer(body, fields: ["Content-Type": "application/json"])
            stub.request = StubRequest(method: "POST", url: url, body: Data(sent.utf8))
            let stored = Redactor(.standard, environment: [:]).redact(stub).body
            #expect((stored != body) == (isSecret && (sent != "{}" || body.contains("sid"))), "\(stored)")
        }
    }

    private static let words = "orchid marble lantern ticket copper meadow falcon velvet harbor pepper cactus ribbon"

    @Test(arguments: [
        (words, true), ("\(words) saddle", false), ("\(words) saddle tundra walnut", true), ("\(words).", false),
        (words.capitalized, false), (words.replacingOccurrences(of: "orchid", with: "an"), false),
    ])
    func `the words of a wallet are a secret under any name`(value: String, isSecret: Bool) {
        let body = #"{"note":"\#(value)"}"#
        #expect((stored(body) != body) == isSecret)
    }

    @Test(arguments: [
        (#"{"prompt_token":0.00000015}"#, false), (#"{"prompt_token":15000000}"#, true), (#"{"pin":48.5}"#, false),
        (#"{"public_token":"\#(random)"}"#, true), (#"{"publicKeyToken":"\#(random)"}"#, false),
        (#"{"public_key":"\#(random)"}"#, false),
    ])
    func `a price is no token, and a public token is one`(body: String, isSecret: Bool) {
        #expect((stored(body) != body) == isSecret)
    }

    @Test(arguments: [
        ("mysql -u root -pk9Zx4Tq7 shop", "k9Zx4Tq7"), ("docker login -u ada -p k9Zx4Tq7 x.example", "k9Zx4Tq7"),
        ("psql --password sunshine", "sunshine"), ("curl -u ada:sunshine https://x", "sunshine"),
        ("curl --user 'ada:sunshine' https://x", "sunshine"), ("docker run -p 8080:80 -p 127.0.0.1:80:80 x", nil),
        ("cc -pthread a.c", nil), ("mkdir -p a1/b2c3d4", nil), ("curl -u $USER:$PASS x", nil), ("ps -u ada", nil),
        ("x --password --verbose", nil), ("ssh -u ada:22", nil),
    ])
    func `the options of commands have passwords`(command: String, password: String?) {
        for (body, type) in [(command, "text/plain"), (#"{"text":"run \#(command)"}"#, "application/json")] {
            let expected = password.map { body.replacingOccurrences(of: $0, with: "REDACTED-password-1") } ?? body
            #expect(stored(body, type) == expected)
        }
    }

    @Test(arguments: [
        ("<tr><td>DB_PASSWORD</td><td>sunshine</td></tr>", true), ("<dl><dt>password</dt><dd>sunshine</dd></dl>", true),
        ("<tr><td>Your password</td><td>sunshine</td></tr>", false), ("<tr><td>name</td><td>sunshine</td></tr>", false),
        ("<tr><td>1</td><td>password</td></tr><tr><td>2</td><td>sunshine</td></tr>", false),
    ])
    func `a cell has the name in the cell before it`(table: String, isSecret: Bool) {
        let body = "<table>\(table)</table>"
        #expect((stored(body, "text/html") != body) == isSecret)
    }

    @Test(arguments: [
        ("MAIL_PASSWORD=abcd efgh ijkl mnop\nA=1", "MAIL_PASSWORD=REDACTED-mail_password-1\nA=1"),
        ("password: sunshine of ours", "password: sunshine of ours"),
        (
            #"Authorization: Digest username="ada", response="9f86d081884c7d65""#,
            "Authorization: Digest REDACTED-authorization-1"
        ),
        (
            #"curl -H "Authorization: Bearer sunshine7" https://x"#,
            #"curl -H "Authorization: Bearer REDACTED-token-1" https://x"#
        ),
    ])
    func `a setting has groups of equal length, and parameters in quotation marks`(text: String, expected: String) {
        #expect(stored(text, "text/plain") == expected)
    }

    @Test(arguments: [
        ("id,password\n1,sunshine\n2,rainbow\n", "id,password\n1,REDACTED-password-1\n2,REDACTED-password-2\n"),
        ("\"a\"\"b\",\"pin\"\n\"c\"\"d\",\"4831\"\n", "\"a\"\"b\",\"pin\"\n\"c\"\"d\",\"9999\"\n"),
        ("\"name\";\"psk\"\n\"home\";\"garden-gate\"\n", "\"name\";\"psk\"\n\"home\";\"REDACTED-psk-1\"\n"),
        ("name\ttoken\nci\t\(random)\n", "name\ttoken\nci\tREDACTED0000000000000001\n"),
        ("password, if any\nis asked for later on\n", "password, if any\nis asked for later on\n"),
    ])
    func `the cells of a table have the names of its columns`(table: String, expected: String) {
        #expect(stored(table, "text/csv") == expected)
    }

    @Test(arguments: [
        ("Your login code is 482913.", true), ("482913 is your code", true), ("PIN: 48291", true),
        ("Your code: 482-913", true), ("Error code 482913", false), ("Zip code 48291", false), ("Order 482913", false),
        ("The code costs 482913.50", false), ("code 1234567890", false),
    ])
    func `a number near a word for a code is one`(message: String, isSecret: Bool) {
        #expect((stored(#"{"text":"\#(message)"}"#).contains(message)) != isSecret)
    }

    @Test(arguments: [
        (#"{"clientkey":"\#(random)"}"#, true), (#"{"modhash":"\#(random)"}"#, false),
        (#"{"hash":"4f8a7b6c9d0e1f2a3b4c5d6e"}"#, false),
        (#"{"tokenvalue":"\#(random)"}"#, true),
        (#"{"CSRFValue":"1687419998"}"#, true), (#"{"backupCodes":["84314-8fba1"]}"#, true),
        (#"{"key":"5ec0de00-1234-4abc-8def-0123456789ab"}"#, false),
        (#"{"blob":"REJfSE9TVD1kYgpEQl9QQVNTV09SRD1zdW5zaGluZQo="}"#, true),
        ("<result><key>\(random)</key></result>", true), ("<dict><key>\(random)</key><true/></dict>", false),
        ("the API key \(random) has expired", true),
        (#"{"value":"garden-gate","id":"password","label":"db"}"#, true),
        (#"{"key":"db","value":"garden-gate"}"#, false),
        (#"{"key":"db","value":"garden-gate","sensitive":true}"#, true),
        (#"{"key":"db","value":"garden-gate","sensitive":false}"#, false),
        ("<password><value>garden-gate</value><type>plain</type></password>", true),
        (#"{"otp":"cccccccbhrdrgbnvtjdjvdnftrudrvvleiinbnkfnglh"}"#, true), (#"{"csrf":"0.41476509895065627"}"#, true),
        (#"{"sort_key":"\#(random)"}"#, false),
    ])
    func `the words of a name and its value decide together`(body: String, isSecret: Bool) {
        #expect((stored(body) == body) != isSecret)
    }

    @Test func `what an object says of its value is its name, before it and behind it`() {
        for key in ["name", "key", "field", "header", "path", "type", "label", "id", "title", "purpose"] {
            #expect(!stored(#"{"\#(key)":"PASSWORD","value":"garden-gate"}"#).contains("garden"), "\(key)")
            #expect(!stored(#"{"value":"garden-gate","\#(key)":"PASSWORD"}"#).contains("garden"), "\(key)")
        }
        for key in ["sensitive", "secret", "masked", "concealed", "is_secret"] {
            #expect(!stored(#"{"\#(key)":true,"value":"garden-gate"}"#).contains("garden"), "\(key)")
            #expect(stored(#"{"\#(key)":false,"value":"garden-gate"}"#).contains("garden"), "\(key)")
        }
    }

    @Test(arguments: [
        "AAAAAAAAAAAAAAAAAAAAAMLheAAAAAAA0%2BuSeid%2BULvsea4JtiGRiSDSJSI", "AAAAQx7RkP2vLw9ZtB4nHs6Jd3Gc",
        "part AAAAQx7RkP2vLw9ZtB4nHs6Jd3Gc",
        // An encrypted private key: an algorithm and an octet string.
        "MEowDQYJKoZIhvcNAQUNMAAEOQx7RkP2vLw9ZtB4nHs6Jd3GcQx7RkP2vLw9ZtB4nHs6Jd3GcQx7RkP2vLw9ZtB4nHs6Jd3GcQ==",
    ])
    func `what begins as a public key does is a secret`(value: String) {
        #expect(stored(#"{"access_key":"\#(value)"}"#) != #"{"access_key":"\#(value)"}"#)
    }

    @Test(arguments: [("/user/tokens", true), ("/secrets/db", true), ("/users/7", false)])
    func `a value without a name has the name of its path`(path: String, isSecret: Bool) throws {
        var stub = Stub.answer(#"{"value":"\#(Self.random)"}"#, fields: ["Content-Type": "application/json"])
        stub.request = StubRequest(url: try #require(URL(string: "https://api.example.com\(path)")))
        let body = Redactor(.standard, environment: [:]).redact(stub).body
        #expect((body == #"{"value":"\#(Self.random)"}"#) != isSecret, "\(body)")
    }

    @Test func `tables and messages of twice the length take twice the steps`() {
        func steps(_ count: Int) -> Int {
            var steps = 0
            let table = String(repeating: "a,b\n", count: count)
            table.withBytes { TableFields.read($0) { steps += $0.value.count + $0.names.count } }
            return steps
        }
        #expect(abs(steps(4_000) - 2 * steps(2_000)) < 100)
    }
}
