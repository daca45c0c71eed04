import Foundation
import Testing

/// `stubborn mutate`: what would change without a test that notices it.
@Suite(.timeLimit(.minutes(5))) struct MutateTests {
    private let scene: MutationScene
    private var directory: TemporaryDirectory { scene.directory }

    init() throws { scene = try MutationScene() }

    /// A test that checks all of `user`, and the status.
    private static let all = FakeSwift.FakeTest.checking(
        "UserTests.all",
        "Stubs/All.json",
        #""id" : 42"#,
        #""name" : "Ada""#,
        #""statusCode" : 200"#
    )

    @Test func `changes that no test notices are listed, after the tests that notice nothing`() throws {
        try scene.write(#"{"id":42,"name":"Ada"}"#, to: "All")
        try scene.write(MutationScene.user, to: "Nothing")
        try scene.write(MutationScene.user, to: "Status")
        let swift = try FakeSwift(
            [
                Self.all, .passing("UserTests.nothing", "Stubs/Nothing.json"),
                .checking("UserTests.status", "Stubs/Status.json", #""statusCode" : 200"#),
            ],
            in: directory
        )
        let before = try directory.text("Stubs/Nothing.json")
        let result = try swift.stubborn("mutate", "--", "swift", "test")
        #expect(
            result.output == """
                These tests pass whatever they receive:
                  UserTests.nothing

                These tests check only that the response can be read:
                  UserTests.status

                No test notices these changes:
                  Stubs/Nothing.json:1  GET https://api.example.com/a
                    status 200 → 500
                    id: missing
                    name: missing
                    tags: missing
                  Stubs/Status.json:1  GET https://api.example.com/a
                    id: missing
                    name: missing
                    tags: missing

                noticed  of         file
                      3   3  100 %  Stubs/All.json
                      0   5    0 %  Stubs/Nothing.json
                      1   5   20 %  Stubs/Status.json

                """
        )
        #expect(result.status == 1)
        #expect(try directory.text("Stubs/Nothing.json") == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.file("Stubs").path).count == 3)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.file("tmp").path).isEmpty)
    }

    @Test func `a test that reads one member of forty notices a change of that one`() throws {
        try scene.write(MutationScene.fortyMembers, to: "Forty")
        let swift = try FakeSwift(
            [.checking("UserTests.one", "Stubs/Forty.json", #""m7" : 7"#, "statusCode")],
            in: directory
        )
        let report = try scene.report(swift)
        let members = report.unnoticed.filter { $0.change == "missing" }.map(\.keyPath)
        #expect(Set(members) == Set((1...40).map { "m\($0)" }).subtracting(["m7"]))
        #expect(report.files == [.init(file: "Stubs/Forty.json", tried: 41, noticed: 1, score: 2)])
        // Each change alone would take 80 runs.
        #expect(swift.runCount < 30)
    }

    @Test func `where most changes are noticed, they are made one by one`() throws {
        try scene.write(MutationScene.fortyMembers, to: "Forty")
        let lines = (1...40).map { "\"m\($0)\" : \($0)" }
        let check = "[ $(grep -c -E '\(lines.map { "\($0)([,}]|$)" }.joined(separator: "|"))' \"$file\") = 40 ]"
        let test = FakeSwift.FakeTest(name: "UserTests.all", file: "Stubs/Forty.json", check: check)
        try directory.write(
            directory.text("Stubs/Forty.json").replacing(",\"", with: ",\n\""),
            to: "Stubs/Forty.json"
        )
        let swift = try FakeSwift([test], in: directory)
        let report = try scene.report(swift)
        #expect(report.files == [.init(file: "Stubs/Forty.json", tried: 41, noticed: 40, score: 97)])
        // Another value, and none: by halves, that takes 120 runs.
        #expect(report.runs < 105)
    }

    @Test func `a value that must be there but may be any is listed with its change`() throws {
        try scene.write(#"{"at":"2024-05-31T10:00:00Z","ok":true,"size":1.50,"users":[{"n":0},{"n":10}]}"#, to: "Keys")
        let keys = ["at", "ok", "size", "users", "n"].map { "\"\($0)\" :" }
        let checks = keys.map { "grep -q -F -e '\($0)' \"$file\"" } + ["grep -q 200 \"$file\""]
        let test = FakeSwift.FakeTest(
            name: "UserTests.keys",
            file: "Stubs/Keys.json",
            check: checks.joined(separator: " && ")
        )
        let swift = try FakeSwift([test], in: directory)
        let report = try scene.report(swift)
        #expect(
            report.unnoticed.map { "\($0.keyPath): \($0.description)" } == [
                "at: \"2024-05-31T10:00:00Z\" → \"2024-05-31T10:00:01Z\"", "ok: true → false", "size: 1.50 → 3",
                "users: in the opposite order", "users: only the first element", "users[].n: 0 → 1",
            ]
        )
    }

    @Test func `a test that does not always pass is left out`() throws {
        try scene.write(MutationScene.user, to: "Unsteady")
        try scene.write(MutationScene.user, to: "Steady")
        let once = directory.file("once").path
        let unsteady = FakeSwift.FakeTest(
            name: "UserTests.unsteady",
            file: "Stubs/Unsteady.json",
            check: "[ -e '\(once)' ] || { touch '\(once)'; false; }"
        )
        let swift = try FakeSwift([unsteady, .passing("UserTests.steady", "Stubs/Steady.json")], in: directory)
        let report = try scene.report(swift)
        #expect(report.testsLeftOut == ["UserTests.unsteady"])
        #expect(Set(report.unnoticed.map(\.file)) == ["Stubs/Steady.json"])
        #expect(report.isComplete)
    }

    @Test func `of another command only the exit status counts, and tests that fail are an error`() throws {
        try scene.write(MutationScene.user, to: "A")
        let test = FakeSwift.FakeTest.checking("UserTests.a", "Stubs/A.json", #""name" : "Ada""#)
        let swift = try FakeSwift([test], in: directory)
        let result = try swift.stubborn("mutate", "--format", "json", "--", "sh", "bin/swift")
        let report = try JSONDecoder().decode(MutationScene.Report.self, from: result.outputData)
        #expect(Set(report.unnoticed.map(\.keyPath)) == ["", "id", "tags"])
        try scene.write("{}", to: "A")
        let failing = try swift.stubborn("mutate", "--", "sh", "bin/swift")
        #expect(failing.status == 2)
        #expect(failing.errors.hasPrefix("error: The tests fail without a change"))
    }

    // MARK: What tests receive

    @Test func `stubs that no test receives are not changed, and a test that receives nothing is not named`() throws {
        try directory.write(
            Recorded.file(
                Recorded.stub("/a", json: #"{"id":42}"#.spaced),
                Recorded.stub("/b", json: #"{"id":43}"#.spaced)
            ),
            to: "Stubs/A.json"
        )
        var one = FakeSwift.FakeTest.checking("UserTests.one", "Stubs/A.json", #""id" : 42"#, #""id" : 43"#)
        one.unused = [2]
        var none = FakeSwift.FakeTest.passing("UserTests.none", "Stubs/A.json")
        none.unused = [1, 2]
        let result = try FakeSwift([one, none], in: directory).stubborn("mutate", "--", "swift", "test")
        #expect(
            result.output == """
                No test notices these changes:
                  Stubs/A.json:1  GET https://api.example.com/a
                    status 200 → 500

                noticed  of        file
                      1   2  50 %  Stubs/A.json

                """
        )
    }

    @Test func `of two files that a test receives, only the one whose change it notices counts`() throws {
        try scene.write(MutationScene.user, to: "A")
        try scene.write(#"{"id":42}"#, to: "B")
        let swift = try FakeSwift(
            [
                .passing("UserTests.a", "Stubs/A.json"),
                .checking("UserTests.a", "Stubs/B.json", #""id" : 42"#, #""statusCode" : 200"#),
            ],
            in: directory
        )
        let report = try scene.report(swift)
        #expect(
            report.files == [
                .init(file: "Stubs/A.json", tried: 5, noticed: 0, score: 0),
                .init(file: "Stubs/B.json", tried: 2, noticed: 2, score: 100),
            ]
        )
        #expect(report.testsThatAssertNothing.isEmpty)
    }

    @Test func `a network that belongs to no test is read by any, and a test that always fails notices nothing`() throws
    {
        try scene.write(#"{"id":42}"#, to: "A")
        try scene.write(#"{"id":42}"#, to: "B")
        var anyone = FakeSwift.FakeTest.checking("UserTests.a", "Stubs/A.json", #""id" : 42"#)
        anyone.reportedName = "Other.test"
        let failing = FakeSwift.FakeTest(name: "UserTests.failing", file: "Stubs/B.json", check: "false")
        let result = try FakeSwift([anyone, failing], in: directory)
            .stubborn("mutate", "--format", "json", "--", "swift", "test")
        let report = try JSONDecoder().decode(MutationScene.Report.self, from: result.outputData)
        #expect(report.testsLeftOut == ["UserTests.failing"])
        #expect(report.unnoticed.map(\.change) == ["status"])
        #expect(report.files.first == .init(file: "Stubs/A.json", tried: 2, noticed: 1, score: 50))
    }

    @Test func `a test that expects a failure is not said to notice nothing`() throws {
        try directory.write(
            Recorded.file(Recorded.stub("/a", status: 404, json: #"{"error":"none"}"#.spaced)),
            to: "Stubs/A.json"
        )
        let swift = try FakeSwift([.passing("UserTests.a", "Stubs/A.json")], in: directory)
        let report = try scene.report(swift)
        #expect(report.testsThatAssertNothing.isEmpty)
        #expect(report.unnoticed.map(\.description) == ["status 404 → 200", "status 404 → 500", "missing"])
    }

    @Test func `no test is said to notice nothing before all changes were tried`() throws {
        try scene.write(MutationScene.fortyMembers, to: "Forty")
        let lines = (1...20).map { "grep -q -F -e '\"m\($0)\"' \"$file\"" } + ["sleep 0.1"]
        let test = FakeSwift.FakeTest(
            name: "UserTests.some",
            file: "Stubs/Forty.json",
            check: lines.joined(separator: " && ")
        )
        let swift = try FakeSwift([test], in: directory)
        let report = try scene.report(swift, "--budget", "0.2s")
        #expect(!report.isComplete)
        #expect(report.runs < 6)
        #expect(report.testsThatAssertNothing.isEmpty)
    }

    @Test func `changes of what most tests receive come first`() throws {
        try scene.write(MutationScene.user, to: "A")
        try scene.write(MutationScene.user, to: "B")
        let tests: [FakeSwift.FakeTest] = [
            .passing("UserTests.a", "Stubs/A.json"), .passing("UserTests.b", "Stubs/B.json"),
            .passing("UserTests.c", "Stubs/B.json"),
        ]
        let swift = try FakeSwift(tests, in: directory)
        let report = try scene.report(swift)
        let files = Array(repeating: "Stubs/B.json", count: 4) + Array(repeating: "Stubs/A.json", count: 4)
        #expect(report.unnoticed.map(\.file) == files)
        #expect(report.unnoticed.map(\.received) == [2, 2, 2, 2, 1, 1, 1, 1])
    }

    @Test func `the page lists the changes of each file`() throws {
        try scene.write(#"{"<b>":1}"#, to: "A")
        let swift = try FakeSwift([.passing("UserTests.a", "Stubs/A.json")], in: directory)
        let result = try swift.stubborn("mutate", "--in", "Stubs", "--page", "page.html", "--", "swift", "test")
        #expect(result.status == 1)
        let page = try directory.text("page.html")
        #expect(page.contains("<li>UserTests.a</li>"))
        #expect(page.contains("<td>[&quot;&lt;b&gt;&quot;]: missing</td>"))
        #expect(page.contains("Stubs/A.json <small>0 %, 0 of 2</small>"))
    }
}
