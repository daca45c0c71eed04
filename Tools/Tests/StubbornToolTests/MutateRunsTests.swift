import Foundation
import Testing

/// `stubborn mutate`: its runs of tests that crash, hang or are ended, and what it keeps of them.
@Suite(.timeLimit(.minutes(5))) struct MutateRunsTests {
    private let scene: MutationScene
    private var directory: TemporaryDirectory { scene.directory }

    init() throws { scene = try MutationScene() }

    @Test func `a test that ends its process is the one that notices, and the others are run again`() throws {
        try scene.write(MutationScene.user, to: "Crash")
        try scene.write(MutationScene.user, to: "Other")
        let crashing = FakeSwift.FakeTest(
            name: "UserTests.crash",
            file: "Stubs/Crash.json",
            check: "if ! grep -q Ada \"$file\"; then kill -9 $$; fi"
        )
        let swift = try FakeSwift(
            [crashing, .checking("UserTests.other", "Stubs/Other.json", #""id" : 42"#)],
            in: directory
        )
        let report = try scene.report(swift)
        #expect(report.isComplete)
        #expect(report.testsThatAssertNothing.isEmpty)
        let paths = { (file: String) in Set(report.unnoticed.filter { $0.file == file }.map(\.keyPath)) }
        #expect(paths("Stubs/Crash.json") == ["", "id", "tags"])
        #expect(paths("Stubs/Other.json") == ["", "name", "tags"])
    }

    @Test func `tests that a plugin runs do not wait for its end`() throws {
        try scene.write("{}", to: "A")
        let swift = try FakeSwift([.checking("UserTests.a", "Stubs/A.json", #""statusCode" : 200"#)], in: directory)
        let result = try swift.stubborn(
            ["mutate", "--", "swift", "test", "--filter", "a"],
            environment: ["STUBBORN_IN_PLUGIN": "1"]
        )
        #expect(result.status == 0)
        #expect(swift.calls.count == 3)
        #expect(
            swift.calls.allSatisfy {
                $0.contains("test ") && $0.contains("--ignore-lock") && $0.hasSuffix("--filter a")
            }
        )
        _ = try swift.stubborn("mutate", "--", "swift", "test")
        #expect(swift.calls.last?.contains("--ignore-lock") == false)
    }

    /// Returns a Boolean value that indicates whether a process runs, and is not one that nobody has waited for.
    private func isRunning(_ process: pid_t) -> Bool {
        let state = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        return kill(process, 0) == 0 && state?.contains(") Z ") != true
    }

    @Test func `tests that crash while others run are found when the tests take turns`() throws {
        let names = (1...8).map { "t\($0)" }
        for name in names { try scene.write(MutationScene.user, to: name) }
        let tests = names.map { name in
            let check = name < "t4" ? "kill -9 $$" : "false"
            return FakeSwift.FakeTest(
                name: "UserTests.\(name)",
                file: "Stubs/\(name).json",
                check: "if ! grep -q Ada \"$file\"; then \(check); fi"
            )
        }
        let swift = try FakeSwift(tests, in: directory, startsTogether: true)
        let report = try scene.report(swift)
        #expect(report.isComplete)
        #expect(report.files.map(\.noticed) == names.map { _ in 1 })
        #expect(report.files.map(\.tried) == names.map { _ in 5 })
        #expect(report.runs < 45)
    }

    // As `swift test` does, the shell starts its program in another process group.
    @Test func `a test that hangs is ended with all that it has started, and notices the change`() throws {
        try scene.write(MutationScene.user, to: "A")
        let pid = directory.file("pid").path
        let test = FakeSwift.FakeTest(
            name: "UserTests.a",
            file: "Stubs/A.json",
            check: "if ! grep -q Ada \"$file\"; then bash -c 'set -m; sleep 600 & echo $! >> \"\(pid)\"; wait'; fi"
        )
        let swift = try FakeSwift([test], in: directory)
        let report = try scene.report(swift, "--budget", "1s")
        #expect(report.runs == 3)
        let process = try #require(pid_t(directory.text("pid").trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(!isRunning(process))
    }

    @Test func `a signal ends the command with all that it has started`() throws {
        try scene.write(MutationScene.user, to: "A")
        let before = try directory.text("Stubs/A.json")
        let pid = directory.file("pid").path
        let test = FakeSwift.FakeTest(
            name: "UserTests.a",
            file: "Stubs/A.json",
            check: "if ! grep -q Ada \"$file\"; then sleep 600 & echo $! > '\(pid)'; kill -INT $PPID; wait; fi"
        )
        let result = try FakeSwift([test], in: directory).stubborn("mutate", "--", "swift", "test")
        #expect(result.status == 130)
        let process = try #require(pid_t(directory.text("pid").trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(!isRunning(process))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.file("tmp").path).isEmpty)
        #expect(try directory.text("Stubs/A.json") == before)
    }

    @Test func `when the time is over, the command says so, and leaves nothing`() throws {
        try scene.write(MutationScene.fortyMembers, to: "Forty")
        let test = FakeSwift.FakeTest(name: "UserTests.some", file: "Stubs/Forty.json", check: "sleep 0.1")
        let swift = try FakeSwift([test], in: directory)
        let result = try swift.stubborn("mutate", "--budget", "0.2s", "--format", "json", "--", "swift", "test")
        #expect(result.status == 1)
        #expect(result.errors.contains("The time ran out before everything was tried. Allow more with --budget."))
        #expect(try !JSONDecoder().decode(MutationScene.Report.self, from: result.outputData).isComplete)
        let left = try FileManager.default.contentsOfDirectory(atPath: directory.file("tmp").path)
        #expect(left.isEmpty)
    }
}
