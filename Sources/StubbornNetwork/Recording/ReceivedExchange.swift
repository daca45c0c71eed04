import Foundation

/// The parts of an exchange that have been received so far.
struct ReceivedExchange: Sendable {
    private let start = DispatchTime.now()
    private let collectsBody: Bool
    private var head: ResponseHead?
    private(set) var body: Data?
    private var failure: StubFailure?
    private var hasEnded = false
    private var pace = Pace.immediate
    /// The number of bytes in the parts that have been stored.
    private(set) var storedByteCount = 0

    init(collectsBody: Bool) { self.collectsBody = collectsBody }

    /// Adds an event, and returns a Boolean value that indicates whether the exchange had not ended.
    mutating func add(_ event: ExchangeEvent) -> Bool {
        guard !hasEnded else { return false }
        hasEnded = event.isLast
        switch event {
        case .response(let response, _): begin(ResponseHead(response))
        case .head(let head): begin(head.combiningRepeatedFields)
        case .data(let data):
            guard collectsBody else { return true }
            let seconds = seconds(after: pace.secondsToFirstByte)
            pace.chunks.append(Pace.Chunk(seconds: seconds, length: data.count))
            if body == nil { body = data } else { body?.append(data) }
        case .end: break
        case .failure(is CancellationError): failure = .cancelledByClient
        // A recording in memory answers like one in a file.
        case .failure(let error): failure = StubFailure(error).asStored
        }
        return true
    }

    private mutating func begin(_ head: ResponseHead) {
        self.head = head
        pace.secondsToFirstByte = seconds()
    }

    /// Returns the response of a stub; `nil` if nothing has arrived.
    func response(for recording: Recording) -> StubResponse? {
        // A server that refuses a web socket has received none of its frames.
        guard var response = response(with: head == nil ? nil : body) else { return nil }
        if response.head?.url == recording.request.url { response.head?.url = nil }
        // Frames have their own times.
        if recording.request.isWebSocket { return response }
        if recording.recordsTiming {
            response.pace = pace
        } else if let fields = head?.headerFields, fields["Content-Length"] == nil,
            StreamFormat(fields["Content-Type"], body: body) == nil
        {
            response.pace.chunks = Pace.parts(of: pace.chunks)
        }
        return response
    }

    /// Returns the part of the response that has arrived since the last call; `nil` if there is none.
    mutating func nextPart() -> StubResponse? {
        guard head != nil, let body, storedByteCount < body.count || failure != nil else { return nil }
        defer { storedByteCount = body.count }
        return response(with: body.part(storedByteCount..<body.count))
    }

    private func response(with body: Data?) -> StubResponse? {
        if let failure { return StubResponse(failure: failure, head: head, body: body) }
        return head.map { StubResponse(head: $0, body: body) }
    }

    /// Returns the seconds since the start, rounded to milliseconds.
    private func seconds(after first: Double = 0) -> Double {
        let nanoseconds = DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds
        return max((Double(nanoseconds) / 1_000_000 - first * 1000).rounded() / 1000, 0)
    }
}
