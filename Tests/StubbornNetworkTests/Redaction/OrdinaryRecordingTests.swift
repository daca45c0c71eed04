import Foundation
import Testing

@testable import StubbornNetwork

struct OrdinaryRecordingTests {
    static let bodies: [(String, String)] = [
        (
            "application/json",
            #"{ "id": 1296269, "node_id": "MDEwOlJlcG9zaXRvcnkxMjk2MjY5", "full_name": "octocat/Hello-World", "private": false, "html_url": "https://github.com/octocat/Hello-World?tab=readme#key", "sha": "6dcb09b5b57875f334f61aebed695e2e4193db5e", "verification": {"verified": false, "reason": "unsigned", "signature": null}, "keys_url": "https://api.github.com/repos/octocat/Hello-World/keys{/key_id}", "created_at": "2011-01-26T19:01:12Z" }"#
        ),
        (
            "application/json",
            #"{"next_page_token":"CAUQAA9f8a7b6c","nextPageToken":"abc123def456ghi","continuation_token":"eyJvZmZzZXQiOjEwMH0=","NextToken":"AAAB3Nz12abc"}"#
        ),
        (
            "application/json",
            #"{"usage":{"prompt_tokens":12345,"max_tokens":4096,"total_tokens":16441},"token_type":"bearer","expires_in":3600,"tokenizer":"cl100k_base"}"#
        ),
        (
            "application/json",
            #"{"secretary":"Ann Miller","pinned":12345,"shipping":"DHL-1234-5678","spin":4711,"pinterest":"ann4711","keyboard":"qwerty1234","monkey":"abc12345"}"#
        ),
        (
            "application/json",
            #"{"price":19.90,"currency":"EUR","uuid":"550e8400-e29b-41d4-a716-446655440000","code":"US","key":"user_name","error_code":"E4711abc123","sig":"x"}"#
        ),
        (
            "application/json",
            #"{"token":"USDC","password":"Password","title":"Forgot your password?","has_password":true,"secret":null,"pin":12}"#
        ),
        ("application/json", #"[1, 2.50, -3e10, "a\/b", "\u00e9", {"a": [] }]"#),
        (
            "application/json",
            #"{"avatar":"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"}"#
        ),
        (
            "text/html",
            #"<!doctype html><div class="sk-ip sk-learn task-sk-animation-wrapper-container-2"><a href="/a?page=2&amp;sort=key">x</a><input type="password" name="password" value=""></div><p>Bearer authentication is required. Basic access is free.</p>"#
        ),
        ("text/css", ".sk-cube-grid-animation-2023 { color: #fff } .npm_install_button_with_a_long_name_1 { }"),
        (
            "text/xml",
            #"<feed><id>tag:example.com,2024:1</id><keyword>password</keyword><pinned value="12345"/></feed>"#
        ),
        ("application/x-www-form-urlencoded", "name=Ann+Miller&city=S%C3%A3o+Paulo&code=US&key=name&q=a%20b"),
        (
            "text/plain",
            "Use disk-4711-backup, ask-me-anything-1234567890abcdef or task_list. See RFC 6750 (Bearer tokens)."
        ),
        (
            "text/plain",
            "diff --git a/x b/x\n-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----\n"
        ),
    ]

    /// A shop, a weather service, a list of settings: names and values that resemble secrets and are none.
    static let lookalikes: [(String, String)] = [
        (
            "application/json",
            #"{"sku":"A-4711-XL9","price":19.90,"pin":"A4","postal_pin":560001,"pinned":true,"signature_required":false,"country_code":"US","status_code":200,"codeName":"falcon9x","code":"SAVE20NOW","ean":"4006381333931","ticket":"JIRA-4711","session_count":42,"secretary":"ann99","keyboard":"k3y80ard"}"#
        ),
        (
            "application/json",
            #"{"tokens_used":42,"tokens":1024,"max_tokens":4096,"tokens":["the","cat","sat"],"token_count":7,"token_type":"bearer","stop_token":"<|endoftext|>","author":"ann","authorized":true,"authorization":null,"password_changed_at":"2024-01-31T08:00:00Z","password_policy":{"min":8},"otp_enabled":true,"pin_required":false,"secret":false,"api_key_id":12}"#
        ),
        (
            "application/json",
            #"[{"key":"theme","value":"dark-4711"},{"key":"max_size","value":12345},{"name":"Content-Type","value":"text/html; charset=utf-8"},{"value":"abc123def","name":"color"}]"#
        ),
        (
            "application/json",
            #"{"pageToken":"CAUQAA9f8a7b6c","cursor":"eyJpZCI6MTIzNDU2LCJkaXIiOiJuZXh0In0=","etag":"W/\"33a64df551425fcc55e\"","digest":"sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08","id":"550e8400-e29b-41d4-a716-446655440000","mail":"ann.miller+news@example.com","phone":"+49 30 1234567","iban":"DE89370400440532013000"}"#
        ),
        (
            "application/json",
            #"{"body":"Hi \"Ann\", a=b & c < d (see 50%) \\o/ https:\/\/x.example\/?page=2&sort=key","html":"<p class=\"key\">token</p>","formula":"f(x)=2*x","query":"query { user(id: 4711) { name } }"}"#
        ),
        (
            "application/json",
            #"{"temperature":21.5,"icon":"10d","dt":1485789600,"weather":[{"id":501,"main":"Rain","description":"sunshine later"}],"coord":{"lon":13.41,"lat":52.52}}"#
        ),
        (
            "text/plain",
            "Password: required. The token: see below. PIN: ask Ann. key=value; secret = none; pass: 3 of 4."
        ),
        ("text/css", "a{content:'token: x';--secret-color:#a1b2c3;transition:opacity .3s}"),
        (
            "application/json",
            #"{"tokens":["67698","95724"],"script_pub_key":"0014d142eadcd103fd008a08887742624b28b9775051","session":{"sid":"VA9c1d4e7f20b35a68"},"CodeSha256":"Z7TKbHZEdP7Gnd6KBzkhAsOSirzB7rQ/BDhlbNYQOsM=","nar_hash":"e1q029mehmnkv0pvy3tqli0xiuaxei25","key_fingerprint":"Qx7RkP2vLw9ZtB4nHs6J","app_id":"Qx7RkP2vLw9ZtB4n"}"#
        ),
        (
            "application/json",
            #"{"signing_key":"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIQx7RkP2vLw9ZtB4nHs6Jd3GcQx7RkP2vLw9ZtB4nHs6","keydata":"-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nt4AxwBOlqY5TYUlP6E5gs4WbcDWIwx61kNSQvbydtvQJWxC8SuvKVKmbaMM3Ouzx\n-----END PGP PUBLIC KEY BLOCK-----"}"#
        ),
        (
            "text/plain",
            "\"login.password\" = \"Contraseña\";\n\"login.pin\" = \"Código PIN\";\n\"token\" = \"Ficha\";\n"
        ),
        (
            "application/javascript",
            "function f(a){return a.password===b.password&&{token:c.token,secret:null,key:\"k\"}}var token=e.target.value1,password=decode64(x),secret = a1b2c3[0];callback([1,2]);"
        ),
        (
            "text/event-stream",
            "event: price\nid: 4711\ndata: {\"symbol\":\"ABC\",\"token\":\"USDC\",\"price\":1.5}\n\n"
        ),
        (
            "text/yaml",
            "replicas: 3\nimage: registry.example/app:1.2.3\nsecretName: app-config\ntokenizer: cl100k_base\n"
        ),
        (
            "application/x-www-form-urlencoded",
            "query=f%28x%29%3D2&note=a%3Db%26c&keys=1,2,3&path=%2Fa%2Fb&pin_required=1"
        ),
    ]

    @Test(arguments: bodies + lookalikes)
    func `an ordinary body stays as it is`(type: String, body: String) throws {
        let stub = Stub.answer(body, fields: ["Content-Type": type])
        let redactor = Redactor(.standard, environment: ["PATH": "/usr/bin", "LANG": "en_US.UTF-8"])
        #expect(redactor.redact(stub).body == body)
        try redactor.scan(stub, number: 0)
    }

    @Test(arguments: [
        "https://api.example.com/v1/items?page=2&code=US&key=user_name&sort=price",
        "https://api.example.com/?key=price_2024&token=USDC", "https://api.example.com/states?code=US&state=CA",
        "https://example.com/a%20b/c?q=caf%C3%A9%20au+lait&filter=%7B%22a%22%3A1%7D#section-2",
        "https://api.example.com/token/0x6b175474e89094c44da98b954eedeac495271d0f",
        "https://api.example.com/v1/webhooks/550e8400-e29b-41d4-a716-446655440000/password/policy-2024",
        "https://api.example.com/o?X-Amz-Date=20240101T000000Z&X-Amz-Expires=60&X-Amz-Algorithm=AWS4-HMAC-SHA256",
        "https://cdn.example.com/react@18.2.0/index.js", "http://127.0.0.1:8080/callback", "https://example.com?",
        "https://api.example.com/search?q=token+password&pageToken=abc123def456&max_tokens=100",
    ])
    func `an ordinary URL stays as it is`(url: String) {
        let stub = Stub(
            request: StubRequest(url: URL(string: url)!),
            response: StubResponse(head: ResponseHead(statusCode: 200))
        )
        #expect(Redactor(.standard, environment: [:]).redact(stub).request.url.absoluteString == url)
    }

    @Test func `a login keeps its other values, and short secrets are replaced only in their fields`() {
        let redactor = Redactor(.standard, environment: [:])
        let login = redactor.redact(
            .answer(
                #"{"password":"sunshine","pin":1234,"token":"abc123def456","user":"ann","expires_in":3600,"scope":"a b"}"#
            )
        )
        #expect(
            login.body
                == #"{"password":"REDACTED-password-1","pin":9999,"token":"REDACTED-token-1","user":"ann","expires_in":3600,"scope":"a b"}"#
        )
        let weather = #"{"text":"sunshine at 1234 m","count":1234,"id":"x-abc123def456-y"}"#
        #expect(
            redactor.redact(.answer(weather)).body
                == weather.replacingOccurrences(of: "abc123def456", with: "REDACTED-token-1")
        )
    }

    @Test func `ordinary header fields stay as they are`() {
        let fields: HeaderFields = [
            "ETag": "W/\"6dcb09b5b57875f334f61aebed695e2e4193db5e\"", "Content-Type": "application/json; charset=utf-8",
            "Date": "Wed, 21 Oct 2065 07:28:00 GMT", "Link": "<https://api.example.com/?page=2>; rel=\"next\"",
            "WWW-Authenticate": "Bearer realm=\"example\", error=\"invalid_token\"",
            "X-Request-Id": "9f86d081-884c-7d65",
            "Location": "/items/42?page=2", "Cache-Control": "max-age=60", "Accept-Encoding": "gzip, br",
            "Access-Control-Allow-Headers": "Authorization, X-Api-Key", "User-Agent": "App/1.0 (x86_64; sk-SK)",
        ]
        let stub = Stub.answer("", fields: fields)
        #expect(Redactor(.standard, environment: [:]).redact(stub) == stub)
    }

    @Test func `random bodies and images are neither changed nor refused`() throws {
        var generator = SeededGenerator(state: 42)
        let redactor = Redactor(.standard, environment: ["TOKEN": "abc123def456"])
        for _ in 0..<5 {
            let bytes = (0..<20_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
            var stub = Stub.answer("", fields: ["Content-Type": "image/png"])
            stub.response.bytes = Data(bytes)
            #expect(redactor.redact(stub) == stub)
            try redactor.scan(stub, number: 0)
            let text = Data(bytes).base64EncodedString()
            #expect(redactor.redact(.answer(text)).body == text)
        }
    }

    @Test func `redacting damaged bodies does not crash`() {
        var generator = SeededGenerator(state: 7)
        for planted in PlantedSecret.all {
            let redactor = Redactor(.standard, environment: [:])
            guard let body = planted.stub.response.bytes, !body.isEmpty else { continue }
            for _ in 0..<5 {
                var bytes = Array(body)
                for _ in 0..<3 {
                    bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(
                        in: 0...255,
                        using: &generator
                    )
                }
                var stub = planted.stub
                stub.response.bytes = Data(bytes.prefix(Int.random(in: 1...bytes.count, using: &generator)))
                _ = redactor.redact(stub)
            }
        }
        let redactor = Redactor(.standard, environment: [:])
        _ = redactor.redact(.answer(String(repeating: "[", count: 50_000)))
        _ = redactor.redact(.answer(String(repeating: "{\"password\":", count: 50_000)))
        _ = redactor.redact(.answer(String(repeating: "<a ", count: 10_000)))
    }
}

/// A generator whose numbers are the same in each run.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 29)
    }
}
