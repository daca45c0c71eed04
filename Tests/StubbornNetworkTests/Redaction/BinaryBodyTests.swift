import Foundation
import Testing

@testable import StubbornNetwork

/// Secrets in bodies that are not strings.
struct BinaryBodyTests {
    private static func stub(_ type: String, _ data: Data) -> Stub {
        let fields: HeaderFields = ["Content-Type": type]
        let url = URL(string: "https://x.example/")!
        return Stub(
            request: StubRequest(method: "POST", url: url, headers: fields, body: data),
            response: StubResponse(head: ResponseHead(statusCode: 200, headers: fields), body: data)
        )
    }

    private static func answer(_ type: String, _ data: Data) -> Stub {
        let head = ResponseHead(statusCode: 200, headers: ["Content-Type": type])
        return Stub(
            request: StubRequest(url: URL(string: "https://x.example/")!),
            response: StubResponse(head: head, body: data)
        )
    }

    // MARK: Formats that are not read

    @Test(arguments: [
        "tall-grey-mule-9", "correcthorsestaple", "k9Zx4Tq7Wm2Rb5Yp8Ls3Qw6Ev", "hQ7!x",
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    ])
    func `a value that is known is replaced in CBOR, which stays readable`(value: String) throws {
        let redactor = Redactor(.standard.including(values: [value]))
        let redacted = redactor.redact(Self.stub("application/cbor", BinaryValue.cbor("note", "it is \(value)")))
        try redactor.scan(redacted, number: 0)
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
        try redactor.scan(redacted, number: 0)
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
        try redactor.scan(stub, number: 0)
        #expect(redactor.report.description.contains("response body: GET https://x.example/, "))
    }
}
