import Foundation

/// What has been asked of a network, in the order in which the requests started.
final class RequestLog: Sendable {
    private let exchanges = Lock<[Exchange]>([])
    private let unstubbedRequests = Lock<[StubRequest]>([])

    var all: [Exchange] { exchanges.withLock { $0 } }

    /// Opens an exchange and returns its id.
    func begin(_ request: StubRequest) -> Int {
        let start = Date()
        return exchanges.withLock { exchanges in
            exchanges.append(Exchange(id: exchanges.count, request: request, outcome: nil, start: start))
            return exchanges.count - 1
        }
    }

    /// The requests that no stub answered, those of redirects and challenges among them.
    var unstubbed: [StubRequest] { unstubbedRequests.withLock { $0 } }

    func noteUnstubbed(_ request: StubRequest) {
        unstubbedRequests.withLock { $0.append(request) }
    }

    /// What an exchange is if it comes to an answer.
    func decide(_ id: Int, _ outcome: Exchange.Outcome) {
        exchanges.withLock { $0[id].outcome = outcome }
    }

    /// Ends an exchange that a stub answers, all in one.
    func endStubbed(_ id: Int) {
        let now = Date()
        exchanges.withLock { exchanges in
            exchanges[id].outcome = .stubbed
            exchanges[id].duration = now.timeIntervalSince(exchanges[id].start)
        }
    }

    /// - Parameter isAnswered: whether it came to one. Where a server was asked and did not answer, it failed.
    func end(_ id: Int, isAnswered: Bool) {
        let now = Date()
        exchanges.withLock { exchanges in
            guard exchanges[id].duration == nil else { return }
            exchanges[id].duration = now.timeIntervalSince(exchanges[id].start)
            switch exchanges[id].outcome {
            case .recorded where !isAnswered, .passedThrough where !isAnswered, nil: exchanges[id].outcome = .failed
            default: break
            }
        }
    }
}
