import Foundation
import Testing

@testable import StubbornNetwork

/// Secrets in bodies that are no text: CBOR, MessagePack, binary property lists, and gzip.
struct BinaryBodyTests {
    private static func stub(_ format: BinaryFormat, _ data: Data) -> Stub {
        let fields: HeaderFields = ["Content-Type": format.contentType]
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

    @Test(arguments: BinaryFormat.allCases)
    func `no secret of a generated document is in what is stored, and the rest of it is`(format: BinaryFormat) throws {
        var generator = Generator(seed: 8)
        for _ in 0..<150 {
            var secrets: [String] = []
            let value = BinaryValue.map([
                ("a", GeneratedBinary.value(depth: 4, &secrets, &generator)), ("end", .text("an ordinary end")),
                ("b", GeneratedBinary.value(depth: 4, &secrets, &generator)),
            ])
            let stub = Self.stub(format, format.data(value))
            let redactor = Redactor(.standard)
            let redacted = redactor.redact(stub)
            try redactor.scan(redacted)
            for body in [redacted.request.body, redacted.response.bytes].compactMap(\.self) {
                for secret in secrets { #expect(SpellingSearch(secret: secret).trail(in: body) == nil) }
                #expect(secrets.isEmpty == (body == stub.request.body))
                let text = body.withBytes { WrappedText($0, type: format.contentType) }
                #expect(text?.isWhole == true)
                #expect(text.map { String(decoding: $0.text, as: UTF8.self) }?.contains("an ordinary end") == true)
                guard format == .propertyList else { continue }
                _ = try PropertyListSerialization.propertyList(from: body, options: [], format: nil)
            }
        }
    }

    @Test(arguments: BinaryFormat.allCases)
    func `raw bytes, numbers and texts in UTF-16 are replaced, and another of each matches`(format: BinaryFormat) throws
    {
        func stub(_ key: [UInt8], _ pin: Int, _ password: String) -> Stub {
            // One key in each map: Foundation writes the keys of a property list in another order each time.
            return Self.stub(
                format,
                format.data(
                    .list([
                        .map([("apiKey", .bytes(key))]), .map([("pin", .number(pin))]),
                        .map([("password", .text(password))]), .map([("name", .text("Ann"))]),
                        .map([("bytes", .bytes([0xFE, 0xFF, 0]))]),
                    ])
                )
            )
        }
        let key = (0..<32).map { UInt8(truncatingIfNeeded: 200 + $0 * 7) }
        let recorded = stub(key, 48_291_377, "пароль-9f8e7d6c")
        let redactor = Redactor(.standard)
        let redacted = redactor.redact(recorded)
        try redactor.scan(redacted)
        let body = try #require(redacted.request.body)
        #expect(body.range(of: Data(key)) == nil)
        let text = try #require(body.withBytes { WrappedText($0, type: format.contentType)?.text })
        #expect(
            String(decoding: text, as: UTF8.self)
                == #"[{"apiKey":"REDACTED0000000000000000000000000000000001A="},{"pin":99999999},{"password":"REDACTED-password-1"},{"name":"Ann"},{"bytes":"/v8A"}]"#
        )
        #expect(redactor.redact(redacted) == redacted)
        let another = stub(key.reversed() + key, 1_357_913, "another and longer one")
        #expect(redacted.request.answers(another.request))
        #expect(!recorded.request.answers(another.request))
    }

    @Test(arguments: BinaryFormat.allCases)
    func `ordinary documents are stored and compared as they are`(format: BinaryFormat) throws {
        let value = BinaryValue.map([
            ("id", .number(42)), ("temperature", .fraction(21.5)), ("photo", .bytes((0...255).map { $0 })),
            ("names", .list([.text("Zoë"), .text("an ordinary sentence"), .truth(false)])),
            ("max_tokens", .number(4096)),
            ("page", .map([("next_page_token", .text("CAUQAA9f8a7b6c"))])),
        ])
        let stub = Self.stub(format, format.data(value))
        let redactor = Redactor(.standard)
        #expect(redactor.redact(stub) == stub)
        try redactor.scan(stub)
        #expect(Redaction.standard.namelessForm(of: stub) == stub)
    }

    @Test func `text that claims to be binary is read as text`() {
        let redactor = Redactor(.standard)
        for type in ["application/cbor", "application/x-msgpack"] {
            let stub = Self.answer(type, Data(#"{"password":"abc123def456"}"#.utf8))
            #expect(redactor.redact(stub).body == #"{"password":"REDACTED-password-1"}"#)
        }
    }

    @Test(arguments: [BinaryFormat.cbor, .messagePack])
    func `a document that is cut off is searched as far as it goes, and listed`(format: BinaryFormat) throws {
        let whole = format.data(.map([("access_token", .text("xyz123uvw456xyz123uvw456")), ("rest", .number(1_000))]))
        for length in 1..<whole.count {
            let redactor = Redactor(.standard)
            let redacted = redactor.redact(Self.answer(format.contentType, whole.prefix(length)))
            try redactor.scan(redacted)
            #expect(redacted.response.bytes?.range(of: Data("xyz123".utf8)) == nil)
            #expect(redactor.report.description.contains("response body (not read to its end)"))
        }
    }

    @Test(arguments: BinaryFormat.allCases)
    func `a secret that was not replaced in a document stops the recording`(format: BinaryFormat) {
        let password = "s3cr" + "et-Va1ue-9f8e7d6c"
        let value = BinaryValue.map([("user", .map([("password", .text(password))]))])
        let redactor = Redactor(.standard)
        _ = redactor.redact(.answer(#"{"password":"\#(password)"}"#))
        let error = #expect(throws: StubbornNetworkError.self) {
            try redactor.scan(Self.answer(format.contentType, format.data(value)))
        }
        #expect(error?.message.contains("the response body still holds a value") == true)
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
        return Data(head + body + [0, 0, 0, 0] + BinaryFormat.bigEndian(UInt64(data.count), 4).reversed())
    }
}
