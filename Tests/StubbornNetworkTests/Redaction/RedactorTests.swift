import Foundation
import Testing

@testable import StubbornNetwork

struct RedactorTests {
    @Test(arguments: PlantedSecret.all)
    func `redaction leaves no trace of a planted secret`(planted: PlantedSecret) {
        #expect(PlantedSecret.survives(planted.secret, in: planted.stub))
        let redacted = Redactor(.standard, environment: [:]).redact(planted.stub)
        #expect(!PlantedSecret.survives(planted.secret, in: redacted), "\(Self.text(redacted))")
    }

    @Test(arguments: PlantedSecret.all)
    func `redacting what is redacted changes nothing`(planted: PlantedSecret) {
        let redactor = Redactor(.standard, environment: [:])
        let once = redactor.redact(planted.stub)
        #expect(redactor.redact(once) == once, "\(Self.text(once)) → \(Self.text(redactor.redact(once)))")
        // Digits in a response do not show whether they are a secret, so another redactor replaces them by others.
        let body = String(decoding: planted.stub.response.body ?? Data(), as: UTF8.self)
        if body.contains("\"pin\": 4") { return }
        let again = Redactor(.standard, environment: [:]).redact(once)
        #expect(again == once, "\(Self.text(once)) → \(Self.text(again))")
    }

    /// How programs write a string into another format.
    private static let spellings: [(name: String, spell: @Sendable (String) -> String)] = [
        ("percent", PlantedSecret.percent), ("form", PlantedSecret.form), ("JSON", PlantedSecret.json),
        ("base64", { PlantedExchange.base64($0) }),
        ("base64 for URLs", { PlantedExchange.base64($0, urlSafe: true) }),
        ("base64 of more", { PlantedExchange.base64("x: " + $0 + " y") }),
    ]

    private static func areDifferent(_ first: String, _ second: String) -> Bool {
        first.prefix(4) != second.prefix(4) && !["percent", "form"].contains(first)
    }

    @Test(arguments: [PlantedExchange.plain.0, PlantedExchange.awkward.0, PlantedExchange.hex.0])
    func `a secret is found in every combination of two encodings`(secret: String) {
        for inner in Self.spellings {
            // One level of each is read.
            for outer in Self.spellings where Self.areDifferent(inner.name, outer.name) {
                let text = outer.spell(inner.spell(secret))
                let json = #"{"password":"\#(PlantedExchange.json(secret))","note":"\#(PlantedExchange.json(text))"}"#
                for body in [json, "copy: \(text);"] {
                    let redactor = Redactor(.standard, environment: [:])
                    _ = redactor.redact(.answer(json))
                    let redacted = redactor.redact(.answer(body)).body
                    #expect(SpellingSearch(secret: secret).trail(in: redacted) == nil, "\(inner.name) in \(outer.name)")
                }
            }
        }
    }

    @Test func `there are at least forty planted secrets`() {
        #expect(PlantedSecret.all.count >= 40)
    }

    @Test func `a token gets the same placeholder in its response and in later requests`() {
        let redactor = Redactor(.standard, environment: [:])
        let token = PlantedSecret.Values.plain
        let login = redactor.redact(
            .answer("{ \"access_token\" : \"\(token)\", \"token_type\":\"bearer\", \"expires_in\": 3600 }")
        )
        #expect(
            login.body
                == "{ \"access_token\" : \"REDACTED0000000000001\", \"token_type\":\"bearer\", \"expires_in\": 3600 }"
        )

