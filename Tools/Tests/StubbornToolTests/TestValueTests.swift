import Foundation
import Testing

/// Values that a test makes, as the commands show them and leave them out.
@Suite(.timeLimit(.minutes(5)))
struct TestValueTests {
    private let directory: TemporaryDirectory
    private let value = #"{ "value" : "order", "json" : { "id" : "5F0C" } }"#

    init() throws {
        directory = try TemporaryDirectory()
        try directory.write("[\(value),\n\(Recorded.stub("/orders/5F0C", json: "{}"))]", to: "a.json")
    }

    private func run(_ arguments: String...) throws -> Tool.Result { try Tool.run(arguments, in: directory.url) }

    @Test func `show prints the name and the JSON`() throws {
        #expect(
            try run("show", "a.json", "--stub", "1").output == """
                value "order"
                  {
                    "id" : "5F0C"
                  }

                """
        )
    }

    @Test func `list counts a value as a stub without a status`() throws {
        let output = try run("list", "a.json", "--format", "json").output
        let row = try #require(
            try (JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])?["files"] as? [[String: Any]]
        ).first
        #expect(row?["stubs"] as? Int == 2)
        #expect(row?["methods"] as? [String: Int] == ["GET": 1, "VALUE": 1])
        #expect(row?["statuses"] as? [String: Int] == ["200": 1])
    }

    @Test func `a changed value is one line of a diff`() throws {
        try directory.write("[\(value)]", to: "old.json")
        try directory.write("[\(value.replacingOccurrences(of: "5F0C", with: "77AA"))]", to: "new.json")
        #expect(
            try run("diff", "old.json", "new.json").output.contains(
                """
                ~ value "order"
                    body.id: "5F0C" → "77AA"
                """
            )
        )
    }

    @Test func `a value is not compared with an OpenAPI document`() throws {
        let document = """
            { "openapi" : "3.1.0", "info" : { "title" : "Orders", "version" : "1" },
              "paths" : { "/orders/{id}" : { "get" : { "responses" : { "200" : { "description" : "An order." } } } } } }
            """
        try directory.write(document, to: "api/API.json")
        let output = try run("check", "a.json", "--openapi", "api/API.json", "--format", "json").output
        let result = try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
        let contract = try #require(result["openapi"] as? [String: Any])
        #expect((contract["elsewhere"] as? [String: Int])?.isEmpty == true)
        #expect(contract["covered"] as? Int == 1)
    }

    @Test(arguments: ["har", "curl", "swift"])
    func `export leaves values out, and says so`(format: String) throws {
        let result = try run("export", "a.json", "--format", format)
        #expect(result.status == 0)
        #expect(result.output.contains("/orders/5F0C"))
        #expect(!result.output.contains("VALUE") && !result.output.contains("value:"))
        #expect(result.errors.contains("Left out, because they are not responses: 1 value of tests."))
    }

    @Test func `verify asks the server for no value`() async throws {
        let server = try await RunningTool(["serve", "a.json", "--verbose"], in: directory.url)
        let result = try run("verify", "a.json", "--base", server.url)
        #expect(result.output == "a.json was compared with the server: 1 of 1 stubs are the same.\n")
        #expect(result.status == 0)
    }

    @Test func `format and check keep a value as it is`() throws {
        for bodies in ["readable", "base64"] {
            let command = ["format", "a.json", "--bodies", bodies]
            #expect(try Tool.run(command, in: directory.url).status == 0, "\(command)")
        }
        #expect(try directory.text("a.json").contains("\"value\" : \"order\""))
        #expect(try run("check", "a.json").status == 0)
    }

    @Test func `two branches that make another value are a conflict`() throws {
        for (name, id) in [("base", "5F0C"), ("ours", "AAAA"), ("theirs", "BBBB")] {
            try directory.write("[\(value.replacingOccurrences(of: "5F0C", with: id))]", to: "\(name).json")
        }
        let result = try run("merge", "base.json", "ours.json", "theirs.json")
        #expect(result.status != 0)
        #expect(result.errors.contains("value \"order\""))
    }
}
