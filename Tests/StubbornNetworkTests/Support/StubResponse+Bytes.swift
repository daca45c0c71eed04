import Foundation

@testable import StubbornNetwork

extension StubResponse {
    /// The body of a response in a test.
    var bytes: Data? {
        get { body }
        set { body = newValue }
    }
}
