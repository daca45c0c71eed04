import Foundation
import StubbornNetworkTesting
import Testing

struct TroubleshootingArticle {
    @Test func `the log shows the outcome of each request`() throws {
        let network = StubbornNetwork(.observing)
        _ = try network.response(to: URLRequest(url: URL(string: "https://api.example.com/news")!))
        var lines: [String] = []
        func log(_ line: String) { lines.append(line) }

        for exchange in network.exchanges {
            log("\(exchange.request): \(exchange.outcome.map { "\($0)" } ?? "running")")
        }

        #expect(lines == ["GET https://api.example.com/news: stubbed"])
    }
}
