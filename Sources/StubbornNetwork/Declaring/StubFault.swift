import Foundation

/// A recorded request with a faulty response, for a test that the app handles the fault.
///
///     static let recording = StubbornNetwork(.persistent(named: "CatalogTests_items", in: stubs))
///
///     @Test(.stubbed(named: "CatalogTests_items"), arguments: try recording.faults(for: .path("/items")))
///     func handles(fault: StubFault) async throws {
///         StubbornNetwork.current.stub(fault)
///         …
///     }
public struct StubFault: Sendable, Hashable, CustomStringConvertible {
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
        /// The body with the content type `text/html`, as from a hotel's login page; left out for one without a body.
        case wrongContentType = "wrong content type"
        /// The body in ten parts, 50 ms apart; left out for a response without a body.
        case slowBody = "slow body"
    }

    /// The kind of the fault.
    public let kind: Kind
    /// The recorded request.
    public let request: StubRequest
    /// The faulty response.
    public let response: StubResponse

    /// The fault as text: `429 for GET https://api.example.com/items`.
    public var description: String { "\(kind.rawValue) for \(request)" }

    static func all(of stub: Stub) throws -> [StubFault] {
        try Kind.allCases.compactMap { kind in
            try response(kind, of: stub.response).map { StubFault(kind: kind, request: stub.request, response: $0) }
        }
    }

    private static func response(_ kind: Kind, of recorded: StubResponse) throws -> StubResponse? {
        let body = try recorded.body ?? Data()
        var response = recorded
        switch kind {
        case .timeout: return .timedOut
        case .connectionLost: return .connectionLost
        case .serverError: return .status(500)
        case .unauthorized: return .status(401, headers: ["WWW-Authenticate": "Bearer"])
        case .tooManyRequests: return .status(429, headers: ["Retry-After": "1"])
        case _ where body.isEmpty || recorded.head == nil: return nil
        case .truncatedBody: response.content = .data(body.prefix(body.count / 2))
        case .wrongContentType: response.head?.headerFields["Content-Type"] = "text/html"
        case .slowBody: return recorded.chunked(byteCount: (body.count + 9) / 10, every: .milliseconds(50))
        }
        return response
    }
}