        let next = StubRequest(
            url: URL(string: "https://api.example.com/sessions/\(token)?t=\(token)")!,
            headers: ["Authorization": "Bearer \(token)"]
        )
        let redacted = redactor.redact(Stub(request: next, response: StubResponse(head: ResponseHead(statusCode: 200))))
        #expect(redacted.request.headerFields["Authorization"] == "Bearer REDACTED0000000000001")
        #expect(
            redacted.request.url.absoluteString
                == "https://api.example.com/sessions/REDACTED0000000000001?t=REDACTED0000000000001"
        )
    }

    @Test(arguments: [
        (#"{"pin": 4829}"#, #"{"pin": 9999}"#),
        (#"{"pin": 4829, "otp": 5711}"#, #"{"pin": 9999, "otp": 9998}"#),
        (#"{"otp":482913,"ok":true}"#, #"{"otp":999999,"ok":true}"#),
        (
            #"{"password":null,"token":"","has_secret":false,"secret":true}"#,
            #"{"password":null,"token":"","has_secret":false,"secret":true}"#
        ),
        (
            #"{"password":"a1b2c3","passwd":"a1b2c3"}"#,
            #"{"password":"REDACTED-password-1","passwd":"REDACTED-password-1"}"#
        ),
        // A weak password is one all the same.
        (#"{"password":"secret"}"#, #"{"password":"REDACTED-password-1"}"#),
        (#"{"pin":"1234"}"#, #"{"pin":"9999"}"#),
        (
            #"[ {"api_key" : "k1-abcdef" , "price":19.90e1} ]"#,
            #"[ {"api_key" : "REDACTED-api_key-1" , "price":19.90e1} ]"#
        ),
    ])
    func `redacted JSON keeps its types and structure`(before: String, after: String) {
        #expect(Redactor(.standard, environment: [:]).redact(.answer(before)).body == after)
    }

    @Test func `credentials and cookies keep their form`() {
        let redactor = Redactor(.standard, environment: [:])
        func field(_ name: String, _ value: String) -> String? {
            let stub = Stub.answer("", fields: [name: value])
            return redactor.redact(stub).response.head?.headerFields[name]
        }
        #expect(field("Authorization", "Bearer abc123def456") == "Bearer REDACTED-token-1")
        #expect(
            field("Authorization", "Basic " + Data("ann:pa55word".utf8).base64EncodedString())
                == "Basic " + Data("REDACTED-user-1:REDACTED-password-1".utf8).base64EncodedString()
        )
        #expect(field("Cookie", "a=one1one1; b=; c=two2two2") == "a=REDACTED-cookie-1; b=; c=REDACTED-cookie-2")
        #expect(
            field("Set-Cookie", "a=one1one1; Expires=Wed, 21 Oct 2065 07:28:00 GMT; Path=/, d=\"three\"; Secure")
                == "a=REDACTED-cookie-1; Expires=Wed, 21 Oct 2065 07:28:00 GMT; Path=/, d=\"three\"; Secure"
        )
    }

    @Test func `a redacted JSON Web Token is still a token, without signature and secret claims`() throws {
        let body = Redactor(.standard, environment: [:]).redact(
            .answer(#"{"id_token":"\#(PlantedSecret.Values.jwt)"}"#)
        ).body
        let token = try #require(body.split(separator: "\"").last { $0.hasPrefix("eyJ") })
        let parts = token.split(separator: ".").map(String.init)
        try #require(parts.count == 3)
        let original = PlantedSecret.Values.jwt.split(separator: ".").map(String.init)
        #expect(parts[0] == original[0])
        let claims = #"{"sub":"42","name":"Ann","pin":"REDACTED0000000000001"}"#
        #expect(parts[1] == PlantedExchange.base64(claims, urlSafe: true))
        #expect(parts[2] == "REDACTED0000000000000000000000000000000002A")
    }

    @Test func `a redacted private key keeps its first and last lines`() {
        let body = Redactor(.standard, environment: [:]).redact(.answer(PlantedSecret.Values.pem)).body
        #expect(
            body == "-----BEGIN RSA " + "PRIVATE KEY-----\nREDACTED-private_key-1\n-----END RSA " + "PRIVATE KEY-----\n"
        )
    }

    @Test func `secrets in environment variables are redacted`() {
        let environment = [
            "CI_DEPLOY_TOKEN": "dep10y-value-xyz", "TOKEN_FILE": "/run/secrets/token", "HOME": "/home/ann99x",
        ]
        let redactor = Redactor(.standard, environment: environment)
        #expect(
            redactor.redact(.answer("see dep10y-value-xyz in /run/secrets/token")).body
                == "see REDACTED-environment-1 in /run/secrets/token"
        )
        #expect(redactor.redact(text: "failed with dep10y-value-xyz") == "failed with REDACTED-environment-1")
    }

    @Test func `errors and logs are redacted`() {
        let redactor = Redactor(.standard, environment: [:])
        #expect(
            redactor.redact(
                text: "GET https://ann:pa55word@x.example/?access_token=abc123def failed: password=hunter22, retry"
            )
                == "GET https://REDACTED-user-1:REDACTED-password-2@x.example/?access_token=REDACTED-access_token-1 failed: password=REDACTED-password-1, retry"
        )
        let failure = StubFailure(
            domain: "x",
            code: 1,
            description: "no answer from https://x.example/?token=abc123def9"
        )
        let stub = Stub(
            request: StubRequest(url: URL(string: "https://x.example")!),
            response: StubResponse(failure: failure)
        )
        #expect(
            redactor.redact(stub).response.failure?.description
                == "no answer from https://x.example/?token=REDACTED-token-1"
        )
    }

    @Test(arguments: [
        "k9Zx4Tq7Wm2Rb5Lp", "zzk9Zx4Tq7Wm2Rb5Lpzz", "azlaeDRUcTdXbTJSYjVMcA==", "6b395a7834547137576d325262354c70",
    ])
    func `the text of an error has no secret of its request, in whatever spelling`(spelling: String) {
        var request = StubRequest(url: URL(string: "https://x.example")!)
        request.headerFields["Authorization"] = "Bearer k9Zx4Tq7Wm2Rb5Lp"
        let failure = StubFailure(domain: "x", code: 1, description: "The proxy refused \(spelling) for now.")
        let stub = Stub(request: request, response: StubResponse(failure: failure))
        let text = Redactor(.standard, environment: [:]).redact(stub).response.failure?.description ?? ""
        #expect(!text.contains(spelling), "\(text)")
        #expect(!text.contains("k9Zx4Tq7Wm2Rb5Lp"), "\(text)")
    }

    @Test func `placeholder numbers continue after those in the stub file`() {
        let redactor = Redactor(.standard, environment: [:])
        let basic = Data("REDACTED-user-4:REDACTED-password-7".utf8).base64EncodedString()
        var stored = Stub.answer(#"{"token":"REDACTED-token-3"}"#, fields: ["Authorization": "Basic \(basic)"])
        stored.request.body = Data(#"{"pin":9999,"count":9997}"#.utf8)
        stored.request.placeholders = ["9999"]
        redactor.learn(fromStored: stored)
        let body = redactor.redact(.answer(#"{"token":"abc123def","password":"def456ghi","pin":1234}"#)).body
        #expect(body == #"{"token":"REDACTED-token-4","password":"REDACTED-password-8","pin":9998}"#)
    }

    @Test func `redaction set to none changes nothing`() throws {
        let redactor = Redactor(.none, environment: ["API_TOKEN": PlantedSecret.Values.plain])
        for planted in PlantedSecret.all { #expect(redactor.redact(planted.stub) == planted.stub) }
        try redactor.scan(.answer("Bearer \(PlantedSecret.Values.plain)"), number: 0)
    }

    @Test(.timeLimit(.minutes(5))) func `a hundred megabytes without a secret stay as they are`() {
        var stub = Stub.answer("")
        stub.response.bytes = Data(repeating: 0xA7, count: 100_000_000) + Data("\u{0}".utf8)
        let redactor = Redactor(.standard, environment: ["TOKEN": "abc123def456"])
        #expect(redactor.redact(stub) == stub)
    }

    @Test func `what a pattern finds is replaced as a whole, even if a part of it has been`() {
        let redactor = Redactor(.standard.including(patterns: ["<card>(.*?)</card>"]), environment: [:])
        let body = "<r><card>4929 <token>\(PlantedSecret.Values.plain)</token></card></r>"
        let once = redactor.redact(.answer(body, fields: ["Content-Type": "text/xml"]))
        #expect(once.body == "<r><card>REDACTED-pattern-1</card></r>")
        #expect(redactor.redact(once) == once)
    }

    @Test func `a pattern keeps the bytes around what it finds, whatever their encoding`() {
        let redactor = Redactor(.standard.including(patterns: ["ü?customer-([0-9]{8})"]), environment: [:])
        var stub = Stub.answer("", fields: ["Content-Type": "text/plain; charset=iso-8859-1"])
        stub.response.bytes = Data([0x4D, 0xFC, 0x20, 0xFC]) + Data("customer-48291377".utf8) + Data([0xFC])
        let stored = redactor.redact(stub).response.bytes
        #expect(stored == Data([0x4D, 0xFC, 0x20, 0xFC]) + Data("customer-99999999".utf8) + Data([0xFC]))
    }

    @Test func `a redactor can be used from many threads at once`() {
        let redactor = Redactor(.standard, environment: [:])
        let results = Lock<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 200) { index in
            let body = redactor.redact(.answer(#"{"token":"shared-token-1a","pin":"own-\#(index)-b2"}"#)).body
            results.withLock { $0.append(body) }
        }
        let bodies = results.withLock { $0 }
        #expect(bodies.allSatisfy { $0.contains(#""token":"REDACTED-token-1""#) })
        #expect(Set(bodies).count == 200)
    }

    static func text(_ stub: Stub) -> String {
        let body = [stub.request.body, stub.response.bytes].map { $0.map { String(decoding: $0, as: UTF8.self) } ?? "" }
        return
            "\(stub.request.url) \(stub.request.headerFields.combined) \(stub.response.head?.headerFields.combined ?? [:]) \(body)"
    }

    @Test(arguments: [BodyEncoding.base64, .readable])
    func `generated JSON that is redacted, written and read is still matched`(bodyEncoding: BodyEncoding) throws {
        var generator = Generator(seed: 8_259)
        let url = try #require(URL(string: "https://a.example/"))
        var jsonCount = 0
        for _ in 0..<300 {
            let type = GeneratedJSON.pick(
                ["application/json", "application/problem+json", "text/plain", nil],
                &generator
            )
            let request = StubRequest(
                method: "POST",
                url: url,
                headers: type.map { ["Content-Type": $0] } ?? [:],
                body: Data(GeneratedJSON.text(&generator).utf8)
            )
            let redactor = Redactor(.standard, environment: [:])
            let stub = redactor.redact(
                Stub(request: request, response: StubResponse(head: ResponseHead(statusCode: 200)))
            )
            let written = StubFileDocument(entries: [.init(rendering: stub, bodyEncoding: bodyEncoding)])
            let read = try #require(StubFileDocument(written.data).entries.first).stub.request
            #expect(
                read.answers(request),
                "\(RedactorTests.text(Stub(request: request, response: stub.response)))"
            )
            if JSONValue(request.body ?? Data()) != nil { jsonCount += 1 }
        }
        #expect(jsonCount > 100)
    }
}

extension Stub {
    /// A stub whose response has a body, and header fields, for a user who has signed in.
    static func answer(_ body: String, fields: HeaderFields = [:]) -> Stub {
        Stub(
            request: StubRequest(
                url: URL(string: "https://api.example.com/v1")!,
                headers: ["Authorization": "Bearer REDACTED-token-1"]
            ),
            response: StubResponse(head: ResponseHead(statusCode: 200, headers: fields), body: Data(body.utf8))
        )
    }

    /// The response's body as text.
    var body: String { String(decoding: response.bytes ?? Data(), as: UTF8.self) }
}
