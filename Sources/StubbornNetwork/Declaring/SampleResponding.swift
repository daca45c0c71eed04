import Foundation

/// An endpoint that carries its own sample. Conform to it where an endpoint type is declared, so that previews and tests
/// need no file:
///
///     enum Endpoint: SampleResponding {
///         case user(Int)
///         var urlRequest: URLRequest { … }
///         var sampleResponse: StubResponse { .json(["id": 42]) }
///     }
///     network.stub(Endpoint.user(42))
public protocol SampleResponding {
    /// The request that the endpoint makes.
    var urlRequest: URLRequest { get }

    /// What a server might answer.
    var sampleResponse: StubResponse { get }
}
