import Foundation
import Testing

@Suite struct ReviewTests {
    let directory: TemporaryDirectory

    /// A repository with a recording of three stubs, recorded again: the first has another date, the second another
    /// value, the third is gone, and a fourth is new.
    init() throws {
        directory = try TemporaryDirectory()
        try Tool.git("init", in: directory.url)
        try directory.write(Self.before, to: "Stubs/A.json")
        try Tool.git("add", ".", in: directory.url)
        try Tool.git("commit", "-m", "Record", in: directory.url)
        try directory.write(Self.after, to: "Stubs/A.json")
    }

    static func dated(_ day: String) -> String { Recorded.stub("/dated", json: "[]", headers: ["Date[:::]\(day)"]) }
    static func user(_ name: String) -> String {
        Recorded.stub("/user", json: "{\n      \"name\" : \"\(name)\"\n    }")
    }
    static let old = Recorded.stub("/old", json: "[]")
    static let new = Recorded.stub("/new", json: "[]")
    // White space that is not the library's.
    static let before = Recorded.file(dated("Sat"), user("Ada"), old).replacingOccurrences(of: "]\n", with: "]\n\n")
    static let after = Recorded.file(dated("Sun"), user("Grace"), new)

    private func review(_ keys: String, _ options: String...) throws -> Tool.Result {
        let input = Data(keys.map { "\($0)\n" }.joined().utf8)
        return try Tool.run(["review"] + options, in: directory.url, input: input)
    }

    private func staged() throws -> String { try Tool.git("show", ":Stubs/A.json", in: directory.url) }

