import Foundation
import Testing

@Suite struct RewritingTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func run(_ arguments: String...) throws -> Tool.Result { try Tool.run(arguments, in: directory.url) }

    private let formatted = """
        [
          {
            "data" : "eyJpZCI6NDJ9",
            "request" : {
              "method" : "GET",
              "url" : "https://api.example.com/users"
            },
            "response" : {
              "headerFields" : [ "Content-Type[:::]application/json" ],
              "statusCode" : 200
            }
          }
        ]

        """

    private let squeezed = #"""
        [{"response":{"statusCode":200,"headerFields":["Content-Type[:::]application/json"]},"data":"eyJpZCI6NDJ9",
        "request":{"url":"https://api.example.com/users","method":"GET"}}]
        """#

    // MARK: Format

    @Test func `a file is laid out as the library writes it`() throws {
        try directory.write(squeezed, to: "A.json")
        let result = try run("format", "A.json")
        #expect(result.output == "A.json\n")
        #expect(try directory.text("A.json") == formatted)
        #expect(try run("format", "A.json").output.isEmpty)
    }

    @Test func `bodies become readable, and base64 again`() throws {
        try directory.write(formatted, to: "A.json")
        #expect(try run("format", "--bodies", "readable").status == 0)
        #expect(try directory.text("A.json").contains("\"json\" : {\n      \"id\" : 42\n    },\n"))
        #expect(try run("format", "--bodies", "base64").status == 0)
        #expect(try directory.text("A.json") == formatted)
    }

    @Test func `keys of somebody's own are kept`() throws {
        try directory.write(#"[{"x-note":1.50,"request":{"method":"GET","url":"https://a.example"}}]"#, to: "A.json")
        #expect(try run("format", "--bodies", "readable").status == 0)
        #expect(try directory.text("A.json").contains("    \"x-note\" : 1.50,\n    \"request\" : {\n      \"method\""))
    }

    @Test func `a dry run shows the difference and writes nothing`() throws {
        try directory.write(formatted, to: "A.json")
        let result = try run("format", "--bodies", "readable", "--dry-run")
        #expect(result.status == 1)
        #expect(
            result.output.hasPrefix(
                """
                --- A.json
                +++ A.json
                @@ -1,6 +1,8 @@
                 [
                   {
                -    "data" : "eyJpZCI6NDJ9",
                +    "json" : {
                +      "id" : 42
                +    },
                """
            )
        )
        #expect(try directory.text("A.json") == formatted)
    }

    @Test func `a damaged file is named, and the others are written`() throws {
        try directory.write(#"[ { "request" : "#, to: "A.json")
        try directory.write(squeezed, to: "B.json")
        let result = try run("format")
        #expect(result.status == 2)
        #expect(result.errors.hasPrefix("error: A.json:1:"))
        #expect(try directory.text("B.json") == formatted)
    }

    // MARK: Redact

    @Test func `secrets are replaced everywhere, and other stubs keep their bytes`() throws {
        let plain = Recorded.stub("/plain", json: #"{"id":1}"#)
        let login = Recorded.stub("/login", json: #"{"access_token":"s3cr3t-9f8e7d6c5b4a39281706"}"#)
        let later = Recorded.stub("/me/s3cr3t-9f8e7d6c5b4a39281706", json: "[]")
        try directory.write(Recorded.file(plain, later, login), to: "A.json")
        let result = try run("redact", "A.json")
        let text = try directory.text("A.json")
        #expect(result.status == 0)
        #expect(!text.contains("s3cr3t"))
        #expect(text.contains("\"access_token\" : \"REDACTED"))
        #expect(text.contains(plain))
        #expect(result.errors.contains("response body, access_token (token-fields)"))
        #expect(try run("redact", "A.json").output.isEmpty)
    }

    @Test func `a secret in a readable form is replaced, and the form stays readable`() throws {
        try directory.write(
            """
            [
              {
                "request" : {
                  "headerFields" : [ "Content-Type[:::]application/x-www-form-urlencoded" ],
                  "method" : "POST",
                  "requestForm" : [
                    "user=ada",
                    "password=s3cr3t-9x8y7z"
                  ],
                  "url" : "https://api.example.com/login"
                },
                "response" : {
                  "statusCode" : 204
                }
              }
            ]
            """,
            to: "A.json"
        )
        let result = try run("redact", "A.json")
        #expect(result.status == 0)
        let text = try directory.text("A.json")
        #expect(!text.contains("s3cr3t"))
        #expect(text.contains("\"requestForm\" : [\n        \"user=ada\",\n        \"password=REDACTED"))
    }

    @Test func `keys of your own stay when a secret next to them is replaced`() throws {
        try directory.write(
            """
            [
              {
                "comment" : [ "why", { "deep" : 1.50 } ],
                "json" : { "access_token" : "s3cr3t-9x8y7z", "price" : 4.20 },
                "request" : { "method" : "GET", "url" : "https://api.example.com/a", "x-note" : null },
                "response" : { "x-id" : 7, "statusCode" : 200 }
              }
            ]
            """,
            to: "A.json"
        )
        let result = try run("redact", "A.json")
        #expect(result.status == 0)
        #expect(result.errors.contains("your own keys are kept. Look for secrets in them yourself."))
        #expect(
            try directory.text("A.json") == """
                [
                  {
                    "json" : {
                      "access_token" : "REDACTED-access_token-1",
                      "price" : 4.20
                    },
                    "request" : {
                      "method" : "GET",
                      "url" : "https://api.example.com/a",
                      "x-note" : null
                    },
                    "response" : {
                      "statusCode" : 200,
                      "x-id" : 7
                    },
                    "comment" : [
                      "why",
                      {
                        "deep" : 1.50
                      }
                    ]
                  }
                ]

                """
        )
        #expect(try Tool.run(["check", "A.json"], in: directory.url).status == 0)
    }

    @Test func `a secret in a GraphQL request next to keys of your own is replaced`() throws {
        let request =
            #""requestGraphQL":{"query":["mutation {","  a","}"],"variables":{"password":"s3cr3t-9x8y7z"}}"#
        try directory.write(
            #"[{"x-note":1,"request":{"method":"POST","url":"https://a.example",\#(request)},"response":{"statusCode":204}}]"#,
            to: "A.json"
        )
        #expect(try run("redact", "A.json").status == 0)
        #expect(try !directory.text("A.json").contains("s3cr3t"))
        #expect(try run("show", "A.json").status == 0)
    }

    @Test func `the names in the settings file are secrets`() throws {
        try directory.write(#"{ "redaction" : { "jsonKeys" : [ "shoe" ] } }"#, to: ".stubborn.json")
        try directory.write(Recorded.file(Recorded.stub("/a", json: #"{"shoe":"left-1234567"}"#)), to: "A.json")
        #expect(try run("redact", "--dry-run").status == 1)
        #expect(try run("redact").status == 0)
        #expect(try !directory.text("A.json").contains("left-1234567"))
    }

    // MARK: Prune

    private func report(
        _ unused: [Int],
        of file: String = "A",
        mode: String = "playback",
        hasExited: Bool = true,
        missing: [String] = [],
        _ counts: [String: Int] = [:]
    ) throws {
        let path = directory.file("Stubs/\(file).json").path
        func count(_ name: String) -> Int { counts[name] ?? (name == "unstubbed" ? missing.count : 0) }
        let requests = missing.map { #"{ "cause" : "no stub file", "fixes" : [], "request" : "\#($0)", "text" : "" }"# }
            .joined(separator: ", ")
        try directory.write(
            """
            { "process" : 1, "number" : 1, "network" : { \
              "file" : "\(path)", "hasExited" : \(hasExited), "mode" : "\(mode)", "networkAttempts" : 0, \
              "processIdentifier" : 1, "recorded" : [], "summary" : { "failed" : \(count("failed")), \
              "passedThrough" : 0, "recorded" : \(count("recorded")), "running" : \(count("running")), "stubbed" : 1, \
              "unstubbed" : \(count("unstubbed")), "unused" : 1 }, "unstubbed" : [\(requests)], "unused" : [], "unusedPositions" : \(unused) } }
            """,
            to: "reports/\(UUID().uuidString).json"
        )
    }

    @Test func `stubs that no network of the run asked for are removed`() throws {
        let used = Recorded.stub("/used", json: "1")
        try directory.write(Recorded.file(Recorded.stub("/unused", json: "1"), used), to: "Stubs/A.json")
        try report([1])
        #expect(try run("prune", "Stubs", "--reports", "reports").output == "Stubs/A.json\n")
        #expect(try directory.text("Stubs/A.json") == Recorded.file(used))
    }

    @Test(
        arguments: [("playback", []), ("recording-missing", [1]), ("live", [1])] as [(String, [Int])]
    )
    func `a stub stays that another network may have used`(mode: String, unused: [Int]) throws {
        let file = Recorded.file(Recorded.stub("/unused", json: "1"))
        try directory.write(file, to: "Stubs/A.json")
        try report([1])
        try report(unused, mode: mode)
        #expect(try run("prune", "Stubs", "--reports", "reports").status == 0)
        #expect(try directory.text("Stubs/A.json") == file)
    }

    @Test(arguments: ["unstubbed", "failed", "running", "recorded", "killed"])
    func `nothing is removed after a run that failed, recorded or was killed, and check lists nothing as unused`(
        count: String
    ) throws {
        let file = Recorded.file(Recorded.stub("/unused", json: "1"))
        for name in ["A", "Gone"] { try directory.write(file, to: "Stubs/\(name).json") }
        try report([1])
        // The file of a test with a new name is not there.
        try report([], of: "New", hasExited: count != "killed", [count: 1])
        let check = try run("check", "Stubs", "--reports", "reports")
        #expect(check.output == "" && check.errors.contains("were killed, so the run does not show what is unused."))
        let result = try run("prune", "Stubs", "--reports", "reports", "--dry-run")
        #expect(result.status == 2)
        #expect(result.errors.hasPrefix("error: Tests with "))
        #expect(result.output == "")
        #expect(try run("prune", "Stubs", "--reports", "reports", "--force").status == 0)
        #expect(try directory.text("Stubs/A.json") == "[]\n")
    }

    @Test func `a test without a file is offered the unused file that answers it and has its name in part`() throws {
        let (login, exit) = (Recorded.stub("/login", json: "1"), Recorded.stub("/exit?at=1", json: "1"))
        try directory.write(Recorded.file(login), to: "Stubs/A.json")
        for (name, stubs) in [("in", [login]), ("out", [login, exit]), ("other", [exit])] {
            try directory.write(Recorded.file(stubs), to: "Stubs/LoginTests_\(name).json")
        }
        try report([])
        try report([], of: "AuthTests_in", missing: ["GET https://api.example.com/login"])
        let requests = ["GET https://api.example.com/login", "GET https://api.example.com/exit?at=2"]
        try report([], of: "AuthTests_out", missing: requests)
        for command in ["prune", "check"] {
            let lines = try run(command, "Stubs", "--reports", "reports").errors.split(separator: "\n")
            #expect(
                lines.filter { $0.hasPrefix("  ") } == [
                    "  stubborn rename Stubs/LoginTests_in.json AuthTests_in.json",
                    "  stubborn rename Stubs/LoginTests_out.json AuthTests_out.json",
                ]
            )
        }
    }

    @Test(
        arguments: [
            // Two files share as much of the name.
            (["Texts_old_a", "Texts_old_b"], ["Texts_new_c"]),
            // Two tests share as much with the only file.
            (["Texts_old_a"], ["Texts_new_a", "Texts_newer_a"]),
            // The only file does not answer the request.
            (["Other"], ["Texts_new_a"]),
        ]
    )
    func `a tie is refused, and so is a file that does not answer`(files: [String], tests: [String]) throws {
        for file in files {
            let path = file == "Other" ? "/other" : "/login"
            try directory.write(Recorded.file(Recorded.stub(path, json: "1")), to: "Stubs/\(file).json")
        }
        for test in tests { try report([], of: test, missing: ["GET https://api.example.com/login"]) }
        #expect(try !run("check", "Stubs", "--reports", "reports").errors.contains("stubborn rename"))
    }

    @Test func `of equal requests the stubs that were not reached are removed`() throws {
        let first = Recorded.stub("/poll", json: "1")
        try directory.write(Recorded.file(first, Recorded.stub("/poll", json: "2")), to: "Stubs/A.json")
        try report([2])
        #expect(try run("prune", "Stubs", "--reports", "reports").status == 0)
        #expect(try directory.text("Stubs/A.json") == Recorded.file(first))
    }

    @Test func `a file that no test asked for is removed if git has it`() throws {
        try Tool.git("init", in: directory.url)
        for name in ["A", "Committed", "Changed"] {
            try directory.write(Recorded.file(Recorded.stub("/a", json: "1")), to: "Stubs/\(name).json")
        }
        try Tool.git("add", ".", in: directory.url)
        try Tool.git("commit", "-m", "Record", in: directory.url)
        try directory.write(Recorded.file(Recorded.stub("/a", json: "2")), to: "Stubs/Changed.json")
        try report([])
        let dry = try run("prune", "--reports", "reports", "--dry-run")
        #expect(dry.status == 1)
        #expect(dry.output == "--- Stubs/Committed.json\n+++ /dev/null\n")
        let result = try run("prune", "--reports", "reports")
        #expect(result.output == "Stubs/Committed.json (removed)\n")
        #expect(result.errors.contains("Stubs/Changed.json: no test used it. It is kept"))
        #expect(!FileManager.default.fileExists(atPath: directory.file("Stubs/Committed.json").path))
    }

    @Test(arguments: ["B.json", "Elsewhere/B.json", "Stubs/Deeper/B.json", "Stubs2/B.json", "Elsewhere/Stubs/B.json"])
    func `a committed file stays in a directory that the run never touched`(path: String) throws {
        try Tool.git("init", in: directory.url)
        for path in ["Stubs/A.json", path] {
            try directory.write(Recorded.file(Recorded.stub("/a", json: "1")), to: path)
        }
        try Tool.git("add", ".", in: directory.url)
        try Tool.git("commit", "-m", "Record", in: directory.url)
        try report([])
        for options in [["--dry-run"], [], ["--force"]] {
            let result = try Tool.run(["prune", "--reports", "reports"] + options, in: directory.url)
            #expect(result.status == 0)
            #expect(result.output == "" && result.errors == "", "\(result.output)\(result.errors)")
            #expect(FileManager.default.fileExists(atPath: directory.file(path).path))
        }
    }

    // MARK: Rename

    @Test(
        arguments: [
            ("LoginTests/signIn()", "LoginTests_signIn.json"),
            ("LoginTests.testSignIn", "LoginTests_testSignIn.json"), ("Other.json", "Other.json"),
            ("LoginTests/`a user signs in`()", "LoginTests_a_user_signs_in.json"),
        ]
    )
    func `a file is renamed for its test's new name`(name: String, file: String) throws {
        try directory.write("[]\n", to: "Stubs/LoginTests_login.json")
        let result = try run("rename", "Stubs/LoginTests_login.json", name)
        #expect(result.output == "Stubs/LoginTests_login.json → Stubs/\(file)\n")
        #expect(FileManager.default.fileExists(atPath: directory.file("Stubs/\(file)").path))
    }

    @Test(arguments: [".stubborn.json", "..json", "a\nb.json", "a\u{1B}[2J.json", "Login\u{200B}.json"])
    func `a file gets no hidden name, and none that cannot be read`(name: String) throws {
        try directory.write("[]\n", to: "A.json")
        #expect(try run("rename", "A.json", name).status == 2)
        #expect(FileManager.default.fileExists(atPath: directory.file("A.json").path))
    }

    @Test func `a file is not renamed onto another`() throws {
        try directory.write("[]\n", to: "A.json")
        try directory.write("[]\n", to: "B.json")
        let result = try run("rename", "A.json", "B.json")
        #expect(result.status == 2)
        #expect(result.errors == "error: B.json already exists. Move it first.\n")
    }
}
