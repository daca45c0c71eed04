import Foundation
import StubbornNetworkTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The code of the article.
@Suite(.timeLimit(.minutes(2)))
struct WebSocketsArticle {
    struct Ticker {
        let connect: @Sendable (URL) -> any WebSocketConnection

        func prices(of symbol: String, at url: URL, count: Int) async throws -> [String] {
            let socket = connect(url)
            socket.resume()
            try await socket.send(.string(#"{"subscribe":"\#(symbol)"}"#))
            var prices: [String] = []
            while prices.count < count {
                if case .string(let price) = try await socket.receive() { prices.append(price) }
            }
            socket.cancel(with: .normalClosure, reason: nil)
            return prices
        }
    }

    private let liveURL = URL(string: "wss://api.example.com/live")!

    @Test(.stubbed) func prices() async throws {
        let ticker = Ticker { StubbornNetwork.current.webSocket(to: $0) }
        #expect(try await ticker.prices(of: "AAPL", at: liveURL, count: 3).count == 3)
    }

    @Test func `the declared servers of the article play`() async throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.stub(webSocket: .path("/live")) { socket in
            socket.send(.string("hello"))
            for await message in socket.messages { socket.send(message) }
        }
        network.stub(webSocket: .path("/ticks"), with: .frames(["1", "2", .sent("more"), "3"]))
        network.stub(webSocket: .path("/private"), with: .status(401))
        let ticker = Ticker { network.webSocket(to: $0) }
        #expect(try await ticker.prices(of: "AAPL", at: liveURL, count: 2) == ["hello", #"{"subscribe":"AAPL"}"#])
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
