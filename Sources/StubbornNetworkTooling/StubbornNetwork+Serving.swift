import Foundation
import StubbornNetwork

extension StubbornNetwork {
    /// Returns a request as it may be in a message: without the secrets of this request and of those before it.
    @_spi(Tools) public func shownForm(of request: StubRequest) -> StubRequest {
        engine.redactorForReports().shownForm(of: request)
    }
}
