import Foundation
import Testing

@testable import StubbornNetwork

struct BodyFormatTests {
    @Test(
        arguments: [
            (#"{"a":1}"#, "application/json", .json), (#"{"a":1}"#, nil, .json), ("\u{FEFF} [1]", nil, .json),
            (#"{"a":1}"#, "text/plain", .json), (#"{"a":1}"#, "application/x-www-form-urlencoded", .json),
            (#"{"a":1}"#, "application/x-amz-json-1.1", .json), ("<p>Sorry</p>", "application/json", .markup),
            ("5", "application/problem+json", .jsonScalar), ("5", nil, .text), ("5", "text/plain", .text),
            ("{}\n{}", "application/x-ndjson", .jsonLines), ("data: {}", "text/event-stream", .events),
            ("data: {}", nil, .events), ("data: {}", "text/plain", .text), (#"{"a":1}"#, "text/event-stream", .events),
            ("a=1&b=2", "application/x-www-form-urlencoded", .form), ("a=1&b=2", nil, .text),
            ("--b\r\n\r\n\u{0}", "multipart/form-data; boundary=b", .multipart(boundary: "b")),
            ("--b", "multipart/form-data", .multipart(boundary: "")), (" <a/>", nil, .markup),
            ("{\u{0}", "application/json", .binary), ("", nil, .text), ("", "text/event-stream", .events),
        ] as [(String, String?, BodyFormat.Kind)]
    )
    func `a body has the format that its content shows, or else the one of its content type`(
        body: String,
        type: String?,
        kind: BodyFormat.Kind
    ) {
        #expect(BodyFormat(Data(body.utf8), type: type.map { ContentType($0) }).kind == kind)
    }

    @Test func `UTF-16 and compressed bodies are binary`() {
        #expect(BodyFormat(Data("{\u{0}\"\u{0}".utf8)).kind == .binary)
        #expect(BodyFormat(Data([0x1F, 0x8B, 8, 0, 0, 0])).kind == .binary)
    }
}
