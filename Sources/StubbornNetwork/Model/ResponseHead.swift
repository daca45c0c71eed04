import Foundation

/// The head of a response: the values of an `HTTPURLResponse`.
public struct ResponseHead: Sendable, Hashable {
    /// The status code: 100 to 599 in HTTP (RFC 9110, section 15).
    ///
    /// Any value from 0 to 999 can be delivered.
    public var statusCode: Int
    /// The header fields of the response.
    public var headerFields: HeaderFields
    /// The URL of the response; `nil` when it is the request's.
    public var url: URL?

    /// Creates the head of a response, by default without header fields and with the request's URL.
    public init(statusCode: Int, headerFields: HeaderFields = [:], url: URL? = nil) {
        self.statusCode = statusCode
        self.headerFields = headerFields
        self.url = url
    }
}
