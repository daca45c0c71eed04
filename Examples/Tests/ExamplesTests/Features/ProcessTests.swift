// A program under test, from outside: its environment says what it is answered with, its report what it asked for.

import StubbornNetworkTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ProcessTests {
    private let directory = TemporaryDirectory()
    private var reportFile: URL { directory.url.appendingPathComponent("report.json") }

    @Test func `the program requests only what was recorded`() async throws {
        let environment = try StubEnvironment(
            named: "-[BytesUITests testDownload]",
            directory: URL(fileURLWithPath: CommittedStubs.path),
            report: reportFile
        )
        let run = try await BuiltProgram.bytes.run("https://api.example.com/417", environment: environment.variables)
        #expect(run == .init(exitCode: 0, output: "417 bytes\n", error: ""))

        let report = try StubReport(contentsOf: reportFile)
        report.expectEverythingStubbed()
        #expect(report.summary.stubbed == 1)
        #expect(report.networkAttempts == 0)
    }

    @Test func `the report names what was not recorded`() async throws {
        let environment = try StubEnvironment(
            named: "-[BytesUITests testDownload]",
            directory: URL(fileURLWithPath: CommittedStubs.path),
            recordMode: .playback,
            report: reportFile
        )
        let run = try await BuiltProgram.bytes.run("https://api.example.com/new", environment: environment.variables)
        #expect(run.exitCode == 1)
        let report = try StubReport(contentsOf: reportFile)
        #expect(report.unstubbed.map(\.request) == ["GET https://api.example.com/new"])
    }
}
