import Foundation
import Testing

@Suite struct ListTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func `stub files are listed as a table`() throws {
        try directory.write(
            Recorded.file(Recorded.stub("/a", json: "1"), Recorded.stub("/b", method: "POST", status: 404, json: "2")),
            to: "Stubs/A.json"
        )
        try directory.write("[]\n", to: "Stubs/Fixture.json")
        try directory.write(#"{"bodyEncoding":"readable"}"#, to: "Stubs/.stubborn.json")
        let result = try Tool.run(["list"], in: directory.url)
        #expect(
            result.output == """
                FILE          STUBS  REQUESTS   STATUS         SIZE  AGE  PROBLEMS
                Stubs/A.json      2  GET, POST  200, 404  492 bytes  -

                """
        )
        #expect(result.errors == "2 stubs in 1 file, 1 directory, 492 bytes\n")
        #expect(result.status == 0)
    }

    @Test func `GraphQL operations are listed by their names`() throws {
        let request = { (body: String) in
            Recorded.stub(
                "/graphql",
                type: "application/json",
                body: Data("{}".utf8),
                request: Data(body.utf8),
                requestType: "application/json"
            )
            .replacingOccurrences(of: "\"GET\"", with: "\"POST\"")
        }
        let (user, posts) = (request(#"{"query":"query User { a }"}"#), request(#"{"query":"query Posts { a }"}"#))
        try directory.write(Recorded.file(user, posts, user, Recorded.stub("/", json: "1")), to: "Stubs/A.json")
        let result = try Tool.run(["list", "Stubs"], in: directory.url)
        #expect(result.output.contains(" POST ×3, GET (User ×2, Posts) "))
        let json = try Tool.run(["list", "Stubs", "--format", "json"], in: directory.url)
        #expect(json.output.contains("\"User\" : 2"))
    }

    @Test(arguments: [
        (
            #"{"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12,"details":{"cached_tokens":5}}}"#,
            12
        ),
        (#"{"usage":{"input_tokens":9,"output_tokens":3,"cache_read_input_tokens":2}}"#, 14),
        (#"{"usage":{"tokens":{"input_tokens":9,"output_tokens":3},"billed_units":{"input_tokens":9}}}"#, 12),
        (#"[{"usageMetadata":{"totalTokenCount":5}},{"usageMetadata":{"totalTokenCount":12}}]"#, 12),
        (#"{"results":[{"usage":{"total_tokens":5}},{"usage":{"total_tokens":12}}]}"#, 17),
        (
            """
            data: {"message":{"usage":{"input_tokens":9,"output_tokens":1}}}

            data: {"text":"} \\" {"}

            data: {"usage":{"output_tokens":3}}

            data: [DONE]
            """,
            12
        ),
        ("\u{0}\u{7F}{\"a\":1}\u{0}\u{8}{\"usage\":{\"inputTokens\":9,\"totalTokens\":12}}\u{0}", 12),
    ])
    func `the tokens that a response names are listed`(body: String, tokens: Int) throws {
        let stub = Recorded.stub("/answer", type: "text/plain", body: Data(body.utf8))
        try directory.write(Recorded.file(stub, Recorded.stub("/other", json: #"{"token":"abc"}"#)), to: "A.json")
        try directory.write(Recorded.file(stub), to: "B.json")
        let result = try Tool.run(["list"], in: directory.url)
        #expect(result.output.components(separatedBy: " \(tokens)  -\n").count == 3, "\(result.output)")
        #expect(result.errors.hasSuffix("saves 2 calls with \(2 * tokens) tokens.\n"), "\(result.errors)")
        let json = try Tool.run(["list", "--format", "json"], in: directory.url).output
        #expect(json.contains("\"tokens\" : \(tokens)") && json.contains("\"tokens\" : \(2 * tokens)"))
        let report = try Tool.run(["report", "--output", "page.html"], in: directory.url)
        #expect(report.errors.hasSuffix("saves 2 calls with \(2 * tokens) tokens.\n"), "\(report.errors)")
        let page = try directory.text("page.html")
        #expect(page.contains("1 call with \(tokens) tokens") && page.contains("2 calls with \(2 * tokens) tokens"))
    }

    @Test func `a damaged file and a leftover journal are problems`() throws {
        try directory.write("[ { \"request\" : <<<<<<< HEAD", to: "Damaged.json")
        try directory.write(Recorded.file(Recorded.stub("/a", json: "1")), to: "Fine.json")
        try directory.write("", to: ".Fine.json.0123abcd.journal")
        let result = try Tool.run(["list"], in: directory.url)
        #expect(result.output.contains("Damaged.json      0                     28 bytes  -    cannot be read\n"))
        #expect(result.output.contains("-    1 leftover journal\n"))
        #expect(result.errors.contains("error: Damaged.json:1:17: expected "))
        #expect(result.status == 1)
    }

    @Test func `the age is that of git's last commit`() throws {
        try Tool.git("init", in: directory.url)
        try directory.write(Recorded.file(Recorded.stub("/a", json: "1")), to: "Old é.json")
        try Tool.git("add", ".", in: directory.url)
        let date = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: -86_400 * 40 - 60))
        try Tool.git(
            "commit",
            "-m",
            "Record",
            "--date",
            date,
            in: directory.url,
            environment: ["GIT_COMMITTER_DATE": date]
        )
        try directory.write(Recorded.file(Recorded.stub("/a", json: "1")), to: "New.json")
        let output = try Tool.run(["list"], in: directory.url).output
        #expect(output.contains("40 days\n"))
        #expect(output.contains("not committed\n"))
        try directory.write(Recorded.file(Recorded.stub("/b", json: "1")), to: "Old é.json")
        #expect(try Tool.run(["list"], in: directory.url).output.contains("40 days, changed\n"))
    }

    @Test func `the list as JSON has the figures of each file`() throws {
        try directory.write(Recorded.file(Recorded.stub("/a", json: "1")), to: "A.json")
        let result = try Tool.run(["list", "A.json", "--format", "json"], in: directory.url)
        let object = try #require(JSONSerialization.jsonObject(with: result.outputData) as? [String: Any])
        #expect(object["version"] as? Int == 1)
        #expect(object["command"] as? String == "list")
        let rows = try #require(object["files"] as? [[String: Any]])
        #expect(rows.count == 1)
        #expect(rows.first?["file"] as? String == "A.json")
        #expect(rows.first?["stubs"] as? Int == 1)
        #expect(rows.first?["statuses"] as? [String: Int] == ["200": 1])
    }

    @Test func `a directory without stub files is no error`() throws {
        let result = try Tool.run(["list"], in: directory.url)
        #expect(result.status == 0)
        #expect(result.errors == "There are no stub files: .\n")
    }

    @Test func `a long method makes no row wide`() throws {
        let stub = Recorded.stub("/a", method: String(repeating: "M", count: 600), json: "1")
        try directory.write(Recorded.file(stub), to: "A.json")
        let lines = try Tool.run(["list"], in: directory.url).output.split(separator: "\n")
        #expect(lines.allSatisfy { $0.count < 100 }, "\(lines)")
        #expect(lines.last?.contains("MMMMMMMMMMM…") == true)
    }

    @Test(.enabled(if: TerminalWindow.isAvailable, "tmux is not installed"))
    func `in a narrow terminal each figure of a file has a line`() throws {
        try directory.write(Recorded.file(Recorded.stub("/a", json: "1")), to: "Stubs/LoginTests_login.json")
        let command = "'\(Tool.executable.path)' list --no-color"
        let window = try TerminalWindow(running: command, in: directory.url, columns: 40)
        let screen = try window.screen(showing: "age: -")
        let rows = "\nStubs/LoginTests_login.json\n  stubs: 1\n  requests: GET\n  status: 200\n"
        #expect(screen.contains(rows), "\(screen)")
        #expect(!screen.contains("problems"))
    }
}
