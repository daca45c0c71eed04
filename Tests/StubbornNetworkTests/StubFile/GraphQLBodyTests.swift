import Foundation
import Testing

@testable import StubbornNetwork

struct GraphQLBodyTests {
    private func stub(_ body: String, type: String? = "application/json") throws -> Stub {
        Stub(
            request: StubRequest(
                method: "POST",
                url: try URL.parsed("http://a/graphql"),
                headers: type.map { ["Content-Type": $0] } ?? [:],
                body: Data(body.utf8)
            ),
            response: StubResponse(head: ResponseHead(statusCode: 204))
        )
    }

    private func keys(_ body: String, type: String? = "application/json") throws -> Set<String> {
        try stub(body, type: type).bodyKeys()
    }

    private func body(under key: String, _ value: String) throws -> String? {
        let text = #"[{"request":{"method":"POST","url":"http://a","\#(key)":\#(value)}}]"#
        return try StubFileDocument(text).entries[0].stub.request.body.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `a readable GraphQL request has a line of its query on each line`() throws {
        let stub = try stub(
            #"{"operationName":"User","query":"query User($id: ID!) {\n  user(id: $id) {\n    name # \"Ada\"\n  }\n}\n","variables":{"id":"42"}}"#
        )
        let text = StubFileEntry(rendering: stub, bodyEncoding: .readable).text
        #expect(
            text.contains(
                #"""
                      "requestGraphQL" : {
                        "operationName" : "User",
                        "query" : [
                          "query User($id: ID!) {",
                          "  user(id: $id) {",
                          "    name # \"Ada\"",
                          "  }",
                          "}",
                          ""
                        ],
                        "variables" : {
                          "id" : "42"
                        }
                      },
                """#
            )
        )
        #expect(try StubFileDocument("[\(text)]").entries.map(\.stub) == [stub])
    }

    @Test func `a readable batch of GraphQL requests has the lines of each query`() throws {
        let stub = try stub(#"[{"query":"{\n a }"},{"id":1,"query":"{ b }"},{"id":2}]"#)
        let text = StubFileEntry(rendering: stub, bodyEncoding: .readable).text
        #expect(
            text.contains(
                """
                      "requestGraphQL" : [
                        {
                          "query" : [
                            "{",
                            " a }"
                          ]
                        },
                        {
                          "id" : 1,
                          "query" : "{ b }"
                        },
                        {
                          "id" : 2
                        }
                      ],
                """
            )
        )
        #expect(try StubFileDocument("[\(text)]").entries.map(\.stub) == [stub])
    }

    @Test(arguments: [
        (#"{"query":"{ a }"}"#, "a query of one line"),
        (#"{"query":"{ a\\n }"}"#, "an escaped backslash before an n"),
        (#"{"query":"SELECT *\nFROM users"}"#, "SQL"),
        (#"{"query":["{\n a }"]}"#, "a query that is an array already"),
        (#"{"query":"{\n a }","query":["{"]}"#, "a query that is both"),
        (#"{"query":"{\n a }","query":null}"#, "a query that is null, too"),
        (#"{"input":{"query":"{\n a }"}}"#, "a query further inside"),
        (#"{"text":"{\n a }"}"#, "another key"),
        (#"[[{"query":"{\n a }"}]]"#, "an array in an array"),
        (#"[{"query":"{\n a }"},{"query":5}]"#, "a query that is a number, too"),
    ])
    func `other JSON is written as JSON`(body: String, name: String) throws {
        #expect(try keys(body) == ["requestJSON"], "\(name)")
        let entry = StubFileEntry(rendering: try stub(body), bodyEncoding: .readable)
        #expect(try StubFileDocument("[\(entry.text)]").entries.map(\.stub) == [stub(body)])
    }

    @Test func `a query is written as GraphQL whatever its content type is`() throws {
        #expect(try keys(#"{"query":"{\n a }"}"#, type: "text/plain") == ["requestGraphQL"])
        #expect(try keys(#"{ "query":"{\n a }"}"#, type: "text/plain") == ["requestGraphQL"])
        #expect(try keys(#"{ "query":"{\n a }"}"#) == ["requestGraphQL"])
        #expect(try keys(#"{ "query":"{\n a }"}"#, type: nil) == ["requestGraphQL"])
    }

    @Test func `a response is not a GraphQL request`() throws {
        let response = StubResponse(head: ResponseHead(statusCode: 200), body: Data(#"{"query":"{\n a }"}"#.utf8))
        let stub = Stub(request: StubRequest(url: try URL.parsed("http://a")), response: response)
        #expect(stub.bodyKeys() == ["json"])
    }

    @Test(arguments: [
        (#" { "query" : [ "{" , "\ta\u00e9\/" , "}" ] } "#, #"{"query":"{\n\ta\u00e9\/\n}"}"#),
        (#"{"query":[]}"#, #"{"query":""}"#), (#"{"query":["{ a }"]}"#, #"{"query":"{ a }"}"#),
        (#"{"query":["{\n a","}"]}"#, #"{"query":"{\n a\n}"}"#), (#"{"query": "{ a }"}"#, #"{"query":"{ a }"}"#),
        (#"{"qu\u0065ry":["{","}"],"variables":{"query":[1 ]}}"#, #"{"qu\u0065ry":"{\n}","variables":{"query":[1]}}"#),
        (#"[ ]"#, "[]"), ("{ }", "{}"), (#"[{"query":["{","}"]}, {"id" : 1}]"#, #"[{"query":"{\n}"},{"id":1}]"#),
        ("null", nil),
    ])
    func `a GraphQL request is read as its JSON`(value: String, expected: String?) throws {
        let value = value.replacingOccurrences(of: "\t", with: #"\t"#)
        let expected = expected?.replacingOccurrences(of: "\t", with: #"\t"#)
        #expect(try body(under: "requestGraphQL", value) == expected)
    }

    @Test(arguments: [
        (#"{"query":5}"#, #"text or an array of lines under "query", found 5"#),
        (#"{"query":null}"#, #"text or an array of lines under "query", found null"#),
        (#"{"query":{"a":1}}"#, #"text or an array of lines under "query", found an object"#),
        (#"{"query":["{",["a"]]}"#, #"text or an array of lines under "query", found an array"#),
        (#"[{"query":["{","\ud800"]}]"#, #"a pair of surrogates such as \ud83d\ude00, found \ud800 alone"#),
        (#"{"\ud800":1}"#, #"a pair of surrogates such as \ud83d\ude00, found \ud800 alone"#),
        (#"{"query":["{"],"variables":[01]}"#, "a number, found 01"),
        (#"{"query":["{" "}"]}"#, #""," or "]", found "}""#),
    ])
    func `the error for a malformed GraphQL request says what was expected`(value: String, expected: String) {
        let error = #expect(throws: StubbornNetworkError.self) { try body(under: "requestGraphQL", value) }
        #expect(error?.message.contains(": expected \(expected). Correct it") == true, "\(error?.message ?? "")")
    }

    @Test func `the error for a malformed line names its line in the file`() {
        let text = """
            [ { "request" : { "method" : "POST", "url" : "http://a", "requestGraphQL" : {
              "query" : [
                "{",
                17,
                "}"
              ]
            } } } ]
            """
        let error = #expect(throws: StubbornNetworkError.self) { try StubFileDocument(text) }
        #expect(error?.message.hasPrefix("Stubs/Login.json:4:5: expected text or an array of lines") == true)
    }

    @Test func `a GraphQL request next to another body is an error`() {
        let error = #expect(throws: StubbornNetworkError.self) {
            try body(under: "requestGraphQL", #"{"query":["{","}"]},"requestJSON":{}"#)
        }
        #expect(error?.message.contains(#"found both "requestGraphQL" and "requestJSON""#) == true)
    }

    @Test func `both encodings of a GraphQL request convert into each other`() throws {
        let stub = try stub(#"{"query":"{\n  a\n}","id":1}"#)
        let base64 = StubFileEntry(rendering: stub, bodyEncoding: .base64).text
        let readable = StubFileEntry(rendering: stub, bodyEncoding: .readable).text
        #expect(base64.contains("requestData"))
        #expect(readable.contains("requestGraphQL"))
        #expect(try StubFileDocument("[\(base64)]").entries.map { $0.encodingBodies(as: .readable).text } == [readable])
        #expect(try StubFileDocument("[\(readable)]").entries.map { $0.encodingBodies(as: .base64).text } == [base64])
        #expect(try StubFileDocument("[\(readable)]").entries.map(\.bodyEncoding) == [.readable])
        let unchanged = try StubFileDocument("[ \(readable)]").entries.map { $0.encodingBodies(as: .readable).text }
        #expect(unchanged == [readable])
    }

    @Test func `generated GraphQL requests are read back as they were`() throws {
        var generator = Generator(seed: 14)
        for _ in 0..<500 {
            let body = Self.generatedBody(&generator)
            let stub = try stub(body)
            #expect(try keys(body) == ["requestGraphQL"], "\(body)")
            let text = StubFileEntry(rendering: stub, bodyEncoding: .readable).text
            let read = try #require(try StubFileDocument("[\(text)]").entries.first)
            #expect(read.stub == stub)
            #expect(StubFileEntry(rendering: read.stub, bodyEncoding: .readable).text == text)
            // Foundation finds the same lines.
            #expect(
                try Self.queries(try Self.written(text))
                    == Self.queries(JSONSerialization.jsonObject(with: stub.bodyData))
            )
        }
    }

    /// Returns what Foundation reads under `requestGraphQL`.
    private static func written(_ text: String) throws -> Any {
        let file = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        return try #require((file?["request"] as? [String: Any])?["requestGraphQL"])
    }

    /// Returns the queries of one request or of several, the lines of each joined.
    private static func queries(_ body: Any) -> [String] {
        let requests = body as? [[String: Any]] ?? [body as? [String: Any] ?? [:]]
        return requests.map { request in
            (request["query"] as? [String])?.joined(separator: "\n") ?? request["query"] as? String ?? "no query"
        }
    }

    private static func generatedBody(_ generator: inout Generator) -> String {
        let count = Int.random(in: 0...3, using: &generator)
        let requests = (0...count).map { _ in request(&generator) }
        return count == 0 ? requests[0] : "[\(requests.joined(separator: ","))]"
    }

    private static func request(_ generator: inout Generator) -> String {
        // Escapes as they are spelled; the last ones only look like a line feed, or are one in a different spelling.
        let pieces = [
            "a", "{", "}", " ", #"\""#, #"\\"#, #"\n"#, #"\n\n"#, #"\r\n"#, #"\t"#, #"\/"#, "/", "é", #"\u00e9"#,
            "e\u{301}",
            #"\ud83d\ude00"#, "😀", #"\u0000"#, "\u{7F}", "\u{2028}", #"\\n"#, #"\u000a"#, "[:::]",
        ]
        let text = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
            pieces[Int.random(in: pieces.indices, using: &generator)]
        }.joined()
        let query = #""query":"{\n\#(text)""#
        let others = [
            #""variables":{"query":"{\n}","n":1.0}"#, #""operationName":null"#, #""extensions":[{"query":["{"]}]"#,
        ]
        var members = others.filter { _ in Bool.random(using: &generator) }
        members.insert(query, at: Int.random(in: 0...members.count, using: &generator))
        return "{\(members.joined(separator: ","))}"
    }
}

extension Stub {
    fileprivate var bodyData: Data { request.body ?? Data() }
}
