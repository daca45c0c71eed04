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
        let environment = try StubEnvironment(
            named: "run",
            directory: directory,
            recordMode: mode,
            report: report,
            inheriting: [:]
        )
        let network = StubbornNetwork(.environment, environment: environment.variables)
        network.onUnstubbedRequest = { _ in }
        return network
    }

    @Test func `the report counts what was served, recorded, unstubbed and unused`() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let server = try LoopbackServer()
        let recording = try network(.recording)
        for path in ["/hello", "/json"] { _ = try await recording.session.data(from: server.url(path)) }
        try recording.finishRecording()
        #expect(try await comesToHold { (try? StubReport(contentsOf: report))?.summary.recorded == 2 })
        #expect(try StubReport(contentsOf: report).networkAttempts == 2)

        let playback = try network(.playback)
        // The first request has the stub file read, and the next is answered at once.
        for _ in 0..<2 { _ = try await playback.session.data(from: server.url("/hello")) }
        await #expect(throws: (any Error).self) { try await playback.session.data(from: server.url("/none")) }
        // The unstubbed request is in the report before it fails.
        let read = try StubReport(contentsOf: report)
        #expect(
            read.description
                == "5 requests: 2 stubbed, 2 recorded, 1 unstubbed. 1 stub unused. 2 sent to the real server (recording, playback)."
        )
        #expect(read.unstubbed.map(\.request) == ["GET \(server.url("/none").absoluteString)"])
        #expect(read.unstubbed.first?.description.hasPrefix("No stub answers GET") == true)
        #expect(read.unused == ["GET \(server.url("/json").absoluteString)"])
        #expect(read.stubFiles.map(\.lastPathComponent) == ["run.json", "run.json"])
        withKnownIssue {
            read.expectEverythingStubbed(failsOn: .unstubbed)
        } matching: { issue in
            issue.comments.first?.rawValue.hasPrefix("In the process under test: No stub answers GET") == true
        }
    }

    /// Writes the stub file: a stub with an empty 200 for each path of api.test.
    private func writeStubs(_ paths: String...) throws {
        let stubs = paths.map { path in
            #"{ "request" : { "method" : "GET", "url" : "http://api.test\#(path)" }, "response" : { "statusCode" : 200 } }"#
        }
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let file = directory.appendingPathComponent("run.json")
        try Data("[\(stubs.joined(separator: ",\n"))]".utf8).write(to: file)
    }

    private func api(_ path: String) -> URL { URL(string: "http://api.test\(path)")! }

    @Test func `each request that a stub answers is counted once, before and after the stub file is read`() async throws
    {
        defer { try? FileManager.default.removeItem(at: directory) }
        try writeStubs("/a", "/b")
        let network = try network(.playback)
        network.stub(.path("/declared"), with: .text("declared"))
        network.stub(.path("/delayed"), with: .text("delayed").delayed(by: .milliseconds(1)))
        var asked = 0
        func ask(_ paths: String...) async throws {
            for path in paths { _ = try await network.session.data(from: api(path)) }
            asked += paths.count
            // Whatever had been counted by the time that this fails, is in the report.
            await #expect(throws: (any Error).self) { try await network.session.data(from: api("/none")) }
            #expect(try StubReport(contentsOf: report).summary.stubbed == asked)
        }
        try await ask("/declared", "/a")
        try await ask("/a")
        try await ask("/b", "/declared", "/b", "/delayed")
        _ = try network.response(to: URLRequest(url: api("/a")))
        asked += 1
        try await ask("/declared", "/declared")
        let read = try StubReport(contentsOf: report)
        #expect(
            read.description == "14 requests: 10 stubbed, 4 unstubbed. 0 sent to the real server (playback)."
        )
    }

    @Test func `the first fifty unstubbed requests are listed, the others are counted`() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let network = try network(.playback)
        for number in 1...101 { _ = try? await network.session.data(from: api("/\(number)")) }
        let read = try StubReport(contentsOf: report)
        #expect(read.summary.unstubbed == 101)
        #expect(read.unstubbed.map(\.request) == (1...50).map { "GET http://api.test/\($0)" })
    }

    @Test(arguments: [
        (1, [] as [String]),
        (2, ["In the process under test: No stub answered 1 more request."]),
        (52, ["In the process under test: No stub answered 51 more requests."]),
    ])
    func `unstubbed requests that are only counted fail the test in one line`(count: Int, more: [String]) throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.onUnstubbedRequest = { _ in }
        let error = #expect(throws: StubbornNetworkError.self) {
            try network.response(to: URLRequest(url: api("/1")))
        }
        let unstubbed = try #require(error?.report)
        let written = """
            { "process" : 4711, "number" : 1, "network" : { \
              "mode" : "playback", "networkAttempts" : 0, "recorded" : [], \
              "summary" : { \
                "failed" : 0, "passedThrough" : 0, "recorded" : 0, "running" : 0, "stubbed" : 0, "unstubbed" : \(count), \
                "unused" : 0 \
              }, \
              "unstubbed" : [ \(unstubbed.jsonString.replacingOccurrences(of: "\n", with: "")) ], "unused" : [] } }
            """
        try Data(written.utf8).write(to: report)
        let read = try StubReport(contentsOf: report)
        let texts = Lock<[String]>([])
        withKnownIssue {
            read.expectEverythingStubbed()
        } matching: { issue in
            texts.withLock { $0.append(issue.comments.map(\.rawValue).joined(separator: "\n")) }
            return true
        }
        #expect(texts.withLock { $0 } == ["In the process under test: \(unstubbed.description)"] + more)
    }

    @Test func `the stubs of a process that asked for nothing are all unused`() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try writeStubs("/a", "/b")
        do {
            let network = try network(.playback)
            #expect(network.unusedStubs.isEmpty)
            try network.loadStubs()
            #expect(network.unusedStubs.map(\.request.url) == [api("/a"), api("/b")])
            #expect(
                network.unusedStubReports.map { $0.description.prefix { $0 != "(" } } == [
                    "No request used stub 1, GET http://api.test/a ", "No request used stub 2, GET http://api.test/b ",
                ]
            )
        }
        // The report is complete when the network is gone.
        #expect(try await comesToHold { (try? StubReport(contentsOf: report))?.summary.unused == 2 })
        let read = try StubReport(contentsOf: report)
        #expect(read.unused == ["GET http://api.test/a", "GET http://api.test/b"])
        #expect(read.description == "No requests. 2 stubs unused. 0 sent to the real server (playback).")
    }

    @Test func `the error for a missing report says why`() {
        let error = #expect(throws: StubbornNetworkError.self) { try StubReport(contentsOf: report) }
        #expect(error?.message.contains("it was started without STUB_REPORT") == true)
    }

    @Test func `a killed process leaves its report`() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let server = try LoopbackServer()
        let environment = try StubEnvironment(
            named: "killed",
            directory: directory,
            recordMode: .playback,
            report: report,
            inheriting: [:]
        )
        let process = try SpawnedProcess(
            executable(named: "process-under-test"),
            ["1000000", "1", server.url("/bytes/").absoluteString],
            environment: environment.variables
        )
        #expect(try await comesToHold { ((try? StubReport(contentsOf: report))?.summary.unstubbed ?? 0) > 3 })
        process.kill()
        process.wait()
        let read = try StubReport(contentsOf: report)
        #expect(read.summary.unstubbed > 3)
        #expect(read.networkAttempts == 0)
        #expect(server.connectionCount == 0)
    }

    @Test func `after the report of a killed process is read, its stub file has all that it recorded`() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let server = try LoopbackServer()
        let environment = try StubEnvironment(
            named: "killed",
            directory: directory,
            recordMode: .recording,
            report: report,
            // A build server records nothing.
            inheriting: ProcessInfo.processInfo.environment.filter { $0.key != "CI" }
        )
        let process = try SpawnedProcess(
            executable(named: "process-under-test"),
            ["1000000", "1", server.url("/bytes/").absoluteString],
            environment: environment.variables
        )
        #expect(try await comesToHold { ((try? StubReport(contentsOf: report))?.summary.recorded ?? 0) > 3 })
        process.kill()
        process.wait()
        let read = try StubReport(contentsOf: report)
        let stubs = try JSONSerialization.jsonObject(with: Data(contentsOf: environment.stubFile)) as? [Any]
        // The request that ran when the process was killed is counted too, and is not stored.
        #expect(stubs?.count ?? 0 >= read.summary.recorded - 1)
    }
}
