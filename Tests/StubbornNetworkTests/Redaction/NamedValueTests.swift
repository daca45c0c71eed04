import Foundation
import Testing

@testable import StubbornNetwork

/// A value that a user names is replaced wherever it is, whatever its length and its surroundings.
struct NamedValueTests {
    private static let values = [
        "hunter22", "admin123", "s3cr3t", "sunshine", "password", "48291", "4711", "9999", "Tr1x", "20260101",
        "sk_test_4eC39HqLyjWDarjtT1zdp7dc",
    ]

    private static let texts = [
        "Login failed for ann with password §", "<p>Hello §, welcome</p>", "<b>x§y</b>", #"{"note":"see § there"}"#,
        #"{"log":"{\"note\":\"see § there\"}"}"#, #"{"a":"§"}"#, "a=1&b=x§&c=2", "id: -§-", "%20§%20", "§",
    ]

    @Test(arguments: values, texts)
    func `it is replaced in every text`(value: String, text: String) throws {
        let redactor = Redactor(.standard.including(values: [value]), environment: [:])
        let body = text.replacingOccurrences(of: "§", with: value)
        let request = StubRequest(
            method: "POST",
            url: try #require(URL(string: "https://x.example/orders/\(value)/x\(value)?q=a\(value)b")),
            headers: ["X-Note": "for \(value), ann"],
            body: Data(body.utf8)
        )
        var stub = Stub.answer(body, fields: ["X-Note": "(\(value))"])
        stub.request = request
        let redacted = redactor.redact(stub)
        // A placeholder may have the letters of the value: `REDACTED-password-1`.
        let rest = RedactorTests.text(redacted).replacingOccurrences(of: "REDACTED-password-", with: "")
        #expect(!rest.contains(value), "\(rest)")
        try redactor.scan(redacted, number: 0)
        #expect(redactor.redactAgain(redacted) == redacted)
    }

    @Test(arguments: ["s3cr3t", "Tr1x-1", "48291-x"])
    func `it is replaced in base64`(value: String) throws {
        let redactor = Redactor(.standard.including(values: [value]), environment: [:])
        let text = Data("the word is \(value), ann".utf8).base64EncodedString()
        let body = try #require(redactor.redact(.answer(#"{"data":"\#(text)"}"#)).response.body)
        #expect(!String(decoding: body, as: UTF8.self).contains(text))
    }

    @Test func `a number that has it stays a number in a response, and becomes text in a request`() {
        let redactor = Redactor(.standard.including(values: ["4711"]), environment: [:])
        var stub = Stub.answer(#"{"a":4711,"b":147110,"c":[4711]}"#)
        stub.request.body = Data(#"{"a":4711,"b":"4711","c":[ 4711 ]}"#.utf8)
        let redacted = redactor.redact(stub)
        #expect(redacted.body == #"{"a":9999,"b":999999,"c":[9999]}"#)
        let sent = redacted.request.body.map { String(decoding: $0, as: UTF8.self) }
        #expect(
            sent == #"{"a":"REDACTED-value-1","b":"REDACTED-value-1","c":[ "REDACTED-value-1" ]}"#
        )
    }
}
