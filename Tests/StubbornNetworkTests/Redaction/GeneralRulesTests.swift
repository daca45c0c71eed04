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
        ("/api-keys/4f8a7b6c9d0e1f2a3b4c5d6e", false), ("/manifests/sha256:4f8a7b6c9d0e1f2a3b4c5d6e", false),
        ("/reset/5ec0de00-1234-4abc-8def-0123456789ab", false),
    ])
    func `a long random segment is a secret behind what it allows, and behind a colon`(path: String, isSecret: Bool)
        throws
    {
        #expect((try stored(path).url.path == path) != isSecret)
    }

    @Test(arguments: [
        ("X-Partner", random, true), ("scnt", random, true), ("X-Partner-ID", random, false),
        ("X-Trace", random, false),
        ("X-Partner", "org-\(random)", false), ("X-Partner", "a\(random.prefix(5)) b", false), ("ETag", random, false),
        ("X-Partner", "4f8a7b6c9d0e1f2a3b4c5d6e", false),
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
