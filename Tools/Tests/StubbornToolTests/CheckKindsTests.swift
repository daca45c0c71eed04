import Foundation
import Testing

/// Every kind of problem that `stubborn check` knows, made by a directory that has it and nothing else.
@Suite struct CheckKindsTests {
    private struct Scene {
        let kind: String
        var files: [String: String]
        var arguments: [String] = []
    }

    private static let fine = Recorded.stub("/users", json: "{}")
    private static let document = """
        openapi: 3.1.0
        paths:
          /users:
            get:
              responses:
                200:
                  content:
                    application/json:
                      schema: { properties: { id: { type: integer }, born: { format: date } } }
        """

    private static func contract(_ kind: String, _ stub: String) -> Scene {
        let files = ["A.json": Recorded.file(stub), "API.yaml": document]
        return Scene(kind: kind, files: files, arguments: ["--openapi", "API.yaml"])
    }

    /// Returns the report of a run that used some stubs of a file.
    private static func report(_ file: String, unused: [Int]) -> String {
        """
        { "process" : 1, "number" : 1, "network" : { \
          "file" : "/elsewhere/\(file)", "pathInPackage" : "\(file)", "mode" : "playback", \
          "networkAttempts" : 0, "recorded" : [], "hasExited" : true, "unstubbed" : [], "processIdentifier" : 1, \
          "summary" : { "failed" : 0, "passedThrough" : 0, "recorded" : 0, "running" : 0, "stubbed" : 1, \
          "unstubbed" : 0, "unused" : 1 }, "unused" : [], "unusedPositions" : \(unused) } }
        """
    }

    private static let scenes = [
        Scene(kind: "unreadable-file", files: ["A.json": "[ { \"request\" : "]),
        Scene(kind: "invalid-settings", files: ["A.json": Recorded.file(fine), ".stubborn.json": "[]"]),
        Scene(kind: "leftover-journal", files: ["A.json": Recorded.file(fine), ".A.json.5f3a91c2.journal": "x"]),
        Scene(
            kind: "secret",
            files: ["A.json": Recorded.file(Recorded.stub("/?access_token=zR7tQ2mW9xK4vB8nLp3s", json: "{}"))]
        ),
        Scene(
            kind: "unused-file",
            files: [
                "A.json": Recorded.file(fine), "B.json": Recorded.file(fine), "r/1.json": report("A.json", unused: []),
            ],
            arguments: ["--reports", "r"]
        ),
        Scene(
            kind: "unused-stub",
            files: ["A.json": Recorded.file(fine, fine), "r/1.json": report("A.json", unused: [2])],
            arguments: ["--reports", "r"]
        ),
        Scene(
            kind: "recorded-error",
            files: ["A.json": Recorded.file(Recorded.stub("/users", status: 500, json: "{}"))]
        ),
        Scene(kind: "large-body", files: ["A.json": Recorded.file(fine)], arguments: ["--max-body", "1"]),
        Scene(kind: "old-recording", files: ["A.json": Recorded.file(fine)], arguments: ["--older-than", "0d"]),
        Scene(kind: "same-name", files: ["A.json": Recorded.file(fine), "a.json": Recorded.file(fine)]),
        contract("openapi", Recorded.stub("/users", json: #"{ "id": "1" }"#)),
        contract("openapi-remark", Recorded.stub("/users", json: #"{ "born": "once" }"#)),
        contract("openapi-undocumented", Recorded.stub("/users?page=2", json: "{}")),
    ]

    @Test func `every kind of problem has a case here, a rule in SARIF and a line in the help`() throws {
        let directory = try TemporaryDirectory()
        try directory.write(Recorded.file(Self.fine), to: "A.json")
        let log = try Tool.run(["check", "--format", "sarif"], in: directory.url).output
        let rules = log.components(separatedBy: "\"id\" : \"").dropFirst().map { $0.prefix { $0 != "\"" } }
        #expect(Set(rules.map(String.init)) == Set(Self.scenes.map(\.kind)))
        let help = try Tool.run(["help", "check"], in: directory.url).output
        for scene in Self.scenes { #expect(help.contains("\n  \(scene.kind) "), "\(scene.kind)") }
    }

    @Test(arguments: scenes.indices)
    func `the case of a kind has this problem and no other`(index: Int) throws {
        let scene = Self.scenes[index]
        let directory = try TemporaryDirectory()
        try directory.write("", to: "Package.swift")
        for (path, content) in scene.files { try directory.write(content, to: path) }
        try Tool.git("init", in: directory.url)
        try Tool.git("add", ".", in: directory.url)
        try Tool.git(
            "commit",
            "-m",
            "Record",
            in: directory.url,
            environment: ["GIT_COMMITTER_DATE": "2001-02-03T04:05:06Z"]
        )
        struct Result: Decodable {
            struct Problem: Decodable { var kind: String }
            var problems: [Problem]
        }
        let run = try Tool.run(["check", "--format", "json"] + scene.arguments, in: directory.url)
        let problems = try JSONDecoder().decode(Result.self, from: run.outputData).problems
        #expect(problems.map(\.kind) == [scene.kind], "\(run.errors)")
        #expect(run.status == 1)
    }

    @Test(arguments: ["[]", "[ ]\n", #"[{"request":5}]"#, #"["request"]"#, #"{"request":{}}"#])
    func `a fixture below a directory is no stub file, and none that nobody uses`(fixture: String) throws {
        let directory = try TemporaryDirectory()
        try directory.write(Recorded.file(Self.fine), to: "A.json")
        try directory.write(fixture, to: "Fixture.json")
        try directory.write(Self.report("A.json", unused: []), to: "r/1.json")
        try Tool.git("init", "--quiet", in: directory.url)
        let result = try Tool.run(["check", "--reports", "r"], in: directory.url)
        #expect(result.status == 0, "\(result.output)")
        #expect(result.errors.contains("1 stub file, 1 stub: "))
        #expect(try Tool.run(["prune", "--reports", "r", "--force"], in: directory.url).status == 0)
        #expect(try directory.text("Fixture.json") == fixture)
    }

    @Test func `a stub that cannot be read makes a damaged stub file`() throws {
        let directory = try TemporaryDirectory()
        try directory.write(#"[{"request":{"method":"GET","url":5}}]"#, to: "A.json")
        #expect(try Tool.run(["check"], in: directory.url).output.contains("A.json: error: "))
    }
}
