import Foundation
import Testing

@testable import StubbornNetwork

struct RequestPatternTests {
    private let login = StubRequest.make(
        "POST",
        "https://api.example.com/login?next=%2Fhome&page=2&q=a+b",
        ["Accept": "application/json"],
        body: #"{"user": {"name": "ada", "tags": [1, 2]}, "remember": true}"#
    )

    private func text(_ pattern: RequestPattern) -> String { pattern.description }

    @Test(arguments: ["::1", "[::1]"])
    func `a host may be an address, with or without its brackets`(host: String) throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.stub(.host(host), with: .text("local"))
        let request = URLRequest(url: try #require(URL(string: "http://[::1]:8080/")))
        #expect(String(decoding: try network.response(to: request).0, as: UTF8.self) == "local")
    }

    @Test(arguments: [
        (RequestPattern.graphQL("User"), true), (.graphQL("user"), false), (.graphQL("Name"), false),
        (.graphQL("User", variables: ["id": 42]), true), (.graphQL("User", variables: ["id": 43]), false),
        (.graphQL("User", variables: ["id": 42, "other": nil]), false), (.graphQL("User") && .path("/graphql"), true),
    ])
    func `a GraphQL operation is matched by its name and variables`(pattern: RequestPattern, holds: Bool) throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.stub(.path("/graphql") && pattern, with: .status(200))
        let body = #"{"query":"query User($id: Int) { user(id: $id) { ...Name } }","variables":{"id":42,"more":[1]}}"#
        let request = StubRequest.make("POST", "https://a.test/graphql", body: body).urlRequest
        if holds { return #expect(try network.response(to: request).0.isEmpty) }
        let error = #expect(throws: StubbornNetworkError.self) { try network.response(to: request) }
        #expect(error?.message.contains(#"GraphQL User with {"id":42,"more":[1]}"#) == true)
    }

