import Foundation
import Testing

/// `stubborn check --openapi`, as a command.
@Suite struct CheckOpenAPITests {
    private func directory(_ stubs: String..., document: String = ShopAPI.document) throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        try directory.write(document, to: "API.yaml")
        try directory.write(Recorded.file(stubs), to: "Stubs/Shop.json")
        return directory
    }

    private let breaking = Recorded.stub("/v1/users/42", json: ShopAPI.user(["email": "null"]))

    @Test func `a breach is an error with its line, and what was compared is said at the end`() throws {
        let directory = try directory(
            Recorded.stub("/v1/users/me", json: ShopAPI.user()),
            breaking,
            Recorded.stub("/other", json: "{}"),
            Recorded.stub("/v1/reports/a.csv", json: "1", headers: ["Content-Type[:::]text/csv"])
        )
        let run = try Tool.run(["check", "Stubs", "--openapi", "API.yaml"], in: directory.url)
        #expect(
            run.output
                == "Stubs/Shop.json:15: error: Stub 2, GET /v1/users/42 → 200: response.email: must be string, is null "
                + "(#/components/schemas/User) [openapi]\n"
        )
        #expect(
            run.errors == """
                1 stub file, 4 stubs: 1 error, 0 warnings.
                API.yaml: 3 of 7 operations covered by recordings.
                Not covered:
                  PUT /notes
                  GET /users
                  POST /users
                  DELETE /users/{id}
                Not in the document: api.example.com (1 stub)
                Not checked:
                  Bodies of the type text/csv were not checked.

                """
        )
        #expect(run.status == 1)
    }

    @Test(arguments: [
        ("text", "Stubs/Shop.json:2: error: Stub 1, GET /v1/users/42 → 200: response.email: must be string, is null"),
        ("json", #""kind" : "openapi""#), ("json", #""covered" : 1"#), ("json", #""GET /users/me""#),
        ("github", "::error file=Stubs/Shop.json,line=2,title=openapi::Stub 1, GET /v1/users/42 → 200: response.email"),
        ("sarif", #""ruleId" : "openapi""#), ("sarif", #""level" : "error""#),
    ])
    func `every format has the findings`(format: String, expected: String) throws {
        let directory = try directory(breaking)
        let run = try Tool.run(["check", "--openapi", "API.yaml", "--format", format], in: directory.url)
        #expect(run.output.contains(expected), "\(run.output)")
        #expect(run.status == 1)
    }

    @Test func `breaches are errors, and the rest is a warning that --ignore and the settings leave out`() throws {
        let directory = try directory(
            Recorded.stub("/v1/users/1", json: ShopAPI.user(["email": #""ada""#])),
            Recorded.stub("/v1/orders", json: "{}")
        )
        let check = ["check", "Stubs", "--openapi", "API.yaml"]
        let run = try Tool.run(check, in: directory.url)
        #expect(
            run.output.contains("warning: Stub 1, GET /v1/users/1 → 200: response.email: should be email, is \"ada\"")
        )
        #expect(run.output.contains("[openapi-remark]"))
        #expect(
            run.output.contains(
                "warning: Stub 2, GET /v1/orders → 200: request: the document lacks this path [openapi-undocumented]"
            )
        )
        #expect(run.status == 1)
        #expect(try Tool.run(check + ["--fail-on", "error"], in: directory.url).status == 0)
        let ignoring = ["--ignore", "openapi-remark", "--ignore", "openapi-undocumented"]
        #expect(try Tool.run(check + ignoring, in: directory.url).status == 0)
        try directory.write(
            #"{ "allowed" : { "openapi-remark" : [ "Shop" ], "openapi-undocumented" : [ "Shop:2" ] } }"#,
            to: "Stubs/.stubborn.json"
        )
        #expect(try Tool.run(check, in: directory.url).status == 0)
        try directory.write(Recorded.file(breaking), to: "Stubs/Shop.json")
        #expect(try Tool.run(check + ["--fail-on", "error"], in: directory.url).status == 1)
    }

    @Test func `a secret is neither judged nor shown, and neither are the placeholders of the library and of others`()
        throws
    {
        let document = """
            openapi: 3.1.0
            paths:
              /login:
                get:
                  responses:
                    200:
                      description: A token.
                      content:
                        application/json:
                          schema:
                            additionalProperties: { type: string, maxLength: 5, enum: [a] }
            """
        let secret = "zR7tQ2mW9xK4vB8nLp3s"
        let directory = try directory(
            Recorded.stub("/login", json: #"{ "access_token": "\#(secret)" }"#),
            Recorded.stub(
                "/login",
                json: #"{ "a": "REDACTED-token-1", "b": "<API_KEY>", "c": "5ec2e700-0000-4000-8000-000000000001" }"#
            ),
            Recorded.stub("/login", json: #"{ "a": "b" }"#),
            document: document
        )
        try directory.write(#"{ "matching" : { "placeholders" : [ "<API_KEY>" ] } }"#, to: "Stubs/.stubborn.json")
        let run = try Tool.run(
            ["check", "Stubs", "--openapi", "API.yaml", "--ignore", "secret", "--format", "json"],
            in: directory.url
        )
        #expect(!(run.output + run.errors).contains(secret))
        #expect(run.output.components(separatedBy: "\"kind\" :").count == 2)
        #expect(run.output.contains("Stub 3, GET /login → 200: response.a: must be \\\"a\\\", is \\\"b\\\""))
    }

    @Test
    func `recordings of another address are compared when --server names it, and a comparison of nothing is not green`()
        throws
    {
        let directory = try directory(breaking)
        try directory.write(
            try directory.text("Stubs/Shop.json").replacingOccurrences(
                of: "https://api.example.com/v1",
                with: "http://127.0.0.1:8080"
            ),
            to: "Stubs/Shop.json"
        )
        // A value that a test made asks no server.
        try directory.write(#"[{ "value" : "order", "json" : 1 }]"#, to: "Stubs/Value.json")
        let check = ["check", "Stubs", "--openapi", "API.yaml"]
        let run = try Tool.run(check, in: directory.url)
        #expect(run.status == 2)
        #expect(
            run.errors
                == "error: No recording is from a server of API.yaml; they are from 127.0.0.1. Nothing was compared. Pass the "
                + "address at which the API was recorded with --server.\n"
        )
        let named = try Tool.run(check + ["--server", "http://127.0.0.1:8080"], in: directory.url)
        #expect(named.status == 1)
        #expect(named.output.contains("GET /users/42 → 200: response.email: must be string, is null"))
        #expect(try Tool.run(["check", "--server", "http://127.0.0.1:8080"], in: directory.url).status == 64)
    }

    @Test func `many findings of one stub are cut, and their number is said`() throws {
        let members = (1...30).map { "\"wrong\($0)\": 1" }.joined(separator: ", ")
        let directory = try directory(Recorded.stub("/v1/users/1", json: "{ \(members) }"))
        let run = try Tool.run(["check", "Stubs", "--openapi", "API.yaml"], in: directory.url)
        #expect(run.output.split(separator: "\n").count == 21)
        #expect(run.output.contains("GET /v1/users/1 → 200: 13 more, which are not listed [openapi]"))
    }

    @Test(arguments: [
        ("nowhere.yaml", "error: The OpenAPI document nowhere.yaml cannot be read: "),
        ("Stubs", "error: The OpenAPI document Stubs is a directory. Pass a file.\n"),
        ("Empty.yaml", "error: Empty.yaml: The document is empty.\n"),
    ])
    func `a document that cannot be read is an error of the command`(path: String, message: String) throws {
        let directory = try directory(breaking)
        try directory.write("", to: "Empty.yaml")
        let run = try Tool.run(["check", "--openapi", path], in: directory.url)
        #expect(run.status == 2)
        #expect(run.errors.hasPrefix(message), "\(run.errors)")
    }

    @Test func `a body as deep as JSON can be is compared without a crash`() throws {
        let user = (0..<250).reduce(ShopAPI.user()) { user, _ in ShopAPI.user(["manager": user]) }
        let document = """
            openapi: 3.1.0
            paths: { /a: { get: { responses: { 200: { content: { application/json: { schema: { $ref: '#/components/schemas/A' } } } } } } } }
            components: { schemas: { A: { allOf: [{ anyOf: [{ $ref: '#/components/schemas/B' }] }] }, B: { additionalProperties: { $ref: '#/components/schemas/A' } } } }
            """
        let nested = String(repeating: #"{ "a": "#, count: 500) + "{}" + String(repeating: "}", count: 500)
        for (stub, document) in [
            (Recorded.stub("/v1/users/1", json: user), ShopAPI.document), (Recorded.stub("/a", json: nested), document),
        ] {
            let directory = try directory(stub, document: document)
            let run = try Tool.run(["check", "Stubs", "--openapi", "API.yaml"], in: directory.url)
            #expect(run.status == 0, "\(run.output)\(run.errors)")
        }
    }
}
