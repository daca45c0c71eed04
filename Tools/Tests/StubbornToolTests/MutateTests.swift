import Foundation
import Testing

/// `stubborn mutate`: what would change without a test that notices it.
@Suite(.timeLimit(.minutes(5))) struct MutateTests {
    /// An object with forty members, `"m1" : 1` to `"m40" : 40`.
    private static let fortyMembers = "{" + (1...40).map { "\"m\($0)\":\($0)" }.joined(separator: ",") + "}"
    private static let user = #"{"id":42,"name":"Ada","tags":["a","b"]}"#

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(at: directory.file("tmp"), withIntermediateDirectories: true)
    }

    private func write(_ json: String, to name: String) throws {
        try directory.write(Recorded.file(Recorded.stub("/a", json: json.spaced)), to: "Stubs/\(name).json")
    }

    /// A test that checks all of `user`, and the status.
    private static let all = FakeSwift.FakeTest.checking(
        "UserTests.all",
        "Stubs/All.json",
        #""id" : 42"#,
        #""name" : "Ada""#,
        #""statusCode" : 200"#
    )

    @Test func `changes that no test notices are listed, after the tests that notice nothing`() throws {
        try write(#"{"id":42,"name":"Ada"}"#, to: "All")
        try write(Self.user, to: "Nothing")
        try write(Self.user, to: "Status")
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
        try write(Self.fortyMembers, to: "Forty")
        let swift = try FakeSwift(
            [.checking("UserTests.one", "Stubs/Forty.json", #""m7" : 7"#, "statusCode")],
            in: directory
        )
        let result = try swift.stubborn("mutate", "--format", "json", "--", "swift", "test")
        let report = try JSONDecoder().decode(Report.self, from: result.outputData)
        let members = report.unnoticed.filter { $0.change == "missing" }.map(\.keyPath)
        #expect(Set(members) == Set((1...40).map { "m\($0)" }).subtracting(["m7"]))
        #expect(report.files == [.init(file: "Stubs/Forty.json", tried: 41, noticed: 1, score: 2)])
        // Each change alone would take 80 runs.
        #expect(swift.runCount < 30)
    }

    private struct Report: Decodable {
        struct Unnoticed: Decodable {
            let file: String
            let stub: Int
            let keyPath: String
            let change: String
            let description: String
            let received: Int
        }
        struct File: Decodable, Equatable {
            let file: String
            let tried: Int
            let noticed: Int
            let score: Int?
        }
        let testsThatAssertNothing: [String]
        let testsLeftOut: [String]
        let unnoticed: [Unnoticed]
        let files: [File]
        let isComplete: Bool
        let runs: Int
    }

    @Test func `a value that must be there but may be any is listed with its change`() throws {
        try write(#"{"at":"2024-05-31T10:00:00Z","ok":true,"size":1.50,"users":[{"n":0},{"n":10}]}"#, to: "Keys")
        let keys = ["at", "ok", "size", "users", "n"].map { "\"\($0)\" :" }
        let checks = keys.map { "grep -q -F -e '\($0)' \"$file\"" } + ["grep -q 200 \"$file\""]
        let test = FakeSwift.FakeTest(
            name: "UserTests.keys",
            file: "Stubs/Keys.json",
            check: checks.joined(separator: " && ")
        )
        let swift = try FakeSwift([test], in: directory)
        let report = try JSONDecoder().decode(
            Report.self,
            from: swift.stubborn("mutate", "--format", "json", "--", "swift", "test").outputData
        )
        #expect(
            report.unnoticed.map { "\($0.keyPath): \($0.description)" } == [
                "at: \"2024-05-31T10:00:00Z\" → \"2024-05-31T10:00:01Z\"", "ok: true → false", "size: 1.50 → 1.49",
                "users: in the opposite order", "users[].n: 0 → 1",
            ]
        )
    }

    @Test func `a test that ends its process is the one that notices, and the others are run again`() throws {
        try write(Self.user, to: "Crash")
        try write(Self.user, to: "Other")
        let crashing = FakeSwift.FakeTest(
            name: "UserTests.crash",
            file: "Stubs/Crash.json",
            check: "if ! grep -q Ada \"$file\"; then kill -9 $$; fi"
        )
        let swift = try FakeSwift(
            [crashing, .checking("UserTests.other", "Stubs/Other.json", #""id" : 42"#)],
            in: directory
        )
        let result = try swift.stubborn("mutate", "--format", "json", "--", "swift", "test")
        let report = try JSONDecoder().decode(Report.self, from: result.outputData)
        #expect(report.isComplete)
        #expect(report.testsThatAssertNothing.isEmpty)
        let paths = { (file: String) in Set(report.unnoticed.filter { $0.file == file }.map(\.keyPath)) }
        #expect(paths("Stubs/Crash.json") == ["", "id", "tags"])
        #expect(paths("Stubs/Other.json") == ["", "name", "tags"])
    }

    @Test func `a test that does not always pass is left out`() throws {
        try write(Self.user, to: "Unsteady")
        try write(Self.user, to: "Steady")
        let once = directory.file("once").path
        let unsteady = FakeSwift.FakeTest(
            name: "UserTests.unsteady",
            file: "Stubs/Unsteady.json",
            check: "[ -e '\(once)' ] || { touch '\(once)'; false; }"
        )
        let swift = try FakeSwift([unsteady, .passing("UserTests.steady", "Stubs/Steady.json")], in: directory)
        let result = try swift.stubborn("mutate", "--format", "json", "--", "swift", "test")
        let report = try JSONDecoder().decode(Report.self, from: result.outputData)
        #expect(report.testsLeftOut == ["UserTests.unsteady"])
        #expect(Set(report.unnoticed.map(\.file)) == ["Stubs/Steady.json"])
        #expect(report.isComplete)
    }

    @Test func `of another command only the exit status counts, and tests that fail are an error`() throws {
        try write(Self.user, to: "A")
        let test = FakeSwift.FakeTest.checking("UserTests.a", "Stubs/A.json", #""name" : "Ada""#)
        let swift = try FakeSwift([test], in: directory)
        let result = try swift.stubborn("mutate", "--format", "json", "--", "sh", "bin/swift")
        let report = try JSONDecoder().decode(Report.self, from: result.outputData)
        #expect(Set(report.unnoticed.map(\.keyPath)) == ["", "id", "tags"])
        try write("{}", to: "A")
        let failing = try swift.stubborn("mutate", "--", "sh", "bin/swift")
        #expect(failing.status == 2)
        #expect(failing.errors.hasPrefix("error: The tests do not pass as they are"))
    }

    @Test func `a search that ran out of time goes on where it ended`() throws {
        try write(Self.fortyMembers, to: "Forty")
        let lines = (1...20).map { "\"m\($0)\" : \($0)," }
        let checks = lines.map { "grep -q -F -e '\($0)' \"$file\"" } + ["sleep 0.05"]
        let test = FakeSwift.FakeTest(
            name: "UserTests.some",
            file: "Stubs/Forty.json",
            check: checks.joined(separator: " && ")
        )
        let swift = try FakeSwift([test], in: directory)
        let first = try swift.stubborn("mutate", "--budget", "1s", "--format", "json", "--", "swift", "test")
        #expect(first.status == 1)
        var reports = [try JSONDecoder().decode(Report.self, from: first.outputData)]
        while let last = reports.last, !last.isComplete, reports.count < 200 {
            let next = try swift.stubborn("mutate", "--budget", "1s", "--format", "json", "--", "swift", "test")
            #expect(next.errors.contains("Going on where the last call ended."))
            reports.append(try JSONDecoder().decode(Report.self, from: next.outputData))
            #expect((reports.last?.files.first?.tried ?? 0) >= (last.files.first?.tried ?? 0))
        }
        #expect(reports.last?.files == [.init(file: "Stubs/Forty.json", tried: 41, noticed: 20, score: 48)])
        let left = try FileManager.default.contentsOfDirectory(atPath: directory.file("tmp").path)
        #expect(left.isEmpty)
    }

    @Test func `the page lists the changes of each file`() throws {
        try write(#"{"<b>":1}"#, to: "A")
        let swift = try FakeSwift([.passing("UserTests.a", "Stubs/A.json")], in: directory)
        let result = try swift.stubborn("mutate", "--in", "Stubs", "--page", "page.html", "--", "swift", "test")
        #expect(result.status == 1)
        let page = try directory.text("page.html")
        #expect(page.contains("<li>UserTests.a</li>"))
        #expect(page.contains("<td>[&quot;&lt;b&gt;&quot;]: missing</td>"))
        #expect(page.contains("Stubs/A.json <small>0 %, 0 of 2</small>"))
    }
}
