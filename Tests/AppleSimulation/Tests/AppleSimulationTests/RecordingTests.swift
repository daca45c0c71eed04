import Foundation
import LoopbackServer
import StubbornNetwork
import Testing

/// What is recorded is played back, call by call.
@Suite(.timeLimit(.minutes(2)))
struct RecordingTests {
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("stubs-\(UUID().uuidString)")

    private func network(_ mode: RecordMode) throws -> StubbornNetwork {
        let file = try #require(StubbornNetworkConfiguration.persistent(name: "simulation", path: directory.path))
        let network = StubbornNetwork(file, environment: [:])
        network.recordMode = mode
        network.onUnstubbedRequest = { _ in }
        return network
    }

    private func requests(of server: LoopbackServer) -> [URLRequest] {
        let paths = [
            "/hello", "/json", "/bytes/300000", "/status/404", "/empty", "/redirect/3", "/gzip", "/slow/3?ms=1",
        ]
        let gets = paths.map { URLRequest(url: server.url($0)) }
        var post = URLRequest(url: server.url("/echo"))
        post.httpMethod = "POST"
        post.httpBody = Data(#"{"title":"Emma"}"#.utf8)
        var put = URLRequest(url: server.url("/upload"))
        put.httpMethod = "PUT"
        put.httpBody = Data(repeating: 7, count: 200_000)
        return gets + [post, put]
    }

    @Test func `recorded requests are played back as they were`() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let server = try LoopbackServer()
        var recorded: [Load] = []
        try await Loader.story { loader in
            let network = try network(.recording)
            for request in requests(of: server) {
                recorded.append(await loader.load(request, through: SimulatedSession(network)))
            }
            try network.finishRecording()
        }
        let connections = server.connectionCount
        try await Loader.story { loader in
            let network = try network(.playback)
            for (request, recorded) in zip(requests(of: server), recorded) {
                let played = await loader.load(request, through: SimulatedSession(network))
                #expect(played.error == nil)
                #expect(played.response?.statusCode == recorded.response?.statusCode)
                #expect(played.response?.url == recorded.response?.url)
                #expect(played.body == recorded.body)
                #expect(played.calls.first == recorded.calls.first && played.calls.last == recorded.calls.last)
            }
        }
        #expect(server.connectionCount == connections)
    }

    @Test func `cookies are stored and sent, although no protocol sees them`() async throws {
        let server = try LoopbackServer()
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.passThrough(.any)
        let session = SimulatedSession(network)
        try await Loader.story { loader in
            _ = await loader.load(URLRequest(url: server.url("/cookies/set?basket=42")), through: session)
            let load = await loader.load(URLRequest(url: server.url("/cookies")), through: session)
            #expect(load.text == #"{"basket":"42"}"#)
        }
    }

    @Test func `a server that cannot be reached is an error of the caller`() async throws {
        let server = try LoopbackServer.stopped()
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.passThrough(.any)
        try await Loader.story { loader in
            let load = await loader.load(URLRequest(url: server.url("/hello")), through: SimulatedSession(network))
            #expect(load.calls == ["failure NSURLErrorDomain -1004"])
        }
    }
}
