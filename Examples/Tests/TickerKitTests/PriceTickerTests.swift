import ExampleServer
import Foundation
import StubbornNetworkTesting
import Testing
import TickerKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A price ticker with recorded and declared web sockets.
@Suite(.timeLimit(.minutes(1)))
struct PriceTickerTests {
    private let url = URL(string: "ws://127.0.0.1:8080/ticker")!

    private func prices(of symbol: String, _ count: Int, from ticker: PriceTicker) async throws -> [Double] {
        var prices: [Double] = []
        for try await price in ticker.prices(of: symbol) {
            prices.append(price.price)
            if prices.count == count { break }
        }
        return prices
    }

    /// The recording is that of the server of `swift run --package-path Examples example-server`.
    @Test(.stubbed) func recorded() async throws {
        let ticker = PriceTicker(url: url) { StubbornNetwork.current.webSocket(to: $0) }
        #expect(try await prices(of: "AAPL", 3, from: ticker) == [181.25, 181.5, 181.75])
    }

    @Test(
        .stubbed { network in
            network.stub(
                webSocket: .path("/ticker"),
                with: .frames([.sent(#"{"subscribe":"X"}"#), #"{"symbol":"X","price":2}"#])
            )
            network.stub(webSocket: .path("/ticker"), times: 1) { socket in
                socket.send(.string(#"{"symbol":"X","price":1}"#))
                socket.close(with: .goingAway)
            }
        }
    ) func `the ticker connects again when the server restarts`() async throws {
        let ticker = PriceTicker(url: url) { StubbornNetwork.current.webSocket(to: $0) }
        #expect(try await prices(of: "X", 2, from: ticker) == [1, 2])
        #expect(StubbornNetwork.current.exchanges.count == 2)
    }

    @Test func `a ticker is recorded from a real server, if this platform has web sockets`() async throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.recordMode = .recording
        try await ExampleServer.run { server in
            let url = URL(string: server.url.absoluteString.replacingOccurrences(of: "http:", with: "ws:") + "/ticker")!
            let ticker = PriceTicker(url: url) { network.webSocket(to: $0) }
            do {
                let recorded = try await prices(of: "AAPL", 3, from: ticker)
                network.recordMode = .playback
                #expect(try await prices(of: "AAPL", 3, from: ticker) == recorded)
            } catch let error as StubbornNetworkError where error.code == .unsupportedRequest {
                // On Linux, with a libcurl that has none.
                #expect(error.description.contains("this URLSession has no WebSockets"))
            }
        }
    }
}
