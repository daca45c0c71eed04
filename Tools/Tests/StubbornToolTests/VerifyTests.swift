import Foundation
import Testing

/// `stubborn verify`: recordings compared with a server, which `stubborn serve` plays.
@Suite(.timeLimit(.minutes(5)))
struct VerifyTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func stub(_ path: String, _ json: String, status: Int = 200, method: String = "GET", fields: String = "")
        -> String
    {
        """
        { "request": { "method": "\(method)", "url": "https://real.example\(path)", "headerFields": [\(fields)] }, "json": \(json),
          "response": { "statusCode": \(status), "headerFields": ["Content-Type[:::]application/json"] } }
        """
    }

    /// Writes a recording, and starts a server that answers what it answers now.
    private func server(recorded: [String], now: [String]) async throws -> RunningTool {
        try directory.write("[" + recorded.joined(separator: ",\n") + "]", to: "stubs.json")
        try directory.write("[" + now.joined(separator: ",\n") + "]", to: "now/now.json")
        return try await RunningTool(["serve", "now", "--verbose"], in: directory.url)
    }

    private func verify(_ server: RunningTool, _ options: String...) throws -> Tool.Result {
        try Tool.run(["verify", "stubs.json", "--base", server.url] + options, in: directory.url)
    }

    @Test func `a server that says the same gives the status 0`() async throws {
        let stubs = [stub("/users/1", #"{"name":"Ada"}"#), stub("/users/2", #"{"name":"Grace"}"#)]
        let result = try verify(try await server(recorded: stubs, now: stubs))

        #expect(result.status == 0)
        #expect(result.output == "stubs.json was compared with the server: 2 of 2 stubs are the same.\n")
        #expect(result.errors == "")
    }

    @Test func `differences are listed by stub, with the status 1`() async throws {
        let now = try await server(
            recorded: [stub("/same", "{}"), stub("/name", #"{"name":"Ada"}"#), stub("/gone", "{}")],
            now: [stub("/same", "{}"), stub("/name", #"{"name":"Grace"}"#)]
        )
        let before = try directory.text("stubs.json")

        let result = try verify(now)

        #expect(result.status == 1)
        #expect(
            result.output == """
                stubs.json was compared with the server: 1 of 3 stubs are the same.
                GET https://real.example/name:
                  body.name: recorded "Ada", received "Grace"
                GET https://real.example/gone:
                  status: recorded 200, received 404

                """
        )
        #expect(try directory.text("stubs.json") == before)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.url.path).sorted() == ["now", "stubs.json"]
        )
    }

    @Test(arguments: [("values", 1), ("structure", 1), ("breaking", 0)])
    func `the degree of a difference decides the status`(degree: String, status: Int32) async throws {
        let now = try await server(recorded: [stub("/a", #"{"a":1}"#)], now: [stub("/a", #"{"a":1,"b":2}"#)])

        #expect(try verify(now, "--fail-on", degree).status == status)
    }

    @Test func `equal requests are compared one after the other`() async throws {
        let stubs = [stub("/next", #"{"n":1}"#), stub("/next", #"{"n":2}"#)]
        let result = try verify(try await server(recorded: stubs, now: stubs))

        #expect(result.status == 0, "\(result.output)")
    }

    @Test func `a redirect is compared, and not followed`() async throws {
        let redirect = """
            { "request": { "method": "GET", "url": "https://real.example/old" },
              "response": { "statusCode": 302, "headerFields": ["Location[:::]/new"] } }
            """
        let stubs = [redirect, stub("/new", "{}")]
        let now = try await server(recorded: stubs, now: stubs)

        let result = try verify(now)

        #expect(result.status == 0, "\(result.output)")
        #expect(now.errors.components(separatedBy: "GET /new:").count == 2, "\(now.errors)")
    }

    @Test func `a placeholder is not sent, and a field takes its place`() async throws {
        let recorded = stub("/me", "{}", fields: #""Authorization[:::]Bearer REDACTED-token-1""#)
        let now = try await server(recorded: [recorded], now: [recorded])

        let without = try verify(now)
        #expect(
            without.output.contains(
                "GET https://real.example/me was not sent to the real server: its header Authorization"
            )
        )
        #expect(without.status == 3)
        #expect(!now.errors.contains("GET /me"))

        let with = try verify(now, "--header", "Authorization: Bearer abcdef1234567890abcdef")
        #expect(with.output == "stubs.json was compared with the server: 1 of 1 stubs are the same.\n")
        #expect(with.status == 0)
    }

    @Test func `a credential is not sent to several hosts`() throws {
        let directory = try TemporaryDirectory()
        let stubs = ["a", "b", "c"].map { host in
            let field = host == "c" ? "" : #""headerFields": ["Authorization[:::]Bearer REDACTED-token-1"],"#
            return
                #"{ "request": { \#(field) "method": "GET", "url": "http://\#(host).invalid/" }, "response": { "statusCode": 200 } }"#
        }
        try directory.write("[ \(stubs.joined(separator: ", ")) ]", to: "stubs.json")
        let field = "Authorization: Bearer abcdef1234567890abcdef"

        let refused = try Tool.run(["verify", "stubs.json", "--header", field], in: directory.url)
        #expect(refused.status == 2)
        #expect(refused.errors.contains("were recorded with Authorization: a.invalid, b.invalid. "))

        let chosen = try Tool.run(
            ["verify", "stubs.json", "--header", field, "--host", "A.invalid"],
            in: directory.url
        )
        #expect(
            chosen.output.components(separatedBy: "was not sent to the real server: its header Authorization").count
                == 2,
            "\(chosen.output)"
        )
    }

    @Test func `requests that may change something can be left out`() async throws {
        let stubs = [stub("/a", "{}"), stub("/b", "{}", method: "DELETE")]
        let now = try await server(recorded: stubs, now: stubs)

        let result = try verify(now, "--safe")

        #expect(
            result.output == """
                stubs.json was compared with the server: 1 of 2 stubs were verified, and 1 of 1 are the same.
                DELETE https://real.example/b: not verified, no request used it

                """
        )
        #expect(!now.errors.contains("DELETE"))
    }

    @Test func `a request that --safe leaves out is no request that could not be sent`() async throws {
        let field = #""Authorization[:::]Bearer REDACTED-token-1""#
        let stubs = [stub("/a", "{}"), stub("/b", "{}", method: "DELETE", fields: field)]

        #expect(try verify(try await server(recorded: stubs, now: stubs), "--safe").status == 0)
    }

    @Test func `the report is written as JSON`() async throws {
        let now = try await server(recorded: [stub("/a", #"{"a":1}"#)], now: [stub("/a", #"{"a":2}"#)])

        #expect(
            try verify(now, "--format", "json").output == #"""
                {
                  "command" : "verify",
                  "files" : [
                    {
                      "file" : "stubs.json",
                      "stubs" : [
                        {
                          "differences" : [
                            {
                              "part" : "headers.Connection",
                              "received" : "\"keep-alive\"",
                              "severity" : "volatile"
                            },
                            {
                              "part" : "body.a",
                              "received" : "2",
                              "recorded" : "1",
                              "severity" : "values"
                            }
                          ],
                          "request" : "GET https://real.example/a"
                        }
                      ]
                    }
                  ],
                  "notSent" : [

                  ],
                  "version" : 1
                }

                """#
        )
    }

    @Test func `JSON lists the requests that were not sent, though others were`() async throws {
        let field = #""Authorization[:::]Bearer REDACTED-token-1""#
        let recorded = [stub("/me", "{}", fields: field), stub("/all", "{}")]
        let result = try verify(try await server(recorded: recorded, now: recorded), "--format", "json")

        struct Report: Decodable {
            struct Request: Decodable, Equatable { let file, request: String }
            let notSent: [Request]
        }
        let report = try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
        #expect(report.notSent == [.init(file: "stubs.json", request: "GET https://real.example/me")])
        #expect(result.status == 3)
    }

    @Test func `a server that does not answer is a breaking difference`() async throws {
        try directory.write("[\(stub("/a", "{}"))]", to: "stubs.json")

        let result = try Tool.run(
            ["verify", "stubs.json", "--base", "http://127.0.0.1:1", "--fail-on", "breaking"],
            in: directory.url
        )

        #expect(result.status == 1)
        #expect(result.output.contains("response: recorded 200, received NSURLErrorDomain -1004"), "\(result.output)")
    }

    @Test func `a file that cannot be read gives no report`() throws {
        try directory.write(#"[ { "request" : "#, to: "damaged.json")
        let result = try Tool.run(["verify", "damaged.json"], in: directory.url)
        #expect(result.status == 2 && result.output.isEmpty)
    }

    @Test func `a wrong base, field or path is an error with the status 2`() throws {
        try directory.write("[]", to: "stubs.json")
        let calls = [
            (["stubs.json", "--base", "real.example"], "real.example is not the URL of a server."),
            (["stubs.json", "--base", "http://a.example:70000"], "http://a.example:70000 is not the URL of a server."),
            (["stubs.json", "--base", "https://real.example/v1?key=1"], "has a query or a fragment. Leave it out"),
            (["stubs.json", "--header", "Bearer"], "has no colon"),
            (["nowhere.json"], "nowhere.json"),
        ]
        for (arguments, message) in calls {
            let result = try Tool.run(["verify"] + arguments, in: directory.url)
            #expect(result.status == 2)
            #expect(result.errors.contains(message), "\(result.errors)")
        }
    }
}
