import Foundation

/// A request paired with the response, or the error, that it gets.
///
/// This is a recorded stub, as it is stored in a stub file. A stub declared in code answers all requests that its pattern
/// matches.
public struct Stub: Sendable, Hashable, CustomStringConvertible {
    /// The request that gets the response.
    public var request: StubRequest
    /// The response, or the error, that the request gets.
    public var response: StubResponse

    /// Creates a stub.
    public init(request: StubRequest, response: StubResponse) {
        self.request = request
        self.response = response
    }

    /// The request and the response: `GET https://api.example.com/users/42: 200, 12 bytes`.
    public var description: String { "\(request): \(response)" }
}
