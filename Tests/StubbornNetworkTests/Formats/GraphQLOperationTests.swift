import Foundation
import Testing

@_spi(Tools) @testable import StubbornNetwork

/// What a GraphQL request asks for.
struct GraphQLOperationTests {
    /// The operations in words: `User reads`, `- changes`.
    private func operations(_ body: String) -> [String] {
        GraphQLOperation.operations(in: Data(body.utf8)).map { "\($0.name ?? "-") \($0.isQuery ? "reads" : "changes")" }
    }

    @Test(arguments: [
        ("{ user { name } }", "- reads"),
        ("query User { user { name } }", "User reads"),
        ("query { user }", "- reads"),
        ("mutation Rename($id: ID!) { rename(id: $id) { name } }", "Rename changes"),
        ("subscription News { news }", "News changes"),
        ("  # query Old { a }\n query,User($f: F = {a: [1, \"}\"]}) @live(if: true) { user }", "User reads"),
        ("fragment Name on User { name } query User { user { ...Name } }", "User reads"),
        ("query A { a } mutation B { b }", "A reads"),
        (##"query A { a(text: """ } { \""" """) } mutation B { b }"##, "A reads"),
        ("query A { a(text: \"{\") # {\n } mutation B { b }", "A reads"),
    ])
    func `the name and the kind are read from the query`(query: String, expected: String) throws {
        let body = try JSONEncoder().encode(["query": query])
        #expect(operations(String(decoding: body, as: UTF8.self)) == [expected])
    }

    @Test func `operationName chooses one of several operations`() {
        let query = "query A { a } mutation B { b }"
        #expect(operations(#"{"query":"\#(query)","operationName":"B"}"#) == ["B changes"])
        #expect(operations(#"{"query":"\#(query)","operationName":"A"}"#) == ["A reads"])
        #expect(operations(#"{"query":"\#(query)","operationName":null}"#) == ["A reads"])
        #expect(operations(#"{"query":"\#(query)","operationName":""}"#) == ["A reads"])
    }

    @Test func `a persisted query has its hash for a name, and may change something`() {
        let extensions = #""extensions":{"persistedQuery":{"version":1,"sha256Hash":"ab12"}}"#
        #expect(operations("{\(extensions)}") == ["ab12 changes"])
        #expect(operations("{\"operationName\":\"User\",\(extensions)}") == ["User changes"])
        #expect(operations("{\"query\":\"{ user }\",\(extensions)}") == ["- reads"])
    }

    @Test func `a batch has several operations`() {
        #expect(operations(#"[{"query":"query A { a }"},{"query":"mutation B { b }"}]"#) == ["A reads", "B changes"])
        #expect(operations(#"[{"query":"query A { a }"},{"id":1}]"#) == [])
    }

    @Test(arguments: [
        #"{"query":"shoes {red}"}"#, #"{"query":"SELECT a FROM b"}"#, #"{"query":{"a":"b"}}"#, #"{"query":""}"#,
        #"{"query":"query User"}"#, #"{"query":"}"}"#, #"{"a":1}"#, "[]", "5", "query A { a }", "",
    ])
    func `another body is not GraphQL`(body: String) {
        #expect(operations(body) == [])
    }

    @Test(arguments: [
        ("GET", "", true), ("HEAD", "", true), ("OPTIONS", "", true), ("POST", "a=1", false), ("DELETE", "", false),
        ("POST", #"{"query":"{ a }"}"#, true), ("POST", #"{"query":"mutation { a }"}"#, false),
        ("POST", #"[{"query":"{ a }"},{"query":"mutation { a }"}]"#, false), ("PUT", #"{"query":"{ a }"}"#, false),
    ])
    func `a safe method or a query only reads`(method: String, body: String, reads: Bool) {
        #expect(StubRequest.make(method, "https://a.test/", body: body).onlyReads == reads)
    }
}
