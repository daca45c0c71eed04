import Foundation

/// The parts of an exchange that have been received so far.
struct ReceivedExchange: Sendable {
    private let start = DispatchTime.now().uptimeNanoseconds
    private let collectsBody: Bool
    private var head: ResponseHead?
    private var headTime: UInt64?
    private(set) var body: Data?
    private var failure: StubFailure?
    private var hasEnded = false
    private var pace = Pace.immediate

    init(collectsBody: Bool) {
        self.collectsBody = collectsBody
    }

    /// Cancels the exchange, and returns a Boolean value that indicates whether it had not ended.
    mutating func cancel() -> Bool {
        guard !hasEnded else { return false }
        hasEnded = true
        failure = .cancelledByClient
        return true
    }

    /// Adds an event, and returns a Boolean value that indicates whether the exchange had not ended.
    mutating func add(_ event: ExchangeEvent) -> Bool {
        guard !hasEnded else { return false }
        hasEnded = event.isLast
        switch event {
        case .response(let response, _):
            begin(ResponseHead(response))
        case .data(let data):
            guard collectsBody else { return true }
            let now = DispatchTime.now().uptimeNanoseconds
            pace.chunks.append(Pace.Chunk(seconds: Self.seconds(from: headTime ?? now, to: now), length: data.count))
            if body == nil { body = data } else { body?.append(data) }
        case .end:
            break
        case .failure(let error):
            // Domain, code and text only, as in a stub file: a recording in memory answers like one in a file.
            let known = StubFailure(error)
            failure = StubFailure(domain: known.domain, code: known.code, description: known.description)
        }
        return true
    }

    /// Adds the head of the response.
    mutating func begin(_ head: ResponseHead) {
        self.head = head
        let now = DispatchTime.now().uptimeNanoseconds
        headTime = now
        pace.secondsToFirstByte = Self.seconds(from: start, to: now)
    }

    /// Returns the response of a stub; `nil` if nothing has arrived.
    func response(for recording: Recording) -> StubResponse? {
        let made =
            failure.map { StubResponse(failure: $0, head: head, body: body) }
            ?? head.map { StubResponse(head: $0, body: body) }
        guard var response = made else { return nil }
        if response.head?.url == recording.request.url { response.head?.url = nil }
        if recording.recordsTiming { response.pace = pace }
        return response
    }

    /// Returns the seconds between two times in nanoseconds, rounded to milliseconds.
    private static func seconds(from start: UInt64, to end: UInt64) -> Double {
        end > start ? (Double(end - start) / 1_000_000).rounded() / 1000 : 0
    }
}
