import Foundation
import StubbornNetworkTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The code of the article.
@Suite(.timeLimit(.minutes(2)))
struct WebSocketsArticle {
    private let liveURL = URL(string: "wss://api.example.com/live")!

    @Test(.stubbed) func prices() async throws {
        struct Ticker {
            let connect: @Sendable (URL) -> any WebSocketConnection
        }
        let live = Ticker { URLSession.shared.webSocketTask(with: $0) }
        let stubbed = Ticker { StubbornNetwork.current.webSocket(to: $0) }
        #expect(live.connect(liveURL) is URLSessionWebSocketTask)
        let socket = stubbed.connect(liveURL)
        socket.resume()
        try await socket.send(.string(#"{"subscribe":"AAPL"}"#))
        var count = 0
        while count < 3, case .string = try await socket.receive() { count += 1 }
        #expect(count == 3)
    }

    @Test func `the declared servers of the article play`() async throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.stub(webSocket: .path("/live")) { socket in
            socket.send(.string("hello"))
            for await message in socket.messages { socket.send(message) }
        }
        network.stub(webSocket: .path("/ticks"), with: .frames(["1", .sent("more"), "2"]))
        network.stub(webSocket: .path("/private"), with: .status(401))
        let socket = network.webSocket(to: liveURL)
        guard case .string("hello") = try await socket.receive() else {
            Issue.record("The declared server has not sent its message.")
            return
        }
    }

    /// A client of a web socket that is not the system's.
    private struct Client {
        let network: StubbornNetwork

        func connect(_ request: URLRequest) async throws -> any WebSocketConnection { network.webSocket(with: request) }
    }

    @Test func `a different client connects`() async throws {
        let (network, server) = (
            StubbornNetwork(.ephemeral, environment: [:]), StubbornNetwork(.ephemeral, environment: [:])
        )
        network.recordMode = .recording
        server.stub(webSocket: .any, with: .frames(["real"]))
        let (client, request) = (Client(network: server), URLRequest(url: liveURL))
        let socket = network.webSocket(with: request) { request in try await client.connect(request) }
        guard case .string("real") = try await socket.receive() else {
            Issue.record("The real server was not asked.")
            return
        }
    }
}
