import Foundation
import StubbornNetworkTooling
import Testing

@testable import StubbornNetwork

struct MultipartBodyTests {
    private let image = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00])

    private func stub(_ body: Data, type: String = "multipart/form-data; boundary=B") throws -> Stub {
        Stub(
            request: StubRequest(
                method: "POST",
                url: try URL.parsed("http://a/upload"),
                headerFields: ["Content-Type": type],
                body: body
            ),
            response: StubResponse(head: ResponseHead(statusCode: 204))
        )
    }

    private func form(_ parts: [(head: String, content: Data)], boundary: String = "B", end: String = "\r\n") -> Data {
        var body = Data()
        for (head, content) in parts {
            body += Data("--\(boundary)\r\n\(head)\r\n\r\n".utf8) + content + Data("\r\n".utf8)
        }
        return body + Data("--\(boundary)--\(end)".utf8)
    }

    private var upload: Data {
        form([
            (#"Content-Disposition: form-data; name="title""#, Data("Hello,\nworld".utf8)),
            (
                "Content-Disposition: form-data; name=\"image\"; filename=\"ü.png\"\r\nContent-Type: image/png", image
            ),
            (
                "content-disposition: form-data; name=\"data\"\r\nContent-Type: application/json",
                Data(#"{"a":[1]}"#.utf8)
            ),
        ])
    }

    @Test func `a readable form has its parts with names, file names, types and texts`() throws {
        let text = StubFileEntry(rendering: try stub(upload), bodyEncoding: .readable).text
        #expect(
            text == #"""
                {
                    "request" : {
                      "headerFields" : [ "Content-Type[:::]multipart/form-data; boundary=B" ],
                      "method" : "POST",
                      "requestMultipart" : [
                        {
                          "headerFields" : [ "Content-Disposition[:::]form-data; name=\"title\"" ],
                          "text" : [
                            "Hello,",
                            "world"
                          ]
                        },
                        {
                          "data" : "iVBORw0KGgoA",
                          "headerFields" : [
                            "Content-Disposition[:::]form-data; name=\"image\"; filename=\"ü.png\"",
                            "Content-Type[:::]image/png"
                          ]
                        },
                        {
                          "headerFields" : [
                            "content-disposition[:::]form-data; name=\"data\"",
                            "Content-Type[:::]application/json"
                          ],
                          "json" : {
                            "a" : [
                              1
                            ]
                          }
                        }
                      ],
                      "url" : "http://a/upload"
                    },
                    "response" : {
                      "statusCode" : 204
                    }
                  }
                """#
        )
        #expect(try StubFileDocument("[\(text)]").entries.map(\.stub) == [stub(upload)])
    }

    @Test func `a multipart response is readable too, whatever the order of the keys`() throws {
        var stub = Stub(
            request: StubRequest(url: try URL.parsed("http://a/")),
            response: StubResponse(
                head: ResponseHead(statusCode: 200, headerFields: ["Content-Type": "multipart/mixed; boundary=\"-\""]),
                body: form([("Content-Type: application/json", Data("{}".utf8)), ("", Data("a".utf8))], boundary: "-")
            )
        )
        // A part without header fields begins with an empty line.
        stub.response.bytes = stub.response.bytes.map {
            Data(String(decoding: $0, as: UTF8.self).replacingOccurrences(of: "---\r\n\r\n", with: "---\r\n").utf8)
        }
        let text = StubFileEntry(rendering: stub, bodyEncoding: .readable).text
        #expect(text.contains("\"multipart\" : ["))
        #expect(try StubFileDocument("[\(text)]").entries.map(\.stub) == [stub])
    }

    @Test(arguments: ["", "\r\n", "\n", "\r\nepilogue"])
    func `what follows the last boundary comes back`(end: String) throws {
        let stub = try stub(form([("A: b", Data("c".utf8))], end: end))
        let text = StubFileEntry(rendering: stub, bodyEncoding: .readable).text
        #expect(text.contains("requestMultipart"))
        #expect(try StubFileDocument("[\(text)]").entries.map(\.stub) == [stub])
    }

    @Test func `every body comes back byte for byte, or is not written as parts`() throws {
        var generator = Generator(seed: 11)
        let pieces = [
            "--B", "--B--", "\r\n", "\n", "\r\n\r\n", "A: b", "A:b", "a[:::]b: c", "x", "\u{0}", "é", "{}", "{ }", ": ",
            " ",
        ]
        var count = 0
        for _ in 0..<3_000 {
            let inner = (0..<Int.random(in: 0...9, using: &generator)).map { _ in
                pieces[Int.random(in: pieces.indices, using: &generator)]
            }.joined()
            let usual = "--B\r\nA: b\r\n\r\n\(inner)\r\n--B--\r\n"
            let stub = try stub(Data((Bool.random(using: &generator) ? usual : inner).utf8))
            let text = StubFileEntry(rendering: stub, bodyEncoding: .readable).text
            if text.contains("requestMultipart") { count += 1 }
            #expect(try StubFileDocument("[\(text)]").entries.map(\.stub) == [stub], "\(inner.debugDescription)")
        }
        #expect(count > 500)
    }

    @Test(arguments: [
        "--B\nA: b\n\nc\n--B--\n", "preamble\r\n--B\r\nA: b\r\n\r\nc\r\n--B--\r\n",
        "--B--\r\n", "--B\r\nA: b\r\n\r\nc", "--other\r\nA: b\r\n\r\nc\r\n--other--\r\n",
    ])
    func `a body that its parts do not give is text`(body: String) throws {
        let stub = try stub(Data(body.utf8))
        let text = StubFileEntry(rendering: stub, bodyEncoding: .readable).text
        #expect(text.contains("requestText"))
        #expect(try StubFileDocument("[\(text)]").entries.map(\.stub) == [stub])
    }

    @Test(arguments: [
        (#"{"a":1}"#, "an array of parts"), (#"[1]"#, "an object"),
        (#"["end", {}]"#, "nothing after the text at the end"),
        (#"[{"name":"a"}]"#, "a key of the part"), (#"[{"text":["a"],"json":1}]"#, "one body"),
    ])
    func `parts of another form are an error`(value: String, expected: String) throws {
        let text =
            #"[{"request":{"method":"POST","url":"http://a","headerFields":["Content-Type[:::]a/b; boundary=B"],"requestMultipart":\#(value)}}]"#
        let error = #expect(throws: StubbornNetworkError.self) { try StubFileDocument(text) }
        #expect(error?.message.contains(expected) == true, "\(error?.message ?? "")")
    }

    @Test func `parts without a boundary, and next to another body, are an error`() throws {
        let part = #""requestMultipart":[{"text":["a"]}]"#
        for (members, expected) in [
            (part, "a header field Content-Type with the boundary of \"requestMultipart\""),
            ("\(part),\"requestText\":[\"a\"]", "both \"requestMultipart\" and \"requestText\""),
        ] {
            let error = #expect(throws: StubbornNetworkError.self) {
                try StubFileDocument(#"[{"request":{"method":"POST","url":"http://a",\#(members)}}]"#)
            }
            #expect(error?.message.contains(expected) == true, "\(error?.message ?? "")")
        }
    }

    @Test func `format converts to parts and back, and keeps the bytes`() throws {
        let url = URL(fileURLWithPath: "/a.json")
        let stub = try stub(upload)
        for old in ["requestText", "requestData"] {
            var stubs = [stub]
            if old == "requestText" { stubs[0].request.body = form([("A: b", Data("c".utf8))]) }
            let text = try StubFile(stubs, at: url).text()
            var file = try StubFile(text, at: url)
            file.convert(to: .readable)
            #expect(String(decoding: try file.text(), as: UTF8.self).contains("requestMultipart"))
            var again = try StubFile(file.text(), at: url)
            again.convert(to: .base64)
            #expect(try again.text() == text)
        }
    }
}
