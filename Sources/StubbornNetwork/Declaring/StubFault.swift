import Foundation

/// A recorded request with a faulty response, to test that the app handles the fault.
///
///     static let recording = StubbornNetwork(.persistent(named: "CatalogTests_items", in: stubs))
///
///     @Test(.stubbed(named: "CatalogTests_items"), arguments: try recording.faults(for: .path("/items")))
///     func handles(fault: StubFault) async throws {
///         StubbornNetwork.current.stub(fault)
///         …
///     }
public struct StubFault: Sendable, Equatable, CustomStringConvertible {
    /// The kind of a fault.
    public enum Kind: String, Sendable, CaseIterable {
        /// `URLError.timedOut`.
        case timeout
        /// `URLError.networkConnectionLost` before a response.
        case connectionLost = "connection lost"
        /// Status 500, without a body.
        case serverError = "500"
        /// Status 401, with a bearer challenge.
        case unauthorized = "401"
        /// Status 429, with `Retry-After: 1`.
        case tooManyRequests = "429"
        /// The first half of the body, as if it were complete; left out for a response without a body.
        case truncatedBody = "truncated body"
        /// The body with the content type `text/html`, as from a hotel's login page; left out for a response without a
        /// body.
        case wrongContentType = "wrong content type"
        /// The body in ten parts, 50 ms apart; left out for a response without a body.
        case slowBody = "slow body"
    }

    /// The kind of the fault.
    public let kind: Kind
    /// The recorded request.
    let request: StubRequest
    /// The faulty response.
    let response: StubResponse

    /// The fault as text: `429 for GET https://api.example.com/items`.
    public var description: String { "\(kind.rawValue) for \(request)" }

    static func all(of stub: Stub) -> [StubFault] {
        Kind.allCases.compactMap { kind in
            response(kind, of: stub.response).map { StubFault(kind: kind, request: stub.request, response: $0) }
        }
    }

    private static func response(_ kind: Kind, of recorded: StubResponse) -> StubResponse? {
        let body = recorded.body ?? Data()
        var response = recorded
        // The times of a declared response are played whatever the speed of playback is.
        response.pace = recorded.pace.withoutTimes
        switch kind {
        case .timeout: return .timedOut
        case .connectionLost: return .connectionLost
        case .serverError: return .status(500)
        case .unauthorized: return .status(401, headers: ["WWW-Authenticate": "Bearer"])
        case .tooManyRequests: return .status(429, headers: ["Retry-After": "1"])
        case _ where body.isEmpty || recorded.head == nil: return nil
        case .truncatedBody: response.body = body.prefix(body.count / 2)
        case .wrongContentType: response.head?.headerFields["Content-Type"] = "text/html"
        case .slowBody: return response.chunked(byteCount: (body.count + 9) / 10, every: .milliseconds(50))
        }
        return response
    }
}

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

    /// Returns the response with a connection that is lost during the body (`URLError.networkConnectionLost`).
    ///
    ///     network.stub(.path("/film"), with: .file(at: url).dropped(afterByteCount: 1_000))
    ///
    /// `Content-Length` still states the length of the whole body. A shorter body arrives whole before the error.
    public func dropped(afterByteCount byteCount: Int) -> StubResponse {
        let whole = body ?? Data()
        var response = self
        if let recordedChange {
            response.recordedChange = { recordedChange($0).dropped(afterByteCount: byteCount) }
            return response
        }
        response.body = whole.prefix(max(0, byteCount))
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
    /// A part has at least one byte. There are at most 10,000 parts; the parts of larger bodies are longer than `byteCount`.
    /// A `.recorded` response, whose body is not known yet, becomes an error.
    public func chunked(byteCount: Int, every pause: DispatchTimeInterval) -> StubResponse {
        if recordedChange != nil { return .invalid("A recorded response cannot be chunked. Use throttled(to:).") }
        var response = self
        let count = body?.count ?? 0
        let length = max(1, byteCount, (count + 9_999) / 10_000)
        response.pace.bytesPerSecond = nil
        response.pace.chunks = stride(from: 0, to: count, by: length).enumerated().map { number, start in
            Pace.Chunk(seconds: Double(number) * pause.seconds, length: min(length, count - start))
        }
        return response
    }
}
