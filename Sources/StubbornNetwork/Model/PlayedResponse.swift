import Foundation

/// The response that a stub gave, and what it was made for: the next equal request gets the same one.
struct PlayedResponse: Sendable {
    /// What the response depends on, beside the stub's head.
    struct Circumstances: Sendable, Hashable {
        var url: URL
        var byteCount: Int
        /// Whether there is never a body behind it, whatever its header fields say.
        var isBodiless: Bool
        /// Whether the body comes to its end.
        var isWhole: Bool
    }

    let circumstances: Circumstances
    let response: HTTPURLResponse
    /// Whether answering with it takes the session: its delegate, its cookies or its credentials.
    let needsSession: Bool
}
