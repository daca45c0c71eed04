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
        return Redactor(.standard, environment: [:]).redact(StubRequest(url: url, headers: fields))
    }

    @Test(arguments: [
        (random, true), ("KuERdWqzPlMnTbXv", true), ("wiki.getAllPages", false),
        ("org.example.orders.OrderWasPlaced", false),
    ])
    func `a long value under a name that says nothing is a secret in a request, unless it is a name of code`(
        value: String,
        isSecret: Bool
    ) throws {
        let type: HeaderFields = ["Content-Type": "application/json"]
        var request = StubRequest(url: try URL.parsed("https://api.example.com/rpc"), headers: type)
        request.body = Data(#"{"action":"\#(value)"}"#.utf8)
        let stored = Redactor(.standard, environment: [:]).redact(request).body
        #expect(stored.map { String(decoding: $0, as: UTF8.self).contains(value) } == !isSecret)
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
        ("/bot123%3A\(random)/send", true), ("/reset/\(random)%3D%3D", true), ("/tokens/\(random)%3D", true),
        ("/reset/\(random.prefix(22))%3D%3D", true), ("/files/\(random)%3D", false),
        // A word outside ASCII, a name with a space, a pair, a URL and a path.
        ("/reset/caf%C3%A9-\(random)", false), ("/share/Notes%20\(random)", false), ("/share/id%3D\(random)", false),
        ("/share/https%3A%2F%2Fa.example%2F\(random)", false), ("/https%3A%2F%2Fa.example%2F\(random)", false),
        ("/share/folder%2F\(random)", false),
    ])
    func `an encoded segment is a secret as a plain one is, and answers`(path: String, isSecret: Bool) throws {
        let live = StubRequest(url: try URL.parsed("https://api.example.com\(path)"))
        let stored = Redactor(.standard, environment: [:]).redact(live)
        #expect(stored.url.absoluteString.hasSuffix(path) != isSecret, "\(stored.url)")
        #expect(stored.answers(live))
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
        let head = ResponseHead(statusCode: 200, headers: [name: value])
        let stub = Stub(request: StubRequest(url: try stored("/a").url), response: StubResponse(head: head))
        #expect(Redactor(.standard, environment: [:]).redact(stub).response.head?.headerFields[name] == value)
    }

    @Test(arguments: [
        ("/a?partner=\(random)", true), ("/a?page_ref=\(random)", false), ("/a?folder=\(random)", false),
        ("/a?offset=itrQx7RkP2vLw9ZtB/recQx7RkP2vLw9ZtB", false), ("/a?offsetting=\(random)", true),
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
        (#"{"files":{"/index.html":"907d14fb3af2b0d4f18c2d46abe8aedce17367bd"}}"#, false),
        (#"{"shasum":"907d14fb3af2b0d4f18c2d46abe8aedce17367bd"}"#, false),
        (#"{"gitHead":"907d14fb3af2b0d4f18c2d46abe8aedce17367bd"}"#, false),
        (#"{"uris":["spotify:track:4iV5W9uYEdYUVa79Axb7Rh"]}"#, false), (#"{"hashes":["\#(random)"]}"#, false),
        (#"{"partnerIdentifier":"\#(random)"}"#, false), (#"{"identifiers":["\#(random)"]}"#, false),
        (#"{"partners":["\#(random)"]}"#, true), (#"{"legit":"\#(random)"}"#, true),
        (#"{"index.html":"907d14fb3af2b0d4f18c2d46abe8aedce17367bd"}"#, true),
    ])
    func `the plural of a name that says content says it too, and so does a path`(body: String, isSecret: Bool) {
        let live = StubRequest.json(body)
        #expect((Redactor(.standard, environment: [:]).redact(live) != live) == isSecret)
    }

    @Test(arguments: [
        ("/secrets/Database", "value", "Summer*494", true),
        ("/secrets/a/versions/3:access", "data", "Summer*494", true),
        ("/secrets/Database", "note", "Summer*494", false), ("/secret-santa/draw", "value", "Ann draws Ben", false),
        ("/words/Database", "value", "Summer*494", false), ("/keys/main", "value", random, true),
        ("/keys/main", "value", "Summer*494", false),
    ])
    func `what a path says is a secret is one, as the value of a request and of a response`(
        path: String,
        name: String,
        value: String,
        isSecret: Bool
    ) throws {
        let body = #"{"\#(name)":"\#(value)"}"#
        var stub = Stub.answer(body, fields: ["Content-Type": "application/json"])
        let url = try #require(URL(string: "https://api.example.com\(path)"))
        stub.request = StubRequest(method: "PUT", url: url, headers: ["X-Id": "7"], body: Data(body.utf8))
        let stored = Redactor(.standard, environment: [:]).redact(stub)
        #expect((stored.body != body) == isSecret, "\(stored.body)")
        #expect((stored.request.body != Data(body.utf8)) == (isSecret || value == Self.random))
    }

    @Test(arguments: [
        ("POST", "/client/v4/user/tokens", "value", true), ("POST", "/api/v2/api_keys", "key", true),
        ("POST", "/pass", "value", true), ("GET", "/user/tokens", "value", false), ("POST", "/items", "key", false),
        ("POST", "/user/tokens", "key", false), ("POST", "/user/tokens", "hash", false),
        ("POST", "/user/tokens/7", "value", false), ("POST", "/user/keys", "key", false),
        ("POST", "/public_keys", "key", false), ("POST", "/token_transfers", "value", false),
        ("POST", "/v1/messages/count_tokens", "data", false), ("POST", "/models/g-2:countTokens", "value", false),
    ])
    func `what a request makes below the plural of a secret is one`(
        method: String,
        path: String,
        name: String,
        isSecret: Bool
    ) throws {
        let body = #"{"data":{"id":"7","name":"read only","\#(name)":"\#(Self.random)"}}"#
        var stub = Stub.answer(body, fields: ["Content-Type": "application/json"])
        let url = try URL.parsed("https://api.example.com\(path)")
        stub.request = StubRequest(method: method, url: url, headers: ["X-Api-Key": "REDACTED-api_key-1"])
        #expect((Redactor(.standard, environment: [:]).redact(stub).body != body) == isSecret)
    }

    @Test func `a public key stays`() throws {
        let url = try #require(URL(string: "https://api.example.com/rpc"))
        let body = Data(#"{"pubkey":"\#(Self.random)"}"#.utf8)
        #expect(
            Redactor(.standard, environment: [:]).redact(StubRequest(method: "POST", url: url, body: body)).body == body
        )
    }

    @Test(arguments: [
        ("session", false), ("session_key", true), ("user_auth", false), ("token", true),
        ("tokenId", true), ("session_cookie", true),
    ])
    func `anybody gets what a request without a secret reads, so a weak name says nothing there`(
        name: String,
        isSecret: Bool
    ) throws {
        let body = #"{"\#(name)":"\#(Self.random)"}"#
        for fields: HeaderFields in [
            [:], ["Cookie": "lang=de"], ["Cookie": "sid=\(Self.random)"], ["X-Api-Key": "sunshine"],
        ] {
            var stub = Stub.answer(body)
            stub.request.headerFields = fields
            let isPublic = fields.isEmpty || fields["Cookie"] == "lang=de"
            #expect((Redactor(.standard, environment: [:]).redact(stub).body != body) == (isSecret || !isPublic))
            // What is made again, such as a session for a device, is for its client only.
            stub.request.method = "POST"
            #expect(Redactor(.standard, environment: [:]).redact(stub).body != body)
        }
    }

    @Test(arguments: [
        (#"{"stock_code":"600519"}"#, false), (#"{"confirm_code":"600519"}"#, true), (#"{"code":"600519"}"#, true),
        (#"{"doorPin":"600519"}"#, true),
        (#"{"hash":"4f8a7b6c9d0e1f2a3b4c5d6e4f8a7b6c9d0e1f2a"}"#, false),
        (#"{"vin":"WBA3A5C50CF256985"}"#, false), (#"{"log":"0x4f8a7b6c9d0e1f2a3b4c5d6e4f8a7b6c9d0e1f2a"}"#, false),
        (#"{"token":15339}"#, false),
        (#"{"log":"4f8a7b6c9d0e1f2a3b4c5d6e4f8a7b6c9d0e1f2a"}"#, true), (#"{"token":153391}"#, true),
    ])
    func `in a request, a code of another kind and what has the form of content stay`(body: String, isSecret: Bool)
        throws
    {
        let url = try #require(URL(string: "https://api.example.com/items"))
        let request = StubRequest(method: "POST", url: url, body: Data(body.utf8))
        let stored = Redactor(.standard, environment: [:]).redact(request).body
        #expect((stored != request.body) == isSecret)
    }

    @Test(arguments: [
        ("/cdn_token=\(random)&expires=1764153600/video", true), ("/a;jsessionid=\(random)/b", true),
        ("/a=\(random)/b", true), ("/pool/openssl/\(random)", false), ("/?code=600519", false),
        ("/?login_code=600519", true),
    ])
    func `a segment of a path may have pairs`(path: String, isSecret: Bool) throws {
        let request: StubRequest = try stored(path)
        #expect(request.url.absoluteString.hasSuffix(path) != isSecret)
    }

    @Test(arguments: [
        ("seen=1764150000", true), ("size=1920x1080", true), ("day=20261126", true), ("ab=exp42:b", true),
        ("sid=abc1234", false), ("n=9764150000", false), ("sid=\(random)", false),
    ])
    func `a cookie of words, sizes and times stays`(cookie: String, isPlain: Bool) throws {
        #expect((try stored("/a", ["Cookie": cookie]).headerFields["Cookie"] == cookie) == isPlain)
        #expect(
            (StubRequest(url: try stored("/a").url, headers: ["Cookie": "z=1; \(cookie)"]).sortingCookies
                .headerFields["Cookie"] == "z=1; \(cookie)") == isPlain
        )
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
        ("password: sunshine of ours", "password: sunshine of ours"),
        ("Authorization: Bearer YOUR_API_KEY", "Authorization: Bearer YOUR_API_KEY"),
        ("secrets:\n  digest: \(random)", "secrets:\n  digest: \(random)"),
        ("A_PASSWORD=\nB_PASSWORD=null\n", "A_PASSWORD=\nB_PASSWORD=null\n"),
        ("Unexpected token 'export'", "Unexpected token 'export'"),
    ])
    func `a sentence, an empty setting and a stand-in are no settings`(text: String, expected: String) {
        #expect(stored(text, "text/plain") == expected)
    }

    @Test(arguments: [
        (#"{"clientkey":"\#(random)"}"#, true), (#"{"modhash":"\#(random)"}"#, false),
        (#"{"hash":"4f8a7b6c9d0e1f2a3b4c5d6e"}"#, false),
        (#"{"tokenvalue":"\#(random)"}"#, true),
        (#"{"CSRFValue":"1687419998"}"#, true), (#"{"backupCodes":["84314-8fba1"]}"#, true),
        (#"{"blob":"REJfSE9TVD1kYgpEQl9QQVNTV09SRD1zdW5zaGluZQo="}"#, true),
        ("<result><apiKey>\(random)</apiKey></result>", true), ("<dict><key>\(random)</key><true/></dict>", false),
        ("curl -H 'X-Api-Key: \(random)' https://a.example", true),
        (#"{"blob":"REJfSE9TVD1kYgpE\nQl9QQVNTV09SRD1z\ndW5zaGluZQo=\n"}"#, true),
        (#"{"credentials":[{"type":"password","value":"garden-gate"}]}"#, true),
        (#"{"key":"db","value":"garden-gate"}"#, false),
        (#"{"secret":"https://a.example/?9f8a7b6c5d"}"#, true), (#"{"secret":"https://a.example/a?v5"}"#, false),
        (#"{"csrf":"0.41476509895065627"}"#, true),
        (#"{"sort_key":"\#(random)"}"#, false),
    ])
    func `the words of a name and its value decide together`(body: String, isSecret: Bool) {
        #expect((stored(body) == body) != isSecret)
    }

    @Test func `what an object says of its value before or after it is its name`() {
        for key in ["name", "attribute", "env_var.name"] {
            for title in ["PASSWORD", "/shop/prod/db_password"] {
                for value in [
                    "\"value\":\"garden-gate\"", "\"string_value\":\"garden-gate\"", "\"values\":[\"garden-gate\"]",
                ] {
                    let name = "\"\(key)\":\"\(title)\""
                    #expect(!stored("{\(name),\(value)}").contains("garden"), "\(name), \(value)")
                    #expect(!stored("{\(value),\(name)}").contains("garden"), "\(value), \(name)")
                }
            }
        }
        #expect(stored(#"{"name":"the password","value":"garden-gate"}"#).contains("garden-gate"))
        #expect(stored(#"{"value":"garden-gate","name":"the password"}"#).contains("garden-gate"))
    }

    @Test(arguments: [("/user/token", true), ("/secrets/db", true), ("/users/7", false)])
    func `a value without a name has the name of its path`(path: String, isSecret: Bool) throws {
        var stub = Stub.answer(#"{"value":"\#(Self.random)"}"#, fields: ["Content-Type": "application/json"])
        stub.request = StubRequest(url: try #require(URL(string: "https://api.example.com\(path)")))
        let body = Redactor(.standard, environment: [:]).redact(stub).body
        #expect((body == #"{"value":"\#(Self.random)"}"#) != isSecret, "\(body)")
    }
}
