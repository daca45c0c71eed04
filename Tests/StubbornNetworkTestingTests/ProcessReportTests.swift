import Foundation
import LoopbackServer
@_spi(Tools) import StubbornNetwork
import StubbornNetworkTesting
@_spi(Tools) import StubbornNetworkTooling
import Testing

/// What a test reads of processes that record, are killed, still run, never ran or share a report.
@Suite(.timeLimit(.minutes(5)))
struct ProcessReportTests {
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("report-\(UUID().uuidString)")
    private var report: URL { directory.appendingPathComponent("report.json") }
    private var errors: URL { directory.appendingPathComponent("errors.txt") }
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    private func environment(_ mode: RecordMode? = nil, on parent: [String: String] = [:]) throws -> [String: String] {
        try StubEnvironment(named: "run", directory: directory, recordMode: mode, report: report, inheriting: parent)
            .variables
    }

    private func start(_ count: Int, _ environment: [String: String]) throws -> SpawnedProcess {
        try SpawnedProcess(
            executable(named: "process-under-test"),
            [String(count), "1", server.url("/bytes/").absoluteString],
            environment: environment,
            errors: errors
        )
    }

    /// Returns the strings that `expectEverythingStubbed()` fails this test with.
    private func failures(failsOn: FailureReasons = .standard) throws -> [String] {
        let read = try StubReport(contentsOf: report)
        let texts = Lock<[String]>([])
        withKnownIssue(isIntermittent: true) {
            read.expectEverythingStubbed(failsOn: failsOn)
        } matching: { issue in
            texts.withLock { $0.append(issue.comments.map(\.rawValue).joined(separator: "\n")) }
            return true
        }
        return texts.withLock { $0 }
    }

