import Foundation
import Testing

/// What the commands write to pipes, and what becomes of them when nobody reads.
@Suite struct PipeTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try Tool.git("init", in: directory.url)
        // More than a pipe holds.
        let stubs = (0..<600).map { number in
            Recorded.stub("/users/\(number)", status: 503, json: #"{"text":"\#(String(repeating: "a", count: 80))"}"#)
        }
        let other = stubs.map { $0.replacingOccurrences(of: "aaaa", with: "bbbb") }
        try directory.write("[\(stubs.joined(separator: ","))]", to: "Stubs/A.json")
        try directory.write("[\(other.joined(separator: ","))]", to: "Stubs/B.json")
        for number in 0..<500 {
            try directory.write(
                Recorded.file(Recorded.stub("/", json: "1")),
                to: "Many/\(String(repeating: "n", count: 100))\(number).json"
            )
        }
    }

    @Test(
        arguments: [
            ("show Stubs", 0), ("list Many", 0), ("list Many --format json", 0), ("diff Stubs/A.json Stubs/B.json", 1),
            ("textconv Stubs/A.json", 0), ("review --list", 1), ("check Stubs", 1), ("check Stubs --format sarif", 1),
            ("format Stubs --dry-run", 1), ("export Stubs --format har", 0), ("export Stubs --format swift", 0),
            ("export Stubs --format curl", 0), ("help import", 0), ("--generate-completion-script zsh", 0),
        ] as [(String, Int32)]
    )
    func `a command whose reader has seen enough ends quietly, with its own status`(
        command: String,
        status: Int32
    ) throws {
        let script = #""$0" \#(command) | head -c 1 > /dev/null; exit "${PIPESTATUS[0]}""#
        let result = try Tool.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["bash", "-c", script, Tool.executable.path],
            in: directory.url
        )
        #expect(result.status == status)
        #expect(!result.errors.lowercased().contains("error:"))
        #expect(!result.errors.contains("Fatal"))
    }

    @Test func `files are rewritten although nobody reads their names`() throws {
        let script = #"exec 3> >(exec true); wait $!; exec "$0" format Stubs >&3"#
        let result = try Tool.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["bash", "-c", script, Tool.executable.path],
            in: directory.url
        )
        #expect(result.status == 0)
        #expect(result.errors.isEmpty)
        #expect(try Tool.run(["format", "Stubs", "--dry-run"], in: directory.url).status == 0)
    }

    @Test(
        arguments: [
            "show Stubs", "list Stubs", "diff Stubs/A.json Stubs/B.json", "check Stubs", "format Stubs --dry-run",
        ]
    )
    func `there are no colours in a pipe`(command: String) throws {
        let result = try Tool.run(
            command.components(separatedBy: " "),
            in: directory.url,
            environment: ["NO_COLOR": nil, "TERM": "xterm-256color"]
        )
        #expect(!result.output.isEmpty)
        #expect(!result.output.contains("\u{1B}"))
        #expect(!result.errors.contains("\u{1B}"))
    }

    @Test func `stubs come from a pipe, and go through all formats`() throws {
        let script = #"""
            set -eo pipefail
            git -c core.autocrlf=false hash-object -w Stubs/A.json | xargs git cat-file blob | "$0" show - | head -n 1
            "$0" export - --format har < Stubs/A.json | "$0" import - --format har --to Copy.json
            "$0" export <(cat Copy.json) --format curl | grep -c '^curl'
            "$0" import <(printf 'HTTP/1.1 200 OK\n\n') --format http --url http://a.b/c --to One.json
            "$0" diff One.json <(cat One.json) && "$0" diff - One.json < One.json
            cmp <("$0" show Stubs/A.json | tail -n +2) <("$0" show Copy.json | tail -n +2)
            "$0" list --format json Stubs | grep -c '"file"'
            """#
        let result = try Tool.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["bash", "-c", script, Tool.executable.path],
            in: directory.url
        )
        #expect(result.output == "-: 600 stubs\n600\n2\n")
        #expect(result.status == 0)
    }

    @Test func `a command that writes files refuses a pipe`() throws {
        let result = try Tool.run(["format", "-"], in: directory.url, input: Data("[]".utf8))
        #expect(result.status == 2)
        #expect(result.errors == "error: - is not a file, so it cannot be rewritten.\n")
    }

    @Test func `a named pipe below a directory is left alone`() throws {
        _ = try Tool.run(program: ["mkfifo", "Stubs/C.json"], in: directory.url)
        #expect(try Tool.run(["list", "Stubs", "--format", "json"], in: directory.url).status == 0)
    }
}
