import Foundation

/// An event of an exchange: a response, the parts of its body, and the end, or a failure instead of the rest.
///
/// A played stub and the real server send the same events.
package enum ExchangeEvent: Sendable {
    /// The head of the response.
    ///
    /// `needsSession` is the response's property of this name, which takes time to find out, so a stub keeps it.
    case response(URLResponse, needsSession: Bool)
    /// The head of the response of a client that is not a session, in place of `response`.
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