    @Test func `a process that recorded fails its test, which says what and where`() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try start(2, environment(.recording)).wait()
        #expect(
            try failures() == [
                """
                In the process under test: 2 exchanges were recorded into \(directory.path)/run.json:
                  GET \(server.url("/bytes/1").absoluteString): 200, 1 byte
                  GET \(server.url("/bytes/2").absoluteString): 200, 2 bytes
                """
            ]
        )
        #expect(try failures(failsOn: .unstubbed) == [])
        try start(2, environment()).wait()
        #expect(try failures() == [])
        #expect(
            try StubReport(contentsOf: report).description
                == "2 requests: 2 stubbed. 0 sent to the real server (playback)."
        )
    }

    @Test(arguments: [FailureReasons.standard, .unstubbed])
    func `a process whose server is off fails its test, which says which server`(failsOn: FailureReasons) throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        server.stop()
        try start(1, environment(.recordingMissing)).wait()
        #expect(
            try failures(failsOn: failsOn) == [
                """
                In the process under test: 127.0.0.1:\(server.port) did not answer; nothing was recorded.
                Check that the server runs and that this machine is online, and record again.
                """
            ]
        )
    }

    @Test func `a process that verifies fails its test where the server has changed, and counts what it asked`() throws
    {
        defer { try? FileManager.default.removeItem(at: directory) }
        try start(2, environment(.recording, on: .newRun)).wait()
        let file = directory.appendingPathComponent("run.json")
        let recorded = try String(contentsOf: file, encoding: .utf8)
        try start(2, environment(.verifying, on: .newRun)).wait()
        #expect(try failures() == [])
        var report = try StubReport(contentsOf: self.report)
        #expect(report.networkAttempts == 2)
        #expect(report.verifications.map(\.verifiedCount) == [2])

        try recorded.replacingOccurrences(of: "\"statusCode\" : 200", with: "\"statusCode\" : 201")
            .write(to: file, atomically: true, encoding: .utf8)
        try start(2, environment(.verifying, on: .newRun)).wait()
        #expect(
            try failures() == [
                """
                In the process under test: \(directory.path)/run.json was compared with the server: 0 of 2 stubs are the same.
                GET \(server.url("/bytes/1").absoluteString):
                  status: recorded 201, received 200
                GET \(server.url("/bytes/2").absoluteString):
                  status: recorded 201, received 200
                """
            ]
        )
        server.stop()
        try recorded.write(to: file, atomically: true, encoding: .utf8)
        try start(1, environment(.verifying, on: .newRun)).wait()
        #expect(try failures().count == 1)
        report = try StubReport(contentsOf: self.report)
        #expect(report.verifications.first?.stubs.first?.severity == .breaking)
    }

    @Test func `the directory of reports that the test was given has a process's report too`() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try start(1, environment(.recording)).wait()
        let reports = directory.appendingPathComponent("reports").path + "/"
        try start(1, environment(on: ["STUB_REPORT": reports])).wait()
        #expect(try StubReport(contentsOf: report).summary.stubbed == 1)
        let names = try FileManager.default.contentsOfDirectory(atPath: reports)
        #expect(names.count == 1)
        let uses = try StubFileUse.all(in: URL(fileURLWithPath: reports + #require(names.first)))
        #expect(uses?.map(\.file) == [directory.appendingPathComponent("run.json").path])
    }

    @Test func `a process that was kept from recording fails its test, which says why`() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let process = try SpawnedProcess(
            executable(named: "process-under-test"),
            ["1", "1", server.url("/bytes/1?access_token=REDACTED-access_token-1&page=").absoluteString],
            environment: environment(.recordingMissing)
        )
        process.wait()
        #expect(server.connectionCount == 0)
        let failures = try failures(failsOn: .unstubbed)
        #expect(failures.count == 1)
        #expect(failures.first?.hasPrefix("In the process under test: ") == true)
        #expect(failures.first?.contains("REDACTED-access_token-1") == true)
    }

    @Test func `the command in a process's report records by way of its test`() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try start(1, environment()).wait()
        let command = """
            To record it:  STUB_RECORD_MODE=recording-missing swift test --filter \
            ProcessReportTests..the.command.in.a.process.s.report.records.by.way.of.its.test.

            """
        #expect(try failures().first?.contains(command) == true)
        #expect(try String(contentsOf: errors, encoding: .utf8).contains(command))
        // What the command does: it sets the variable for this process.
        try start(1, environment(on: ["STUB_RECORD_MODE": "recording-missing"])).wait()
        try start(1, environment()).wait()
        #expect(try failures() == [])
    }

    @Test func `a stub that a process did not ask for fails the test if that is a reason`() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try start(2, environment(.recording)).wait()
        // What is being recorded has asked for all that is in the file.
        #expect(try failures(failsOn: .unused) == [])
        try start(1, environment()).wait()
        #expect(try failures() == [])
        #expect(
            try failures(failsOn: .unused) == [
                """
                In the process under test: No request used these stubs of \(directory.path)/run.json:
                  GET \(server.url("/bytes/2").absoluteString)
                """
            ]
        )
        try start(3, environment()).wait()
        #expect(try failures().count == 1)
        #expect(try failures(failsOn: .unused) == [])
    }

    @Test func `a process that was started by hand is told the variable alone`() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try start(1, ["TESTING": "1", "STUB_NAME": "run", "STUB_PATH": directory.path]).wait()
        #expect(
            try String(contentsOf: errors, encoding: .utf8)
                .contains("To record it:  start this process with STUB_RECORD_MODE=recording-missing\n")
        )
    }

    @Test func `a process that never used a network has no report, and that of an earlier run is gone`() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try start(1, environment()).wait()
        #expect(try StubReport(contentsOf: report).summary.unstubbed == 1)
        _ = try environment()
        let error = #expect(throws: StubbornNetworkError.self) { try StubReport(contentsOf: report) }
        #expect(
            error?.message == """
                There is no run report at \(report.path). The process has not started, it ended before it used a network, or it \
                was started without STUB_REPORT. Start the process with \
                StubEnvironment(named:directory:report:).variables, use StubbornNetwork.standard in it, and read the report \
                after the process has made its requests.
                """
        )
    }

    @Test func `a report says of a process that it still runs, or that it was killed`() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let process = try start(1_000_000, environment(.recording))
        defer { process.kill() }
        #expect(try await comesToHold { ((try? StubReport(contentsOf: report))?.summary.recorded ?? 0) > 3 })
        let running = """

            Process \(process.identifier) is still running: its further requests are not in this report.
            """
        #expect(try StubReport(contentsOf: report).description.hasSuffix(running))
        #expect(try failures().first?.hasSuffix(running) == true)
        process.kill()
        process.wait()
        let killed = """

            Process \(process.identifier) was killed: its recordings are in the stub file, or in a journal next to it.
            """
        #expect(try StubReport(contentsOf: report).description.hasSuffix(killed))
        #expect(try failures().first?.hasSuffix(killed) == true)
    }

    @Test func `a report on a killed process that played says nothing of recordings`() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let environment = try environment().merging(["STAYS": "1"]) { $1 }
        let process = try start(1, environment)
        defer { process.kill() }
        #expect(try await comesToHold { ((try? StubReport(contentsOf: report))?.summary.unstubbed ?? 0) > 0 })
        process.kill()
        process.wait()
        #expect(
            try StubReport(contentsOf: report).description.hasSuffix("\nProcess \(process.identifier) was killed.")
        )
    }

    @Test func `processes that share a report each add to it, at once and one after the other`() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let environment = try environment()
        let both = try [20, 30].map { try start($0, environment) }
        for process in both { process.wait() }
        #expect(try StubReport(contentsOf: report).summary.unstubbed == 50)
        try start(5, environment).wait()
        #expect(try StubReport(contentsOf: report).summary.unstubbed == 55)
        #expect(try StubReport(contentsOf: report).description.contains("(playback, playback, playback)"))
    }

    @Test func `a report that no test began is that of the last process`() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let byHand = ["TESTING": "1", "STUB_NAME": "run", "STUB_PATH": directory.path, "STUB_REPORT": report.path]
        for count in [3, 2] { try start(count, byHand).wait() }
        #expect(try StubReport(contentsOf: report).summary.unstubbed == 2)
    }
}
