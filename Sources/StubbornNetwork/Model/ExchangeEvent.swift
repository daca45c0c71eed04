import Foundation

/// What happens in an exchange, in this order: a response, its body in parts, and the end; or an error instead of the
/// rest. Playing a stub and asking the real server tell the same story.
enum ExchangeEvent: Sendable {
    case response(URLResponse)
    case data(Data)
    /// The exchange is complete. `body` is all of the data once more, for receivers that take it whole.
    case end(body: Data?)
    case failure(any Error)

    /// Whether nothing comes after this event.
    var isLast: Bool {
        switch self {
        case .response, .data: false
        case .end, .failure: true
        }
    }
}
