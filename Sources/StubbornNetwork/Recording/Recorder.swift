import Foundation

/// Sends requests to the real server, passes the responses on as they arrive, and stores the exchanges when they have
/// ended.
final class Recorder: Sendable {
    private let server: RealServer
    private let stubs: any StubSource

    init(server: RealServer, stubs: any StubSource) {
        self.server = server
        self.stubs = stubs
    }

    /// Sends a request to the real server.
    ///
    /// The last event is sent after the exchange is stored. When the client has seen the end of the response, the
    /// process may be killed and the exchange is still in the stub file. If the exchange cannot be stored, the request
    /// fails.
    ///
    /// - Parameters:
    ///   - request: the request to send.
    ///   - recording: the recording to store; `nil` to store nothing.
    ///   - collectsBody: a Boolean value that indicates whether the last event has the whole body. A recording needs
    ///     it.
    ///   - onEvent: called for each event of the exchange.
    /// - Returns: a function that cancels the exchange. A cancelled exchange is not stored.
    func send(
        _ request: URLRequest,
        recording: Recording?,
        collectsBody: Bool = true,
        onEvent: @escaping @Sendable (ExchangeEvent) -> Void
    ) -> @Sendable () -> Void {
        if recording != nil, let error = stubs.reasonNotToRecord() {
            onEvent(.failure(error))
            return {}
        }
        let received = Lock(ReceivedExchange(collectsBody: collectsBody))
        return server.send(request) { [stubs] event in
            received.withLock { $0.add(event) }
            guard event.isLast else { return onEvent(event) }
            let received = received.withLock { $0 }
            let last: ExchangeEvent = if case .end = event { .end(body: received.body) } else { event }
            guard var recording, let response = received.response(for: recording) else { return onEvent(last) }
            recording.end(with: response)
            stubs.store(recording) { error in
                onEvent(error.map(ExchangeEvent.failure) ?? last)
            }
        }
    }
}

/// The parts of an exchange that have been received so far.
private struct ReceivedExchange: Sendable {
    private let start = DispatchTime.now().uptimeNanoseconds
    private let collectsBody: Bool
    private var head: ResponseHead?
    private var headTime: UInt64?
    private(set) var body: Data?
    private var failure: StubFailure?
    private var isCancelled = false
    private var pace = Pace.immediate

    init(collectsBody: Bool) {
        self.collectsBody = collectsBody
    }

    mutating func add(_ event: ExchangeEvent) {
        switch event {
        case .response(let response, _):
            head = ResponseHead(response)
            let now = DispatchTime.now().uptimeNanoseconds
            headTime = now
            pace.secondsToFirstByte = Self.seconds(from: start, to: now)
        case .data(let data):
            guard collectsBody else { return }
            let now = DispatchTime.now().uptimeNanoseconds
            pace.chunks.append(Pace.Chunk(seconds: Self.seconds(from: headTime ?? now, to: now), length: data.count))
            if body == nil { body = data } else { body?.append(data) }
        case .end:
            break
        case .failure(let error):
            isCancelled = (error as? URLError)?.code == .cancelled
            // Domain, code and text only, as in a stub file: a recording in memory answers like one in a file.
            let known = StubFailure(error)
            failure = StubFailure(domain: known.domain, code: known.code, description: known.description)
        }
    }

    /// Returns the response of a stub; `nil` if the exchange was cancelled, because then the server has not ended it.
    func response(for recording: Recording) -> StubResponse? {
        guard !isCancelled else { return nil }
        var response: StubResponse
        if let failure {
            response = StubResponse(failure: failure, head: head, body: body)
        } else if let head {
            response = StubResponse(head: head, body: body)
        } else {
            return nil
        }
        if response.head?.url == recording.request.url { response.head?.url = nil }
        if recording.recordsTiming { response.pace = pace }
        return response
    }

    /// Returns the seconds between two times in nanoseconds, rounded to milliseconds.
    private static func seconds(from start: UInt64, to end: UInt64) -> Double {
        end > start ? (Double(end - start) / 1_000_000).rounded() / 1000 : 0
    }
}
