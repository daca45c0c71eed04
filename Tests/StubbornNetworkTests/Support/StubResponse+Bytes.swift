import Foundation

@testable import StubbornNetwork

extension StubResponse {
    /// The body of a response in a test, readable and settable; `nil` for none, and for one that cannot be read.
    var bytes: Data? {
        get { try? body }
        set { content = newValue.map(StubBody.data) }
    }
}
