import Foundation

/// Made-up services with secrets in their exchanges, and ordinary exchanges without one, to measure the redaction by.
///
/// The values are generated again for each seed, so that no list can know them.
struct SecretCorpus {
    struct Exchange {
        var path: String
        var fields: [(String, String)] = []
        var body: Data?
        var answerFields: [(String, String)] = [("Content-Type", "application/json")]
        var answer = Data("{}".utf8)

        static func get(
            _ path: String,
            _ fields: [(String, String)] = [],
            answer: String = "{}",
            type: String = "application/json",
            answerFields: [(String, String)] = []
        ) -> Exchange {
            Exchange(
                path: path,
                fields: fields,
                answerFields: [("Content-Type", type)] + answerFields,
                answer: Data(answer.utf8)
            )
        }

        static func post(
            _ path: String,
            _ body: String,
            _ type: String = "application/json",
            answer: String = "{}",
            answerType: String = "application/json"
        ) -> Exchange {
            Exchange(
                path: path,
                fields: [("Content-Type", type)],
                body: Data(body.utf8),
                answerFields: [("Content-Type", answerType)],
                answer: Data(answer.utf8)
            )
        }
    }

    struct Service {
        var name: String
        var exchanges: [Exchange]
        var secrets: [String]
    }

    /// Draws values and notes which of them are secrets.
    final class Plant {
        private var generator: SeededGenerator
        private(set) var secrets: [String] = []

        init(seed: UInt64) {
            generator = SeededGenerator(state: seed)
        }

        private func draw(_ alphabet: String, _ count: Int) -> String {
            let alphabet = Array(alphabet)
            return String((0..<count).map { _ in alphabet[Int(generator.next() >> 33) % alphabet.count] })
        }

        private static let letters = "abcdefghijklmnopqrstuvwxyz"
        private static let digits = "0123456789"

        func open(_ alphabet: String, _ count: Int) -> String { draw(alphabet, count) }
        func openHex(_ count: Int) -> String { draw("0123456789abcdef", count) }

        private func secret(_ text: String) -> String {
            secrets.append(text)
            return text
        }

