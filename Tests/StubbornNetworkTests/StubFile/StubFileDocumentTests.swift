import Foundation
import StubbornNetworkTooling
import Testing

@testable import StubbornNetwork

struct StubFileDocumentTests {
    static let example = """
        [
          {
            "data" : "YWJj",
            "request" : {
              "headerFields" : [ "Accept-Encoding[:::]br, gzip, deflate" ],
              "method" : "POST",
              "requestData" : "eyJpZCI6NDJ9",
              "url" : "https://api.abc.com"
            },
            "response" : {
              "headerFields" : [ "Content-Type[:::]text/xml; charset=utf-8" ],
              "statusCode" : 200
            }
          }
        ]

        """

    static func exampleStub() throws -> Stub {
        Stub(
            request: StubRequest(
                method: "POST",
                url: try URL.parsed("https://api.abc.com"),
                headers: ["Accept-Encoding": "br, gzip, deflate"],
                body: Data(#"{"id":42}"#.utf8)
            ),
            response: .status(200, ["Content-Type": "text/xml; charset=utf-8"], body: "abc")
        )
    }

    @Test(
        arguments: [
            ("stub", StubFileKey.OfStub.allCases.map(\.rawValue)),
            ("request", StubFileKey.OfRequest.allCases.map(\.rawValue)),
            ("response", StubFileKey.OfResponse.allCases.map(\.rawValue)),
            ("error", StubFileKey.OfError.allCases.map(\.rawValue)),
            ("timing", StubFileKey.OfTiming.allCases.map(\.rawValue)),
        ]
    )
    func `the keys of the format are known in the object that they are for`(object: String, keys: [String]) {
        #expect(StubFileKey.known[object] == Set(keys))
    }

    @Test func `the example file is read`() throws {
        let document = try StubFileDocument(Self.example)
        #expect(try document.entries.map(\.stub) == [Self.exampleStub()])
        #expect(document.entries.map(\.line) == [2])
    }

    @Test func `the example stub is written as the example file`() throws {
        let entry = StubFileEntry(rendering: try Self.exampleStub(), bodyEncoding: .base64)
        #expect(StubFileDocument(entries: [entry]).text == Self.example)
        #expect(entry.line == nil)
    }

    @Test func `a file in our shape is written again byte for byte`() throws {
        let document = try StubFileDocument(Self.example)
        #expect(document.text == Self.example)
        let twice = StubFileDocument(entries: document.entries + document.entries)
        #expect(try StubFileDocument(twice.text).text == twice.text)
        #expect(try StubFileDocument(twice.text).entries.map(\.line) == [2, 15])
    }

    @Test func `a document without stubs is an empty array`() throws {
        #expect(StubFileDocument().text == "[]\n")
        #expect(try StubFileDocument(" [ \n ] ").entries.isEmpty)
    }

    @Test func `optional values are written only if they are set`() throws {
        var response = StubResponse(
            failure: StubFailure(domain: "NSURLErrorDomain", code: -1005, description: "The connection \"broke\"."),
            head: ResponseHead(
                statusCode: 206,
                headers: ["set-cookie": "b=2", "Date": "now", "Set-Cookie": "a=1"],
                url: try URL.parsed("https://a.example/2")
            ),
            body: Data()
        )
        response.pace = Pace(
            secondsToFirstByte: 0.12,
            chunks: [Pace.Chunk(seconds: 0, length: 1024), Pace.Chunk(seconds: 0.25, length: 80)],
            bytesPerSecond: 5
        )
        let stub = try Stub.get("https://a.example/1?q=%C3%BC", response)
        let entry = StubFileEntry(rendering: stub, bodyEncoding: .base64)
        #expect(
            entry.text == #"""
                {
                    "data" : "",
                    "error" : {
                      "code" : -1005,
                      "description" : "The connection \"broke\".",
                      "domain" : "NSURLErrorDomain"
                    },
                    "request" : {
                      "method" : "GET",
                      "url" : "https://a.example/1?q=%C3%BC"
                    },
                    "response" : {
                      "headerFields" : [
                        "Date[:::]now",
                        "set-cookie[:::]b=2",
                        "Set-Cookie[:::]a=1"
                      ],
                      "statusCode" : 206,
                      "url" : "https://a.example/2"
                    },
                    "timing" : {
                      "chunks" : [
                        [ 0.0, 1024 ],
                        [ 0.25, 80 ]
                      ],
                      "firstByte" : 0.12
                    }
                  }
                """#
        )
    }

    @Test func `readable bodies are JSON, or lines of text, or base64`() throws {
        func body(_ body: Data, _ type: String) throws -> String {
            let stub = Stub(
                request: StubRequest(method: "PUT", url: try URL.parsed("http://a"), body: body),
                response: StubResponse(head: ResponseHead(statusCode: 200, headers: ["Content-Type": type]))
            )
            let text = StubFileEntry(rendering: stub, bodyEncoding: .readable).text
            return text.components(separatedBy: "\"PUT\",\n      ")[1].components(separatedBy: ",\n      \"url\"")[0]
        }
        #expect(
            try body(Data(#"{"b":1.50,"a":[true,{}],"c":[]}"#.utf8), "") == """
                "requestJSON" : {
                        "b" : 1.50,
                        "a" : [
                          true,
                          {}
                        ],
                        "c" : []
                      }
                """
        )
        #expect(
            try body(Data("one\r\ntwo\n".utf8), "") == #"""
                "requestText" : [
                        "one\r",
                        "two",
                        ""
                      ]
                """#
        )
        #expect(try body(Data("one".utf8), "") == #""requestText" : [ "one" ]"#)
        #expect(try body(Data([0xFF, 0xFE]), "") == #""requestData" : "//4=""#)
        #expect(try body(Data("a\u{0}b".utf8), "") == #""requestData" : "YQBi""#)
        #expect(try body(Data(), "") == #""requestData" : """#)
    }

    @Test(arguments: [
        (#"5"#, "text/plain", "text"),
        (#"5"#, "application/json; charset=utf-8", "json"),
        (#""a""#, "application/problem+json", "json"),
        (#"null"#, "application/json", "text"),
        (#"[1,]"#, "application/json", "text"),
        (#"["\ud800"]"#, "application/json", "text"),
        ("\u{FEFF}[1]", "application/json", "text"),
        ("{ }", "text/plain", "json"),
        (String(repeating: "[", count: 510) + String(repeating: "]", count: 510), "text/plain", "json"),
    ])
    func `a body is written as JSON, text or base64`(body: String, type: String, expected: String) throws {
        let stub = try Stub.get("http://a", .status(200, fields(type), body: body))
        #expect(stub.bodyKeys() == [expected])
        #expect(stub.bodyKeys(.base64) == ["data"])
    }

    @Test(arguments: [
        ("[ ]", "application/json", "requestJSON"), ("[ ]", "application/x-www-form-urlencoded", "requestJSON"),
        ("[]", "text/plain", "requestJSON"), ("[ ]", "text/plain", "requestJSON"), ("[ ]", "", "requestJSON"),
        (" 5", "application/json", "requestJSON"), ("5", "text/plain", "requestText"),
    ])
    func `a request body is stored as JSON where its white space has no meaning`(
        body: String,
        type: String,
        expected: String
    ) throws {
        let url = try URL.parsed("http://a")
        let request = StubRequest(method: "POST", url: url, headers: fields(type), body: Data(body.utf8))
        #expect(Stub(request: request, response: .status(204)).bodyKeys() == [expected])
    }

    private func fields(_ type: String) -> HeaderFields { type.isEmpty ? [:] : ["content-type": type] }

    @Test func `each stub of a large file has its line`() throws {
        let stub = #"{"request":{"url":"http://a/","method":"GET"},"response":{"statusCode":200}}"#
        let text = "[\n" + Array(repeating: "\n\(stub)", count: 4_000).joined(separator: ",\n") + "\n]"
        let lines = try StubFileDocument(text).entries.map(\.line)
        #expect(lines == (0..<4_000).map { 3 + 2 * $0 })
    }

    @Test func `a multipart body is readable text, or base64 if one of its parts is not text`() throws {
        for (part, key) in [(Data("title".utf8), "requestText"), (Data([0, 255]), "requestData")] {
            let body = Data("--B\r\nA: b\r\n\r\n".utf8) + part + Data("\r\n--B--\r\n".utf8)
            let fields: HeaderFields = ["Content-Type": "multipart/form-data; boundary=B"]
            let request = StubRequest(method: "POST", url: try URL.parsed("http://a"), headers: fields, body: body)
            let stub = Stub(request: request, response: StubResponse(head: ResponseHead(statusCode: 204)))
            let text = StubFileEntry(rendering: stub, bodyEncoding: .readable).text
            #expect(text.contains("\"\(key)\" : "))
            #expect(try StubFileDocument("[\(text)]").entries.map(\.stub) == [stub])
        }
    }

    @Test func `a readable form has a field on each line`() throws {
        let form = "grant_type=password&user=ada%20l&&scope=read+write&"
        let stub = Stub(
            request: StubRequest(
                method: "POST",
                url: try URL.parsed("http://a/token"),
                headers: ["Content-Type": "application/x-www-form-urlencoded; charset=utf-8"],
                body: Data(form.utf8)
            ),
            response: StubResponse(head: ResponseHead(statusCode: 204))
        )
        let text = StubFileEntry(rendering: stub, bodyEncoding: .readable).text
        #expect(
            text.contains(
                """
                      "requestForm" : [
                        "grant_type=password",
                        "user=ada%20l",
                        "",
                        "scope=read+write",
                        ""
                      ],
                """
            )
        )
        #expect(try StubFileDocument("[\(text)]").entries.map(\.stub) == [stub])
    }

    @Test func `keys of people and white space of a stub are kept`() throws {
        let element =
            #"{"x-a":[1, 2 ],"request":{"url":"http:\/\/a\/","method":"GET" , "comment":null},"response":{"statusCode":2e2} }"#
        let document = try StubFileDocument("\u{FEFF}[\n\n\(element) ]")
        #expect(document.entries.map(\.text) == [element])
        #expect(document.entries.map(\.line) == [3])
        #expect(try document.entries.map(\.stub) == [Stub.get("http://a/", .status(200))])
        #expect(document.text == "[\n  \(element)\n]\n")
    }
}
