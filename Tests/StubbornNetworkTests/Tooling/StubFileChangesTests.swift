import Foundation
@_spi(Tools) import StubbornNetworkTooling
import Testing

@testable import StubbornNetwork

/// Stub files that programs change, with what people and other programs have put there.
struct StubFileChangesTests {
    let directory = TemporaryDirectory()

    private static let text = """
        [
          {
            "data" : "YQ==",
            "comment" : "mine",
            "request" : { "method" : "GET", "x-team" : { "a" : [ 1, { "b" : 2 } ] }, "url" : "http://a/b" },
            "response" : { "x-from" : "x", "statusCode" : 200 },
            "x-last" : [ true ]
          }
        ]
        """

    @Test func `a stub that is replaced keeps the members that the library does not know`() throws {
        try directory.write(Self.text, to: "a.json")
        var file = try StubFile(contentsOf: directory.file("a.json"))
        #expect(try file.replaceStub(at: 0, with: try Stub.get("http://a/b", .status(201, body: "bc"))))
        try file.write()
        let read = try JSONSerialization.jsonObject(with: Data(contentsOf: directory.file("a.json")))
        let expected = Self.text.replacingOccurrences(of: "200", with: "201").replacingOccurrences(
            of: "YQ==",
            with: "YmM="
        )
        #expect(read as? NSArray == (try JSONSerialization.jsonObject(with: Data(expected.utf8)) as? NSArray))
    }

    @Test func `a stub without such members is written as the library writes it`() throws {
        let stub = try Stub.get("http://a/b", .status(200, body: "a"))
        var file = StubFile([stub], at: directory.file("a.json"))
        let changed = try Stub.get("http://a/b", .status(201, body: "b"))
        #expect(try !file.replaceStub(at: 0, with: changed))
        #expect(file.stubs == [changed])
    }

    @Test func `JSON gets an element a line, and keeps its spelling`() {
        let text = Data(#"{"b":1.0,"a":["\u0061",{}]}"#.utf8)
        let indented = StubFile.indentedJSON(text).map { String(decoding: $0, as: UTF8.self) }
        #expect(
            indented == """
                {
                  "b" : 1.0,
                  "a" : [
                    "\\u0061",
                    {}
                  ]
                }
                """
        )
        #expect(StubFile.indentedJSON(Data("{".utf8)) == nil)
    }
}
