import Foundation
import LoopbackServer
import StubbornNetwork
import Testing

/// The table of record modes, against a real server.
@Suite(.timeLimit(.minutes(5)))
struct RecordModesTests {
    let directory = TemporaryDirectory()
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    private func network(_ mode: RecordMode, _ environment: [String: String] = .newRun) -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: "modes", path: directory.path)!, environment: environment)
        network.recordMode = mode
        network.onUnstubbedRequest = { _ in }
        return network
    }

    /// What the server's counter says, as the network tells it.
    @discardableResult
    private func ask(_ network: StubbornNetwork, _ path: String = "/counter") async throws -> String {
        String(decoding: try await network.session.data(from: server.url(path)).0, as: UTF8.self)
    }

    private func record(_ paths: String...) async throws {
        let network = network(.recording)
        for path in paths { try await ask(network, path) }
        try network.finishRecording()
    }

    private func recordedURLs() throws -> [String] {
        let content = try JSONSerialization.jsonObject(with: Data(contentsOf: directory.file("modes.json")))
        let stubs = try #require(content as? [[String: Any]])
        return stubs.compactMap { ($0["request"] as? [String: Any])?["url"] as? String }
            .map { $0.replacingOccurrences(of: "http://127.0.0.1:\(server.port)", with: "") }
    }

    @Test func `playback plays what is recorded, fails for the rest, and touches no network`() async throws {
        try await record("/counter")
        let connections = server.connectionCount
        let network = network(.playback)
        #expect(try await ask(network) == "1")
        #expect(try await ask(network) == "1")
        let error = await expectStubbornNetworkError { try await ask(network, "/hello") }
        #expect(error?.code == .unstubbedRequest)
        #expect(server.connectionCount == connections)
        #expect(server.requests.count == 1)
    }

    @Test func `a later launch of a run plays what was there before the run, and records the rest again`() async throws
    {
        try await record("/hello")
        let run = ["STUB_RUN": directory.file("run").path]
        for answer in ["1", "2"] {
            let launch = network(.recordingMissing, run)
            #expect(try await ask(launch) == answer)
            if answer == "1" { try await ask(launch, "/hello") }
            try launch.finishRecording()
        }
        #expect(try recordedURLs() == ["/hello", "/counter", "/counter"])
        #expect(server.requests.count == 3)
    }

    @Test func `recording asks the server for everything and replaces the file`() async throws {
        try await record("/counter", "/hello")
        let network = network(.recording)
        #expect(try await ask(network) == "2")
        #expect(try recordedURLs() == ["/counter", "/hello"])
        try network.finishRecording()
        #expect(try recordedURLs() == ["/counter"])
        #expect(try await ask(self.network(.playback)) == "2")
    }

    @Test func `recording that finds no server leaves the file as it was`() async throws {
        try await record("/counter", "/hello")
        let before = try directory.text(of: "modes.json")
        server.stop()
        let network = network(.recording)
        await #expect(throws: URLError.self) { try await ask(network) }
        await #expect(throws: URLError.self) { try await ask(network, "/new") }
        try network.finishRecording()
        #expect(try directory.text(of: "modes.json") == before)
    }

    @Test func `recording that loses its server half-way drops nothing`() async throws {
        try await record("/counter", "/hello", "/json")
        let network = network(.recording)
        #expect(try await ask(network) == "2")
        server.stop()
        await #expect(throws: URLError.self) { try await ask(network, "/hello") }
        try network.finishRecording()
        #expect(try recordedURLs() == ["/counter", "/hello", "/json"])
        #expect(network.recordedStubs.map(\.request.url.path) == ["/counter"])
        #expect(try await ask(self.network(.playback)) == "2")
        #expect(try await ask(self.network(.playback), "/hello").isEmpty == false)
    }

    @Test func `recordingMissing plays what is recorded and appends the rest`() async throws {
        try await record("/counter")
        let network = network(.recordingMissing)
        #expect(try await ask(network) == "1")
        try await ask(network, "/hello")
        try network.finishRecording()
        #expect(try recordedURLs() == ["/counter", "/hello"])
        #expect(server.requestCount(path: "/counter") == 1)
        #expect(server.requestCount(path: "/hello") == 1)
    }

    @Test(arguments: [PlaybackOrder.sequenceThenLast, .sequence, .firstMatch, .stateful])
    func `in recordingMissing each stub of the file answers once, in whatever order stubs are played`(
        order: PlaybackOrder
    ) async throws {
        try await record("/counter", "/counter")
        let network = network(.recordingMissing)
        network.playbackOrder = order
        // The third is the first that the server is asked for, and does not answer the fourth.
        #expect(try await [ask(network), ask(network), ask(network), ask(network)] == ["1", "2", "3", "4"])
        #expect(network.recordedStubs.count == 2)
        try network.finishRecording()
        #expect(try recordedURLs() == ["/counter", "/counter", "/counter", "/counter"])
        // What was recorded is in the file when the next run begins.
        #expect(try await [ask(network), ask(network), ask(network)] == ["3", "4", "5"])
    }

    @Test func `recording counts the stubs that it records again as asked for`() async throws {
        try await record("/counter", "/hello", "/counter")
        let network = network(.recording)
        try await ask(network, "/counter")
        #expect(network.unusedStubs.map(\.request.url.path) == ["/hello", "/counter"])
        try await ask(network, "/counter")
        #expect(network.unusedStubs.map(\.request.url.path) == ["/hello"])
        try await ask(network, "/new")
        #expect(network.unusedStubs.map(\.request.url.path) == ["/hello"])
        #expect(network.recordedStubs.map(\.request.url.path) == ["/counter", "/counter", "/new"])
    }

    @Test func `recordingOnce records the first time and plays back from then on`() async throws {
        let first = network(.recordingOnce)
        #expect(try await ask(first) == "1")
        #expect(try await ask(first) == "2")
        try first.finishRecording()
        let requests = server.requests.count
        let second = network(.recordingOnce)
        #expect(try await ask(second) == "1")
        #expect(try await ask(second) == "2")
        let error = await expectStubbornNetworkError { try await ask(second, "/hello") }
        #expect(error?.code == .unstubbedRequest)
        #expect(server.requests.count == requests)
    }

    @Test(arguments: [RecordMode.recordingMissing, .recordingOnce])
    func `a server that is off the first time is asked again the next`(mode: RecordMode) async throws {
        let nobody = try LoopbackServer.stopped()
        let url = nobody.url("/hello")
        let network = network(mode)
        for _ in 0..<2 {
            await #expect(throws: URLError.self) { try await network.session.data(from: url) }
        }
        #expect(network.exchanges.map(\.outcome) == [.failed, .failed])
        #expect(network.unstubbedRequests.isEmpty)
        try network.finishRecording()
        #expect(!FileManager.default.fileExists(atPath: directory.file("modes.json").path))
        #expect(nobody.connectionCount == 0)
    }

    @Test func `live asks the server and leaves file and stubs alone`() async throws {
        try await record("/counter")
        let before = try directory.text(of: "modes.json")
        let network = network(.live)
        network.stub(.any, with: .text("declared"))
        #expect(try await ask(network) == "2")
        try network.finishRecording()
        #expect(try directory.text(of: "modes.json") == before)
    }

    @Test(arguments: [RecordMode.playback, .recording, .recordingMissing, .recordingOnce])
    func `a declared stub answers before everything else`(mode: RecordMode) async throws {
        try await record("/counter")
        let network = network(mode)
        network.stub(.path("/counter"), with: .text("declared"))
        #expect(try await ask(network) == "declared")
        #expect(server.requestCount(path: "/counter") == 1)
    }

    @Test func `an ephemeral network records into memory`() async throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.recordMode = .recordingMissing
        #expect(try await ask(network) == "1")
        #expect(try await ask(network) == "2")
        network.recordMode = .playback
        #expect(try await [ask(network), ask(network), ask(network)] == ["1", "2", "2"])
        #expect(server.requestCount(path: "/counter") == 2)
        #expect(directory.contents == [])
    }

    @Test func `what a network that is never freed has recorded is played by another, also after its run`() async throws
    {
        let network = network(.recording)
        #expect(try await ask(network) == "1")
        #expect(try await ask(self.network(.playback)) == "1")
        try network.finishRecording()
        #expect(directory.contents == ["modes.json"], "no journal is left")
        #expect(try await ask(self.network(.playback)) == "1")
        withExtendedLifetime(network) {}
    }

    @Test func `a network finishes its recording when it is released`() async throws {
        try await record("/counter", "/hello")
        do {
            let network = network(.recording)
            try await ask(network)
            #expect(try recordedURLs() == ["/counter", "/hello"])
        }
        try await eventually { (try? recordedURLs()) == ["/counter"] }
    }

    @Test func `the environment's mode wins over code's`() async throws {
        let network = StubbornNetwork(
            .persistent(name: "modes", path: directory.path)!,
            environment: ["STUB_RECORD_MODE": "recording"]
        )
        network.recordMode = .playback
        #expect(network.recordMode == .recording)
        #expect(try await ask(network) == "1")
    }

    @Test func `an unknown mode in the environment fails every request`() async throws {
        let network = StubbornNetwork(.ephemeral, environment: ["STUB_RECORD_MODE": "banana"])
        network.stub(.any, with: .text("declared"))
        let error = await expectStubbornNetworkError { try await ask(network) }
        #expect(error?.code == .invalidSettings)
        #expect(throws: StubbornNetworkError.self) { try network.loadStubs() }
        #expect(server.connectionCount == 0)
    }
}
