import Foundation
import Testing

@testable import StubbornNetwork

/// Secrets in bodies that are not texts: binary property lists, other binary formats, and gzip.
struct BinaryBodyTests {
    private static func stub(_ type: String, _ data: Data) -> Stub {
        let fields: HeaderFields = ["Content-Type": type]
        let url = URL(string: "https://x.example/")!
        return Stub(
            request: StubRequest(method: "POST", url: url, headerFields: fields, body: data),
            response: StubResponse(head: ResponseHead(statusCode: 200, headerFields: fields), body: data)
        )
    }

    private static func answer(_ type: String, _ data: Data) -> Stub {
        let head = ResponseHead(statusCode: 200, headerFields: ["Content-Type": type])
        return Stub(
            request: StubRequest(url: URL(string: "https://x.example/")!),
            response: StubResponse(head: head, body: data)
        )
    }

    // MARK: Property lists

    @Test func `no secret of a generated property list is in what is stored, and the rest of it is`() throws {
        var generator = Generator(seed: 8)
        for _ in 0..<150 {
            var secrets: [String] = []
            let value = BinaryValue.map([
                ("a", GeneratedBinary.value(depth: 4, &secrets, &generator)), ("end", .text("an ordinary end")),
                ("b", GeneratedBinary.value(depth: 4, &secrets, &generator)),
            ])
            let stub = Self.stub("application/x-plist", value.propertyList)
            let redactor = Redactor(.standard)
            let redacted = redactor.redact(stub)
            try redactor.scan(redacted)
            for body in [redacted.request.body, redacted.response.bytes].compactMap(\.self) {
                for secret in secrets { #expect(SpellingSearch(secret: secret).trail(in: body) == nil) }
                #expect(secrets.isEmpty == (body == stub.request.body))
                let text = body.withBytes { WrappedText($0) }
                #expect(text?.isWhole == true)
                #expect(text.map { String(decoding: $0.text, as: UTF8.self) }?.contains("an ordinary end") == true)
                _ = try PropertyListSerialization.propertyList(from: body, options: [], format: nil)
            }
        }
    }

    @Test func `raw bytes, numbers and texts in UTF-16 are replaced, and another of each matches`() throws {
        func stub(_ key: [UInt8], _ pin: Int, _ password: String) -> Stub {
            // One key in each map: Foundation writes the keys of a property list in another order each time.
            let list = BinaryValue.list([
                .map([("apiKey", .bytes(key))]), .map([("pin", .number(pin))]),
                .map([("password", .text(password))]), .map([("name", .text("Ann"))]),
                .map([("bytes", .bytes([0xFE, 0xFF, 0]))]),
            ])
            return Self.stub("application/x-plist", list.propertyList)
        }
        let key = (0..<32).map { UInt8(truncatingIfNeeded: 200 + $0 * 7) }
        let recorded = stub(key, 48_291_377, "пароль-9f8e7d6c")
        let redactor = Redactor(.standard)
        let redacted = redactor.redact(recorded)
        try redactor.scan(redacted)
        let body = try #require(redacted.request.body)
        #expect(body.range(of: Data(key)) == nil)
        let text = try #require(body.withBytes { WrappedText($0)?.text })
        #expect(
            String(decoding: text, as: UTF8.self)
                == #"[{"apiKey":"REDACTED0000000000000000000000000000000001A="},{"pin":99999999},{"password":"REDACTED-password-1"},{"name":"Ann"},{"bytes":"/v8A"}]"#
        )
        #expect(redactor.redact(redacted) == redacted)
        let another = stub(key.reversed() + key, 1_357_913, "another and longer one")
        #expect(redacted.request.answers(another.request))
        #expect(!recorded.request.answers(another.request))
    }

    @Test func `ordinary property lists are stored and compared as they are`() throws {
        let value = BinaryValue.map([
            ("id", .number(42)), ("temperature", .fraction(21.5)), ("photo", .bytes((0...255).map { $0 })),
            ("names", .list([.text("Zoë"), .text("an ordinary sentence"), .truth(false)])),
            ("max_tokens", .number(4096)),
            ("page", .map([("next_page_token", .text("CAUQAA9f8a7b6c"))])),
        ])
        let stub = Self.stub("application/x-plist", value.propertyList)
        let redactor = Redactor(.standard)
        #expect(redactor.redact(stub) == stub)
        try redactor.scan(stub)
        #expect(Redaction.standard.namelessForm(of: stub) == stub)
    }