    @Test func `the list names each stub that differs from HEAD`() throws {
        let result = try review("", "--list")
        #expect(
            result.output == """
                Stubs/A.json
                ~ GET https://api.example.com/user
                    body.name: "Ada" → "Grace"
                - GET https://api.example.com/old: 200, 2 bytes
                + GET https://api.example.com/new: 200, 2 bytes
                ~ 1 stub differs in only volatile values: headers.Date

                """
        )
        #expect(result.errors == "4 stubs left to review.\n")
        #expect(result.status == 1)
    }

    @Test func `accepted stubs are staged, the others are not`() throws {
        let result = try review("sas")
        #expect(result.errors == "1 accepted, 0 rejected, 3 stubs left to review.\n")
        #expect(result.status == 1)
        #expect(try staged() == Recorded.file(Self.dated("Sat"), Self.user("Grace"), Self.old))
        #expect(try directory.text("Stubs/A.json") == Self.after)
    }

    @Test func `what was accepted is not asked for again`() throws {
        _ = try review("sa")
        let result = try review("", "--list")
        #expect(!result.output.contains("/user"))
        #expect(result.errors == "3 stubs left to review.\n")
    }

    @Test func `a file of which everything is accepted is staged as it is`() throws {
        let result = try review("aaaa")
        #expect(result.status == 0)
        #expect(result.errors == "4 accepted, 0 rejected, nothing is left to review.\n")
        #expect(try staged() == Self.after)
        #expect(try review("").errors == "Nothing is left to review.\n")
    }

    @Test func `a rejected stub gets back what HEAD has`() throws {
        let result = try review("srs")
        #expect(result.errors == "0 accepted, 1 rejected, 3 stubs left to review.\n")
        #expect(try directory.text("Stubs/A.json") == Recorded.file(Self.dated("Sun"), Self.user("Ada"), Self.new))
        #expect(try staged() == Self.before)
    }

    @Test func `a file of which everything is rejected has the bytes of HEAD`() throws {
        #expect(try review("rrrr").status == 0)
        #expect(try directory.text("Stubs/A.json") == Self.before)
        #expect(try Tool.git("status", "--porcelain", in: directory.url).isEmpty)
    }

    @Test func `accepted and rejected stubs end the review together`() throws {
        #expect(try review("arar").status == 0)
        #expect(try directory.text("Stubs/A.json") == staged())
        #expect(try staged() == Recorded.file(Self.dated("Sun"), Self.user("Ada")))
    }

    @Test func `volatile differences are accepted at once`() throws {
        let result = try review("", "--accept-volatile", "--list")
        #expect(result.errors == "1 accepted, 0 rejected, 3 stubs left to review.\n")
        #expect(try staged() == Recorded.file(Self.dated("Sun"), Self.user("Ada"), Self.old))
    }

    @Test func `the end of the keys ends the review, and decisions hold`() throws {
        #expect(try review("a").errors == "1 accepted, 0 rejected, 3 stubs left to review.\n")
        #expect(try staged() == Recorded.file(Self.dated("Sun"), Self.user("Ada"), Self.old))
    }

    @Test func `a new file is reviewed stub by stub, and removed when all are rejected`() throws {
        try directory.write(Self.before, to: "Stubs/A.json")
        try directory.write(Recorded.file(Self.old, Self.new), to: "Stubs/B.json")
        #expect(try review("as").status == 1)
        #expect(try Tool.git("show", ":Stubs/B.json", in: directory.url) == Recorded.file(Self.old))
        try Tool.git("reset", in: directory.url)
        #expect(try review("rr").status == 0)
        #expect(!FileManager.default.fileExists(atPath: directory.file("Stubs/B.json").path))
    }

    @Test func `a file that is only announced to git is new, and taking an answer back announces it again`() throws {
        try directory.write(Self.before, to: "Stubs/A.json")
        try directory.write(Recorded.file(Self.new, Self.old), to: "Stubs/B.json")
        try Tool.git("add", "--intent-to-add", "Stubs/B.json", in: directory.url)
        #expect(try review("", "--list").errors == "2 stubs left to review.\n")
        #expect(try review("au").errors == "2 stubs left to review.\n")
        #expect(try Tool.git("status", "--porcelain", in: directory.url) == " A Stubs/B.json\n")
        #expect(try review("af").status == 0)
        #expect(try Tool.git("show", ":Stubs/B.json", in: directory.url) == Recorded.file(Self.new, Self.old))
    }

    @Test(arguments: [["review", "--list"], ["accept", "Stubs"], ["reject", "Stubs"]])
    func `a file with a merge conflict is refused, and the others are reviewed`(command: [String]) throws {
        try Tool.git("commit", "-a", "-m", "One", in: directory.url)
        try Tool.git("checkout", "-q", "-b", "other", "HEAD~", in: directory.url)
        // Deleted here, changed there.
        try Tool.git("rm", "-q", "Stubs/A.json", in: directory.url)
        try directory.write(Recorded.file(Self.old), to: "Stubs/C.json")
        try Tool.git("add", ".", in: directory.url)
        try Tool.git("commit", "-m", "Two", in: directory.url)
        #expect(throws: Tool.Failure.self) { try Tool.git("merge", "-", in: directory.url) }
        try directory.write(Recorded.file(Self.new), to: "Stubs/C.json")
        let state = { try Tool.git("status", "--porcelain", "Stubs/A.json", in: directory.url) }
        let before = try state()
        let result = try Tool.run(command, in: directory.url)
        #expect(result.status == 2)
        #expect(result.errors.hasPrefix("error: Stubs/A.json: a merge has left two versions of this file."))
        #expect(result.errors.contains("'git diff --theirs Stubs/A.json'"))
        #expect(result.output.contains("/new"))
        #expect(try state() == before)
    }

    @Test func `a new recording that was rejected can be had back`() throws {
        try directory.write(Self.before, to: "Stubs/A.json")
        let recorded = Recorded.file(Self.old, Self.new)
        try directory.write(recorded, to: "Stubs/B.json")
        let errors = try review("rr").errors
        let id = try #require(errors.components(separatedBy: "git cat-file blob ").last?.prefix { $0 != " " })
        #expect(errors.hasSuffix("To get what you rejected back: git cat-file blob \(id) > Stubs/B.json\n"))
        #expect(try Tool.git("cat-file", "blob", String(id), in: directory.url) == recorded)
    }

    @Test(arguments: [("rrr", true), ("aaa", false)])
    func `a deleted file comes back, or its removal is staged`(keys: String, isThere: Bool) throws {
        try FileManager.default.removeItem(at: directory.file("Stubs/A.json"))
        #expect(try review(keys).status == 0)
        #expect(FileManager.default.fileExists(atPath: directory.file("Stubs/A.json").path) == isThere)
        #expect(try Tool.git("status", "--porcelain", in: directory.url) == (isThere ? "" : "D  Stubs/A.json\n"))
    }

    @Test func `a damaged file is named, and cannot be reviewed`() throws {
        try directory.write("[ { \"request\" : ", to: "Stubs/B.json")
        let result = try review("", "--list")
        #expect(result.status == 2)
        #expect(result.errors.contains("error: Stubs/B.json:1:"))
    }

    @Test(arguments: ["review", "list"])
    func `git is called as often for many files as for two`(command: String) throws {
        let names = (1...9).map { "Stubs/New\($0).json" }
        for name in names { try directory.write(Recorded.file(Self.new), to: name) }
        let git = try Tool.run(program: ["which", "git"], in: directory.url).output
        let script =
            "#!/bin/sh\necho call >> '\(directory.file("calls").path)'\nexec \(git.trimmingCharacters(in: .newlines)) \"$@\"\n"
        let wrapper = try directory.write(script, to: "bin/git")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: wrapper.path)
        let path = "\(directory.file("bin").path):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
        let counts = try [2, 9].map { count in
            try directory.write("", to: "calls")
            let result = try Tool.run(
                [command] + (command == "review" ? ["--list"] : []) + names.prefix(count),
                in: directory.url,
                environment: ["PATH": path]
            )
            #expect(result.output.contains("New\(count).json"))
            return try directory.text("calls").split(separator: "\n").count
        }
        #expect(counts[0] == counts[1] && counts[0] > 1, "\(counts)")
    }

    @Test func `without a repository there is nothing to compare with`() throws {
        let elsewhere = try TemporaryDirectory()
        let result = try Tool.run(["review"], in: elsewhere.url)
        #expect(result.status == 2)
        #expect(result.errors.contains("is not in a git repository"))
    }

    // MARK: Renamed files

    private func rename(with git: Bool) throws {
        try directory.write(Self.before, to: "Stubs/A.json")
        if git {
            try Tool.git("mv", "Stubs/A.json", "Stubs/B.json", in: directory.url)
        } else {
            try FileManager.default.moveItem(at: directory.file("Stubs/A.json"), to: directory.file("Stubs/B.json"))
        }
    }

    private func status() throws -> String { try Tool.git("status", "--short", in: directory.url) }

    @Test func `a renamed file is one change, and the stubs that differ in it are others`() throws {
        try rename(with: false)
        try directory.write(Self.before.replacingOccurrences(of: "Ada", with: "Grace"), to: "Stubs/B.json")
        let result = try review("", "--list")
        #expect(
            result.output == """
                Stubs/B.json
                → renamed from Stubs/A.json
                ~ GET https://api.example.com/user
                    body.name: "Ada" → "Grace"

                """
        )
        #expect(result.status == 1)
    }

    @Test func `an accepted rename is staged without the stubs that are not accepted`() throws {
        try rename(with: false)
        try directory.write(Self.before.replacingOccurrences(of: "Ada", with: "Grace"), to: "Stubs/B.json")
        #expect(try review("as").errors == "1 accepted, 0 rejected, 1 stub left to review.\n")
        #expect(try Tool.git("show", ":Stubs/B.json", in: directory.url).contains("Ada"))
        #expect(try status() == "RM Stubs/A.json -> Stubs/B.json\n")
        #expect(try review("a").errors == "1 accepted, 0 rejected, nothing is left to review.\n")
        #expect(try status() == "R  Stubs/A.json -> Stubs/B.json\n")
    }

    @Test(
        arguments: [
            ([], "rs", " M Stubs/A.json\n"), (["rm", "--cached", "Stubs/A.json"], "rs", " M Stubs/A.json\n"),
            // The stub is staged, and stays so. The line feeds at the end of the file are not.
            (["add", "Stubs/B.json"], "r", "MM Stubs/A.json\n"),
        ] as [([String], String, String)]
    )
    func `a rejected rename gives the file its old name back`(staging: [String], keys: String, expected: String) throws
    {
        try rename(with: false)
        try directory.write(Self.before.replacingOccurrences(of: "Ada", with: "Grace"), to: "Stubs/B.json")
        if !staging.isEmpty { _ = try Tool.run(program: ["git"] + staging, in: directory.url) }
        let result = try review(keys)
        #expect(result.errors.hasPrefix("0 accepted, 1 rejected"))
        #expect(try status() == expected)
        #expect(try directory.text("Stubs/A.json").contains("Grace"))
        #expect(result.status == (keys == "r" ? 0 : 1))
    }

    @Test func `a rejected stub of a file that git renamed leaves the new name`() throws {
        try rename(with: true)
        try directory.write(Self.before.replacingOccurrences(of: "Ada", with: "Grace"), to: "Stubs/B.json")
        #expect(try review("r").errors == "0 accepted, 1 rejected, nothing is left to review.\n")
        #expect(try status() == "R  Stubs/A.json -> Stubs/B.json\n")
    }

    @Test func `volatile differences of a renamed file wait for the decision on its name`() throws {
        try rename(with: false)
        try directory.write(Self.before.replacingOccurrences(of: "Sat", with: "Sun"), to: "Stubs/B.json")
        #expect(try review("", "--accept-volatile", "--list").errors == "2 stubs left to review.\n")
        #expect(try status() == " D Stubs/A.json\n?? Stubs/B.json\n")
    }

    @Test func `a file that git renamed has nothing left to review`() throws {
        try rename(with: true)
        #expect(try review("", "--list").errors == "Nothing is left to review.\n")
    }

    @Test func `a name is no pattern that stands for other files`() throws {
        try directory.write(Recorded.file(Self.new), to: "Stubs/[BC].json")
        try directory.write(Recorded.file(Self.new), to: "Stubs/B.json")
        _ = try Tool.run(["review", "Stubs/[BC].json"], in: directory.url, input: Data("a\n".utf8))
        #expect(try Tool.git("diff", "--cached", "--name-only", in: directory.url) == "Stubs/[BC].json\n")
    }

    @Test func `the list as JSON has the kind, the position and the differences of each change`() throws {
        let result = try review("", "--list", "--format", "json")
        #expect(result.status == 1)
        struct List: Decodable {
            struct Change: Decodable {
                var change: String, stub: Int?, oldStub: Int?, request: String?, isVolatile: Bool, differences: [String]
            }
            struct File: Decodable { var file: String, changes: [Change] }
            var version: Int, command: String, files: [File]
        }
        let list = try JSONDecoder().decode(List.self, from: result.outputData)
        #expect(list.version == 1 && list.command == "review")
        #expect(list.files.map(\.file) == ["Stubs/A.json"])
        #expect(
            list.files[0].changes.map { "\($0.change) \($0.stub ?? 0) \($0.oldStub ?? 0) \($0.request ?? "")" } == [
                "changed 1 1 GET https://api.example.com/dated", "changed 2 2 GET https://api.example.com/user",
                "removed 0 3 GET https://api.example.com/old", "new 3 0 GET https://api.example.com/new",
            ]
        )
        #expect(list.files[0].changes.map(\.isVolatile) == [true, false, false, false])
        #expect(list.files[0].changes[1].differences == [#"body.name: "Ada" → "Grace""#])
    }

    @Test func `a new stub is shown with its beginning`() throws {
        let result = try review("sssq")
        #expect(
            result.output.contains(
                """
                + GET https://api.example.com/new: 200, 2 bytes
                    GET https://api.example.com/new
                    HTTP 200
                      Content-Type: application/json
                    \("")
                      []
                [a]ccept
                """
            )
        )
    }

    @Test(arguments: [("srfq", 3, 1), ("sl", 3, 0)])
    func `the rest of a file, and all that is left, are accepted by one key`(keys: String, accepted: Int, rejected: Int)
        throws
    {
        try directory.write(Recorded.file(Self.new), to: "Stubs/B.json")
        let result = try review(keys)
        if keys.contains("f") {
            #expect(result.errors.hasPrefix("2 accepted, 1 rejected, 2 stubs left to review."))
        } else {
            #expect(result.errors.hasPrefix("4 accepted, 0 rejected, 1 stub left to review."))
            #expect(try Tool.git("show", ":Stubs/B.json", in: directory.url) == Recorded.file(Self.new))
        }
    }

    @Test(arguments: ["au", "ru", "sru", "sfu", "srab", "sauau"])
    func `an answer that is taken back has changed nothing`(keys: String) throws {
        try directory.write(Recorded.file(Self.new), to: "Stubs/B.json")
        let before = try Tool.git("status", "--porcelain", in: directory.url)
        let result = try review(keys == "srab" ? "srabbb" : keys)
        #expect(result.errors.hasPrefix("5 stubs left to review."), "\(result.errors)")
        #expect(try Tool.git("status", "--porcelain", in: directory.url) == before)
        #expect(try directory.text("Stubs/A.json") == Self.after)
        #expect(try directory.text("Stubs/B.json") == Recorded.file(Self.new))
        #expect(try staged() == Self.before)
    }

    @Test func `taking back another answer keeps the way back to what was rejected`() throws {
        try directory.write(Self.before, to: "Stubs/A.json")
        let file = Recorded.file(Self.new, Self.old, Self.user("Ada"))
        try directory.write(file, to: "Stubs/B.json")
        let errors = try review("rau").errors
        let id = try #require(errors.firstMatch(of: /git cat-file blob ([0-9a-f]+)/)?.1)
        #expect(try Tool.git("cat-file", "blob", String(id), in: directory.url) == file)
        #expect(try !review("ru").errors.contains("cat-file"))
    }

    @Test func `a new file that was rejected comes back`() throws {
        try directory.write(Recorded.file(Self.new), to: "Stubs/0.json")
        let result = try review("ru")
        #expect(result.errors == "5 stubs left to review.\n")
        #expect(try directory.text("Stubs/0.json") == Recorded.file(Self.new))
    }

    // MARK: Without questions

    @Test func `stubs are accepted and rejected by their numbers`() throws {
        let accepted = try Tool.run(["accept", "Stubs/A.json", "--stub", "2"], in: directory.url)
        #expect(accepted.status == 0, "\(accepted.errors)")
        #expect(accepted.output == "Accepted Stubs/A.json: GET https://api.example.com/user\n")
        #expect(try staged() == Recorded.file(Self.dated("Sat"), Self.user("Grace"), Self.old))
        let rejected = try Tool.run(
            ["reject", "Stubs", "--stub", "3", "--stub", "1", "--removed", "3"],
            in: directory.url
        )
        #expect(rejected.status == 0, "\(rejected.errors)")
        #expect(
            try directory.text("Stubs/A.json") == Recorded.file(Self.dated("Sat"), Self.user("Grace"), Self.old)
        )
        #expect(try review("").errors == "Nothing is left to review.\n")
        #expect(try Tool.run(["reject", "Stubs"], in: directory.url).status == 1)
    }

    @Test func `all changes of several files are accepted or rejected at once`() throws {
        try directory.write(Recorded.file(Self.new, Self.old), to: "Stubs/B.json")
        let rejected = try Tool.run(["reject", "Stubs"], in: directory.url)
        #expect(rejected.status == 0)
        #expect(try Tool.git("status", "--porcelain", in: directory.url) == "")
        #expect(try directory.text("Stubs/A.json") == Self.before)
        let command = try #require(rejected.errors.firstMatch(of: /To get it back: (.*B.json)/)?.1)
        _ = try Tool.run(program: ["sh", "-c", String(command)], in: directory.url)
        #expect(try directory.text("Stubs/B.json") == Recorded.file(Self.new, Self.old))
        #expect(try Tool.run(["accept", "."], in: directory.url).status == 0)
        #expect(try Tool.git("status", "--porcelain", in: directory.url) == "A  Stubs/B.json\n")
    }

    @Test func `new and removed files are reviewed in a directory below the root as well`() throws {
        try directory.write(Self.before, to: "Stubs/A.json")
        // In the root, a different file has the path that the new file has in the directory.
        try directory.write(Recorded.file(Self.old), to: "Inner/B.json")
        try directory.write(Recorded.file(Self.old), to: "Tests/Inner/A.json")
        try Tool.git("add", ".", in: directory.url)
        try Tool.git("commit", "-m", "More", in: directory.url)
        try directory.write(Recorded.file(Self.new), to: "Tests/Inner/B.json")
        let tests = directory.file("Tests")
        let rejected = try Tool.run(["reject", "Inner/B.json"], in: tests)
        #expect(rejected.status == 0, "\(rejected.errors)")
        let command = try #require(rejected.errors.firstMatch(of: /To get it back: (.*B.json)/)?.1)
        _ = try Tool.run(program: ["sh", "-c", String(command)], in: tests)
        #expect(try directory.text("Tests/Inner/B.json") == Recorded.file(Self.new))
        try FileManager.default.removeItem(at: directory.file("Tests/Inner/B.json"))
        try FileManager.default.removeItem(at: directory.file("Tests/Inner/A.json"))
        #expect(try Tool.run(["accept", "Inner/A.json"], in: tests).status == 0)
        try Tool.git("reset", "-q", in: directory.url)
        try FileManager.default.removeItem(at: directory.file("Tests/Inner"))
        #expect(try Tool.run(["review", ".", "--list"], in: tests).errors == "1 stub left to review.\n")
        #expect(try Tool.run(["accept", "Tests/Inner/A.json"], in: directory.url).status == 0)
    }

    @Test func `a number without a change is an error, and nothing is decided`() throws {
        for arguments in [["--stub", "2", "--stub", "9"], ["--stub", "2", "--removed", "1"]] {
            let result = try Tool.run(["accept", "Stubs/A.json"] + arguments, in: directory.url)
            #expect(result.status == 2)
            #expect(try staged() == Self.before)
        }
    }
}