        func hex(_ count: Int = 32) -> String { secret(draw("0123456789abcdef", count)) }
        func digits(_ count: Int = 8) -> String { secret(draw("123456789", count)) }
        func lower(_ count: Int = 24) -> String { secret(draw(Self.letters, count)) }
        func low(_ count: Int = 24) -> String { secret(draw(Self.letters + Self.digits, count)) }
        func upper(_ count: Int = 20) -> String { secret(draw(Self.letters.uppercased() + Self.digits, count)) }
        func word(_ count: Int = 32) -> String {
            secret(draw(Self.letters + Self.letters.uppercased() + Self.digits, count))
        }
        func url(_ count: Int = 32) -> String {
            secret(
                draw(Self.letters, 1) + draw(Self.letters + Self.letters.uppercased() + Self.digits + "-_", count - 2)
                    + draw(Self.digits, 1)
            )
        }
        func base64(_ count: Int = 24) -> String {
            secret(
                Data((0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next() >> 40) }).base64EncodedString()
            )
        }
        func uuid() -> String {
            let hex = Array(openHex(32))
            let parts = [hex[0..<8], hex[8..<12], hex[12..<16], hex[16..<20], hex[20..<32]]
            return secret(parts.map { String($0) }.joined(separator: "-"))
        }
    }

    private static func encoded(_ text: String) -> String { Data(text.utf8).base64EncodedString() }
    private static func hexForm(_ text: String) -> String { text.utf8.map { String($0, radix: 16) }.joined() }
    private static func percent(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
    }

    static let form = "application/x-www-form-urlencoded"

    /// The services, each of which is recorded by itself.
    static func services(seed: UInt64) -> [Service] {
        table.enumerated().map { index, row in
            let plant = Plant(seed: seed &* 1_000 &+ UInt64(index))
            for _ in 0..<3 { _ = plant.openHex(1) }
            let exchanges = row.make(plant)
            return Service(name: row.name, exchanges: exchanges, secrets: plant.secrets)
        }
    }

    private typealias Row = (name: String, make: @Sendable (Plant) -> [Exchange])

    private static let table: [Row] = names + references + headers + texts + forms + documents + providers

    private static let names: [Row] = [
        (
            "names that go on behind the stem",
            { p in
                [
                    .get(
                        "/session",
                        answer:
                            #"{"accessTokenValue":"\#(p.word())","SECRET_KEY_BASE":"\#(p.hex(64))","api_key_v2":"\#(p.low())","token1":"\#(p.hex())","refreshTokenNew":"\#(p.url())"}"#
                    )
                ]
            }
        ),
        (
            "a form that asks twice",
            { p in
                let (first, second) = (p.word(14), p.low(16))
                return [
                    .post(
                        "/register",
                        "user=ann&password_confirm=\(first)&passwordAgain=\(first)&password2_repeat=\(second)",
                        form
                    )
                ]
            }
        ),
        (
            "second factors",
            { p in
                [
                    .post(
                        "/verify",
                        #"{"twoFactorCode":"\#(p.digits())","user_code":"\#(p.upper(8))","mfa_backup_code_1":"\#(p.low(10))"}"#
                    )
                ]
            }
        ),
        (
            "other languages and words",
            { p in
                [
                    .get(
                        "/me",
                        answer:
                            #"{"hmacKey":"\#(p.base64())","session_cookie":"\#(p.word())","passwort":"\#(p.word(12))","secretText":"\#(p.low())","authKeyCurrent":"\#(p.hex())"}"#
                    ), .get("/k", answer: #"{"credentials":"\#(p.word())","credential_blob":"\#(p.base64())"}"#),
                ]
            }
        ),
        (
            "typed values of databases",
            { p in
                [
                    .get(
                        "/doc",
                        answer:
                            #"{"fields":{"refreshToken":{"stringValue":"\#(p.url(40))"},"apiKey":{"S":"\#(p.low())"},"token":{"id":"\#(p.hex())","kind":"user"}}}"#
                    )
                ]
            }
        ),
        (
            "objects named like secrets",
            { p in
                [
                    .get(
                        "/app",
                        answer:
                            #"{"credentials":{"primary":{"material":"\#(p.word())"},"rotated":["\#(p.word())","\#(p.hex())"]},"secrets":{"mailer":"\#(p.low())"},"tokens":[{"v":"\#(p.uuid())"}]}"#
                    )
                ]
            }
        ),
        (
            "settings by name and value",
            { p in
                [
                    .get(
                        "/env",
                        answer:
                            #"[{"name":"DEPLOY_TOKEN_V2","value":"\#(p.word())"},{"key":"WEBHOOK_SECRET_OLD","value":"\#(p.hex())"},{"header":"X-Api-Key","value":"\#(p.low())"}]"#
                    )
                ]
            }
        ),
        (
            "a query with numbered names",
            { p in
                [.get("/items?accessTokenV2=\(p.word())&page=2&authkey1=\(p.low())&x-token-id=\(p.hex())")]
            }
        ),
        (
            "nested names of a form",
            { p in
                [.post("/t", "token[id]=\(p.word())&session[key]=\(p.low())&auth.token.raw=\(p.hex())&a=1", form)]
            }
        ),
        (
            "variables of a query language",
            { p in
                [
                    .post(
                        "/graphql",
                        #"{"query":"mutation M($i: In!) { m(input: $i) { ok } }","variables":{"i":{"currentPassword":"\#(p.word(12))","newPasswordRepeated":"\#(p.word(12))"}}}"#
                    )
                ]
            }
        ),
        (
            "a web key",
            { p in
                [
                    .get(
                        "/jwks",
                        answer:
                            #"{"keys":[{"kty":"oct","kid":"a1","k":"\#(p.url(43))"},{"kty":"EC","crv":"P-256","x":"abc","d":"\#(p.url(43))"}]}"#
                    )
                ]
            }
        ),
        (
            "links of a mail",
            { p in
                [
                    .get("/reset-password/\(p.word())"), .get("/magic-link/\(p.url())?lang=en"),
                    .get("/invite/token/\(p.hex())/accept"),
                ]
            }
        ),
        (
            "a token as the whole body",
            { p in
                [
                    .get("/csrf-token", answer: p.word(), type: "text/plain"),
                    .get("/auth/token", answer: "\"\(p.hex(40))\""),
                ]
            }
        ),
        (
            "a second spelling in hex",
            { p in
                let key = p.word()
                return [
                    .get(
                        "/k",
                        answer: #"{"secret":"\#(key)","wire":"\#(hexForm(key))","big":"\#(hexForm(key).uppercased())"}"#
                    )
                ]
            }
        ),
        (
            "a token that later paths carry",
            { p in
                let token = p.word()
                return [
                    .post("/login", #"{"user":"ann"}"#, answer: #"{"session_token":"\#(token)"}"#),
                    .get("/v1/s/\(token)/items?cursor=\(encoded("u:" + token))"),
                ]
            }
        ),
    ]

    private static let references: [Row] = [
        (
            "a redirection that goes on",
            { p in
                [.get("/a", answerFields: [("Location", "/login?next=https://a.example/&token=\(p.word())")])]
            }
        ),
        (
            "a redirection to an app",
            { p in
                let location = "com.example.app:/cb?code=\(p.word())&state=\(p.openHex(16))"
                return [.get("/a", answerFields: [("Location", location)])]
            }
        ),
        (
            "links to two pages",
            { p in
                let token = p.word()
                return [
                    .get(
                        "/a",
                        answerFields: [
                            (
                                "Link",
                                "<https://a.example/i?page=2&access_token=\(token)>; rel=\"next\", <https://a.example/i?page=9&access_token=\(token)>; rel=\"last\""
                            )
                        ]
                    )
                ]
            }
        ),
        (
            "addresses of webhooks",
            { p in
                [
                    .get(
                        "/hooks",
                        answer:
                            #"{"a":"https://discord.com/api/webhooks/123456789012345678/\#(p.url(68))","b":"https://hooks.slack.com/services/T0AAAA111/B0BBBB222/\#(p.word(24))"}"#
                    )
                ]
            }
        ),
        (
            "addresses of databases",
            { p in
                [
                    .get(
                        "/db",
                        answer:
                            #"{"amqp":"amqp://svc:\#(p.word(20))@mq.example:5672/v","bus":"Endpoint=sb://x.example/;SharedAccessKeyName=R;SharedAccessKey=\#(p.base64(32))","dsn":"https://\#(p.hex())@o1.ingest.example/42"}"#
                    )
                ]
            }
        ),
        (
            "signed addresses",
            { p in
                [
                    .get(
                        "/f",
                        answer:
                            #"{"u":"https://b.example/o?X-Amz-Date=20240101T000000Z&X-Amz-Signature=\#(p.hex(64))&X-Amz-Expires=60","v":"https://b.example/c?sv=2022&sr=b&sig=\#(percent(p.base64(32)))"}"#
                    )
                ]
            }
        ),
        (
            "a fragment of an app",
            { p in
                [.get("/a", answer: #"{"cb":"myapp://done#id_token_hint=\#(p.word())&expires_in=60"}"#)]
            }
        ),
    ]

    private static let headers: [Row] = [
        (
            "signatures of webhooks",
            { p in
                [
                    .get("/a", [("Stripe-Signature", "t=1700000000,v1=\(p.hex(64)),v0=\(p.hex(64))")]),
                    .get("/b", [("X-Hmac-SHA256", p.base64(32)), ("X-Shopify-Hmac-Sha256", p.base64(32))]),
                    .get("/c", [("X-Twilio-Signature", p.base64(20)), ("X-Slack-Signature", "v0=\(p.hex(64))")]),
                    .get("/d", [("svix-signature", "v1,\(p.base64(32))"), ("Paypal-Transmission-Sig", p.base64(48))]),
                    .get(
                        "/e",
                        [("Twitch-Eventsub-Message-Signature", "sha256=\(p.hex(64))"), ("X-Line-Sig", p.base64(32))]
                    ),
                ]
            }
        ),
        (
            "names of header fields",
            { p in
                [
                    .get("/a", [("X-Session-Token-V2", p.word()), ("X-Device-Secret-Id", p.low())]),
                    .get(
                        "/b",
                        [("X-Access-Code", p.low(16)), ("X-Api-Key-Next", p.hex()), ("X-Algolia-API-Key", p.hex())]
                    ),
                    .get(
                        "/c",
                        [("apikey", p.word()), ("X-Refresh-Token-Hash", p.hex(64)), ("X-Client-Credential", p.word())]
                    ),
                ]
            }
        ),
        (
            "other schemes",
            { p in
                [
                    .get("/a", [("Authorization", "ApiKey \(p.word())")]),
                    .get("/b", [("Authorization", "SharedKey account:\(p.base64(32))")]),
                    .get(
                        "/c",
                        [("Authorization", "Hawk id=\"a\", ts=\"1\", nonce=\"j4h3g2\", mac=\"\(p.base64(20))\"")]
                    ),
                    .get(
                        "/d",
                        [("Authorization", "OAuth oauth_token=\"\(p.word())\", oauth_signature=\"\(p.word())\"")]
                    ),
                ]
            }
        ),
        (
            "cookies",
            { p in
                let letters = p.lower(28)
                return [
                    .get(
                        "/a",
                        answer: #"{"s":"\#(letters)"}"#,
                        answerFields: [("Set-Cookie", "app_session=\(letters); Path=/; HttpOnly")]
                    ), .get("/b", [("Cookie", "theme=dark; remember_me=\(p.word()); lang=en-US; _x=\(p.url())")]),
                ]
            }
        ),
        (
            "header fields in lists",
            { p in
                [
                    .get(
                        "/har",
                        answer:
                            #"{"headers":[{"name":"X-Auth-Token","value":"\#(p.word())"},{"name":"Cookie","value":"sid=\#(p.word())"}],"raw":["X-Api-Key: \#(p.low())"]}"#
                    )
                ]
            }
        ),
    ]

    private static let texts: [Row] = [
        (
            "an environment file",
            { p in
                [
                    .get(
                        "/env",
                        answer:
                            "HOST=x\nSESSION_SECRET=\(p.hex(64))\nSMTP_PASS='\(p.word(16))'\nexport API_TOKEN_PROD=\(p.word())\n",
                        type: "text/plain"
                    )
                ]
            }
        ),
        (
            "a command",
            { p in
                [
                    .get(
                        "/doc",
                        answer:
                            "curl -H 'X-Api-Key: \(p.lower())' -H \"X-Token-Id: \(p.word())\" https://a.example",
                        type: "text/plain"
                    ),
                    .get("/doc2", answer: #"{"cmd":"curl -H 'X-Api-Key: \#(p.word())' https://a.example"}"#),
                ]
            }
        ),
        (
            "a document of settings",
            { p in
                [
                    .get(
                        "/c",
                        answer:
                            "db:\n  user: ann\n  password: \(p.word(12))\napi_key: \"\(p.low())\"\n",
                        type: "application/yaml"
                    )
                ]
            }
        ),
        (
            "a page",
            { p in
                [
                    .get(
                        "/p",
                        answer:
                            "<a data-auth-token=\"\(p.word())\">x</a><script>window.S={\"apiKeyId2\":\"\(p.word())\"};</script>",
                        type: "text/html"
                    )
                ]
            }
        ),
        (
            "a log",
            { p in
                [
                    .get(
                        "/l",
                        answer:
                            "10:00 INFO auth ok access_token=\(p.word()) user=ann\n",
                        type: "text/plain"
                    )
                ]
            }
        ),
        (
            "a shell that prints a key",
            { p in
                [.get("/l", answer: "aws_secret_access_key = \(p.base64(30))\nregion = eu\n", type: "text/plain")]
            }
        ),
    ]

    private static let forms: [Row] = [
        (
            "a form in base64",
            { p in
                [.post("/a", #"{"blob":"\#(encoded("user=ann&password=\(p.word(14))&a=1"))"}"#)]
            }
        ),
        (
            "JSON in base64 in a query",
            { p in
                [.get("/a?state=\(percent(encoded(#"{"u":1,"refresh_token_v2":"\#(p.word())"}"#)))")]
            }
        ),
        (
            "JSON in a form",
            { p in
                [.post("/a", "payload=" + percent(#"{"auth":{"tokenData":{"raw":"\#(p.word())"}}}"#), form)]
            }
        ),
        (
            "a key in base64",
            { p in
                let pem =
                    "-----BEGIN "
                    + "PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n\(p.word(64))\n\(p.word(64))\n-----END "
                    + "PRIVATE KEY-----\n"
                return [.get("/k", answer: #"{"blob":"\#(encoded(pem))"}"#)]
            }
        ),
        (
            "parts of a form",
            { p in
                let body =
                    "--XX\r\nContent-Disposition: form-data; name=\"api_token_value\"\r\n\r\n\(p.word())\r\n--XX\r\nContent-Disposition: form-data; name=\"meta\"\r\nContent-Type: application/json\r\n\r\n{\"secretKeys\":{\"a\":\"\(p.low())\"}}\r\n--XX--\r\n"
                return [.post("/m", body, "multipart/form-data; boundary=XX")]
            }
        ),
        (
            "lines of JSON",
            { p in
                [
                    .get(
                        "/n",
                        answer: "{\"a\":1}\n{\"tokenInfo\":{\"x\":\"\(p.word())\"}}\n",
                        type: "application/x-ndjson"
                    )
                ]
            }
        ),
        (
            "events",
            { p in
                [
                    .get(
                        "/s",
                        answer: "event: a\ndata: {\"sessionToken2\":\"\(p.word())\"}\n\n",
                        type: "text/event-stream"
                    )
                ]
            }
        ),
        (
            "JSON in JSON in JSON",
            { p in
                let inner = #"{"passwordNew":"\#(p.word(16))"}"#.replacingOccurrences(of: "\"", with: "\\\"")
                return [.post("/a", #"{"payload":"\#(inner)"}"#)]
            }
        ),
    ]

    private static let documents: [Row] = [
        (
            "a service of temporary keys",
            { p in
                [
                    .get(
                        "/sts",
                        answer:
                            "<Credentials><AccessKeyId>ASIA\(p.upper(16))</AccessKeyId><SecretAccessKey>\(p.base64(30))</SecretAccessKey><SessionToken>\(p.base64(90))</SessionToken></Credentials>",
                        type: "text/xml"
                    )
                ]
            }
        ),
        (
            "an envelope",
            { p in
                [
                    .post(
                        "/soap",
                        "<e:Envelope><wsse:UsernameToken><wsse:Username>ann</wsse:Username><wsse:Password Type=\"x#Text\">\(p.word(14))</wsse:Password></wsse:UsernameToken></e:Envelope>",
                        "text/xml"
                    )
                ]
            }
        ),
        (
            "a login",
            { p in
                [
                    .post(
                        "/token",
                        "grant_type=authorization_code&code=\(p.url())&code_verifier=\(p.url(43))&client_id=abc&client_secret=\(p.word())",
                        form,
                        answer:
                            #"{"access_token":"\#(p.word(40))","refresh_token":"\#(p.word(40))","id_token":"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.\#(p.url(43))","token_type":"Bearer","expires_in":3600}"#
                    )
                ]
            }
        ),
    ]

    /// Values under names that say nothing, by the beginnings that their providers give them.
    private static let providers: [Row] = [
        (
            "code hosts",
            { p in
                [
                    .get(
                        "/a",
                        answer:
                            #"{"v":["gh\#("o_")\#(p.word(36))","gl\#("pat-")\#(p.word(20))","ATBB\#(p.word(32))","bkua_\#(p.hex(40))"]}"#
                    )
                ]
            }
        ),
        (
            "clouds",
            { p in
                [
                    .get(
                        "/a",
                        answer:
                            #"{"v":["AK\#("IA")\#(p.upper(16))","LTAI5t\#(p.word(20))","AKID\#(p.word(32))","fo1_\#(p.url(43))","nfp_\#(p.word(36))","dop_v1_\#(p.hex(64))"]}"#
                    )
                ]
            }
        ),
        (
            "models",
            { p in
                [
                    .get(
                        "/a",
                        answer:
                            #"{"v":["sk-or-v1-\#(p.hex(64))","xai-\#(p.word(80))","gsk_\#(p.word(52))","tvly-\#(p.word(32))","jina_\#(p.word(60))","lsv2_pt_\#(p.hex(32))_\#(p.hex(10))"]}"#
                    )
                ]
            }
        ),
        (
            "payments",
            { p in
                [
                    .get(
                        "/a",
                        answer:
                            #"{"v":["rzp_live_\#(p.word(14))","sk_\#("live_")\#(p.word(24))","access-sandbox-\#(p.uuid())","EZAK\#(p.word(54))","duffel_live_\#(p.url(43))","FLWSECK_TEST-\#(p.hex(32))-X"]}"#
                    )
                ]
            }
        ),
        (
            "mail and messages",
            { p in
                [
                    .get(
                        "/a",
                        answer:
                            #"{"v":["xkeysib-\#(p.hex(64))-\#(p.word(16))","re_\#(p.word(8))_\#(p.word(24))","pat-na1-\#(p.uuid())","\#(p.hex(32))-us12","123456789:AA\#(p.url(33))"]}"#
                    )
                ]
            }
        ),
        (
            "tools",
            { p in
                [
                    .get(
                        "/a",
                        answer:
                            #"{"v":["CFPAT-\#(p.url(43))","patAb1Cd2Ef3Gh4Ij.\#(p.hex(64))","phx_\#(p.word(43))","sgp_\#(p.hex(40))","CCIPAT_\#(p.word(22))_\#(p.hex(40))","tfp_\#(p.url(44))","rdme_\#(p.low(70))","napi_\#(p.low(40))"]}"#
                    )
                ]
            }
        ),
        (
            "registries and others",
            { p in
                [
                    .get(
                        "/a",
                        answer:
                            #"{"v":["oy2\#(p.low(43))","CLOJARS_\#(p.low(60))","sl.\#(p.url(130))","EAAB\#(p.word(120))","aio_\#(p.word(28))","xaat-\#(p.uuid())","pnu_\#(p.low(36))","sdk-\#(p.uuid())"]}"#
                    )
                ]
            }
        ),
    ]
}
