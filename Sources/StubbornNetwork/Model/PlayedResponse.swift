import Foundation

/// The latest response that was made for a stub, kept for the next equal request.
struct PlayedResponse: Sendable {
    let url: URL
    let byteCount: Int
    /// A Boolean value that indicates whether the header fields are those of the stub, whatever the body is.
    let keepsFields: Bool
    let response: HTTPURLResponse
    /// A Boolean value that indicates whether the session takes part in the response.
    let needsSession: Bool
    /// The format of a body that the client reads part by part; `nil` for any other.
    let streamFormat: StreamFormat?
}
