import Foundation
import Testing

@_spi(Tools) @testable import StubbornNetwork

/// The search for known values before a stub is written.
struct StoredValueTests {
    @Test(arguments: PlantedSecret.all)
    func `a redacted recording is stored`(planted: PlantedSecret) throws {
        let redactor = Redactor(.standard, environment: [:])
        try redactor.scan(redactor.redact(planted.stub), number: 0)
    }

    private static let plain = PlantedSecret.Values.plain
    private static let hex = PlantedSecret.Values.hex

    private static let value = "k9" + "Zx4Tq7Wm2Rb5Yp8"

    /// The ways in which a value may still be in a string.
    static let spellings = spellings(of: value)

    private static func spellings(of value: String) -> [(name: String, text: String)] {
        let bytes = Array(value.utf8)
        let percent = { (byte: UInt8) in "%" + String(byte, radix: 16) }
        let character = { (byte: UInt8) in String(decoding: [byte], as: UTF8.self) }
        let base64 = (0..<3).map { count in
            Data(Array("ab".utf8.prefix(count)) + bytes + Array("c".utf8)).base64EncodedString()
        }
        return [
            ("as it is", value),
            ("inside a word", "x\(value)y"),
            ("percent-encoded", bytes.map(percent).joined()),
            (
                "partly percent-encoded",
                bytes.enumerated().map { $0 == 0 || $0 == 11 ? percent($1) : character($1) }.joined()
            ),
            ("in hexadecimal digits", bytes.map { String($0, radix: 16) }.joined()),
            ("behind an odd digit", "a" + bytes.map { String($0, radix: 16) }.joined()),
            ("in base64", base64[0]), ("in base64, second alignment", base64[1]),
            ("in base64, third alignment", base64[2]),
            ("in base64 inside a word", "x" + base64[0]),
            (
                "in base64 for URLs",
                Data("??>\(value)??>".utf8).base64EncodedString()
                    .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            ),
        ]
    }

