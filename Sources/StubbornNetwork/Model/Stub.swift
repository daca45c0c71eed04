import Foundation

/// A request paired with the response, or the error, that it gets.
///
/// This is a recorded stub, as it is stored in a stub file. A stub declared in code answers all requests that its pattern
/// matches.
public struct Stub: Sendable, Hashable, CustomStringConvertible {
    public var request: StubRequest
    public var response: StubResponse

    public init(request: StubRequest, response: StubResponse) {
        self.request = request
        self.response = response
    }

    /// The request and the response: `GET https://api.example.com/users/42: 200, 12 bytes`.
    public var description: String { "\(request): \(response)" }
}
