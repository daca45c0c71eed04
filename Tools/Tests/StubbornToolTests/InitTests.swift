import Foundation
import Testing

@Suite struct InitTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try Tool.git("init", in: directory.url)
    }

    @Test func `the settings and the line for journals are shown and written`() throws {
        try directory.write("*.log", to: ".gitignore")
        let result = try Tool.run(["init"], in: directory.url)
        #expect(result.status == 0)
        #expect(result.output.hasPrefix(".stubborn.json\n+{\n+  \"bodyEncoding\" : \"readable\",\n"))
        #expect(result.output.hasSuffix(".gitignore\n+.*.journal\n"))
        #expect(try directory.text(".gitignore") == "*.log\n.*.journal\n")
        #expect(try Tool.run(["format"], in: directory.url).status == 0)
    }

    @Test func `a second time changes nothing`() throws {
        try directory.write("[]\n", to: "Recorded here/A.json")
        #expect(try Tool.run(["init", "--git"], in: directory.url).output.contains("diff.stubborn.textconv"))
        let texts = try [".stubborn.json", ".gitignore", ".gitattributes", ".git/config"].map(directory.text)
        let result = try Tool.run(["init", "--git"], in: directory.url)
        #expect(result.output.isEmpty)
        #expect(result.errors == "Everything is set up already.\n")
        #expect(try [".stubborn.json", ".gitignore", ".gitattributes", ".git/config"].map(directory.text) == texts)
    }

    @Test func `a dry run writes nothing`() throws {
        #expect(try !Tool.run(["init", "--git", "--dry-run"], in: directory.url).output.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: directory.file(".stubborn.json").path))
        #expect(try !directory.text(".git/config").contains("stubborn"))
    }

    @Test func `settings that are there stay as they are`() throws {
        try directory.write(#"{ "bodyEncoding" : "base64" }"#, to: ".stubborn.json")
        _ = try Tool.run(["init"], in: directory.url)
        #expect(try directory.text(".stubborn.json") == #"{ "bodyEncoding" : "base64" }"#)
    }

    @Test func `settings of a directory below count, and no second ones are written`() throws {
        try directory.write(#"{ "bodyEncoding" : "base64" }"#, to: "App/Tests/Recordings/.stubborn.json")
        #expect(try !Tool.run(["init", "--git"], in: directory.url).output.contains(".stubborn.json"))
        #expect(!FileManager.default.fileExists(atPath: directory.file(".stubborn.json").path))
    }

    @Test func `git diff and git log -p show recordings decoded`() throws {
        func stub(_ json: String) -> String {
            Recorded.file(Recorded.stub("/users", type: "application/json", body: Data(json.utf8)))
        }
        try directory.write(stub(#"{"name":"Ada"}"#), to: "Tests/Stubs/A.json")
        try directory.write(stub("[1]"), to: "Tests/Other place/B.json")
        _ = try Tool.run(["init", "--git"], in: directory.url)
        try Tool.git("add", ".", in: directory.url)
        try Tool.git("commit", "-m", "Record", in: directory.url)
        try directory.write(stub(#"{"name":"Grace"}"#), to: "Tests/Stubs/A.json")
        try directory.write(stub("[2]"), to: "Tests/Other place/B.json")
        let diff = try Tool.git("diff", in: directory.url)
        #expect(diff.contains("-    \"name\" : \"Ada\"\n+    \"name\" : \"Grace\"\n"))
        #expect(diff.contains("-    1\n+    2\n"))
        #expect(try Tool.git("log", "-p", in: directory.url).contains("+GET https://api.example.com/users\n"))
    }

    @Test func `git shows and merges recordings without the command, if that is gone, and says so`() throws {
        _ = try Tool.run(["init", "--git"], in: directory.url)
        let configuration = try directory.text(".git/config")
        #expect(configuration.contains(Tool.executable.path))
        try directory.write(
            configuration.replacingOccurrences(of: Tool.executable.path, with: "/nowhere/stubborn"),
            to: ".git/config"
        )
        let lines = (1...9).map { "line \($0)" }
        func commit(_ number: Int, on branch: String) throws {
            var lines = lines
            lines[number] = "changed"
            try Tool.git("checkout", "-q", "-b", branch, "base", in: directory.url)
            try directory.write(lines.joined(separator: "\n"), to: "Stubs/A.json")
            #expect(try Tool.git("diff", in: directory.url).contains("-line \(number + 1)\n+changed\n"))
            try Tool.git("commit", "-a", "-m", branch, in: directory.url)
        }
        try directory.write(lines.joined(separator: "\n"), to: "Stubs/A.json")
        try Tool.git("add", ".", in: directory.url)
        try Tool.git("commit", "-m", "Record", in: directory.url)
        try Tool.git("tag", "base", in: directory.url)
        try commit(1, on: "one")
        try commit(7, on: "two")
        let merge = try Tool.run(program: ["git", "merge", "-m", "Merge", "one"], in: directory.url)
        let said = merge.output + merge.errors
        #expect(said.contains("stubborn: Stubs/A.json was merged line by line, possibly incorrectly"))
        let merged = ["line 1", "changed"] + lines[2..<7] + ["changed", "line 9"]
        #expect(try directory.text("Stubs/A.json") == merged.joined(separator: "\n"))
    }

    @Test func `outside a repository git cannot be set up`() throws {
        let elsewhere = try TemporaryDirectory()
        let result = try Tool.run(["init", "--git"], in: elsewhere.url)
        #expect(result.status == 2)
        #expect(result.errors.contains("is not in a git repository"))
    }

    @Test func `the rules for agents are written between marks, and renewed there`() throws {
        try directory.write("# My rules\n\nBe kind.", to: "AGENTS.md")
        let result = try Tool.run(["init", "--agents"], in: directory.url)
        #expect(result.status == 0)
        let text = try directory.text("AGENTS.md")
        #expect(text.hasPrefix("# My rules\n\nBe kind.\n\n<!-- stubborn: rules -->\n## Recordings"))
        #expect(text.hasSuffix("\n<!-- stubborn: end -->\n"))
        #expect(try Tool.run(["init", "--agents"], in: directory.url).errors == "Everything is set up already.\n")
        try directory.write(text.replacing("Never edit", with: "Always edit") + "\nMore.\n", to: "AGENTS.md")
        #expect(try Tool.run(["init", "--agents"], in: directory.url).status == 0)
        #expect(try directory.text("AGENTS.md") == text + "\nMore.\n")
    }

    @Test func `a mark without its end is an error, and the file stays`() throws {
        try directory.write("<!-- stubborn: rules -->\nmine\n", to: "AGENTS.md")
        let result = try Tool.run(["init", "--agents"], in: directory.url)
        #expect(result.status == 2)
        #expect(try directory.text("AGENTS.md") == "<!-- stubborn: rules -->\nmine\n")
    }

    @Test func `every command that the rules name is there`() throws {
        _ = try Tool.run(["init", "--agents"], in: directory.url)
        let rules = try directory.text("AGENTS.md")
        let names = rules.matches(of: /stubborn ([a-z]+)/).map { String($0.1) }
        #expect(names.count >= 6)
        for name in names { #expect(try Tool.run(["help", name], in: directory.url).status == 0, "\(name)") }
    }
}
