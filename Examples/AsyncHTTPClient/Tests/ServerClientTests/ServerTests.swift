import AsyncHTTPClient
import Foundation
import Hummingbird
import HummingbirdTesting
import LoopbackServer
import NIOCore
import StubbedHTTPClient
import StubbornNetwork
import Testing

/// A server that asks another one, tested with the other one's answers recorded.
@Suite(.timeLimit(.minutes(5)))
struct ServerTests {
    /// The app: it asks a weather service, and answers with a string of its own.
    private func app(asking client: some HTTPRequestExecutor, at weather: URL) -> some ApplicationProtocol {
        let router = Router()
        router.get("/today") { _, _ -> String in
            let response = try await client.execute(
                HTTPClientRequest(url: weather.absoluteString),
                timeout: .seconds(30)
            )
            guard response.status == .ok else { throw HTTPError(.badGateway) }
            return "Today: " + String(buffer: try await response.body.collect(upTo: 1 << 20))
        }
        return Application(router: router)
    }

    @Test func `a server that asks another one is tested without that one`() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("hummingbird-\(UUID())").path
        let location = try #require(StubbornNetworkConfiguration.persistent(name: "weather", path: directory))
        let weather = try LoopbackServer { _ in .text("sunny") }
        for mode in [RecordMode.recording, .playback] {
            // A preview's networks are runs of their own: this process records and then plays.
            let network = StubbornNetwork(location, environment: ["XCODE_RUNNING_FOR_PREVIEWS": "1"])
            network.recordMode = mode
            let app = app(asking: StubbedHTTPClient(network, asking: .shared), at: weather.url("/forecast"))
            try await app.test(.router) { client in
                let response = try await client.execute(uri: "/today", method: .get)
                #expect(response.status == .ok)
                #expect(String(buffer: response.body) == "Today: sunny")
            }
            if mode == .recording { try network.finishRecording() }
        }
        #expect(weather.requestCount(path: "/forecast") == 1)
    }

    @Test func `a server says so where the one that it asks is down`() async throws {
        let network = StubbornNetwork(.ephemeral)
        network.stub(.get("https://weather.example.com/forecast"), with: .status(503))
        let weather = try #require(URL(string: "https://weather.example.com/forecast"))
        try await app(asking: StubbedHTTPClient(network, asking: .shared), at: weather).test(.router) { client in
            let response = try await client.execute(uri: "/today", method: .get)
            #expect(response.status == .badGateway)
        }
    }
}
