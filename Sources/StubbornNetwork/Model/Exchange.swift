import Foundation

/// A request and its outcome, as kept in the network's request log.
public struct Exchange: Sendable, Identifiable {
    /// The outcome of a request.
    public enum Outcome: String, Sendable, Codable {
        /// A declared or a recorded stub answered.
        case stubbed
        /// The request went to the real server, and the stub source stores the response.
        case recorded
        /// The request went to the real server, and nothing is stored.
        case passedThrough
        /// No stub answered, and the request failed.
        case unstubbed
        /// The request failed for a different reason: no server answered, the task was cancelled, or the stub file
        /// failed.
        case failed
    }

    /// The number of the request, in the order in which the network's requests started, from 0.
    public let id: Int
    /// The request as the code under test made it.
    public let request: StubRequest
    /// The outcome; `nil` while the exchange runs.
    public var outcome: Outcome? { duration == nil ? nil : decision }
    /// The outcome if the request is answered; `nil` until the network has decided on the request.
    package internal(set) var decision: Outcome?
    /// The time at which the request started.
    public let start: Date
    /// The response that the client got, after redirects; `nil` while the exchange runs, and when it failed.
    public internal(set) var response: HTTPURLResponse?
    /// The seconds until the exchange ended; `nil` while it runs.
    public internal(set) var duration: TimeInterval?
}

/// An event of an exchange: a response, the parts of its body, and the end, or a failure instead of the rest.
///
/// A played stub and the real server send the same events.
package enum ExchangeEvent: Sendable {
    /// The head of the response.
    ///
    /// `needsSession` is the response's property of this name, which is expensive to compute, so a stub keeps it.
    case response(URLResponse, needsSession: Bool)
    /// The head of the response, in place of `response`, for a client that is not a session.
    case head(ResponseHead)
    case data(Data)
    /// The end of a complete exchange, with all of the data again for receivers that take it at once.
    case end(body: Data?)
    case failure(any Error)

    var isLast: Bool {
        switch self {
        case .response, .head, .data: false
        case .end, .failure: true
        }
    }
}
