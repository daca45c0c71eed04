import Foundation
import Testing

/// The examples in the help of each command, run as they are printed.
@Suite(.timeLimit(.minutes(5))) struct HelpTests {
    /// Returns a git repository with what the examples name, and a path with the command in it.
    ///
    /// In front of the path are programs that do nothing, in place of those that the examples call.
    private func repository(for command: String) throws -> (TemporaryDirectory, path: String) {
        let directory = try TemporaryDirectory()
        let user = Recorded.stub("/users/42", json: #"{"user":{"name":"Ada"}}"#)
        let login = Recorded.stub("/login", method: "POST", json: "{}")
        let file = Recorded.file(login, user, Recorded.stub("/a", json: "1"))
        try directory.write(file, to: "Tests/Stubs/LoginTests_testLogin.json")
        try directory.write(file, to: "Tests/Stubs/LoginTests_login.json")
        if command == "import" {
            try directory.write(Archive.chrome, to: "shop.har")
            try directory.write("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nAda", to: "user.response")
        } else if command != "record" {
            for name in ["Shop", "UserList"] { try directory.write(file, to: "Stubs/\(name).json") }
        }
        let path = directory.file("Tests/Stubs/LoginTests_testLogin.json").path
        try directory.write(
            """
            { "process" : 1, "number" : 1, "network" : { \
              "file" : "\(path)", "hasExited" : true, "mode" : "playback", "networkAttempts" : 0, \
              "processIdentifier" : 1, "recorded" : [], "summary" : { "failed" : 0, "passedThrough" : 0, "recorded" : 0, \
              "running" : 0, "stubbed" : 1, "unstubbed" : 0, "unused" : 1 }, "unstubbed" : [], "unused" : [], \
              "unusedPositions" : [1] } }
            """,
            to: ".build/stubs/1.json"
        )
        try directory.write("openapi: 3.1.0\npaths:\n  /login:\n    post: {}\n", to: "API.yaml")
        try Tool.git("init", in: directory.url)
        try Tool.git("add", "Tests", in: directory.url)
        try Tool.git("commit", "-m", "Record", in: directory.url)
        if ["accept", "reject"].contains(command) {
            try directory.write(file.replacing("Ada", with: "Grace"), to: "Tests/Stubs/LoginTests_testLogin.json")
        }
        if ["mutate", "minimize", "offline"].contains(command) {
            _ = try FakeSwift([.passing("LoginTests.login", "Tests/Stubs/LoginTests_login.json")], in: directory)
        }
        if command == "volatile" {
            let copy = #"mkdir -p "$STUB_COPIES$(dirname "$file")" && cp "$file" "$STUB_COPIES$file""#
            _ = try FakeSwift([.init(name: "LoginTests.login", file: "Stubs/Shop.json", check: copy)], in: directory)
        }
        for name in ["curl", "jq"] {
            let program = try directory.write("#!/bin/sh\ncat > /dev/null\n", to: "bin/\(name)")
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
        }
        let directories = [directory.file("bin").path, Tool.executable.deletingLastPathComponent().path]
        return (directory, (directories + [ProcessInfo.processInfo.environment["PATH"] ?? ""]).joined(separator: ":"))
    }

    private func help(_ arguments: String...) throws -> [String] {
        let directory = try TemporaryDirectory()
        let result = try Tool.run(arguments + ["--help"], in: directory.url, environment: ["COLUMNS": "400"])
        return result.output.components(separatedBy: "\n")
    }

    /// Returns the lines of a help text that call the command.
    private func examples(in lines: [String]) -> [String] {
        lines.compactMap { line in
            let line = line.trimmingCharacters(in: .whitespaces)
            let example = line.hasPrefix("$ ") ? String(line.dropFirst(2)) : line
            return example.hasPrefix("stubborn ") && !example.contains("<") ? example : nil
        }
    }

    @Test func `the command prints its version`() throws {
        let directory = try TemporaryDirectory()
        let result = try Tool.run(["--version"], in: directory.url)
        #expect(result.output.range(of: "^[0-9]+[.][0-9]+[.][0-9]+\n$", options: .regularExpression) != nil)
        #expect(result.status == 0)
    }

    @Test func `an unknown command is a wrong call that names it`() throws {
        let directory = try TemporaryDirectory()
        let result = try Tool.run(["shwo", "x"], in: directory.url)
        #expect(result.status == 64)
        #expect(result.errors.contains("'shwo'"), "\(result.errors)")
    }

    @Test func `every example runs as it is printed`() async throws {
        let main = try help()
        let commands = main.drop { $0 != "SUBCOMMANDS:" }.dropFirst().prefix { !$0.isEmpty }.compactMap { line in
            line.split(separator: " ").first.map(String.init)
        }
        #expect(commands.count == 25, "\(commands)")
        var texts = [("", main)]
        for command in commands { texts.append((command, try help(command))) }
        for (command, lines) in texts {
            let examples = examples(in: lines)
            #expect(!examples.isEmpty, "\(command)")
            if command == "offline", !Tool.runsOffline { continue }
            let (directory, path) = try repository(for: command)
            for example in examples { try await run(example, in: directory, path) }
        }
    }

    private func run(_ example: String, in directory: TemporaryDirectory, _ path: String) async throws {
        var example = example
        let words = example.split(separator: " ").map(String.init)
        if ["serve", "record"].contains(words[1]) {
            // Only another port: this one may be in use.
            #expect(words.contains("8080"), "\(example)")
            let arguments = words.dropFirst().map { $0 == "8080" ? "0" : $0 }
            let tool = try await RunningTool(Array(arguments), in: directory.url)
            #expect(tool.url.hasPrefix("http://127.0.0.1:"), "\(example)")
            #expect(tool.end() == 0, "\(example): \(tool.errors)")
            return
        }
        var server: RunningTool?
        if words[1] == "verify" {
            let running = try await RunningTool(["serve", "Stubs"], in: directory.url)
            example = example.replacingOccurrences(of: "https://api.example.com", with: running.url)
            server = running
        }
        let result = try Tool.run(
            URL(fileURLWithPath: "/bin/sh"),
            ["-c", example],
            in: directory.url,
            environment: [
                "PATH": path, "TOKEN": "abcdef1234567890", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1",
            ]
        )
        server?.end()
        // 1 says that something was found.
        #expect([0, 1].contains(result.status), "\(example): \(result.errors)")
        #expect(!result.errors.lowercased().contains("error:"), "\(example): \(result.errors)")
    }
}
