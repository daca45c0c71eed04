import Foundation

/// What is known of a request when its load begins.
struct Beginning: Sendable {
    let request: StubRequest
    /// Its number in the request log.
    let exchange: Int
    let decision: NetworkEngine.Decision
}

extension NetworkEngine {
    /// How a request was begun on the client's thread.
    enum Start {
        /// A stub answers, whole and at once.
        case answer(PlayedResponse, body: Data?)
        /// Something has to be waited for, or told more than a response and its body.
        case goOn(Beginning)
    }

    /// Begins a request whose body is at hand, without making anything that is needed for waiting.
    func start(_ request: StubRequest) -> Start {
        let exchange = log.begin(request)
        let current = settings.current
        let decision = decide(request, by: current)
        if case .play(let response, _) = decision, let (played, body) = response.atOnce(to: request) {
            log.endStubbed(exchange)
            noteServed()
            return .answer(played, body: body)
        }
        note(decision, of: request, exchange: exchange)
        return .goOn(Beginning(request: request, exchange: exchange, decision: decision))
    }
}

extension StubResponse {
    /// The most bytes that a delegate is given at once.
    static let partByteCount = 256 * 1024

    /// What the client is told, where that is a response and its body and takes neither time nor the session.
    fileprivate func atOnce(to request: StubRequest) -> (PlayedResponse, body: Data?)? {
        guard failure == nil, pace.isImmediate, let head, (0..<300).contains(head.statusCode),
            content?.maximumByteCount ?? 0 <= Self.partByteCount
        else { return nil }
        // One that cannot be read fails in the usual way.
        guard let body = try? content.map({ try $0.data() }) ?? Data(),
            let played = played(to: request, body: body), !played.needsSession
        else { return nil }
        return (played, body.isEmpty ? nil : body)
    }
}

extension Pace {
    fileprivate var isImmediate: Bool { secondsToFirstByte == 0 && chunks.isEmpty && bytesPerSecond == nil }
}
