import Foundation
import LoopbackServer
import StubbornNetworkTesting
import Testing

/// Processes that a test starts one after the other, as a UI test launches its app again.
@Suite(.timeLimit(.minutes(5)))
struct LaunchTests {
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("launch-\(UUID().uuidString)")

    /// The variables of the processes of one test, which belong to one run.
    private func environment(
        _ mode: RecordMode,
        named name: String = "launches",
        sharing shared: [String] = [],
        report: URL? = nil
    ) throws -> StubEnvironment {
        try StubEnvironment(
            named: name,
            sharing: shared,
            directory: directory,
            recordMode: mode,
            report: report,
            inheriting: ["PATH": "/usr/bin:/bin"]
        )
    }

    /// Asks for the same two addresses, and returns the lengths of the responses.
    private func launch(_ server: URL, _ environment: StubEnvironment) throws -> [String] {
        let process = try SpawnedProcess(
            executable(named: "process-under-test"),
            ["2", "1", server.absoluteString],
            environment: environment.variables,
            readsOutput: true
        )
        let output = try #require(process.output).readDataToEndOfFile()
        process.wait()
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// A server that answers each request with one more letter than the last one.
    private func countingServer() throws -> LoopbackServer {
        let count = Lock(0)
        return try LoopbackServer { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return .text(String(repeating: "x", count: number))
        }
    }

    @Test(arguments: [RecordMode.recording, .recordingMissing, .recordingOnce])
    func `launches of one test are recorded one after the other, and played back in the same order`(
        mode: RecordMode
    ) throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let server = try countingServer()
        let url = server.url("/count?n=")
        let recording = try environment(mode)
        #expect(try launch(url, recording) == ["1 1", "2 2"])
        #expect(try launch(url, recording) == ["1 3", "2 4"])
        server.stop()

        let playback = try environment(.playback)
        #expect(try launch(url, playback) == ["1 1", "2 2"])
        #expect(try launch(url, playback) == ["1 3", "2 4"])
        // There is no third answer.
        #expect(try launch(url, playback) == ["1 3", "2 4"])
    }

    @Test func `each test that shares a recording begins at its first stub, and its next launches continue`() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let server = try countingServer()
        let url = server.url("/count?n=")
        let recording = try environment(.recording)
        for _ in 1...2 { _ = try launch(url, recording) }
        server.stop()
        for name in ["A", "B"] {
            let test = try environment(.playback, named: name, sharing: ["launches"])
            #expect(try launch(url, test) == ["1 1", "2 2"])
            #expect(try launch(url, test) == ["1 3", "2 4"])
        }
    }

    @Test func `the report of a test has the requests of all its launches, until the test reads it`() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let url = try #require(URL(string: "http://api.test/"))
        let report = directory.appendingPathComponent("report.json")
        for count in [2, 1] {
            for _ in 1...count { _ = try launch(url, environment(.playback, report: report)) }
            #expect(try StubReport(contentsOf: report).summary.unstubbed == 2 * count)
        }
    }

    @Test func `three tools that a test starts at once are all recorded`() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let server = try LoopbackServer()
        let recording = try environment(.recording)
        let tools = try (1...3).map { number in
            try SpawnedProcess(
                executable(named: "process-under-test"),
                ["2", "1", server.url("/bytes/\(number)?n=").absoluteString],
                environment: recording.variables
            )
        }
        for tool in tools { #expect(tool.wait() == 0) }
        let content = try Data(contentsOf: recording.stubFile)
        #expect(try (JSONSerialization.jsonObject(with: content) as? [Any])?.count == 6)
    }
}
