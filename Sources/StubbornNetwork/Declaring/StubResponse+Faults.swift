import Foundation

extension StubResponse {
    /// `URLError.timedOut`, without delay; `.neverAnswering` waits for the request's own timeout.
    public static let timedOut = StubResponse.failure(URLError(.timedOut))
    /// `URLError.cannotConnectToHost`: nothing listens on the port, or the connection is refused.
    public static let connectionRefused = StubResponse.failure(URLError(.cannotConnectToHost))
    /// `URLError.cannotFindHost`: the host's name has no address.
    public static let hostNotFound = StubResponse.failure(URLError(.cannotFindHost))
    /// `URLError.networkConnectionLost`, before a response arrived.
    public static let connectionLost = StubResponse.failure(URLError(.networkConnectionLost))
    /// `URLError.notConnectedToInternet`.
    public static let offline = StubResponse.failure(URLError(.notConnectedToInternet))
    /// No response: the request ends with `URLError.timedOut` after its own timeout, or when it is cancelled.
    public static let neverAnswering = StubResponse.status(200).delayed(by: .never)

    /// Returns the response with a connection that breaks in the body, with `URLError.networkConnectionLost`.
    ///
    ///     network.stub(.path("/film"), with: .file(at: url).dropped(afterByteCount: 1_000))
    ///
    /// `Content-Length` still states the length of the whole body. A shorter body arrives whole before the error.
    public func dropped(afterByteCount byteCount: Int) -> StubResponse {
        // A body that cannot be read fails when it is played.
        guard let whole = try? body ?? Data() else { return self }
        var response = self
        response.content = .data(whole.prefix(max(0, byteCount)))
        response.failure = StubFailure(URLError(.networkConnectionLost))
        if response.head?.headerFields["Content-Length"] == nil, byteCount < whole.count {
            response.head?.headerFields["Content-Length"] = String(whole.count)
        }
        return response
    }

    /// Returns the response with the body in parts, and a pause before each part except the first.
    ///
    ///     network.stub(.path("/events"), with: .text(events).chunked(byteCount: 64, every: .milliseconds(50)))
    ///
    /// A part has at least one byte. The body has at most ten thousand parts, which are longer if need be.
    public func chunked(byteCount: Int, every pause: DispatchTimeInterval) -> StubResponse {
        var response = self
        let count = (try? body)?.count ?? 0
        let length = max(1, byteCount, (count + 9_999) / 10_000)
        response.pace.bytesPerSecond = nil
        response.pace.chunks = stride(from: 0, to: count, by: length).enumerated().map { number, start in
            Pace.Chunk(seconds: Double(number) * pause.seconds, length: min(length, count - start))
        }
        return response
    }
}
