import Testing

@testable import StubbornNetwork

struct ContentTypeTests {
    @Test(arguments: [
        ("application/json", true), ("Application/JSON; charset=utf-8", true), (" application/json ", true),
        ("text/json", true), ("application/x-amz-json-1.1", true),
        ("application/problem+json", true), ("application/vnd.api+JSON;v=1", true), ("application/jsonp", false),
        ("application/json-seq", false), ("text/plain; x=application/json", false), ("", false),
    ])
    func `JSON is told by the type, in any case and with parameters`(field: String, isJSON: Bool) {
        #expect((ContentType(field).kind == .jsonScalar) == isJSON)
    }

    @Test(arguments: [
        "application/x-ndjson", "application/ndjson", "application/jsonl", "application/jsonlines",
        "application/stream+json",
    ])
    func `types of one JSON text in each line`(name: String) {
        #expect(ContentType(name).kind == .jsonLines)
        #expect(ContentType(name.uppercased() + "; charset=utf-8").kind == .jsonLines)
        #expect(ContentType("application/json").kind == .jsonScalar)
    }

    @Test func `forms and multipart bodies`() {
        #expect(ContentType("Application/X-WWW-Form-Urlencoded; charset=utf-8").kind == .form)
        #expect(ContentType("multipart/form-data; boundary=a").kind == .multipart(boundary: "a"))
        #expect(ContentType("Multipart/Related; boundary=a").isMultipart)
        #expect(!ContentType("application/multipart").isMultipart)
    }

    @Test(
        arguments: [
            ("multipart/mixed; boundary=a", "a"), ("multipart/mixed;BOUNDARY=\"a b\"", "a b"),
            ("multipart/mixed; boundary=a ", "a"),
            ("multipart/mixed; boundary=a=b", "a=b"), ("multipart/mixed; boundary", nil),
            ("multipart/mixed; a=\"x;boundary=y\"; boundary=\"b;c\"", "b;c"),
            ("multipart/mixed; xboundary=a", nil),
        ] as [(String, String?)]
    )
    func `the boundary is read without its quotation marks`(field: String, boundary: String?) {
        #expect(ContentType(field).boundary == boundary)
    }
}
