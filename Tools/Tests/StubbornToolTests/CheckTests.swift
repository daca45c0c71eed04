import Foundation
import Testing

/// `stubborn check`: one gate for CI.
@Suite struct CheckTests {
    private func stub(_ url: String, status: Int = 200, data: String = "YWJj", header: String? = nil) -> String {
        """
          {
            "data" : "\(data)",
            "request" : {
              \(header.map { "\"headerFields\" : [ \"\($0)\" ],\n      " } ?? "")"method" : "GET",
              "url" : "\(url)"
            },
            "response" : {
              "statusCode" : \(status)
            }
          }
        """
    }

    private func file(_ stubs: String...) -> String { "[\n\(stubs.joined(separator: ",\n"))\n]\n" }

    private func commit(_ directory: TemporaryDirectory, _ option: String = "--quiet") throws {
        try Tool.git("init", "--quiet", in: directory.url)
        try Tool.git("add", ".", in: directory.url)
        try Tool.git("commit", "--quiet", "--message", "Record", option, in: directory.url)
    }

    @Test(arguments: ["text", "github", "sarif"])
    func `a secret that is found is not printed, also one that only another stub reveals`(format: String) throws {
        let directory = try TemporaryDirectory()
        let secret = "zR7tQ2mW9xK4vB8nLp3s"
        try directory.write(
            file(
                stub("https://api.example.com/notes/\(secret)"),
                stub("https://api.example.com/b?api_key=\(secret)", header: "Authorization[:::]Bearer \(secret)")
            ),
            to: "Stubs/Users.json"
        )
        let result = try Tool.run(["check", "Stubs", "--format", format], in: directory.url)
        #expect(result.status == 1)
        #expect(!(result.output + result.errors).contains(secret))
        #expect(result.output.contains("because another stub of the file has the same value in place of a secret"))
        #expect(result.output.contains("request header Authorization"))
    }

    @Test(arguments: ["text", "json", "github", "sarif"])
    func `an error and a warning have their severities in every format`(format: String) throws {
        let directory = try TemporaryDirectory()
        try directory.write(file(stub("https://api.example.com/", status: 503)), to: "A.json")
        try directory.write("[ { \"request\" : ", to: "B.json")
        let output = try Tool.run(["check", "--format", format], in: directory.url).output
        let severities: [String: (error: String, warning: String)] = [
            "text": ("B.json: error: ", "A.json:2: warning: "),
            "json": (#""severity" : "error""#, #""severity" : "warning""#),
            "github": ("::error file=B.json", "::warning file=A.json"),
            "sarif": (#""level" : "error""#, #""level" : "warning""#),
        ]
        let expected = try #require(severities[format])
        #expect(output.contains(expected.error))
        #expect(output.contains(expected.warning))
    }

    @Test(arguments: [
        ("Warning", "warning", 1), ("Warning", "error", 0), ("Warning", "never", 0), ("Error", "warning", 1),
        ("Error", "error", 1), ("Error", "never", 0), ("Fine", "warning", 0),
    ])
    func `the exit status is 1 from the severity on that --fail-on names`(path: String, least: String, status: Int32)
        throws
    {
        let directory = try TemporaryDirectory()
        try directory.write(file(stub("https://api.example.com/")), to: "Fine/A.json")
        try directory.write(file(stub("https://api.example.com/", status: 503)), to: "Warning/A.json")
        try directory.write("[ { \"request\" : ", to: "Error/A.json")
        #expect(try Tool.run(["check", path, "--fail-on", least], in: directory.url).status == status)
    }

    @Test func `a problem that the settings allow for a file or for one stub is not reported`() throws {
        let directory = try TemporaryDirectory()
        let failing = stub("https://api.example.com/", status: 503)
        try directory.write(file(failing), to: "Stubs/Offline.json")
        try directory.write(file(failing, failing), to: "Stubs/Outage.json")
        try directory.write(
            #"{ "allowed" : { "recorded-error" : [ "Offline", "Outage:2" ] } }"#,
            to: "Stubs/.stubborn.json"
        )
        let run = try Tool.run(["check"], in: directory.url)
        #expect(run.status == 1)
        #expect(
            run.output.split(separator: "\n").map { $0.prefix { $0 != "," } } == [
                "Stubs/Outage.json:2: warning: Stub 1"
            ]
        )
        try directory.write(
            #"{ "allowed" : { "recorded-error" : [ "Offline", "Outage" ] } }"#,
            to: "Stubs/.stubborn.json"
        )
        #expect(try Tool.run(["check"], in: directory.url).status == 0)
    }

    @Test func `the recordings of this project pass`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
        for path in ["Stubs", "Examples"] {
            let run = try Tool.run(["check", path], in: root.standardizedFileURL)
            #expect(run.status == 0, "\(run.output)\(run.errors)")
        }
    }

