import Foundation
import LoopbackServer
import StubbornNetwork
import StubbornNetworkTesting
import Testing

/// A process under test, as its parent drives it and reads of it.
@Suite(.timeLimit(.minutes(5)))
struct StubReportTests {
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("report-\(UUID().uuidString)")
    private var report: URL { directory.appendingPathComponent("report.json") }

    private func network(_ mode: RecordMode) throws -> StubbornNetwork {
        let environment = try StubEnvironment(named: "run", directory: directory, recordMode: mode, report: report)
        let network = StubbornNetwork(.environment, environment: environment.variables)
        network.onUnstubbedRequest = { _ in }
        return network
    }

    @Test func `the variables name file, mode and report`() throws {
        let environment = try StubEnvironment(
            named: "-[LoginTests testLogin]",
            directory: URL(fileURLWithPath: "/tests/Stubs"),
            recordMode: .recordingMissing,
            report: URL(fileURLWithPath: "/tmp/report.json")
        )
        #expect(
            environment.variables == [
                "TESTING": "1", "STUB_NAME": "-[LoginTests testLogin]", "STUB_PATH": "/tests/Stubs",
                "STUB_RECORD_MODE": "recording-missing", "STUB_REPORT": "/tmp/report.json",
            ]
        )
        #expect(environment.stubFile.path == "/tests/Stubs/LoginTests_testLogin.json")
        let plain = try StubEnvironment(named: "a", directory: URL(fileURLWithPath: "/tests/Stubs"))
        #expect(plain.variables == ["TESTING": "1", "STUB_NAME": "a", "STUB_PATH": "/tests/Stubs"])
    }

    @Test func `what names no file is refused`() {
        let directory = URL(fileURLWithPath: "/tests/Stubs")
        #expect(throws: StubbornNetworkError.self) { try StubEnvironment(named: "-[]", directory: directory) }
        #expect(throws: StubbornNetworkError.self) {
            try StubEnvironment(named: "a", directory: URL(string: "https://a.test/")!)
        }
        #expect(throws: StubbornNetworkError.self) {
            try StubEnvironment(named: "a", directory: directory, report: URL(string: "https://a.test/"))
        }
    }

    @Test func `the report tells what was served, recorded, unstubbed and unused`() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let server = try LoopbackServer()
        let recording = try network(.recording)
        for path in ["/hello", "/json"] { _ = try await recording.session.data(from: server.url(path)) }
        try recording.finishRecording()
        #expect(try await comesToHold { (try? StubReport(contentsOf: report))?.recorded == 2 })
        #expect(try StubReport(contentsOf: report).networkAttempts == 2)

        let playback = try network(.playback)
        // The first request has the stub file read, and the next is answered at once.
        for _ in 0..<2 { _ = try await playback.session.data(from: server.url("/hello")) }
        await #expect(throws: StubbornNetworkError.self) { try await playback.session.data(from: server.url("/none")) }
        // The unstubbed request is in the report before it fails.
        let read = try StubReport(contentsOf: report)
        #expect(
            read.description
                == "2 served, 2 recorded, 1 unstubbed, 1 unused, 2 sent to the real server (recording, playback)"
        )
        #expect(read.unstubbed.map(\.request) == ["GET \(server.url("/none").absoluteString)"])
        #expect(read.unstubbed.first?.diagnosis.hasPrefix("No stub answers GET") == true)
        #expect(read.unused == ["GET \(server.url("/json").absoluteString)"])
        #expect(read.stubFiles.map(\.lastPathComponent) == ["run.json", "run.json"])
        withKnownIssue {
            read.expectEverythingStubbed()
        } matching: { issue in
            issue.comments.first?.rawValue.hasPrefix("In the process under test: No stub answers GET") == true
        }
    }

    @Test func `a report that is not there says why`() {
        let error = #expect(throws: StubbornNetworkError.self) { try StubReport(contentsOf: report) }
        #expect(error?.message.contains("it was not started with STUB_REPORT") == true)
    }

    @Test func `a killed process has left its report`() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let server = try LoopbackServer()
        let environment = try StubEnvironment(
            named: "killed",
            directory: directory,
            recordMode: .playback,
            report: report
        )
        let process = try SpawnedProcess(
            executable(named: "process-under-test"),
            ["1000000", "1", server.url("/bytes/").absoluteString],
            environment: environment.variables
        )
        #expect(try await comesToHold { ((try? StubReport(contentsOf: report))?.unstubbedCount ?? 0) > 3 })
        process.kill()
        process.wait()
        let read = try StubReport(contentsOf: report)
        #expect(read.unstubbedCount > 3)
        #expect(read.networkAttempts == 0)
        #expect(server.connectionCount == 0)
    }
}