    @Test func `typical patterns have readable descriptions`() {
        #expect(text(.get("https://api.example.com/users/42")) == "GET https://api.example.com/users/42")
        #expect(
            text(.host("api.example.com") && .path("/login") && .method("POST"))
                == "host api.example.com and path /login and method POST"
        )
        #expect(text(!.header("Authorization")) == "not header Authorization")
        #expect(text(.get("/page")) == "GET /page")
        #expect(text(.any) == "any request")
        #expect(text(.graphQL("User", variables: ["id": 42])) == #"GraphQL User with {"id":42}"#)
        #expect(text(.path("/clock")) == "path /clock")
        #expect(text(.post("/login")) == "POST /login")
        #expect(text(.custom { $0.url == nil }) == "custom condition")
        #expect(text(.custom("an odd id") { $0.url == nil }) == "an odd id")
    }

    @Test(arguments: [
        (RequestPattern.any, true),
        (.method("POST"), true), (.method("post"), true), (.method("GET"), false),
        (.post("https://api.example.com/login?q=a+b&page=2&next=%2fhome"), true),
        (.post("HTTPS://API.example.com:443/l%6Fgin?next=%2Fhome&page=2&q=a+b#top"), true),
        (.post("https://api.example.com/login"), false),
        (.post("http://api.example.com/login?next=%2Fhome&page=2&q=a+b"), false),
        (.post("https://api.example.com:8443/login?next=%2Fhome&page=2&q=a+b"), false),
        (.get("https://api.example.com/login?next=%2Fhome&page=2&q=a+b"), false),
        (.post("/login"), true), (.post("/login?page=2"), true), (.post("/login?page=3"), false),
        (.put("/login"), false), (.patch("/login"), false), (.delete("/login"), false), (.head("/login"), false),
        (.options("/login"), false), (.post("/login/"), false), (.post("/:what"), true),
        (.post("https://api.example.com/:what?next=%2Fhome&page=2&q=a+b"), true),
        (.url("https://api.example.com/login?next=%2Fhome&page=2&q=a+b"), true),
        (.url("https://api.example.com/login"), false),
        (.url(ignoringQuery: "https://api.example.com/login"), true),
        (.url(ignoringQuery: "HTTPS://api.example.com:443/login?other=1"), true),
        (.url(ignoringQuery: "https://api.example.com/"), false),
        (.url(ignoringQuery: "http://api.example.com/login"), false), (.url(ignoringQuery: "/login"), false),
        (.url(prefix: "https://api.example.com"), true), (.url(prefix: "https://API"), true),
        (.url(prefix: "HTTPS://"), true), (.url(prefix: "https://"), true),
        (.url(prefix: "https://api.example.com/login?next"), true),
        (.url(prefix: "http://"), false), (.url(prefix: "https://api.example.com/logout"), false),
        (.url(matching: "page=[0-9]+"), true), (.url(matching: "^/login"), false),
        (.scheme("HTTPS"), true), (.scheme("http"), false),
        (.host("API.Example.com"), true), (.host("example.com"), false), (.host(""), false),
        (.path("/login"), true), (.path("login"), true), (.path("/l%6fgin"), true), (.path("/Login"), false),
        (.path(""), false), (.path("/"), false), (.path("/login/:id"), false), (.path("/:"), false),
        (.path(prefix: "/log"), true), (.path(prefix: "/x"), false), (.path(prefix: ""), true),
        (.path(suffix: "gin"), true), (.path(suffix: "gin/"), false), (.path(suffix: "a long way to /login"), false),
        (.path(matching: "^/log(in|out)$"), true), (.path(matching: "^log"), false),
        (.query("page", equals: "2"), true), (.query("page", equals: "3"), false),
        (.query("page"), true), (.query("pages"), false),
        (.query("page", equals: "2") && .query("next", equals: "/home"), true), (.query("x", equals: "1"), false),
        (.query("q", equals: "a b"), true), (.query("q", equals: "a+b"), true),
        (.header("accept"), true), (.header("Authorization"), false),
        (.header("Accept", equals: "application/json"), true), (.header("Accept", equals: "text/html"), false),
        (.requestBody(json: ["remember": true]), true), (.requestBody(json: ["remember": false]), false),
        (.requestBody(json: ["remember": 1]), false),
        (.requestBody(json: ["user": ["tags": [1, 2.0]]]), true), (.requestBody(json: ["user": ["tags": [1]]]), false),
        (.requestBody(json: ["remember": true, "user": ["name": "ada"]]), true), (.requestBody(json: nil), false),
        (.requestBody(exactJSON: ["remember": true, "user": ["tags": [1, 2.0], "name": "ada"]]), true),
        (.requestBody(exactJSON: ["remember": true]), false),
        (.requestBody(exactJSON: User(user: .init(name: "ada"))), false),
        (.requestBody(json: User(user: .init(name: "ada"))), true),
        (.requestBody(json: User(user: .init(name: "bob"))), false),
        (.requestBody(text: "{}"), false), (.requestBody(Data()), false), (.requestBody(form: ["a": "1"]), false),
        (.custom { $0.httpMethod == "POST" && $0.httpBody != nil }, true), (.custom { _ in false }, false),
        (.path("/login") && .method("POST"), true), (.path("/login") && .method("GET"), false),
        (.path("/x") || .method("POST"), true), (.path("/x") || .method("GET"), false),
        (!.path("/x"), true), (!(.path("/login") && .method("POST")), false), (!(!.any), true),
    ])
    func `a pattern matches a request only if its condition holds`(pattern: RequestPattern, matches: Bool) {
        #expect((pattern.match(login) != nil) == matches, "\(pattern)")
    }

    @Test(arguments: ["first%20name=Ada", "first+name=Ada", "a=1&first%20name=Ada", "%66irst+name=Ada"])
    func `a query item whose name has a space is found, however the space is written`(query: String) throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.stub(.path("/one") && .query("first name"), with: .text("by name"))
        network.stub(.path("/two") && .query("first name", equals: "Ada"), with: .text("by name and value"))
        network.onUnstubbedRequest = { _ in }
        func answer(_ path: String) throws -> String {
            let url = try #require(URL(string: "https://a.example\(path)?\(query)"))
            return String(decoding: try network.response(to: URLRequest(url: url)).0, as: UTF8.self)
        }
        #expect(try answer("/one") == "by name")
        #expect(try answer("/two") == "by name and value")
    }

    private struct User: Codable { struct Name: Codable { var name: String }; var user: Name }

    @Test(arguments: [
        (RequestPattern.requestBody(text: "a=1&b=x+y&b=%C3%A9"), true), (.requestBody(Data("a=1".utf8)), false),
        (.requestBody(form: ["b": "x y", "a": "1"]), true), (.requestBody(form: ["b": "é"]), true),
        (.requestBody(form: ["b": "x+y"]), false),
        (.requestBody(form: ["c": ""]), false), (.requestBody(json: 1), false),
        (.requestBody(exactForm: ["b": "x y", "a": "1"]), false), (.requestBody(exactForm: [:]), false),
    ])
    func `bodies are matched as text, bytes and forms`(pattern: RequestPattern, matches: Bool) {
        let request = StubRequest.make("POST", "https://a.example/", body: "a=1&b=x+y&b=%C3%A9")
        #expect((pattern.match(request) != nil) == matches, "\(pattern)")
    }

    @Test(arguments: [
        (["a": "1", "b": "x y"], true), (["a": "1"], false), (["a": "1", "b": "x y", "c": ""], false),
        (["a": "2", "b": "x y"], false),
    ])
    func `an exact form has the fields and no others, in any order`(fields: [String: String], matches: Bool) {
        let request = StubRequest.make("POST", "https://a.example/", body: "b=x+y&a=1")
        #expect((RequestPattern.requestBody(exactForm: fields).match(request) != nil) == matches)
    }

    @Test(arguments: [
        ("flag", true, false, true), ("flag=", false, true, true), ("flag=1", false, false, true),
        ("a=1&flag&b", true, false, true), ("flagged", false, false, false), ("%66lag", true, false, true),
        ("flag&flag=", true, true, true),
    ])
    func `a query item without a value differs from one with an empty value`(
        query: String,
        withoutValue: Bool,
        withEmptyValue: Bool,
        withAny: Bool
    ) {
        let request = StubRequest.make("GET", "https://a.example/?\(query)")
        #expect((RequestPattern.query(withoutValue: "flag").match(request) != nil) == withoutValue)
        #expect((RequestPattern.query("flag", equals: "").match(request) != nil) == withEmptyValue)
        #expect((RequestPattern.query("flag").match(request) != nil) == withAny)
    }

    @Test func `a pattern describes exactly what it matches`() {
        #expect(
            text(.url(ignoringQuery: "https://A.example/b?c=d")) == "URL https://a.example/b with any query"
        )
        #expect(text(.query(withoutValue: "flag")) == "query item flag without a value")
        #expect(text(.requestBody(exactForm: ["a": "1"])) == "body with exactly the form fields a=1")
        #expect(text(.requestBody(exactJSON: ["a": 1])) == #"body with exactly the JSON {"a":1}"#)
    }

    @Test func `no body equals an empty one`() {
        let request = StubRequest.make("POST", "https://a.example/")
        #expect(RequestPattern.requestBody(exactForm: [:]).match(request) != nil)
        #expect(RequestPattern.requestBody(Data()).match(request) != nil)
        #expect(RequestPattern.requestBody(text: "").match(request) != nil)
        #expect(RequestPattern.requestBody(form: [:]).match(request) != nil)
    }

    @Test(arguments: [
        ("/users/:id", "https://a.example/users/42", ["id": "42"]),
        ("/users/:id/posts/:post", "https://a.example/users/a%20b/posts/%C3%A9", ["id": "a b", "post": "é"]),
        ("/:a/:a", "https://a.example/1/2", ["a": "2"]),
        ("/users/:id", "https://a.example/users/", nil),
        ("/users/:id", "https://a.example/users/1/2", nil),
        ("/users", "https://a.example/users", [:]),
    ])
    func `templates give the values of their placeholders`(path: String, url: String, values: [String: String]?) {
        let request = StubRequest.make("GET", url)
        #expect(RequestPattern.path(path).match(request) == values)
        #expect(RequestPattern.get(path).match(request) == values)
        #expect(RequestPattern.get("https://a.example\(path)").match(request) == values)
    }

    @Test func `composed patterns return the values of their placeholders`() {
        let pattern: RequestPattern = (.path("/x") || .path("/users/:id")) && .path("/:kind/42") && .method("GET")
        #expect(
            pattern.match(.make("GET", "https://a.example/users/42")) == ["id": "42", "kind": "users"]
        )
    }

    @Test(arguments: [
        (RequestPattern.url(matching: "("), #"URL matching "(" (not a regular expression)"#),
        (.path(matching: "[a"), #"path matching "[a" (not a regular expression)"#),
        (.url("nowhere"), #"URL "nowhere" (not an absolute URL)"#),
        (.url("http://exa mple"), #"URL "http://exa mple" (not an absolute URL)"#),
        (.get("users/42"), #"GET "users/42" (neither an absolute URL nor a path beginning with "/")"#),
        (.get(""), #"GET "" (neither an absolute URL nor a path beginning with "/")"#),
        (.get("//a.example/x"), #"GET "//a.example/x" (neither an absolute URL nor a path beginning with "/")"#),
        (.requestBody(json: Double.infinity), "body with JSON (the value cannot be encoded)"),
    ])
    func `an invalid pattern matches nothing, even negated, and its description says why`(
        pattern: RequestPattern,
        text: String
    ) {
        #expect(pattern.description == text)
        #expect(pattern.match(login) == nil)
        #expect((!pattern).match(login) == nil)
        #expect((!(pattern || .path("/x"))).match(login) == nil)
        #expect((pattern || .any).match(login) != nil)
    }

    @Test(arguments: [
        (RequestPattern.url("https://a.example"), "URL https://a.example"),
        (.url(prefix: "https://a"), #"URL beginning with "https://a""#),
        (.url(matching: "a+"), #"URL matching "a+""#),
        (.scheme("https"), "scheme https"),
        (.path(prefix: "/v1"), #"path beginning with "/v1""#),
        (.path(suffix: ".png"), #"path ending with ".png""#),
        (.path(matching: "^/a"), #"path matching "^/a""#),
        (.query("page"), "query item page"),
        (.query("page", equals: "2"), "query page=2"),
        (.query("a&b", equals: "1"), "query a&b=1"),
        (.header("Accept", equals: "text/html"), "header Accept: text/html"),
        (.requestBody(Data([1])), "body of 1 byte"),
        (.requestBody(Data([1, 2])), "body of 2 bytes"),
        (.requestBody(text: "a\"\n"), #"body "a\"\n""#),
        (
            .requestBody(json: ["id": 42, "name": "Ada", "rest": [nil, 1.50, true]]),
            #"body with JSON {"id":42,"name":"Ada","rest":[null,1.5,true]}"#
        ),
        (.requestBody(form: ["b": "2", "a": "1"]), "body with form fields a=1&b=2"),
        (.any && (.method("get") || .path("x")), "any request and (method GET or path /x)"),
        (.any && .method("GET") || .path("/x"), "(any request and method GET) or path /x"),
        (!(.any && .any), "not (any request and any request)"),
        (.request(.make("POST", "https://a.example/b", body: "x")), "POST https://a.example/b"),
    ])
    func `every kind of pattern has a readable description`(pattern: RequestPattern, text: String) {
        #expect(pattern.description == text)
    }

    @Test func `a declared request is matched by the options in force`() {
        let pattern = RequestPattern.request(.make("GET", "https://a.example/x?ts=1"))
        let live = StubRequest.make("GET", "https://a.example/x?ts=2")
        #expect(pattern.match(live) == nil)
        #expect(pattern.match(live, options: [.url(ignoringQueryItems: ["ts"])]) != nil)
        #expect(pattern.match(live, options: .lenient) != nil)
    }

    @Test func `a pattern composed of ten thousand patterns can be matched`() {
        let pattern = (0..<10_000).reduce(RequestPattern.path("/x")) { $0 || .path("/\($1)") }
        #expect(pattern.match(.make("GET", "https://a.example/9999")) != nil)
    }
}
