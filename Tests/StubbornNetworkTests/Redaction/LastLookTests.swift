import Foundation
import Testing

@testable import StubbornNetwork

struct LastLookTests {
    @Test(arguments: PlantedSecret.all)
    func `the last look accepts a redacted recording`(planted: PlantedSecret) throws {
        let redactor = Redactor(.standard, environment: [:])
        try redactor.scan(redactor.redact(planted.stub))
    }

    private static let plain = PlantedSecret.Values.plain
    private static let hex = PlantedSecret.Values.hex

    @Test(arguments: [
        (Stub.answer("it is \(PlantedSecret.Values.gitHub)"), "github-tokens", "response body"),
        (.answer("key=\(PlantedSecret.Values.amazon);"), "aws-keys", "response body"),
        (.answer(PlantedSecret.Values.pem), "private-keys", "response body"),
        (.answer("x \(PlantedSecret.Values.jwt)"), "jwt", "response body"),
        (.answer(#"{"password" : "\#(plain)"}"#), "password-fields", "response body, password"),
        (.answer(#"{"user":{"keys":[1,{"apiKey":"\#(plain)"}]}}"#), "key-fields", "response body, apiKey"),
        (.answer(#"{"tokens":{"a":{"b":"\#(hex)"}}}"#), "token-fields", "response body, b"),
        (.answer("a=1&password=\(plain)"), "password-fields", "response body, password"),
        (.answer("<r><password>\(plain)</password>"), "password-fields", "response body, password"),
        (.answer("\u{0}\u{1}\(PlantedSecret.Values.stripe)\u{0}"), "stripe-keys", "response body"),
        (
            .answer(#"{"blob":"\#(PlantedExchange.base64("{\"token\":\"\(hex)\"}"))"}"#), "token-fields",
            "response body, blob, token"
        ),
        (
            .answer("", fields: ["X": "1", "Authorization": "Bearer \(hex)"]), "headers",
            "response header Authorization"
        ),
        (.answer("", fields: ["Set-Cookie": "sid=\(hex); Path=/"]), "cookies", "response header Set-Cookie"),
        (.answer("Bearer \(hex)"), "bearer", "response body"),
        (address("https://ann:pa55word@x.example/"), "user-info", "request URL"),
        (address("https://x.example/?to=%20\(PlantedSecret.Values.gitHub)"), "github-tokens", "request URL, to"),
    ])
    func `a secret that was not replaced stops the recording`(stub: Stub, rule: String, part: String) throws {
        let redactor = Redactor(.standard, environment: [:])
        // `password-fields` is `.passwordFields`.
        let words = rule.replacingOccurrences(of: "github", with: "git-hub").split(separator: "-").map(String.init)
        let code = words[0] + words.dropFirst().map(\.capitalized).joined()
        let error = #expect(throws: StubbornNetworkError.self) { try redactor.scan(stub) }
        #expect(error?.code == .secretInRecording)
        #expect(
            error?.message
                == "Nothing was stored: the recording holds what looks like a secret in the \(part) (rule \(rule)). To have it replaced, "
                + "name its field, its form or itself: .including(headers:queryItems:jsonKeys:formFields:patterns:values:). "
                + "If it is none: .excluding(.\(code))."
        )
        let excluded = try #require(Redaction.Rule.all.first { $0.description == rule })
        let excluding = Redactor(.standard.excluding(excluded, .bearer), environment: [:])
        #expect(throws: Never.self) { try excluding.scan(stub) }
    }

    @Test(arguments: [
        ["Set-Cookie": "SSESSc63b1a294f8366a7791e32a5445d8b82=\(hex); Path=/"],
        ["Cookie": "a=1; wordpress_logged_in_c63b1a294f8366a7791e32a5445d8b82=\(hex); lang=en"],
    ])
    func `the name of a cookie may look random`(fields: HeaderFields) throws {
        let redactor = Redactor(.standard, environment: [:])
        let redacted = redactor.redact(Stub.answer("", fields: fields))
        #expect(!"\(redacted)".contains(Self.hex))
        try redactor.scan(redacted)
    }

    private static func address(_ url: String) -> Stub {
        Stub(request: StubRequest(url: URL(string: url)!), response: StubResponse(head: ResponseHead(statusCode: 200)))
    }

    @Test(arguments: [
        "if a->password>abc123def456 then", "password: abc123def456x", #"{"password":"two words 123"}"#,
        #"{"password":"REDACTED-password-1"}"#, #"{"myPasswordless2":"abc123def456ghi789"}"#,
        #"{"commit":"6dcb09b5b57875f334f61aebed695e2e4193db5e"}"#,
    ])
    func `the last look accepts text that only resembles a secret`(text: String) throws {
        #expect(throws: Never.self) { try Redactor(.standard).scan(.answer(text)) }
    }

    @Test func `an invalid regular expression prevents recordings from being stored`() {
        let redactor = Redactor(.standard.including(patterns: ["(unclosed"]), environment: [:])
        #expect(throws: StubbornNetworkError.self) { try redactor.scan(.answer("")) }
    }

    @Test func `excluded rules and names are left alone`() throws {
        let stub = Stub.answer(#"{"password":"abc123def456ghi789","pin":"4711x","token":"xyz123abc"}"#)
        func body(_ redaction: Redaction) throws -> String {
            let redactor = Redactor(redaction, environment: [:])
            let redacted = redactor.redact(stub)
            try redactor.scan(redacted)
            return redacted.body
        }
        #expect(
            try body(.standard.excluding(.passwordFields))
                == #"{"password":"abc123def456ghi789","pin":"REDACTED-pin-1","token":"REDACTED-token-1"}"#
        )
        #expect(
            try body(.standard.excluding(.jsonKey("password"), .jsonKey("pin")))
                == #"{"password":"abc123def456ghi789","pin":"4711x","token":"REDACTED-token-1"}"#
        )
    }

    @Test func `a compressed request body is searched, or refused if it cannot be`() throws {
        func error(_ coding: String, _ body: Data) -> String? {
            let request = StubRequest(
                method: "POST",
                url: URL(string: "https://x.example/")!,
                headerFields: ["Content-Encoding": coding],
                body: body
            )
            do throws(StubbornNetworkError) {
                try Redactor(.standard).scan(Stub(request: request, response: .status(200)))
                return nil
            } catch {
                return error.message
            }
        }
        let json = Data(#"{"password":"\#(Self.plain)"}"#.utf8)
        #expect(error("gzip", StoredForm.gzip(json))?.contains("(rule password-fields)") == true)
        #expect(error("gzip", StoredForm.gzip(StoredForm.gzip(json)))?.contains("(rule password-fields)") == true)
        #expect(error("gzip", json)?.contains("(rule password-fields)") == true)
        #expect(error("gzip", StoredForm.gzip(Data("{}".utf8))) == nil)
        #expect(
            error("br", Data([0x0B, 0x02, 0x80, 0x61, 0x62, 0x63, 0x03]))
                == "Nothing was stored: the request body is compressed in a way that cannot be searched for "
                + "secrets (rule compressed-bodies). Have a BodyDataProcessor store it decompressed. If it holds no secret: "
                + ".excluding(.compressedBodies)."
        )
    }

    @Test func `what was replaced and what was left is listed`() throws {
        let redactor = Redactor(.standard, environment: [:])
        let request = StubRequest(
            method: "POST",
            url: URL(string: "https://x.example/login?page=2")!,
            headerFields: ["Cookie": "sid=\(Self.hex)"],
            body: Data(#"{"password":"\#(Self.plain)"}"#.utf8)
        )
        let body = #"{"sha":"6dcb09b5b57875f334f61aebed695e2e4193db5e","same":["\#(Self.plain)","\#(Self.plain)"]}"#
        let response = StubResponse(head: ResponseHead(statusCode: 200), body: Data(body.utf8))
        let stub = redactor.redact(Stub(request: redactor.redact(request), response: response))
        try redactor.scan(stub)
        #expect(
            redactor.report.description == """
                3 replaced:
                  POST https://x.example/login: request header Cookie, cookie (cookies), 1 × 5ec2e700000000000000000000000001
                  POST https://x.example/login: request body, password (password-fields), 1 × REDACTED0000000000002
                  POST https://x.example/login: response body, password (password-fields), 2 × REDACTED0000000000002
                1 looks random and was left:
                  POST https://x.example/login: response body, sha (40 characters)
                """
        )
        #expect(!redactor.report.description.contains(Self.plain))
        let json = try JSONEncoder().encode(redactor.report)
        #expect(try JSONDecoder().decode(RedactionReport.self, from: json) == redactor.report)
    }
}