    @Test func `a value that is recognized just before a stub is written is replaced in it`() throws {
        let redactor = Redactor(.standard, environment: [:])
        let early = redactor.redact(.answer(#"{"note":"\#(Self.value)"}"#))
        #expect(early.body.contains(Self.value))
        _ = redactor.redact(.answer(#"{"password":"\#(Self.value)"}"#))
        #expect(throws: StubbornNetworkError.self) { try redactor.scan(early, number: 0) }
        let stored = try redactor.scanned(early, number: 0)
        #expect(stored.body == #"{"note":"REDACTED-password-1"}"#)
        #expect(try redactor.scanned(stored, number: 0) == stored)
    }

    @Test(arguments: spellings)
    func `a value that was replaced stops the recording where it is still there`(name: String, text: String) throws {
        let redactor = Redactor(.standard, environment: [:])
        _ = redactor.redact(Stub.answer(#"{"password":"\#(Self.value)"}"#))
        let error = #expect(throws: StubbornNetworkError.self) { try redactor.scan(.answer("<\(text)>"), number: 0) }
        #expect(error?.code == .secretInRecording)
        #expect(
            error?.message
                == "Nothing was stored: the response body still contains a value that was replaced elsewhere (password, rule "
                + "password-fields). If it is not a secret: .excluding(.passwordFields)."
        )
    }

    @Test(arguments: spellings)
    func `a value that was replaced is replaced in every spelling, and nothing around it`(name: String, text: String) {
        let redactor = Redactor(.standard, environment: [:])
        _ = redactor.redact(Stub.answer(#"{"password":"\#(Self.value)"}"#))
        for (start, end) in [("{\"a\": \"<", ">\", \"b\": 1}"), ("", "")] {
            let stub = redactor.redactAgain(.answer(start + text + end))
            #expect(stub.body.hasPrefix(start) && stub.body.hasSuffix(end))
            #expect(SpellingSearch(secret: Self.value).trail(in: stub.body) == nil, "\(stub.body)")
            #expect(redactor.redactAgain(stub) == stub)
        }
    }

    @Test func `a word that is a part of a longer word is not a secret`() throws {
        let redactor = Redactor(.standard, environment: [:])
        _ = redactor.redact(Stub.answer(#"{"password":"correcthorsebattery"}"#))
        try redactor.scan(.answer("correcthorsebatterystaple"), number: 0)
        #expect(throws: StubbornNetworkError.self) { try redactor.scan(.answer("a correcthorsebattery b"), number: 0) }
    }

    @Test(arguments: [
        "sk" + "_test_" + "4eC39HqLyjWDarjtT1zdp7dc:", "sk" + "_live_" + "4eC39HqLyjWDarjtT1zdp7dc:",
        "ghp" + "_" + "16C7e42F292c6912E7710c838347Ae178B4a:x-oauth-basic",
        "SK" + "16c7e42f292c6912e7710c838347ae17:k9Zx4Tq7Wm2Rb5Yp8Lc3", "user:" + value,
    ])
    func `the keys that services take as a user name can be recorded`(credentials: String) throws {
        let redactor = Redactor(.standard, environment: [:])
        let encoded = Data(credentials.utf8).base64EncodedString()
        let request = StubRequest(
            url: try #require(URL(string: "https://api.example.com/v1/charges")),
            headers: ["Authorization": "Basic \(encoded)"]
        )
        let stub = redactor.redact(Stub(request: redactor.redact(request), response: .status(200)))
        try redactor.scan(stub, number: 0)
        let stored = try #require(stub.request.headerFields["Authorization"]).dropFirst(6)
        let decoded = String(decoding: try #require(Data(base64Encoded: String(stored))), as: UTF8.self)
        #expect(decoded.contains("REDACTED") || decoded.contains("5ec2e7"))
        for part in credentials.split(separator: ":") where part.count > 15 { #expect(!decoded.contains(part)) }
    }

    @Test func `a compressed request body that cannot be read is replaced as a whole`() throws {
        func stored(_ redaction: Redaction) throws -> Data? {
            let request = StubRequest(
                method: "POST",
                url: try #require(URL(string: "https://x.example/")),
                headers: ["Content-Encoding": "br"],
                body: Data([0x0B, 0x02, 0x80, 0x61, 0x62, 0x63, 0x03])
            )
            let redactor = Redactor(redaction, environment: [:])
            let stub = redactor.redact(Stub(request: request, response: .status(200)))
            try redactor.scan(stub, number: 0)
            #expect(
                redactor.report.replacements.map(\.rule)
                    == (redaction.has(.compressedBodies) ? ["compressed-bodies"] : [])
            )
            return stub.request.body
        }
        #expect(try stored(.standard) == Data("REDACTED-body-1".utf8))
        #expect(try stored(.standard.excluding(.compressedBodies))?.count == 7)
    }

    @Test(arguments: [
        ["Set-Cookie": "SSESSc63b1a294f8366a7791e32a5445d8b82=\(hex); Path=/"],
        ["Cookie": "a=1; wordpress_logged_in_c63b1a294f8366a7791e32a5445d8b82=\(hex); lang=en"],
    ])
    func `the name of a cookie may look random`(fields: HeaderFields) throws {
        let redactor = Redactor(.standard, environment: [:])
        let redacted = redactor.redact(Stub.answer("", fields: fields))
        #expect(!"\(redacted)".contains(Self.hex))
        try redactor.scan(redacted, number: 0)
    }

    @Test(arguments: [
        "if a->password>abc123def456 then", "password: abc123def456x", #"{"password":"two words 123"}"#,
        #"{"password":"REDACTED-password-1"}"#, #"{"myPasswordless2":"abc123def456ghi789"}"#,
        #"{"commit":"6dcb09b5b57875f334f61aebed695e2e4193db5e"}"#,
    ])
    func `text that only resembles a secret is stored`(text: String) throws {
        #expect(throws: Never.self) { try Redactor(.standard).scan(.answer(text), number: 0) }
    }

    @Test func `an invalid regular expression prevents recordings from being stored`() {
        let redactor = Redactor(.standard.including(patterns: ["(unclosed"]), environment: [:])
        #expect(throws: StubbornNetworkError.self) { try redactor.scan(.answer(""), number: 0) }
    }

    @Test func `excluded rules and names are left alone`() throws {
        let stub = Stub.answer(#"{"password":"abc123def456ghi789","pin":"4711x","token":"xyz123abc"}"#)
        func body(_ redaction: Redaction) throws -> String {
            let redactor = Redactor(redaction, environment: [:])
            let redacted = redactor.redact(stub)
            try redactor.scan(redacted, number: 0)
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

    @Test func `what was replaced and what was left is listed`() throws {
        let redactor = Redactor(.standard, environment: [:])
        let request = StubRequest(
            method: "POST",
            url: URL(string: "https://x.example/login?page=2")!,
            headers: ["Cookie": "sid=\(Self.hex)"],
            body: Data(#"{"password":"\#(Self.plain)"}"#.utf8)
        )
        let body = #"{"seal":"6dcb09b5b57875f334f61aebed695e2e4193db5e","same":["\#(Self.plain)","\#(Self.plain)"]}"#
        let response = StubResponse(head: ResponseHead(statusCode: 200), body: Data(body.utf8))
        let stub = redactor.redact(Stub(request: redactor.redact(request), response: response))
        try redactor.scan(stub, number: 0)
        #expect(
            redactor.report.description == """
                3 fields were replaced:
                  request header Cookie, cookie (cookies): POST https://x.example/login, 5ec2e700000000000000000000000001
                  request body, password (password-fields): POST https://x.example/login, REDACTED0000000000002
                  response body, password (password-fields): POST https://x.example/login, REDACTED0000000000002
                1 field looks random and was kept:
                  response body, seal: POST https://x.example/login, 6dcb… (40 characters)
                """
        )
        #expect(redactor.report.replacements.map(\.count) == [1, 1, 2])
        #expect(!redactor.report.description.contains(Self.plain))
        let json = try JSONEncoder().encode(redactor.report)
        #expect(try JSONDecoder().decode(RedactionReport.self, from: json) == redactor.report)
    }
}
