import Foundation
import LoopbackServer
import StubbornNetwork
import Testing

/// What the real server is asked while a network records, and what is stored of its answers.
@Suite(.timeLimit(.minutes(5)))
struct RecordedExchangeTests {
    let directory = TemporaryDirectory()

    private func network(_ mode: RecordMode) -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: "exchange", path: directory.path)!, environment: .newRun)
        network.recordMode = mode
        network.redaction = .none
        return network
    }

    private func stubs() throws -> [[String: Any]] {
        let file = try Data(contentsOf: directory.file("exchange.json"))
        return try #require(JSONSerialization.jsonObject(with: file) as? [[String: Any]])
    }

    @Test(arguments: [RecordMode.recording, .live])
    func `a slow server that goes on sending is not cut off by the request's timeout`(mode: RecordMode) async throws {
        let server = try LoopbackServer()
        // Five seconds in all, and a quarter of one between two parts; a busy machine adds a second or two to each.
        // Not longer: while a session waits for a part, Foundation on Linux keeps a core busy.
        let request = URLRequest(url: server.url("/slow/20?ms=250"), timeoutInterval: 4)
        let network = network(mode)
        let (data, _) = try await network.session.data(for: request)
        #expect(String(decoding: data, as: UTF8.self) == (1...20).map { "chunk \($0)\n" }.joined())
        #expect(network.exchanges.map(\.outcome) == [mode == .live ? .passedThrough : .recorded])
    }

    @Test func `a request to a silent server times out, is disconnected and stored as a timeout`()
        async throws
    {
        let server = try LoopbackServer()
        let network = network(.recording)
        let request = URLRequest(url: server.url("/hang"), timeoutInterval: 0.3)
        let error = await #expect(throws: URLError.self) { try await network.session.data(for: request) }
        #expect(error?.code == .timedOut)
        try await eventually { server.openConnectionCount == 0 }
        try network.finishRecording()
        let errors = try stubs().map { $0["error"] as? [String: Any] }
        #expect(errors.map { $0?["code"] as? Int } == [-1001])
    }

    @Test func `an informational response is not taken for the response`() async throws {
        let server = try LoopbackServer { _ in
            .init(
                body: .raw([
                    .send("HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n"), .wait(milliseconds: 50),
                    .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
                ])
            )
        }
        let recording = network(.recording)
        for network in [recording, network(.playback)] {
            let delegate = ClientDelegate()
            let session = network.makeSession(delegate: delegate)
            session.dataTask(with: server.url("/")).resume()
            try await eventually { delegate.log.ends == 1 }
            #expect(delegate.log.calls == ["response 200", "data", "completion"])
            #expect(delegate.log.text == "hello")
            try recording.finishRecording()
        }
    }

    @Test func `a second session sends the server nothing that belongs to the first`() async throws {
        let server = try LoopbackServer()
        let network = network(.recording)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["X-Account": "ada"]
        let first = network.makeSession(configuration: configuration)
        _ = try await first.data(from: server.url("/cookies/set?flavour=oat"))
        _ = try await first.data(from: server.url("/hello?1"))
        _ = try await network.makeSession(configuration: .ephemeral).data(from: server.url("/hello?2"))
        let hellos = server.requests.filter { $0.path == "/hello" }
        #expect(hellos.map { $0.header("X-Account") } == ["ada", nil])
        #expect(hellos.map { $0.header("Cookie") } == ["flavour=oat", nil])
    }

    @Test func `the times of a body are counted from the first byte of its response`() async throws {
        let server = try LoopbackServer { _ in
            .init(
                body: .raw([.wait(milliseconds: 500), .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")])
            )
        }
        let network = network(.recording)
        network.recordsTiming = true
        _ = try await network.session.data(from: server.url("/"))
        try network.finishRecording()
        let timing = try #require(stubs().first?["timing"] as? [String: Any])
        let firstByte = try #require(timing["firstByte"] as? Double)
        let chunk = try #require((timing["chunks"] as? [[Double]])?.first?.first)
        #expect(firstByte > 0.49)
        #expect(chunk < firstByte)
    }
}
