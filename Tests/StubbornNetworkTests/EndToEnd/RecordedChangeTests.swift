import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork

/// Recorded responses that are played with a change.
@Suite(.timeLimit(.minutes(5)))
struct RecordedChangeTests {
    private let directory = TemporaryDirectory()
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer { request in
            .json(#"{"name":"Ada","path":"\#(request.path)","tags":["a","b"]}"#)
        }
    }

    private func network(_ mode: RecordMode = .playback) -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: "a", path: directory.path)!, environment: .newRun)
        network.recordMode = mode
        network.onUnstubbedRequest = { _ in }
        return network
    }

    private func get(_ network: StubbornNetwork) async throws -> String {
        let (data, response) = try await network.session.data(from: server.url("/a"))
        return "\((response as? HTTPURLResponse)?.statusCode ?? 0) \(String(decoding: data, as: UTF8.self))"
    }

    private func record() async throws {
        let recording = network(.recording)
        _ = try await get(recording)
        try recording.finishRecording()
        server.stop()
    }

    @Test(
        arguments: [
            (.recorded(), #"200 {"name":"Ada","path":"/a","tags":["a","b"]}"#),
            (.recorded { $0.json["name"] = "Eve" }, #"200 {"name":"Eve","path":"/a","tags":["a","b"]}"#),
            (.recorded { $0.json["tags"][1] = nil }, #"200 {"name":"Ada","path":"/a","tags":["a",null]}"#),
            (.recorded { $0.json["tags"][2] = 1 }, #"200 {"name":"Ada","path":"/a","tags":["a","b"]}"#),
            (
                .recorded { $0.json["new"]["deep"] = 1.5 },
                #"200 {"name":"Ada","path":"/a","tags":["a","b"],"new":{"deep":1.5}}"#
            ),
            (
                .recorded {
                    $0.json.remove("tags")
                    $0.json.remove("none")
                }, #"200 {"name":"Ada","path":"/a"}"#
            ),
            (.recorded { $0.json = ["a", 1] }, #"200 ["a",1]"#),
            (.recorded(statusCode: 503), #"503 {"name":"Ada","path":"/a","tags":["a","b"]}"#),
            (.recorded(statusCode: 500) { $0.body = Data("down".utf8) }, "500 down"),
            (.recorded { $0.response?.statusCode = 404 }, #"404 {"name":"Ada","path":"/a","tags":["a","b"]}"#),
            (.recorded { $0.body = nil }, "200 "),
        ] as [(StubResponse, String)]
    )
    func `the recorded stub is played with a change`(response: StubResponse, expected: String) async throws {
        try await record()
        let network = network()
        network.stub(.get("/a"), with: response)
        #expect(try await get(network) == expected)
        #expect(network.unusedStubs.isEmpty)
        #expect(network.exchanges.map(\.outcome) == [.stubbed])
    }

    @Test func `a change that is used up gives way to the recorded stub`() async throws {
        try await record()
        let network = network()
        network.stub(.get("/a"), times: 1, with: .recorded(statusCode: 503))
        #expect(try await get(network).prefix(3) == "503")
        #expect(try await get(network).prefix(3) == "200")
    }

    @Test func `the change sees the request, and its header fields reach the client`() async throws {
        try await record()
        let network = network()
        network.stub(
            .get("/a"),
            with: .recorded { exchange in
                exchange.response?.headerFields["X-Path"] = exchange.request.url.path
            }
        )
        let (_, response) = try await network.session.data(from: server.url("/a"))
        #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "X-Path") == "/a")
    }

    @Test func `where nothing is recorded the request is unstubbed, with the usual report`() async throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        let report = Lock<UnstubbedRequestReport?>(nil)
        network.onUnstubbedRequest = { made in report.withLock { $0 = made } }
        network.stub(.get("/a"), with: .recorded { $0.json["name"] = "Eve" })
        await #expect(throws: (any Error).self) { try await get(network) }
        #expect(report.withLock { $0?.request } == "GET \(server.url("/a"))")
        #expect(network.exchanges.map(\.outcome) == [.unstubbed])
        #expect(server.connectionCount == 0)
    }

    @Test func `while it records, the client gets the server's response, and the file does not have the change`()
        async throws
    {
        let recording = network(.recordingMissing)
        recording.stub(.get("/a"), with: .recorded { $0.json["name"] = "Eve" })
        #expect(try await get(recording).contains("Ada"))
        try recording.finishRecording()
        server.stop()
        #expect(try await get(network()).contains("Ada"))
    }

    @Test func `a recorded error becomes a response`() async throws {
        server.stop()
        let recording = network(.recordingOnce)
        recording.stub(.path("/never"), with: .status(200))
        await #expect(throws: (any Error).self) { try await get(recording) }
        try? recording.finishRecording()
        try directory.write(
            #"""
            [ { "error" : { "code" : -1009, "domain" : "NSURLErrorDomain" },
                "request" : { "method" : "GET", "url" : "\#(server.url("/a"))" } } ]
            """#,
            to: "a.json"
        )
        let network = network()
        network.stub(.get("/a"), with: .recorded(statusCode: 200) { $0.json = ["back": true] })
        #expect(try await get(network) == #"200 {"back":true}"#)
    }

    @Test func `the connection may break during a recorded response with a change`() async throws {
        try await record()
        let network = network()
        network.stub(.get("/a"), with: .recorded { $0.json["name"] = "Eve" }.dropped(afterByteCount: 12))
        let error = await #expect(throws: URLError.self) { try await get(network) }
        #expect(error?.code == .networkConnectionLost)
        switch network.engine.decide(StubRequest(url: server.url("/a"))) {
        case .play(let response, isRecorded: true): #expect(response.body == Data(#"{"name":"Eve"#.utf8))
        case let other: Issue.record("\(other)")
        }
    }

    @Test func `a recorded response that should be divided is an error`() async throws {
        try await record()
        let network = network()
        network.stub(.get("/a"), with: .recorded().chunked(byteCount: 1, every: .milliseconds(1)))
        let error = await expectStubbornNetworkError { try await get(network) }
        #expect(error?.code == .invalidStub)
    }

    @Test func `a change may have times of its own`() async throws {
        try await record()
        let network = network()
        network.stub(.get("/a"), with: .recorded().delayed(by: .milliseconds(60)))
        let start = DispatchTime.now().uptimeNanoseconds
        _ = try await get(network)
        // A lower bound: a busy machine only takes longer.
        #expect(DispatchTime.now().uptimeNanoseconds - start >= 60_000_000)
    }
}