    @Test func `a secret that was not replaced in a property list stops the recording`() {
        let password = "s3cr" + "et-Va1ue-9f8e7d6c"
        let value = BinaryValue.map([("user", .map([("password", .text(password))]))])
        let redactor = Redactor(.standard)
        _ = redactor.redact(.answer(#"{"password":"\#(password)"}"#))
        let error = #expect(throws: StubbornNetworkError.self) {
            try redactor.scan(Self.answer("application/x-plist", value.propertyList))
        }
        #expect(error?.message.contains("the response body still holds a value") == true)
    }

    // MARK: Formats that are not read

    @Test(arguments: [
        "tall-grey-mule-9", "correcthorsestaple", "k9Zx4Tq7Wm2Rb5Yp8Ls3Qw6Ev", "hQ7!x",
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    ])
    func `a value that is known is replaced in CBOR, which stays readable`(value: String) throws {
        let redactor = Redactor(.standard.including(values: [value]))
        let redacted = redactor.redact(Self.stub("application/cbor", BinaryValue.cbor("note", "it is \(value)")))
        try redactor.scan(redacted)
        for body in [redacted.request.body, redacted.response.bytes].compactMap(\.self) {
            let text = String(decoding: body, as: UTF8.self)
            #expect(value.count < 6 || !text.contains(value))
            #expect(text.contains("it is "))
            #expect(body.count == BinaryValue.cbor("note", "it is \(value)").count)
        }
    }

    @Test func `a password in CBOR that a form names is replaced, and another of the same length matches`() throws {
        let redactor = Redactor(.standard)
        _ = redactor.redact(.answer(#"{"password":"tallgreymules"}"#))
        let redacted = redactor.redact(Self.stub("application/cbor", BinaryValue.cbor("login", "tallgreymules")))
        try redactor.scan(redacted)
        let played = BinaryValue.cbor("login", "REDACTED00000")
        #expect(redacted.request.body == played)
        #expect(redacted.response.bytes == played)
        #expect(
            redacted.request.answers(Self.stub("application/cbor", BinaryValue.cbor("login", "smallredbirds")).request)
        )
        #expect(
            !redacted.request.answers(Self.stub("application/cbor", BinaryValue.cbor("logon", "smallredbirds")).request)
        )
    }

    @Test(arguments: ["application/cbor", "application/x-protobuf"])
    func `what looks random in a format that is not read is listed`(type: String) throws {
        let redactor = Redactor(.standard)
        let stub = Self.answer(type, BinaryValue.cbor("access", "k9Zx4Tq7Wm2Rb5Yp8Ls3"))
        #expect(redactor.redact(stub) == stub)
        try redactor.scan(stub)
        #expect(redactor.report.description.contains("response body: GET https://x.example/, "))
    }

    // MARK: Compressed data

    private static let login = Data(#"{"user":"ann","access_token":"xyz123uvw456xyz123uvw456"}"#.utf8)

    private static func inflated(_ data: Data?) -> Data? {
        data?.withBytes { Inflation.inflate($0) }.map { Data($0) }
    }

    @Test(arguments: ["application/gzip", "application/json"])
    func `gzip in a body is searched, also twice, and stays gzip`(type: String) throws {
        let once = Self.deflated(Self.login)
        let redactor = Redactor(.standard)
        let first = redactor.redact(Self.answer(type, once))
        let expected = #"{"user":"ann","access_token":"REDACTED0000000000000001"}"#
        #expect(Self.inflated(first.response.bytes) == Data(expected.utf8))
        let twice = redactor.redact(Self.answer(type, Self.deflated(once)))
        #expect(Self.inflated(Self.inflated(twice.response.bytes)) == Data(expected.utf8))
        try redactor.scan(first)
        try redactor.scan(twice)
        #expect(throws: StubbornNetworkError.self) { try redactor.scan(Self.answer(type, Self.deflated(once))) }

        let inner = once.base64EncodedString()
        let nested = redactor.redact(.answer(#"{"state":"\#(inner)"}"#)).body
        let state = try #require(JSONSerialization.jsonObject(with: Data(nested.utf8)) as? [String: String])["state"]
        #expect(Self.inflated(state.flatMap { Data(base64Encoded: $0) }) == Data(expected.utf8))
    }

    @Test func `ordinary and damaged gzip stays as it is, and what cannot be read is listed`() throws {
        let redactor = Redactor(.standard)
        let ordinary = Self.answer("application/gzip", Self.deflated(Data("an ordinary text".utf8)))
        #expect(redactor.redact(ordinary) == ordinary)
        try redactor.scan(ordinary)
        #expect(redactor.report.description.isEmpty)
        let damaged = Self.answer("application/gzip", Self.deflated(Self.login).dropLast(20))
        #expect(redactor.redact(damaged) == damaged)
        try redactor.scan(damaged)
        #expect(redactor.report.description.contains("response body (not read to its end)"))
    }

    /// The data in gzip, by the fixed code alone (RFC 1951, section 3.2.6), so that no text can be read in it.
    private static func deflated(_ data: Data) -> Data {
        var bits: [Bool] = [true, true, false]
        func write(_ code: Int, _ count: Int) { bits += (0..<count).reversed().map { code >> $0 & 1 == 1 } }
        for byte in data { byte < 144 ? write(0x30 + Int(byte), 8) : write(0x190 + Int(byte) - 144, 9) }
        write(0, 7)
        let body = stride(from: 0, to: bits.count, by: 8).map { start in
            (0..<8).reduce(UInt8(0)) { $0 | (start + $1 < bits.count && bits[start + $1] ? 1 << UInt8($1) : 0) }
        }
        let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
        return Data(head + body + [0, 0, 0, 0] + BinaryValue.bigEndian(UInt64(data.count), 4).reversed())
    }
}
