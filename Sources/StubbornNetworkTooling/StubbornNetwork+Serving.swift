import Foundation
import StubbornNetwork

extension StubbornNetwork {
    /// Returns a request as it may be in a message: without the secrets of this request and of those before it.
    @_spi(Tools) public func shownForm(of request: StubRequest) -> StubRequest {
        engine.redactorForReports().shownForm(of: request)
    }
}

extension ResponseHead {
    /// The reason why a server cannot send this response; `nil` if it can.
    ///
    /// A response ends with a status from 200 on. An earlier one announces another response, and most servers and clients
    /// end, wait or lose their place when none follows.
    @_spi(Tools) public var unsendableReason: String? {
        statusCode >= 200
            ? nil : "The response has the status \(statusCode), which is not a final one, so a server cannot send it."
    }
}
