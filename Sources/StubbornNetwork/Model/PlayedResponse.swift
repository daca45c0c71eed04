import Foundation

/// The response that a stub gave to a request. The next equal request gets the same one.
struct PlayedResponse: Sendable {
    /// The values that the response depends on, beside the stub's head.
    struct Circumstances: Sendable, Hashable {
        var url: URL
        var byteCount: Int
        /// A Boolean value that indicates whether the response has no body, also when its header fields announce one.
        var isBodiless: Bool
        /// A Boolean value that indicates whether the whole body is delivered.
        var isWhole: Bool
    }

    let circumstances: Circumstances
    let response: HTTPURLResponse
    /// A Boolean value that indicates whether the session takes part in delivering the response: its delegate, its cookies or
    /// its credentials.
    let needsSession: Bool
}
