import Foundation
@_spi(Tools) import StubbornNetworkTooling
import Testing

@testable import StubbornNetwork

/// Stubs that a tool replaces in a file that has keys of others.
struct ReplacedStubTests {
    @Test(arguments: ["requestData", "requestJSON", "requestText", "requestForm", "requestGraphQL"])
    func `a replaced stub has each key once, and keeps the keys that the library does not know`(body: String) throws {
        let bodies = [
            "requestData": #""YQ==""#, "requestJSON": #"{"a":1}"#, "requestText": #"["a"]"#, "requestForm": #"["a=1"]"#,
            "requestGraphQL": #"{"query":["query A {","a","}"]}"#,
        ]
        let text = """
            [{
              "x-ours": 1,
              "request": {
                "x-ours": 2, "method": "POST", "url": "http://a.test/", "headerFields": ["Content-Type[:::]multipart/form-data; boundary=B"],
                "placeholders": ["<KEY>"], "\(body)": \(try #require(bodies[body]))
              },
              "response": {"x-ours": 3, "statusCode": 200, "headerFields": ["A[:::]b"], "url": "http://a.test/b"},
              "data": "YQ==",
              "error": {"x-ours": 4, "domain": "d", "code": 1, "description": "e"},
              "timing": {"x-ours": 5, "firstByte": 1, "chunks": [[1, 1]]}
            }]
            """
        var file = try StubFile(Data(text.utf8), at: URL(fileURLWithPath: "/a.json"))
        let stub = file.stub(at: 0)
        #expect(try file.replaceStub(at: 0, with: stub))
        let written = String(decoding: file.text(), as: UTF8.self)
        let keys = ["request", "response", "error", "timing", "placeholders", "method", "statusCode", "domain"]
        for key in keys { #expect(written.components(separatedBy: "\"\(key)\" :").count == 2, "\(key)\n\(written)") }
        #expect(written.components(separatedBy: "\"x-ours\"").count == 6)
        #expect(try StubFile(Data(written.utf8), at: file.url).stubs == [stub])
    }
}
