// The prices of shares as they change, from a web socket. The app passes the system's task, and a test passes a socket of its
// network: both are a `WebSocketConnection`.

import Foundation
import StubbornNetwork

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

package struct Price: Codable, Equatable, Sendable {
    package let symbol: String
    package let price: Double

    package init(symbol: String, price: Double) {
        self.symbol = symbol
        self.price = price
    }
}

package struct PriceTicker: Sendable {
    private let url: URL
    private let connect: @Sendable (URL) -> any WebSocketConnection

    package init(
        url: URL,
        connect: @escaping @Sendable (URL) -> any WebSocketConnection = { URLSession.shared.webSocketTask(with: $0) }
    ) {
        self.url = url
        self.connect = connect
    }

    /// Returns the prices of a share.
    ///
    /// When the server restarts, the ticker connects again.
    package func prices(of symbol: String) -> AsyncThrowingStream<Price, any Error> {
        AsyncThrowingStream { prices in
            let task = Task {
                do {
                    while try await forward(symbol, to: prices) == .goingAway {}
                    prices.finish()
                } catch {
                    prices.finish(throwing: error)
                }
            }
            prices.onTermination = { _ in task.cancel() }
        }
    }

    /// Passes on the prices of one connection, and returns the code that the server has closed it with.
    private func forward(
        _ symbol: String,
        to prices: AsyncThrowingStream<Price, any Error>.Continuation
    ) async throws -> URLSessionWebSocketTask.CloseCode {
        let socket = connect(url)
        defer { socket.cancel(with: .normalClosure, reason: nil) }
        socket.resume()
        try await socket.send(.string(#"{"subscribe":"\#(symbol)"}"#))
        while true {
            do {
                guard case .string(let text) = try await socket.receive() else { continue }
                prices.yield(try JSONDecoder().decode(Price.self, from: Data(text.utf8)))
            } catch  where socket.closeCode != .invalid {
                return socket.closeCode
            }
        }
    }
}
