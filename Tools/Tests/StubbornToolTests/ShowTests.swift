import Foundation
import Testing

@Suite struct ShowTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func show(_ file: String, _ options: String...) throws -> Tool.Result {
        try directory.write(file, to: "Login.json")
        return try Tool.run(["show", "Login.json"] + options, in: directory.url)
    }

    @Test func `a stub is shown with its request line, header fields and laid-out JSON`() throws {
        let result = try show(Recorded.file(Recorded.stub("/users/42", json: #"{"name":"Ada","id":4.20}"#)))
        #expect(
            result.output == """
                Login.json: 1 stub

                # stub 1
                GET https://api.example.com/users/42
                HTTP 200
                  Content-Type: application/json

                  {
                    "name" : "Ada",
                    "id" : 4.20
                  }

                """
        )
        #expect(result.status == 0)
        #expect(result.errors.isEmpty)
    }

    @Test(
        arguments: [
            (
                "text/xml; charset=utf-8", Data("<a><b x=\"1>2\">text</b><c/></a>".utf8),
                "<a>\n  <b x=\"1>2\">text</b>\n  <c/>\n</a>"
            ),
            ("text/html", Data("<!doctype html>\n<p>Line<br>two</p>".utf8), "<!doctype html>\n<p>Line<br>two</p>"),
            ("application/x-www-form-urlencoded", Data("q=caf%C3%A9+noir&empty=".utf8), "q = café noir\nempty = "),
            (
                "text/event-stream", Data("id: 1\ndata: {\"a\":1}\n".utf8),
                "id: 1\ndata:\n  {\n    \"a\" : 1\n  }"
            ),
            ("text/plain; charset=iso-8859-1", Data([0x63, 0x61, 0x66, 0xE9]), "café"),
            ("text/plain", Data("\u{1B}[31mred".utf8), "\\u{1B}[31mred"),
            (
                "application/octet-stream", Data([0, 1, 2, 0x41, 0xFF]),
                "application/octet-stream, 5 bytes\n"
                    + "00000000  00 01 02 41 ff                                    |...A.|"
            ),
            ("image/gif", Data("GIF89a\u{10}\0\u{8}\0".utf8), "GIF image, 10 bytes"),
        ] as [(String, Data, String)]
    )
    func `a body is decoded and laid out by its type`(type: String, body: Data, expected: String) throws {
        let output = try show(Recorded.file(Recorded.stub("/", type: type, body: body)), "--stub", "1").output
        let lines = output.components(separatedBy: "\n\n").dropFirst().joined(separator: "\n\n")
        let text = lines.split(separator: "\n", omittingEmptySubsequences: false).map {
            $0.hasPrefix("  ") ? $0.dropFirst(2) : $0
        }
        #expect(text.joined(separator: "\n") == expected + "\n")
    }

    @Test(arguments: [("show", true), ("textconv", false)])
    func `a GraphQL query is shown line by line, below its key`(command: String, hasTitle: Bool) throws {
        let query = #"{"id":1,"query":"query User($id: ID!) {\n\n  user(id: \"\u001B\")\n}","variables":{"id":"42"}}"#
        let stub = Recorded.stub(
            "/",
            type: "text/plain",
            body: Data("ok".utf8),
            request: Data(query.utf8),
            requestType: "application/json"
        )
        try directory.write(Recorded.file(stub), to: "A.json")
        let expected = #"""
            GET https://api.example.com/
              Content-Type: application/json

              {
                "id" : 1,
                "query" :
                  query User($id: ID!) {

                    user(id: "\u{1B}")
                  }
                "variables" : {
                  "id" : "42"
                }
              }
            HTTP 200
              Content-Type: text/plain

              ok


            """#
        let title = hasTitle ? "A.json: 1 stub\n\n# stub 1\n" : ""
        let output = try Tool.run([command, "A.json"], in: directory.url).output
        #expect(output == title + (hasTitle ? String(expected.dropLast()) : expected))
    }

    @Test func `each query of a batch is shown line by line, and other JSON as it is`() throws {
        let batch = #"[{"query":"{\n  a\n}"},{"variables":{"query":"{\n}"},"query":"{ b }"},{"query":"SELECT\n1"}]"#
        let file = Recorded.file(Recorded.stub("/", type: "application/json", body: Data(batch.utf8)))
        #expect(
            try show(file, "--stub", "1").output.contains(
                #"""

                  [
                    {
                      "query" :
                        {
                          a
                        }
                    },
                    {
                      "variables" : {
                        "query" : "{\n}"
                      },
                      "query" : "{ b }"
                    },
                    {
                      "query" : "SELECT\n1"
                    }
                  ]

                """#
            )
        )
    }

    @Test func `the body alone is written byte for byte`() throws {
        let body = Data([0, 1, 0xFF, 0x0A])
        let result = try show(Recorded.file(Recorded.stub("/", type: "image/x", body: body)), "--stub", "1", "--body")
        #expect(result.outputData == body)
    }

    @Test func `a stub that is not there is an error that says how many there are`() throws {
        let result = try show(Recorded.file(Recorded.stub("/", json: "[]")), "--stub", "2")
        #expect(result.status == 2)
        #expect(result.errors == "error: There is no stub 2 in Login.json, which has 1 stub.\n")
    }

    @Test func `a damaged file is an error that names the line`() throws {
        let result = try show("[\n  {\n    \"request\" : {\n")
        #expect(result.status == 2)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("error: Login.json:4:1: expected a key in quotation marks"))
    }

    @Test func `a path with nothing at it is an error that says so`() throws {
        let result = try Tool.run(["show", "Nowhere.json"], in: directory.url)
        #expect(result.status == 2)
        #expect(result.errors == "error: There is no file or directory at Nowhere.json. Check the path.\n")
    }

    @Test func `a JSON file below a directory that is no array of stubs is left out`() throws {
        try directory.write(#"{"name":"package"}"#, to: "Stubs/package.json")
        try directory.write("[1, 2]", to: "Stubs/numbers.json")
        try directory.write(Recorded.file(Recorded.stub("/hidden", json: "[]")), to: "Stubs/.build/a.json")
        try directory.write(Recorded.file(Recorded.stub("/shown", json: "[]")), to: "Stubs/b.json")
        let result = try Tool.run(["show", "Stubs"], in: directory.url)
        #expect(result.status == 0)
        #expect(result.errors.isEmpty)
        #expect(result.output.contains("/shown"))
        #expect(!result.output.contains("/hidden"))
    }

    @Test func `for git a stub file is text, and any other file is itself`() throws {
        try directory.write(Recorded.file(Recorded.stub("/users", status: 404, json: #"{"id":1}"#)), to: "a.json")
        try directory.write("not a stub file", to: "b.json")
        let text = """
            GET https://api.example.com/users
            HTTP 404
              Content-Type: application/json

              {
                "id" : 1
              }


            """
        #expect(try Tool.run(["textconv", "a.json"], in: directory.url).output == text)
        #expect(try Tool.run(["textconv", "b.json"], in: directory.url).output == "not a stub file")
    }

    @Test func `for git, header fields that differ in each response have no values`() throws {
        let stub = #"""
            [{"request":{"method":"GET","url":"https://api.example.com/"},"response":{"statusCode":200,"headerFields":[\#
            "Date[:::]Thu, 26 Nov 2026 11:00:00 GMT","Retry-After[:::]7","X-Kind[:::]one"]}}]
            """#
        try directory.write(stub, to: "a.json")
        let text = """
            GET https://api.example.com/
            HTTP 200
              Date: …
              Retry-After: …
              X-Kind: one

            """
        #expect(try Tool.run(["textconv", "a.json"], in: directory.url).output.hasPrefix(text))
        #expect(try Tool.run(["show", "a.json"], in: directory.url).output.contains("Retry-After: 7"))
    }
}