    @Test func `the JSON has its version, the counts and the problems`() throws {
        let directory = try TemporaryDirectory()
        try directory.write(file(stub("https://api.example.com/", status: 503)), to: "A.json")
        let output = try Tool.run(["check", "--format", "json"], in: directory.url).outputData
        let object = try #require(JSONSerialization.jsonObject(with: output) as? [String: Any])
        #expect(object["version"] as? Int == 1)
        #expect(object["command"] as? String == "check")
        #expect(["files", "stubs", "errors", "warnings"].map { object[$0] as? Int } == [1, 1, 0, 1])
    }

    @Test func `the log for code scanning has the version of the command and a sentence for each rule`() throws {
        let directory = try TemporaryDirectory()
        try directory.write(file(stub("https://api.example.com/")), to: "A.json")
        struct Log: Decodable {
            struct Rule: Decodable { var id: String, shortDescription: [String: String] }
            struct Driver: Decodable { var version: String, rules: [Rule] }
            struct Run: Decodable { var tool: [String: Driver] }
            var runs: [Run]
        }
        let output = try Tool.run(["check", "--format", "sarif"], in: directory.url).outputData
        let driver = try #require(JSONDecoder().decode(Log.self, from: output).runs.first?.tool["driver"])
        #expect(driver.version + "\n" == (try Tool.run(["--version"], in: directory.url).output))
        #expect(driver.rules.allSatisfy { !($0.shortDescription["text"] ?? "").isEmpty })
    }

    @Test func `recordings without problems pass`() throws {
        let directory = try TemporaryDirectory()
        try directory.write(file(stub("https://api.example.com/users")), to: "Stubs/Users.json")
        let run = try Tool.run(["check"], in: directory.url)
        #expect(run.status == 0)
        #expect(run.output == "")
        #expect(run.errors == "1 stub file, 1 stub: 0 errors, 0 warnings.\n")
    }

    @Test(arguments: [
        (
            "a secret", "secret", "https://api.example.com/users", 200,
            "Authorization[:::]Bearer 8f14e45fceea167a5a36dedd4bea2543"
        ),
        ("an error of the server", "recorded-error", "https://api.example.com/users", 503, nil),
    ])
    func `a stub is reported with its line`(_ name: String, kind: String, url: String, status: Int, header: String?)
        throws
    {
        let directory = try TemporaryDirectory()
        try directory.write(
            file(stub("https://api.example.com/other"), stub(url, status: status, header: header)),
            to: "Users.json"
        )
        let run = try Tool.run(["check"], in: directory.url)
        #expect(run.status == 1)
        #expect(run.output.contains("[\(kind)]"))
        #expect(run.output.hasPrefix("Users.json:12: "))
        #expect(!run.output.contains("8f14e45f"))
        #expect(try Tool.run(["check", "--ignore", kind], in: directory.url).status == 0)
    }

