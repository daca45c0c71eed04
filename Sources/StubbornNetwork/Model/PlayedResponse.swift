import Foundation

/// The latest response of a stub, which the next equal request gets too.
struct PlayedResponse: Sendable {
    /// The values that the response was made for, in addition to the stub's head.
    struct Circumstances: Sendable, Hashable {
        var url: URL
        var byteCount: Int
        /// A Boolean value that indicates whether such a response never has a body, whatever its header fields say.
        var isBodiless: Bool
        /// A Boolean value that indicates whether the body is complete.
        var isWhole: Bool
    }

    let circumstances: Circumstances
    let response: HTTPURLResponse
    /// A Boolean value that indicates whether the session takes part in the response.
    let needsSession: Bool
}
