import Foundation
@_spi(Tools) import StubbornNetworkTooling
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
        #expect(StubRequest.make(method, "https://a.test/", body: body).isReadOnly == reads)
    }

    /// A GET request with these query items, encoded with `+` or `%20` for a space.
    private func get(_ items: [(String, String)], space: String = "%20") throws -> StubRequest {
        let query = items.map { name, value in
            let encoded = value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            return "\(name)=\(encoded.replacingOccurrences(of: "%20", with: space))"
        }
        return .make("GET", "https://a.test/graphql?\(query.joined(separator: "&"))")
    }

    @Test(arguments: ["%20", "+"])
    func `a GET request has its operation in its query items`(space: String) throws {
        let user = try get([("query", "query User($id: ID!) { a }"), ("variables", #"{"id":42}"#)], space: space)
        #expect(user.description == "GET \(user.url.absoluteString) User(id: 42)")
        #expect(user.graphQLOperationNames == ["User"] && user.isReadOnly)
        #expect(RequestPattern.graphQL("User", variables: ["id": 42]).match(user, options: .standard) != nil)
        #expect(RequestPattern.graphQL("User", variables: ["id": 43]).match(user, options: .standard) == nil)
        let hash = #"{"persistedQuery":{"version":1,"sha256Hash":"ab12"}}"#
        #expect(try get([("extensions", hash)], space: space).graphQLOperationNames == ["ab12"])
        #expect(try get([("operationName", "B"), ("query", "query A{a} query B{b}")]).graphQLOperationNames == ["B"])
    }

    @Test(arguments: [
        [("query", "shoes")], [("q", "{ a }")], [("query", "")], [("extensions", "{}")], [("variables", "{}")],
    ])
    func `another GET request is not GraphQL`(items: [(String, String)]) throws {
        let request = try get(items)
        #expect(request.graphQLOperationNames == [])
        #expect(request.description == "GET \(request.url.absoluteString)")
    }

    @Test func `the variables of a GET request are compared by value`() throws {
        let recorded = try get([
            ("query", "query User { user { id name } }"), ("variables", #"{"a":1,"b":[2]}"#), ("x", "1 2"),
        ])
        func matches(_ live: StubRequest) -> Bool {
            !MatchIndex(options: .standard, requests: [recorded]).positions(live).isEmpty
        }
        #expect(matches(recorded))
        #expect(
            matches(
                try get([
                    ("variables", #"{ "b" : [2], "a" : 1 }"#), ("query", "query User { user { id name } }"),
                    ("x", "1 2"),
                ])
            )
        )
        #expect(
            !matches(
                try get([
                    ("query", "query User { user { name id } }"), ("variables", #"{"a":1,"b":[2]}"#), ("x", "1 2"),
                ])
            )
        )
        #expect(
            !matches(
                try get([
                    ("query", "query User { user { id name } }"), ("variables", #"{"a":1,"b":[3]}"#), ("x", "1 2"),
                ])
            )
        )
        #expect(
            !matches(
                try get([
                    ("query", "query User { user { id name } }"), ("variables", #"{"a":1,"b":[2]}"#), ("x", "1  2"),
                ])
            )
        )
    }

    @Test(arguments: [
        (#"{"query":"query User { a }","variables":{"id":42}}"#, " User(id: 42)"),
        (#"{"query":"query User { a }","variables":{"f":{"b":[1]},"e":"Ada"}}"#, #" User(e: "Ada", f: {"b":[1]})"#),
        (
            #"{"query":"query User { a }","variables":{"text":"\#(String(repeating: "a", count: 99))"}}"#,
            " User(text: \"\(String(repeating: "a", count: 61))…\")"
        ),
        (#"{"query":"query User { a }","variables":{}}"#, " User"),
        (#"{"query":"{ a }","variables":{"id":42}}"#, ""),
        (#"[{"query":"query A { a }"},{"query":"query B { b }","variables":{"id":1}}]"#, " A, B(id: 1)"),
        (#"{"id":42}"#, ""),
    ])
    func `a request is shown with its operations`(body: String, shown: String) {
        #expect(
            "\(StubRequest.make("POST", "https://a.test/graphql", body: body))" == "POST https://a.test/graphql\(shown)"
        )
    }
}
