import Foundation

/// Asks the real server, passes what it says to the client as it comes, and has the whole kept when it has ended.
final class Recorder: Sendable {
    /// What is to become of the exchange when it has ended.
    struct Keeping: Sendable {
        /// The request as it is stored.
        var request: StubRequest
        /// Whether the times of the parts are stored too.
        var recordsTiming: Bool
        /// Stores the stub, then calls back with the error that kept it from being stored. Called once at most.
        var store: @Sendable (Stub, _ completion: @escaping @Sendable ((any Error)?) -> Void) -> Void
    }

    private let server: RealServer

    init(server: RealServer) {
        self.server = server
    }

    /// Sends a request to the real server.
    ///
    /// The last event comes when the exchange is stored: whoever has seen the end of a response may kill the process and
    /// still find it in the file. A failure to store it is the exchange's failure.
    ///
    /// - Parameters:
    ///   - keeping: `nil` to store nothing.
    ///   - collectsBody: whether the last event brings the whole body once more, and it can be stored.
    /// - Returns: what cancels the exchange. A cancelled exchange is not stored.
    func send(
        _ request: URLRequest,
        keeping: Keeping?,
        collectsBody: Bool = true,
        onEvent: @escaping @Sendable (ExchangeEvent) -> Void
    ) -> @Sendable () -> Void {
        let tape = Lock(Tape(start: DispatchTime.now().uptimeNanoseconds, collectsBody: collectsBody))
        return server.send(request) { event in
            tape.withLock { $0.add(event) }
            guard event.isLast else { return onEvent(event) }
            let tape = tape.withLock { $0 }
            let last: ExchangeEvent = if case .end = event { .end(body: tape.body) } else { event }
            guard let keeping, let response = tape.response(to: keeping) else { return onEvent(last) }
            keeping.store(Stub(request: keeping.request, response: response)) { error in
                onEvent(error.map(ExchangeEvent.failure) ?? last)
            }
        }
    }
}

/// What has been heard of one exchange.
private struct Tape: Sendable {
    let start: UInt64
    let collectsBody: Bool
    var head: ResponseHead?
    var firstByte: UInt64?
    var chunks: [(time: UInt64, length: Int)] = []
    var body: Data?
    var failure: StubFailure?
    var isCancelled = false

    init(start: UInt64, collectsBody: Bool) {
        self.start = start
        self.collectsBody = collectsBody
    }

    mutating func add(_ event: ExchangeEvent) {
        let now = DispatchTime.now().uptimeNanoseconds
        switch event {
        case .response(let response):
            head = ResponseHead(response)
            firstByte = now
        case .data(let data):
            guard collectsBody else { return }
            chunks.append((now, data.count))
            if body == nil { body = data } else { body?.append(data) }
        case .end:
            break
        case .failure(let error):
            isCancelled = (error as? URLError)?.code == .cancelled
            // By domain, code and text: what a stub file keeps, so that a recording in memory answers as one in a file.
            let known = StubFailure(error)
            failure = StubFailure(domain: known.domain, code: known.code, description: known.description)
        }
    }

    /// The exchange as a stub's response; `nil` for one that was cancelled, which says nothing about the server.
    func response(to keeping: Recorder.Keeping) -> StubResponse? {
        guard !isCancelled else { return nil }
        var response: StubResponse
        if let failure {
            response = StubResponse(failure: failure, head: head, body: body)
        } else if let head {
            response = StubResponse(head: head, body: body)
        } else {
            return nil
        }
        if response.head?.url == keeping.request.url { response.head?.url = nil }
        if keeping.recordsTiming { response.pace = pace }
        return response
    }

    private var pace: Pace {
        guard let firstByte else { return .immediate }
        return Pace(
            secondsToFirstByte: seconds(from: start, to: firstByte),
            chunks: chunks.map { Pace.Chunk(seconds: seconds(from: firstByte, to: $0.time), length: $0.length) }
        )
    }

    private func seconds(from start: UInt64, to end: UInt64) -> Double {
        end > start ? (Double(end - start) / 1_000_000).rounded() / 1000 : 0
    }
}
