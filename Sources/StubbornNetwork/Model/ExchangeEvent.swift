import Foundation

/// An event of an exchange, with a stub or with the real server. The order is: a response, its body in parts, and the end.
/// An error may take the place of the remaining events.
enum ExchangeEvent: Sendable {
    case response(URLResponse)
    case data(Data)
    /// The exchange is complete. `body` is the whole body, for receivers that do not take it in parts.
    case end(body: Data?)
    case failure(any Error)

    /// A Boolean value that indicates whether this is the last event.
    var isLast: Bool {
        switch self {
        case .response, .data: false
        case .end, .failure: true
        }
    }
}
