import Foundation
import LoopbackServer
@_spi(Tools) import StubbornNetworkTooling
import Testing

@testable import StubbornNetwork

/// What a run report says of recordings.
@Suite(.timeLimit(.minutes(5)))
struct RunReportRecordingTests {
    private let directory = TemporaryDirectory()

    private func network(_ mode: RecordMode) -> StubbornNetwork {
        let network = StubbornNetwork(
            .persistent(name: "run", path: directory.path)!,
            environment: ["STUB_REPORT": directory.file("report.json").path]
        )
        network.recordMode = mode
        return network
    }

    private func report() throws -> RunReport.Network {
        try #require(RunReport(contentsOf: directory.file("report.json"))?.networks.first)
    }

    @Test func `everything that was stored is listed, errors and each hop too`() async throws {
        let (server, nobody) = (try LoopbackServer(), try LoopbackServer.stopped())
        let network = network(.recording)
        _ = try await network.session.data(from: server.url("/redirect/1?a=1"))
        await #expect(throws: URLError.self) { try await network.session.data(from: nobody.url("/off")) }
        let wanted = [
            "GET \(server.url("/redirect/1?a=1")): 302, 18 bytes", "GET \(server.url("/hello")): 200, 5 bytes",
            "GET \(nobody.url("/off")): 127.0.0.1:\(nobody.port) did not answer, NSURLErrorDomain -1004",
        ]
        // The end of the recording decides which errors are kept.
        try await eventually { (try? report().recorded) == Array(wanted.prefix(2)) }
        try network.finishRecording()
        #expect(try report().recorded == wanted)
        // A redirect is one request, as the summary of the network counts it.
        try await eventually { (try? report().summary) == network.summary }
        #expect(network.summary.description == "2 requests: 1 recorded, 1 failed.")
        #expect(try report().networkAttempts == 2)
        #expect(network.recordedStubs.count == 3)
    }

    @Test func `a request that no server answered counts as failed, and nothing as recorded`() async throws {
        let nobody = try LoopbackServer.stopped()
        let network = network(.recordingMissing)
        for path in ["/a", "/b"] {
            await #expect(throws: URLError.self) { try await network.session.data(from: nobody.url(path)) }
        }
        try await eventually { (try? report().summary.failed) == 2 }
        let read = try report()
        #expect(read.summary.recorded == 0)
        #expect(read.recorded.isEmpty)
        #expect(read.networkAttempts == 2)
    }

    @Test func `an error that kept a request from the recording stays in the report when others are recorded`()
        async throws
    {
        let server = try LoopbackServer()
        let network = network(.recordingMissing)
        let kept = server.url("/bytes/1?access_token=REDACTED-access_token-1")
        let error = await expectStubbornNetworkError { try await network.session.data(from: kept) }
        #expect(error?.code == .placeholderInRequest)
        _ = try await network.session.data(from: server.url("/hello"))
        try await eventually { (try? report().summary.recorded) == 1 }
        #expect(try report().summary.failed == 1)
        #expect(try report().recordingError?.contains("contains REDACTED-access_token-1") == true)
    }

    /// Returns the uses in a report on a network with a shared file, which has one request with an outcome.
    private func uses(
        mode: String = "playback",
        hasExited: Bool = true,
        after outcome: String = "stubbed"
    ) throws -> [StubFileUse]? {
        let names = ["stubbed", "recorded", "passedThrough", "unstubbed", "failed", "running", "unused"]
        let summary = names.map { "\"\($0)\" : \($0 == outcome ? 1 : 0)" }.joined(separator: ", ")
        try directory.write(
            """
            { "process" : 1, "number" : 1, "network" : { \
              "file" : "/stubs/Own.json", "hasExited" : \(hasExited), "mode" : "\(mode)", \
              "networkAttempts" : 0, "recorded" : [], "summary" : { \(summary) }, "unstubbed" : [], "unused" : [], \
              "shared" : [ { "file" : "/stubs/Shared.json", "unusedPositions" : [2] } ], "unusedPositions" : [1] } }
            """,
            to: "uses.json"
        )
        return StubFileUse.all(in: directory.file("uses.json"))
    }

    @Test(
        arguments: [
            ("playback", true, [[2], [1]]), ("playback", false, [[], []]), ("recording-missing", true, [[], []]),
        ] as [(String, Bool, [Set<Int>])]
    )
    func `what a run did not need is known only of a network that has played back to its end, also in a shared file`(
        mode: String,
        hasExited: Bool,
        unused: [Set<Int>]
    ) throws {
        let found = try uses(mode: mode, hasExited: hasExited)
        #expect(found?.map(\.file) == ["/stubs/Shared.json", "/stubs/Own.json"])
        #expect(found?.map(\.unusedPositions) == unused)
    }

    @Test(
        arguments: [
            ("stubbed", 2), ("recorded", 2), ("passedThrough", 2), ("unstubbed", 2), ("failed", 2), ("running", 2),
            ("unused", 0),
        ]
    )
    func `a network has used its files if it was asked for anything, whatever came of it`(
        outcome: String,
        count: Int
    ) throws {
        #expect(try uses(after: outcome)?.count == count)
    }

    @Test func `in a directory each network has a report of its own, with the positions of its unused stubs`()
        async throws
    {
        let stubs = ["a", "b", "c"].map { name in
            #"{ "request": { "method": "GET", "url": "https://api.example.com/\#(name)" }, "response": { "statusCode": 200 } }"#
        }
        try directory.write("[\(stubs.joined(separator: ",\n"))]", to: "run.json")
        for requested in [["/a"], ["/a", "/c"]] {
            let network = StubbornNetwork(
                .persistent(name: "run", path: directory.path)!,
                environment: ["STUB_REPORT": directory.file("reports").path + "/"]
            )
            for path in requested {
                _ = try network.response(
                    to: URLRequest(url: try #require(URL(string: "https://api.example.com\(path)")))
                )
            }
        }
        func networks() throws -> [RunReport.Network] {
            let files = try FileManager.default.contentsOfDirectory(atPath: directory.file("reports").path)
            return try files.filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }.flatMap { name in
                try #require(RunReport(contentsOf: directory.file("reports/\(name)"))).networks
            }
        }
        try await eventually { (try? Set(networks().map(\.unusedPositions))) == [[2, 3], [2]] }
        #expect(try networks().map(\.file) == Array(repeating: directory.file("run.json").path, count: 2))
    }
}
