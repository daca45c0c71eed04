import Foundation

/// An endpoint with a sample response.
///
/// Conform an endpoint type to it, so that previews and tests need no stub file:
///
///     enum Endpoint: SampleResponding {
///         case user(Int)
///         var urlRequest: URLRequest { … }
///         var sampleResponse: StubResponse { .json(["id": 42]) }
///     }
///     network.stub(Endpoint.user(42))
public protocol SampleResponding {
    /// The request of the endpoint.
    var urlRequest: URLRequest { get }

    /// A response that a server might give.
    var sampleResponse: StubResponse { get }
}
