import Foundation

/// What has been asked of a network, in the order in which the requests started.
final class RequestLog: Sendable {
    private let exchanges = Lock<[Exchange]>([])

    var all: [Exchange] { exchanges.withLock { $0 } }

    /// Opens an exchange and returns its id.
    func begin(_ request: StubRequest) -> Int {
        let start = Date()
        return exchanges.withLock { exchanges in
            exchanges.append(Exchange(id: exchanges.count, request: request, outcome: nil, start: start))
            return exchanges.count - 1
        }
    }

    func decide(_ id: Int, _ outcome: Exchange.Outcome) {
        exchanges.withLock { $0[id].outcome = outcome }
    }

    func end(_ id: Int) {
        let now = Date()
        exchanges.withLock { exchanges in
            guard exchanges[id].duration == nil else { return }
            exchanges[id].duration = now.timeIntervalSince(exchanges[id].start)
        }
    }
}
