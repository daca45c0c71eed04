import Foundation
import Testing

@testable import StubbornNetwork

struct RecordingScanTests {
    @Test(arguments: PlantedSecret.all)
    func `the scan accepts a redacted recording`(planted: PlantedSecret) throws {
        let redactor = Redactor(.standard, environment: [:])
        try redactor.scan(StoredForm.json([redactor.redact(planted.stub)]))
    }

    @Test(arguments: [
        (Stub.answer("it is \(PlantedSecret.Values.gitHub)"), "github-tokens", "[0].data"),
        (.answer("key=\(PlantedSecret.Values.amazon);"), "aws-keys", "[0].data"),
        (.answer(PlantedSecret.Values.pem), "private-keys", "[0].data"),
        (.answer("x \(PlantedSecret.Values.jwt)"), "jwt", "[0].data"),
        (.answer(#"{"password" : "\#(PlantedSecret.Values.plain)"}"#), "password-fields", "[0].data $.password"),
        (
            .answer(#"{"user":{"keys":[1,{"apiKey":"\#(PlantedSecret.Values.plain)"}]}}"#), "key-fields",
            "[0].data $.user.keys[1].apiKey"
        ),
        (.answer("a=1&password=\(PlantedSecret.Values.plain)"), "password-fields", "[0].data"),
        (.answer("<r><password>\(PlantedSecret.Values.plain)</password>"), "password-fields", "[0].data"),
        (.answer("{\"api_key\":\"\(PlantedSecret.Values.plain)\", cut"), "key-fields", "[0].data $.api_key"),
        (.answer("\u{0}\u{1}\(PlantedSecret.Values.stripe)\u{0}"), "stripe-keys", "[0].data"),
        (
            .answer("", fields: ["X": "1", "Authorization": "Bearer \(PlantedSecret.Values.hex)"]), "headers",
            "[0].response.headerFields[1]"
        ),
        (
            .answer("", fields: ["Set-Cookie": "sid=\(PlantedSecret.Values.hex); Path=/"]), "cookies",
            "[0].response.headerFields[0]"
        ),
        (.answer("Bearer \(PlantedSecret.Values.hex)"), "bearer", "[0].data"),
        (address("https://ann:pa55word@x.example/"), "user-info", "[0].request.url"),
        (address("https://x.example/?to=%20\(PlantedSecret.Values.gitHub)"), "github-tokens", "[0].request.url"),
    ])
    func `a secret that was not replaced stops the recording`(stub: Stub, rule: String, path: String) throws {
        let redactor = Redactor(.standard, environment: [:])
        let bytes = try StoredForm.json([stub])
        // `password-fields` is `.passwordFields`.
        let words = rule.replacingOccurrences(of: "github", with: "git-hub").split(separator: "-").map(String.init)
        let code = words[0] + words.dropFirst().map(\.capitalized).joined()
        let error = #expect(throws: StubbornNetworkError.self) { try redactor.scan(bytes) }
        #expect(error?.code == .secretInRecording)
        #expect(
            error?.message
                == "Nothing was stored: the recording holds what looks like a secret at \(path) (rule \(rule)). To have it replaced, "
                + "name its field or its form: .including(headers:queryItems:jsonKeys:formFields:patterns:). If it is none: "
                + ".excluding(.\(code))."
        )
        let excluded = try #require(Redaction.Rule.all.first { $0.description == rule })
        let excluding = Redactor(.standard.excluding(excluded, .bearer), environment: [:])
        #expect(throws: Never.self) { try excluding.scan(bytes) }
    }

    private static func address(_ url: String) -> Stub {
        Stub(request: StubRequest(url: URL(string: url)!), response: StubResponse(head: ResponseHead(statusCode: 200)))
    }

    @Test func `bodies stored as JSON are read by their keys`() {
        let scan = RecordingScan(.standard)
        let text =
            #"{"request":{"url":"https://x.example"},"json":{"list":[{"access_token":"\#(PlantedSecret.Values.plain)"}]}}"#
        #expect(
            text.withBytes { scan.finding(in: $0) } == .init(rule: .tokenFields, path: "json.list[0].access_token")
        )
    }

    @Test(arguments: [
        "if a->password>abc123def456 then", "password: abc123def456x", #"{"password":"two words 123"}"#,
        #"{"password":"REDACTED-password-1"}"#, #"{"my_password2":"abc123def456"}"#, "https://ann:password@x.example/",
    ])
    func `the scan accepts text that only resembles a secret`(text: String) throws {
        #expect(throws: Never.self) { try Redactor(.standard).scan(StoredForm.json([.answer(text)])) }
    }

    @Test func `an invalid regular expression prevents recordings from being stored`() {
        let redactor = Redactor(.standard.including(patterns: ["(unclosed"]), environment: [:])
        #expect(throws: StubbornNetworkError.self) { try redactor.scan(Data("[]".utf8)) }
    }

    @Test func `excluded rules and names are left alone`() throws {
        let stub = Stub.answer(#"{"password":"abc123def456","pin":"4711x","token":"xyz123abc"}"#)
        func body(_ redaction: Redaction) throws -> String {
            let redactor = Redactor(redaction, environment: [:])
            let redacted = redactor.redact(stub)
            try redactor.scan(StoredForm.json([redacted]))
            return redacted.body
        }
        #expect(
            try body(.standard.excluding(.passwordFields))
                == #"{"password":"abc123def456","pin":"REDACTED-pin-1","token":"REDACTED-token-1"}"#
        )
        #expect(
            try body(.standard.excluding(.jsonKey("password"), .jsonKey("pin")))
                == #"{"password":"abc123def456","pin":"4711x","token":"REDACTED-token-1"}"#
        )
    }

    @Test func `the scan searches a compressed request body, or refuses it if it cannot`() throws {
        let secret = PlantedSecret.Values.plain
        let scan = RecordingScan(.standard)
        func finding(_ coding: String, _ body: Data) -> RecordingScan.Finding? {
            let text =
                #"[{"request":{"headerFields":["Content-Encoding[:::]\#(coding)"],"requestData":"\#(body.base64EncodedString())"}}]"#
            return text.withBytes { scan.finding(in: $0) }
        }
        let json = Data(#"{"password":"\#(secret)"}"#.utf8)
        let path = "[0].request.requestData $.password"
        #expect(finding("gzip", StoredForm.gzip(json)) == .init(rule: .passwordFields, path: path))
        #expect(finding("gzip", json) == .init(rule: .passwordFields, path: path))
        #expect(finding("gzip", StoredForm.gzip(Data("{}".utf8))) == nil)
        let unknown = Data([0x0B, 0x02, 0x80, 0x61, 0x62, 0x63, 0x03])
        #expect(finding("br", unknown) == .init(rule: .compressedBodies, path: "[0].request.requestData"))
        let error = #expect(throws: StubbornNetworkError.self) {
            try scan.scan(
                Data(#"[{"request":{"headerFields":["Content-Encoding[:::]br"],"requestData":"CwKAYWJjAw=="}}]"#.utf8)
            )
        }
        #expect(
            error?.message
                == "Nothing was stored: the body at [0].request.requestData is compressed in a way that cannot be searched for "
                + "secrets (rule compressed-bodies). Have a BodyDataProcessor store it decompressed. If it holds no secret: "
                + ".excluding(.compressedBodies)."
        )
    }
}
