import Foundation
import LoopbackServer
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
        let data = try Data(contentsOf: directory.file("report.json"))
        return try #require(JSONDecoder().decode(RunReport.self, from: data).networks.first)
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
        try await eventually { (try? report().recorded) == wanted }
        #expect(try report().summary.recorded == 3)
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
                let data = try Data(contentsOf: directory.file("reports/\(name)"))
                return try JSONDecoder().decode(RunReport.self, from: data).networks
            }
        }
        try await eventually { (try? Set(networks().map(\.unusedPositions))) == [[2, 3], [2]] }
        #expect(try networks().map(\.file) == Array(repeating: directory.file("run.json").path, count: 2))
    }
}
