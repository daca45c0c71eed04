import Foundation
import LoopbackServer
import StubbornNetwork
import StubbornNetworkTesting
import Testing

/// A run report to which processes append at the same time, and in which killed processes count.
@Suite(.timeLimit(.minutes(5)))
struct ReportLinesOfProcessesTests {
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("report-\(UUID().uuidString)")
    private var report: URL { directory.appendingPathComponent("report.json") }
    private var output: URL { directory.appendingPathComponent("output.txt") }
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    private func environment(_ mode: RecordMode? = nil) throws -> [String: String] {
        try StubEnvironment(named: "run", directory: directory, recordMode: mode, report: report, inheriting: [:])
            .variables
    }

    private func start(_ count: Int, _ width: Int, _ environment: [String: String]) throws -> SpawnedProcess {
        try SpawnedProcess(
            executable(named: "process-under-test"),
            [String(count), String(width), server.url("/bytes/").absoluteString],
            environment: environment,
            outputFile: output
        )
    }

    /// The requests that have ended, as the process says.
    private var endedCount: Int {
        (try? String(contentsOf: output, encoding: .utf8))?.split(separator: "\n").count ?? 0
    }

    @Test(arguments: [(RecordMode.recording, 4), (.playback, 1)])
    func `the report of a killed process counts all requests whose end its client saw`(
        mode: RecordMode,
        width: Int
    ) async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let process = try start(1_000_000, width, environment(mode))
        #expect(try await comesToHold { endedCount >= 60 })
        process.kill()
        process.wait()
        let read = try StubReport(contentsOf: report)
        let counts = read.summary
        #expect(counts.recorded + counts.unstubbed >= endedCount)
        #expect(counts.recorded + counts.unstubbed <= endedCount + 2 * width)
        #expect(read.description.contains("Process \(process.identifier) was killed"))
        #expect(read.recorded.count == (mode == .recording ? 50 : 0))
        #expect(read.unstubbed.count == (mode == .recording ? 0 : 50))
    }

    @Test func `two processes that append at the same time lose nothing`() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try start(400, 8, environment(.recording)).wait()
        let environment = try environment()
        let both = try [400, 300].map { try start($0, 8, environment) }
        for process in both { process.wait() }
        let read = try StubReport(contentsOf: report)
        #expect(read.description == "700 requests: 700 stubbed. 0 sent to the real server (playback, playback).")
        let lines = try Data(contentsOf: report).split(separator: UInt8(ascii: "\n"))
        let whole = lines.filter { (try? JSONSerialization.jsonObject(with: $0)) != nil }
        #expect(whole.count == lines.count)
        #expect(lines.count >= 700)
    }

    @Test func `a process adds to a report that no test began while the process that began it runs`() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let byHand = ["TESTING": "1", "STUB_NAME": "run", "STUB_PATH": directory.path, "STUB_REPORT": report.path]
        let first = try start(1, 1, byHand.merging(["STAYS": "1"]) { $1 })
        defer { first.kill() }
        #expect(try await comesToHold { ((try? StubReport(contentsOf: report))?.summary.unstubbed ?? 0) == 1 })
        try start(2, 1, byHand).wait()
        #expect(try StubReport(contentsOf: report).summary.unstubbed == 3)
        first.kill()
        first.wait()
        try start(4, 1, byHand).wait()
        #expect(try StubReport(contentsOf: report).summary.unstubbed == 4)
    }
}
