import Foundation
import LoopbackServer
@_spi(Tools) import StubbornNetworkTooling
import Testing

@testable import StubbornNetwork

/// A stub file of one test that other tests share, such as a login.
@Suite(.timeLimit(.minutes(5)))
struct SharedStubFileTests {
    private let directory = TemporaryDirectory()
    private let server: LoopbackServer

    /// A server that gives a new token at each login, and accepts only the last one.
    init() throws {
        let token = Lock("")
        server = try LoopbackServer { request in
            if request.path == "/login" {
                let new = "\(UUID().uuidString)\(UUID().uuidString)".replacingOccurrences(of: "-", with: "")
                token.withLock { $0 = new }
                return .json(#"{"access_token":"\#(new)"}"#)
            }
            let isKnown = request.header("Authorization") == "Bearer \(token.withLock { $0 })"
            return isKnown ? .text("list") : .text("who are you?", status: 401)
        }
    }

    private func network(_ name: String, sharing shared: [String] = ["Login"], _ mode: RecordMode) -> StubbornNetwork {
        let network = StubbornNetwork(
            .persistent(named: name, in: directory.path, sharing: shared),
            environment: .newRun
        )
        network.recordMode = mode
        network.onUnstubbedRequest = { _ in }
        return network
    }

    private func login(_ network: StubbornNetwork) async throws -> String {
        let data = try await network.session.data(from: server.url("/login")).0
        return try JSONDecoder().decode([String: String].self, from: data)["access_token"] ?? ""
    }

    private func list(_ network: StubbornNetwork) async throws -> String {
        var request = URLRequest(url: server.url("/list"))
        request.setValue("Bearer \(try await login(network))", forHTTPHeaderField: "Authorization")
        return String(decoding: try await network.session.data(for: request).0, as: UTF8.self)
    }

    private func recordLogin() async throws {
        let network = network("Login", sharing: [], .recording)
        _ = try await login(network)
        try network.finishRecording()
    }

    private func paths(in name: String) throws -> [String] {
        try StubFile(contentsOf: directory.file(name)).stubs.map(\.request.url.path)
    }

    @Test(
        arguments: [RecordMode.recording, .recordingMissing, .recordingOnce],
        [PlaybackOrder.sequenceThenLast, .sequence, .stateful]
    )
    func `a recording adds to the test's own file what the shared one does not have`(
        mode: RecordMode,
        order: PlaybackOrder
    ) async throws {
        try await recordLogin()
        let shared = try directory.text(of: "Login.json")
        let recording = network("List", mode)
        recording.playbackOrder = order
        #expect(try await list(recording) == "list")
        try recording.finishRecording()
        #expect(try paths(in: "List.json") == ["/list"])
        #expect(try directory.text(of: "Login.json") == shared)
        #expect(recording.recordedStubs.map(\.request.url.path) == ["/list"])
        #expect(recording.exchanges.map(\.outcome) == [.passedThrough, .recorded])

        server.stop()
        let playback = network("List", .playback)
        #expect(try await list(playback) == "list")
        #expect(playback.exchanges.map(\.outcome) == [.stubbed, .stubbed])
        #expect(playback.unusedStubs.isEmpty)
    }

    @Test func `a token of a shared login is not in the test's own file`() async throws {
        try await recordLogin()
        let recording = network("List", .recording)
        let token = try await login(recording)
        var request = URLRequest(url: server.url("/list?note=\(token)"))
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        _ = try await recording.session.data(for: request)
        try recording.finishRecording()
        #expect(try !directory.text(of: "List.json").contains(token))
    }

    @Test func `a run that adds to a file plays the shared one, and asks no server for it`() async throws {
        try await recordLogin()
        let first = network("List", .recording)
        _ = try await list(first)
        try first.finishRecording()
        let count = server.requests.count
        let second = network("List", .recordingMissing)
        #expect(try await list(second) == "list")
        #expect(server.requests.count == count)
    }

    private func write(_ name: String, _ bodies: [String: String]) throws {
        let stubs = bodies.map { path, text in
            """
            { "request" : { "method" : "GET", "url" : "https://a.test\(path)" }, "response" : { "statusCode" : 200 },
              "text" : [ "\(text)" ] }
            """
        }
        try directory.write("[ \(stubs.joined(separator: ",")) ]", to: name)
    }

    private func text(_ path: String, _ network: StubbornNetwork) throws -> String {
        let url = try #require(URL(string: "https://a.test\(path)"))
        return String(decoding: try network.response(to: URLRequest(url: url)).0, as: UTF8.self)
    }

    @Test func `the test's own file answers first, then the shared ones in their order`() throws {
        try write("Own.json", ["/a": "own"])
        try write("One.json", ["/a": "one", "/b": "one"])
        try write("Two.json", ["/a": "two", "/b": "two", "/c": "two"])
        let network = network("Own", sharing: ["One", "Two"], .playback)
        #expect(try ["/a", "/b", "/c", "/c"].map { try text($0, network) } == ["own", "one", "two", "two"])
        #expect(network.engine.shared.map(\.file?.lastPathComponent) == ["One.json", "Two.json"])
    }

    @Test func `a test without a file of its own plays the shared one`() throws {
        try write("One.json", ["/a": "one"])
        let network = network("Own", sharing: ["One"], .playback)
        try network.loadStubs()
        #expect(try text("/a", network) == "one")
    }

    @Test func `a value that is bound to a placeholder is known in a shared file`() throws {
        let stubs = (1...2).map { number in
            """
            { "request" : { "headerFields" : [ "X-Api-Key[:::]REDACTED-api_key-\(number)" ], "method" : "GET",
              "url" : "https://a.test/me" }, "response" : { "statusCode" : 200 }, "text" : [ "user \(number)" ] }
            """
        }
        try directory.write("[ \(stubs.joined(separator: ",")) ]", to: "Login.json")
        let network = network("Own", .playback)
        network.bind("REDACTED-api_key-1", to: "key of ada")
        network.bind("REDACTED-api_key-2", to: "key of bob")
        var request = URLRequest(url: try #require(URL(string: "https://a.test/me")))
        request.setValue("key of bob", forHTTPHeaderField: "X-Api-Key")
        #expect(try network.response(to: request).0 == Data("user 2".utf8))
    }

    @Test func `a file that a test names as its own is not shared by it`() throws {
        try write("Own.json", ["/a": "own"])
        let network = network("Own", sharing: ["Own"], .playback)
        #expect(network.engine.shared.isEmpty)
        #expect(try text("/a", network) == "own")
    }

    @Test func `a shared file that does not exist is an error that names it`() async throws {
        try write("Own.json", ["/b": "own"])
        let network = network("Own", sharing: ["Logn"], .playback)
        let error = await #expect(throws: (any Error).self) {
            try await network.session.data(from: #require(URL(string: "https://a.test/a")))
        }
        #expect(error.flatMap { StubbornNetworkError($0) }.map(message) == missing("Logn"))
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: [RecordMode.recording, .recordingMissing, .recordingOnce])
    func `a login that is recorded in the same run needs no second one`(mode: RecordMode) async throws {
        let recording = network("List", mode)
        #expect(try await list(recording) == "list")
        let error = #expect(throws: StubbornNetworkError.self) { try recording.finishRecording() }
        let again = "The shared exchanges were recorded into the test's own file. Record that file again afterwards."
        #expect(error.map(message) == "\(missing("Login")) \(again)")
        try await recordLogin()
        server.stop()
        #expect(try await list(network("List", .playback)) == "list")
    }

    private func message(_ error: StubbornNetworkError) -> String {
        error.message.replacingOccurrences(of: directory.path, with: "S")
    }

    private func missing(_ name: String) -> String {
        """
        There is no stub file at S/\(name).json, which this network shares. Correct the name, or record the file with the test \
        that it belongs to: STUB_RECORD_MODE=recording-missing. In that test, pass named: "\(name)".
        """
    }

    @Test func `the environment names shared files after the own one`() throws {
        try write("Own.json", ["/a": "own"])
        try write("One.json", ["/b": "one"])
        let environment = ["STUB_NAME": "Own:One", "STUB_PATH": directory.path]
        let network = StubbornNetwork(.environment, environment: environment)
        #expect(try ["/a", "/b"].map { try text($0, network) } == ["own", "one"])
        #expect(network.stubFile?.lastPathComponent == "Own.json")
    }

    @Test func `the report on an unstubbed request names the shared file and the stub in it`() throws {
        try write("Own.json", ["/b": "own"])
        try write("One.json", ["/a?page=1": "one"])
        let network = network("Own", sharing: ["One"], .playback)
        let error = #expect(throws: StubbornNetworkError.self) { try text("/a?page=2", network) }
        let lines =
            error?.message.replacingOccurrences(of: directory.path, with: "S").components(separatedBy: "\n") ?? []
        #expect(
            lines.first == """
                No stub answers GET https://a.test/a?page=2 (playback, S/Own.json with S/One.json, 2 stubs, 1 for this path). \
                The network was not touched.
                """
        )
        #expect(lines.contains("  at S/One.json:1, not used so far"))
    }

    @Test func `a run report names the shared file and what it did not need of it`() async throws {
        try write("Own.json", ["/b": "own"])
        try write("One.json", ["/a": "one", "/never": "one"])
        let report = directory.file("report.json")
        do {
            let network = StubbornNetwork(
                .persistent(named: "Own", in: directory.path, sharing: ["One"]),
                environment: ["STUB_REPORT": report.path]
            )
            _ = try text("/a", network)
        }
        func shared() throws -> RunReport.SharedFile? { RunReport(contentsOf: report)?.networks.first?.shared?.first }
        try await eventually { (try? shared())?.unusedPositions.count == 1 }
        #expect(try shared()?.file == directory.file("One.json").path)
        #expect(try shared()?.fileByteCount == directory.text(of: "One.json").utf8.count)
    }
}