    @Test func `a file that is damaged, a journal, invalid settings and names that differ in case are errors`() throws {
        let directory = try TemporaryDirectory()
        try directory.write("[ { \"request\" : ", to: "Broken/A.json")
        try directory.write(file(stub("https://api.example.com/")), to: "Journal/B.json")
        try directory.write("x", to: "Journal/.B.json.5f3a91c2.journal")
        try directory.write(file(stub("https://api.example.com/")), to: "Settings/C.json")
        try directory.write("{ \"bodyEncodin\" : \"readable\" }", to: "Settings/.stubborn.json")
        try directory.write(file(stub("https://api.example.com/")), to: "Names/login.json")
        try directory.write(file(stub("https://api.example.com/")), to: "Names/Login.json")
        let run = try Tool.run(["check", "--format", "json"], in: directory.url)
        #expect(run.status == 1)
        struct Result: Decodable {
            struct Problem: Decodable { var kind: String, file: String }
            var problems: [Problem]
        }
        let problems = try JSONDecoder().decode(Result.self, from: Data(run.output.utf8)).problems
        #expect(
            problems.map { "\($0.kind) \($0.file)" } == [
                "unreadable-file Broken/A.json", "leftover-journal Journal/.B.json.5f3a91c2.journal",
                "same-name Names/login.json", "invalid-settings Settings/C.json",
            ]
        )
    }

    @Test(arguments: ["", "<<<<<<< HEAD\n[ { \"request\" : {} } ]\n=======\n[]\n>>>>>>> theirs\n"])
    func `a stub file that is empty, or that begins with a conflict, is an error and not left out`(text: String) throws
    {
        let directory = try TemporaryDirectory()
        try directory.write(file(stub("https://api.example.com/")), to: "Fine.json")
        try directory.write(text, to: "Stubs/Damaged.json")
        let run = try Tool.run(["check"], in: directory.url)
        #expect(run.status == 1)
        #expect(run.output.hasPrefix("Stubs/Damaged.json: error: "), "\(run.output)")
        #expect(run.output.hasSuffix(" [unreadable-file]\n"), "\(run.output)")
    }

    @Test func `a recorded error is a problem, and a request that its client cancelled is none`() throws {
        let directory = try TemporaryDirectory()
        let stubs = [-1001, -999].map { code in
            """
            { "request" : { "method" : "GET", "url" : "https://api.example.com/\(-code)" },
              "error" : { "domain" : "NSURLErrorDomain", "code" : \(code) } }
            """
        }
        try directory.write(Recorded.file(stubs), to: "A.json")
        let run = try Tool.run(["check"], in: directory.url)
        #expect(run.status == 1)
        #expect(
            run.output == """
                A.json:2: warning: Stub 1, GET https://api.example.com/1001: the error NSURLErrorDomain -1001 was \
                recorded. Record again when the server answers, or list the file under "allowed" in .stubborn.json. \
                [recorded-error]

                """
        )
    }

    @Test(arguments: ["check", "list", "show", "format", "redact", "export --format curl"])
    func `a stub file below a directory is read as UTF-8, and in another encoding it is an error`(
        command: String
    ) throws {
        let directory = try TemporaryDirectory()
        let text = file(stub("https://api.example.com/plain?access_token=s3cr3t-9f8e7d6c5b4a39281706", status: 500))
        func run(_ name: String, _ mark: [UInt8], _ encoding: String.Encoding) throws -> Tool.Result {
            let directory = directory.url.appendingPathComponent(name)
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            let content = try #require(("\r\n\t " + text).data(using: encoding))
            try (Data(mark) + content).write(to: directory.appendingPathComponent("A.json"))
            return try Tool.run(command.components(separatedBy: " ") + ["."], in: directory)
        }
        for (name, mark) in [("UTF-8", []), ("UTF-8 with a mark", [0xEF, 0xBB, 0xBF])] as [(String, [UInt8])] {
            let run = try run(name, mark, .utf8)
            // Each command says something about the stub.
            #expect((run.output + run.errors).contains("A.json") || run.output.contains("/plain"), "\(name): \(run)")
            #expect(run.status == (command == "check" ? 1 : 0), "\(name): \(run.errors)")
        }
        let others: [(String, [UInt8], String.Encoding)] = [
            ("UTF-16", [0xFE, 0xFF], .utf16BigEndian), ("UTF-16LE", [0xFF, 0xFE], .utf16LittleEndian),
            ("UTF-16LE without a mark", [], .utf16LittleEndian), ("UTF-32", [0, 0, 0xFE, 0xFF], .utf32BigEndian),
            ("UTF-32LE", [0xFF, 0xFE, 0, 0], .utf32LittleEndian),
        ]
        for (name, mark, encoding) in others {
            let run = try run(name, mark, encoding)
            let said = run.output + run.errors
            #expect(
                said.contains("A.json") && said.contains("expected UTF-8 text, found another encoding"),
                "\(name): \(run)"
            )
            #expect(run.status == (["check", "list"].contains(command) ? 1 : 2), "\(name): \(run.errors)")
        }
    }

    @Test func `a body over the limit is reported, and the limit can be moved`() throws {
        let directory = try TemporaryDirectory()
        let body = Data(repeating: 0x61, count: 2_000).base64EncodedString()
        try directory.write(file(stub("https://api.example.com/big", data: body)), to: "Big.json")
        #expect(try Tool.run(["check"], in: directory.url).status == 0)
        #expect(try Tool.run(["check", "--max-body", "1KB"], in: directory.url).status == 1)
        #expect(try Tool.run(["check", "--max-body", "2000"], in: directory.url).status == 0)
        #expect(try Tool.run(["check", "--max-body", "many"], in: directory.url).status == 64)
    }

    @Test func `the reports of a run name the files and the stubs that nobody asked for`() throws {
        let directory = try TemporaryDirectory()
        let two = file(stub("https://api.example.com/1"), stub("https://api.example.com/2"))
        try directory.write(two, to: "Stubs/Used.json")
        try directory.write(two, to: "Stubs/Unused.json")
        func report(_ name: String, unused: [Int]) throws {
            let path = directory.url.appendingPathComponent("Stubs/Used.json").path
            try directory.write(
                """
                { "process" : 1, "number" : 1, "network" : { \
                  "file" : "\(path)", "mode" : "playback", "networkAttempts" : 0, "recorded" : [], \
                  "hasExited" : true, "unstubbed" : [], "processIdentifier" : 1, \
                  "summary" : { "failed" : 0, "passedThrough" : 0, "recorded" : 0, "running" : 0, "stubbed" : 1, \
                  "unstubbed" : 0, "unused" : \(unused.count) }, "unused" : [], "unusedPositions" : \(unused) } }
                """,
                to: "reports/\(name).json"
            )
        }
        try report("1", unused: [1, 2])
        try report("2", unused: [2])
        let run = try Tool.run(["check", "Stubs", "--reports", "reports"], in: directory.url)
        #expect(run.status == 1)
        let kinds = run.output.split(separator: "\n").map {
            $0.split(separator: ": ")[0] + " " + ($0.split(separator: "[").last ?? "")
        }
        #expect(kinds == ["Stubs/Unused.json unused-file]", "Stubs/Used.json:12 unused-stub]"])
        // Another test asks for the second one.
        try report("3", unused: [1])
        #expect(try Tool.run(["check", "Stubs/Used.json", "--reports", "reports"], in: directory.url).status == 0)
    }

    /// Writes a report on a file by its path on another machine.
    private func writeReport(
        _ path: String,
        bytes: Int,
        unused: [Int] = [2],
        shared: String = "",
        in directory: TemporaryDirectory
    ) throws {
        try directory.write(
            """
            { "process" : 1, "number" : 1, "network" : { \
              "file" : "/elsewhere/\(path)", "pathInPackage" : "\(path)", "fileByteCount" : \(bytes), \
              \(shared) "mode" : "playback", "networkAttempts" : 0, "recorded" : [], \
              "hasExited" : true, "unstubbed" : [], "processIdentifier" : 1, \
              "summary" : { "failed" : 0, "passedThrough" : 0, "recorded" : 0, "running" : 0, "stubbed" : 1, \
              "unstubbed" : 0, "unused" : 1 }, "unused" : [], "unusedPositions" : \(unused) } }
            """,
            to: "reports/1.json"
        )
    }

    @Test func `reports of another checkout are about the same files, as long as they are the same`() throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "Package.swift")
        let two = file(stub("https://api.example.com/1"), stub("https://api.example.com/2"))
        try directory.write(two, to: "Stubs/Used.json")
        try writeReport("Stubs/Used.json", bytes: two.utf8.count, in: directory)
        let run = try Tool.run(["check", "Stubs", "--reports", "reports"], in: directory.url)
        #expect(run.status == 1)
        #expect(run.output.contains("Stub 2, GET https://api.example.com/2: no request of the run used it."))
        #expect(!run.output.contains("[unused-file]"))
        // The file has changed since: nobody knows which stub was the second.
        try writeReport("Stubs/Used.json", bytes: 10, in: directory)
        #expect(try Tool.run(["check", "Stubs", "--reports", "reports"], in: directory.url).status == 0)
        try writeReport("Stubs/Other.json", bytes: 10, in: directory)
        let other = try Tool.run(["check", "Stubs", "--reports", "reports"], in: directory.url)
        #expect(other.status == 2)
        #expect(other.errors.hasPrefix("error: The reports in reports are about other files"))
    }

    @Test func `a file that tests share is used`() throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "Package.swift")
        try directory.write(file(stub("https://api.example.com/1")), to: "Stubs/Login.json")
        let shared = #""shared" : [ { "file" : "/x", "pathInPackage" : "Stubs/Login.json", "unusedPositions" : [] } ],"#
        try writeReport("Stubs/Own.json", bytes: 10, shared: shared, in: directory)
        #expect(try Tool.run(["check", "Stubs", "--reports", "reports"], in: directory.url).status == 0)
    }

    @Test func `the journal of a first recording that was stopped is found without its stub file`() throws {
        let directory = try TemporaryDirectory()
        try directory.write("x", to: "Tests/Stubs/.Login.json.5f3a91c2.journal")
        let run = try Tool.run(["check", "Tests"], in: directory.url)
        #expect(run.status == 1)
        #expect(run.output.hasPrefix("Tests/Stubs/.Login.json.5f3a91c2.journal: error: An interrupted recording left"))
        #expect(run.output.contains("which adds the journal to Login.json"))
        try directory.write(file(stub("https://api.example.com/")), to: "Tests/Stubs/Login.json")
        #expect(try Tool.run(["check", "Tests/Stubs/Login.json"], in: directory.url).status == 1)
    }

    @Test func `a directory without stub files is not checked, and not green`() throws {
        let directory = try TemporaryDirectory()
        let run = try Tool.run(["check"], in: directory.url)
        #expect(run.status == 2)
        #expect(run.errors == "error: No stub file was found in .: nothing was checked. Check the path.\n")
    }

    @Test func `a directory without reports says how they are written`() throws {
        let directory = try TemporaryDirectory()
        try directory.write(file(stub("https://api.example.com/1")), to: "A.json")
        let run = try Tool.run(["check", "--reports", "nothing"], in: directory.url)
        #expect(run.status == 2)
        #expect(run.errors.contains("STUB_REPORT=nothing/ swift test"))
    }

    @Test func `a recording that was committed long ago is reported`() throws {
        let directory = try TemporaryDirectory()
        try directory.write(file(stub("https://api.example.com/1")), to: "Old.json")
        try commit(directory, "--date=2001-02-03T04:05:06Z")
        try directory.write(file(stub("https://api.example.com/2")), to: "New.json")
        try commit(directory)
        let run = try Tool.run(["check", "--older-than", "90d"], in: directory.url)
        #expect(run.status == 1)
        #expect(run.output.hasPrefix("Old.json: warning: Last recorded on 2001-02-03."))
        #expect(!run.output.contains("New.json"))

        // The date of a stub wins over the commit, which may only have renamed the file.
        let dated = { (date: String) in
            file(stub("https://api.example.com/1"))
                .replacingOccurrences(of: "\"request\"", with: "\"recordedAt\" : \"\(date)\", \"request\"")
        }
        try directory.write(dated("2026-01-01T00:00:00Z"), to: "Old.json")
        try directory.write(dated("2003-02-01T00:00:00Z"), to: "New.json")
        let again = try Tool.run(["check", "--older-than", "7000d"], in: directory.url)
        #expect(again.output.hasPrefix("New.json: warning: Last recorded on 2003-02-01."))
        #expect(!again.output.contains("Old.json"))
    }

    @Test func `GitHub's commands and SARIF name file and line`() throws {
        let directory = try TemporaryDirectory()
        try directory.write(file(stub("https://api.example.com/a,b:c%", status: 500)), to: "A, B.json")
        let commands = try Tool.run(["check", "--format", "github"], in: directory.url).output
        #expect(commands.hasPrefix("::warning file=A%2C B.json,line=2,title=recorded-error::Stub 1, GET "))
        let log = try Tool.run(["check", "--format", "sarif"], in: directory.url).output
        let sarif = try #require(try JSONSerialization.jsonObject(with: Data(log.utf8)) as? [String: Any])
        #expect(sarif["version"] as? String == "2.1.0")
        let results = ((sarif["runs"] as? [[String: Any]])?.first?["results"] as? [[String: Any]])
        #expect(results?.first?["ruleId"] as? String == "recorded-error")
        #expect(log.contains("\"uri\" : \"A,%20B.json\""))
        #expect(log.contains("\"startLine\" : 2"))
    }

    @Test func `in a repository without a commit no recording is old, and no revision is known`() throws {
        let directory = try TemporaryDirectory()
        try Tool.git("init", in: directory.url)
        try directory.write(Recorded.file(Recorded.stub("/a", json: "1")), to: "Stubs/A.json")
        let result = try Tool.run(["check", "Stubs", "--older-than", "0d"], in: directory.url)
        #expect(result.status == 0)
        let report = try Tool.run(["report", "Stubs", "--against", "main", "--output", "r.html"], in: directory.url)
        let path = directory.url.path
        #expect(report.errors == "error: main is not a commit, branch or tag of \(path). Check the name.\n")
        #expect(report.status == 2)
    }
}
