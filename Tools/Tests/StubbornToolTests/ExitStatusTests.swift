import Foundation
import Testing

/// The exit statuses of the help, by which scripts and CI decide.
@Suite(.timeLimit(.minutes(5))) struct ExitStatusTests {
    /// The calls of each command, by the status that they end with: 0 done, 1 something was found, 2 it could not be done.
    ///
    /// In `Damaged` one of two files is damaged: what a command does with the other one is not all that it was asked for.
    private static let endings: [String: [Int32: [String]]] = [
        "init": [0: ["", "Stubs --dry-run"], 2: ["nowhere", "get.har"]],
        "list": [0: ["Stubs", "Empty"], 1: ["Damaged", "Stopped", "Damaged --format json"], 2: ["nowhere"]],
        "show": [0: ["Stubs"], 2: ["nowhere", "Damaged", "Stubs --stub 9"]],
        "diff": [
            0: ["Stubs Copy", "HEAD:Stubs/A.json Stubs/A.json"],
            1: ["Stubs Changed", "HEAD:Changed/A.json Changed/A.json"],
            2: ["Stubs nowhere", "Stubs Stubs/A.json", "Stubs Damaged", "HEAD:nowhere Stubs/A.json"],
        ],
        "report": [
            0: ["Stubs --output page.html", "Changed --output page.html --against HEAD"],
            2: [
                "nowhere --output page.html", "Damaged --output page.html", "Stubs --output nowhere/page.html",
                "Stubs --output page.html --against nothing",
            ],
        ],
        "review": [
            0: ["Stubs", "Volatile --accept-volatile"], 1: ["Changed", "Changed --list", "Volatile"],
            2: ["nowhere", "Damaged", "Damaged --list"],
        ],
        "accept": [
            0: ["Changed", "Volatile/A.json --stub 1"], 1: ["Stubs"], 2: ["nowhere", "Damaged", "Changed --stub 9"],
        ],
        "reject": [
            0: ["Changed", "Volatile/A.json --stub 1"], 1: ["Stubs"], 2: ["nowhere", "Damaged", "Changed --removed 9"],
        ],
        "explain": [
            0: ["Stubs/A.json --request https://api.example.com/a"],
            1: ["Stubs/A.json --request https://api.example.com/b"],
            2: ["nowhere --request https://a.b", "Damaged/A.json --request https://a.b", "Stubs/A.json --request a"],
        ],
        "check": [
            0: [
                "Stubs", "Stubs --reports used", "Stubs --older-than 90d", "Damaged --ignore unreadable-file",
                "Damaged --fail-on never",
            ],
            1: ["Damaged", "Secrets", "Stopped", "Stubs Changed --reports used", "Stubs --reports unused"],
            2: ["nowhere", "Empty", "Changed --reports used", "Stubs --reports nowhere", "Stubs --reports Empty"],
        ],
        "mutate": [0: ["-- bin/swift test"], 2: ["-- false", "--in nowhere -- bin/swift test"]],
        "minimize": [
            0: ["Stubs/A.json --apply -- bin/swift test"], 1: ["Stubs/A.json -- bin/swift test"],
            2: ["nowhere -- true", "Stubs/A.json -- false"],
        ],
        "volatile": [0: ["-- bin/record"], 2: ["-- true", "-- no-such-program"]],
        "offline": [0: ["-- true"], 2: ["-- false", "-- no-such-program"]],
        "verify": [
            0: ["None --base http://127.0.0.1:1"], 1: ["Stubs --base http://127.0.0.1:1"],
            2: ["nowhere", "Damaged --base http://127.0.0.1:1", "Stubs --base nowhere", "Stubs --header Bearer"],
        ],
        "format": [
            0: ["Squeezed", "None --dry-run"], 1: ["Squeezed --dry-run"],
            2: ["nowhere", "Damaged", "Damaged --dry-run", "/dev/null"],
        ],
        "redact": [
            0: ["Stubs", "Stubs --dry-run", "Secrets", "Sealed"], 1: ["Secrets --dry-run"],
            2: ["nowhere", "Damaged", "Damaged --dry-run"],
        ],
        "prune": [
            0: ["Stubs --reports used", "Stubs --reports used --dry-run", "Stubs --reports unused"],
            1: ["Stubs --reports unused --dry-run", "Stubs Damaged/Fine.json --reports unused --dry-run"],
            2: [
                "Stubs --reports nowhere", "Stubs --reports Empty", "nowhere --reports used", "Damaged --reports used",
                "Stubs Damaged --reports unused --dry-run",
            ],
        ],
        "rename": [
            0: ["Stubs/A.json New.json", "Stubs/A.json New.json --dry-run"],
            2: [
                "nowhere New.json", "Stubs New.json", "Damaged/A.json New.json", "Stopped/A.json New.json",
                "Stubs/A.json A.json", "Stubs/A.json ()", "Stubs/A.json Copy/New.json", "Damaged/Fine.json A.json",
            ],
        ],
        "import": [
            0: [
                "get.har --to New/A.json", "get.har --to Stubs/A.json --add", "get.har --to Stubs/A.json --replace",
                "get.har sealed.har --to New.json",
            ],
            2: [
                "nowhere.har --to New.json", "get.har --to Stubs/A.json", "get.har --to New.json --format http",
                "get.har --to Damaged/A.json --add", "get.har --to get.har/New.json", "Stubs/A.json --to New.json",
            ],
        ],
        "export": [
            0: ["har", "curl", "swift"].map { "Stubs --format \($0)" },
            2: ["har", "curl", "swift"].map { "Damaged --format \($0)" } + [
                "nowhere --format har", "Empty --format har", "Stubs --format har --stub 9",
                "Stubs --format har --output get.har/out.har",
            ],
        ],
        "serve": [0: ["Stubs"], 2: ["nowhere", "Damaged", "Empty", "None", "Stubs --host other.example"]],
        "record": [
            0: ["--upstream http://127.0.0.1:1 --to New.json"],
            2: [
                "--upstream nowhere --to New.json", "--upstream http://127.0.0.1:1 --to Stubs/A.json",
                "--upstream http://127.0.0.1:1 --to Damaged/A.json --add",
            ],
        ],
        "merge": [
            0: ["Stubs/A.json Copy/A.json Changed/A.json"], 1: ["None/A.json Stubs/A.json Changed/A.json"],
            2: ["nowhere Stubs/A.json Copy/A.json"],
        ],
        "textconv": [0: ["Stubs/A.json", "Damaged/A.json"], 2: ["nowhere"]],
    ]

    private static let calls = endings.flatMap { command, calls in
        calls.flatMap { status, arguments in arguments.map { (status, "\(command) \($0)") } }
    }.sorted { $0.1 < $1.1 }

    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Writes the files that a command is called with.
    private func prepare(for command: String) throws {
        let stub = Recorded.file(Recorded.stub("/a", json: "[]", headers: ["Date[:::]Sat"]))
        for name in ["Stubs", "Copy", "Changed", "Volatile", "Damaged", "Stopped"] {
            try directory.write(stub, to: "\(name)/A.json")
        }
        if ["diff", "report", "review", "accept", "reject", "check", "prune"].contains(command) {
            try Tool.git("init", in: directory.url)
            try Tool.git("add", ".", in: directory.url)
            try Tool.git("commit", "-m", "Record", in: directory.url)
        }
        try directory.write(stub.replacing("[]", with: "[1]"), to: "Changed/A.json")
        try directory.write(stub.replacing("Sat", with: "Sun"), to: "Volatile/A.json")
        try directory.write(#"[ { "request" : "#, to: "Damaged/A.json")
        try directory.write(stub, to: "Damaged/Fine.json")
        try directory.write("", to: "Stopped/.A.json.0123abcd.journal")
        try directory.write("[]\n", to: "None/A.json")
        try directory.write("", to: "Empty/readme.txt")
        try directory.write(stub.replacing("\n", with: " "), to: "Squeezed/A.json")
        let secret = Recorded.stub("/a?access_token=s3cr3t-9f8e7d6c5b4a39281706", json: "[]")
        try directory.write(Recorded.file(secret), to: "Secrets/A.json")
        // A request body that cannot be searched may have a secret, and becomes a placeholder.
        let brotli = Data([0x0B, 0x02, 0x80, 0x61, 0x62, 0x63, 0x03])
        let sealed = Recorded.stub("/a", type: "text/plain", body: Data(), request: brotli, requestType: "a/b")
        try directory.write(
            Recorded.file(sealed.replacing("Content-Type[:::]a/b", with: "Content-Encoding[:::]br")),
            to: "Sealed/A.json"
        )
        _ = try FakeSwift([.checking("UserTests.a", "Stubs/A.json", #""statusCode" : 200"#)], in: directory)
        let program = try directory.write(
            "#!/bin/sh\nmkdir -p \"$STUB_COPIES$PWD\" && cp Stubs/A.json \"$STUB_COPIES$PWD\"\n",
            to: "bin/record"
        )
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
        try directory.write(Archive.get("https://api.example.com/a"), to: "get.har")
        let body = """
            "headers": [{ "name": "Content-Encoding", "value": "br" }],
            "postData": { "mimeType": "a/b", "encoding": "base64", "text": "\(brotli.base64EncodedString())" }, "url":
            """
        try directory.write(
            Archive.get("https://api.example.com/a").replacing("\"url\":", with: body),
            to: "sealed.har"
        )
        for (name, unused) in [("used", []), ("unused", [1])] as [(String, [Int])] {
            try directory.write(
                """
                { "process" : 1, "number" : 1, "network" : { \
                  "file" : "\(directory.file("Stubs/A.json").path)", "hasExited" : true, \
                  "mode" : "playback", "networkAttempts" : 0, "processIdentifier" : 1, "recorded" : [], "summary" : { \
                  "failed" : 0, "passedThrough" : 0, "recorded" : 0, "running" : 0, "stubbed" : 1, "unstubbed" : 0, \
                  "unused" : 1 }, "unstubbed" : [], "unused" : [], "unusedPositions" : \(unused) } }
                """,
                to: "\(name)/1.json"
            )
        }
    }

    @Test(arguments: calls)
    func `a command ends with the status that says what it found`(status: Int32, call: String) async throws {
        let arguments = call.split(separator: " ").map(String.init)
        try prepare(for: arguments[0])
        if ["serve", "record"].contains(arguments[0]) {
            do {
                #expect(try await RunningTool(arguments, in: directory.url).end() == status)
            } catch let failure as Tool.Failure {
                #expect(failure.status == status, "\(failure.message)")
            }
            return
        }
        let result = try Tool.run(arguments, in: directory.url)
        #expect(result.status == status, "\(result.output)\(result.errors)")
        // What could not be done is said to the person, not to the program that reads the output.
        if status == 2 { #expect(!result.errors.isEmpty) }
    }

    @Test func `every command has a good and a bad ending here`() throws {
        let help = try Tool.run(["help"], in: directory.url, environment: ["COLUMNS": "400"]).output
            .components(separatedBy: "\n")
        let commands = help.drop { $0 != "SUBCOMMANDS:" }.dropFirst().prefix { !$0.isEmpty }
        #expect(Set(commands.compactMap { $0.split(separator: " ").first.map(String.init) }) == Set(Self.endings.keys))
        for (command, calls) in Self.endings { #expect(Set(calls.keys).isSuperset(of: [0, 2]), "\(command)") }
    }

    @Test(arguments: endings.keys.sorted())
    func `a wrong call ends with the status 64`(command: String) throws {
        #expect(try Tool.run([command, "--nonsense"], in: directory.url).status == 64)
    }
}
