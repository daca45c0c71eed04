import AsyncHTTPClient
import Foundation
import LoopbackServer
import NIOCore
import NIOFoundationCompat
import StubbornNetwork
import Testing

@testable import StubbedHTTPClient

/// AsyncHTTPClient, recorded and played back.
@Suite(.timeLimit(.minutes(5)))
struct StubbedHTTPClientTests {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("ahc-\(UUID())").path

    /// Runs a test with a client that keeps nothing for a test after it.
    private func withClient(_ mode: RecordMode, _ body: (StubbedHTTPClient) async throws -> Void) async throws {
        // A preview's networks are runs of their own: this process records and then plays.
        let environment = ["XCODE_RUNNING_FOR_PREVIEWS": "1"]
        let location = try #require(StubbornNetworkConfiguration.persistent(name: "ahc", path: directory))
        let network = StubbornNetwork(location, environment: environment)
        network.recordMode = mode
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.decompression = .enabled(limit: .none)
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            try await body(StubbedHTTPClient(network, asking: client))
        } catch {
            try await client.shutdown()
            throw error
        }
        try await client.shutdown()
        if mode != .playback { try network.finishRecording() }
    }

    /// Records and plays, and returns what each run gave.
    private func recordedAndPlayed<Value: Sendable>(
        _ body: @Sendable (StubbedHTTPClient, LoopbackServer) async throws -> Value
    ) async throws -> (Value, Value) {
        let server = try LoopbackServer()
        var values: [Value] = []
        try await withClient(.recording) { values.append(try await body($0, server)) }
        server.stop()
        try await withClient(.playback) { values.append(try await body($0, server)) }
        return (values[0], values[1])
    }

    @Test(arguments: ["/hello", "/json", "/gzip", "/status/404", "/bytes/0", "/redirect-to?url=/hello&status=302"])
    func `a response is played as it was recorded`(path: String) async throws {
        let (live, played) = try await recordedAndPlayed { client, server in
            let response = try await client.execute(
                HTTPClientRequest(url: server.url(path).absoluteString),
                timeout: .seconds(30)
            )
            let body = try await response.body.collect(upTo: 1 << 20)
            return [
                "\(response.status.code)", response.headers.first(name: "Content-Type") ?? "", String(buffer: body),
            ]
        }
        #expect(live == played)
    }

    @Test func `a request is sent with its body, and found by it`() async throws {
        let (live, played) = try await recordedAndPlayed { client, server in
            var texts: [String] = []
            for text in ["a=1", "a=2"] {
                var request = HTTPClientRequest(url: server.url("/echo").absoluteString)
                request.method = .POST
                request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
                request.body = .bytes(ByteBuffer(string: text))
                let response = try await client.execute(request, timeout: .seconds(30))
                texts.append(String(buffer: try await response.body.collect(upTo: 1 << 20)))
            }
            return texts
        }
        #expect(live == played)
        #expect(live.map { $0.contains("a=1") } == [true, false])
    }

    @Test func `64 requests at once and a body of 20 MB come back whole`() async throws {
        let (live, played) = try await recordedAndPlayed { client, server in
            let paths = ["/bytes/20000000"] + (1..<64).map { "/bytes/\($0 * 100)" }
            return try await withThrowingTaskGroup(of: Int.self) { group in
                for path in paths {
                    group.addTask {
                        let request = HTTPClientRequest(url: server.url(path).absoluteString)
                        let response = try await client.execute(request, timeout: .seconds(120))
                        return try await response.body.collect(upTo: 1 << 25).readableBytes
                    }
                }
                return try await group.reduce(0, +)
            }
        }
        #expect(live == 20_000_000 + (1..<64).reduce(0) { $0 + $1 * 100 })
        #expect(live == played)
    }

    @Test func `the parts of a stream arrive one by one`() async throws {
        let server = try LoopbackServer { _ in
            .init(body: .chunked([.send("first"), .waitForSignal("more"), .send("second")]))
        }
        try await withClient(.recording) { client in
            let response = try await client.execute(
                HTTPClientRequest(url: server.url("/").absoluteString),
                timeout: .seconds(30)
            )
            var text = ""
            for try await part in response.body {
                text += String(buffer: part)
                // The server goes on when the first part has arrived.
                if text == "first" { server.signal("more") }
            }
            #expect(text == "firstsecond")
        }
    }

    @Test func `a server that does not answer is recorded as an error`() async throws {
        let server = try LoopbackServer()
        server.stop()
        for mode in [RecordMode.recording, .playback] {
            try await withClient(mode) { client in
                await #expect(throws: (any Error).self) {
                    try await client.execute(
                        HTTPClientRequest(url: server.url("/").absoluteString),
                        timeout: .seconds(30)
                    )
                }
            }
        }
    }
}
