import Foundation

/// A type that changes bodies before they are stored, and before they are delivered.
///
/// Conform to it where a body holds secrets that redaction cannot recognize, or values that differ in every run.
///
///     struct WithoutPIN: BodyDataProcessor {
///         func dataForStoringRequestBody(data: Data?, of request: URLRequest) -> Data? { data.map(maskingPIN) }
///     }
///
/// Each method returns its input by default. The methods are called on any thread, also at the same time, and before
/// redaction. Their results must depend only on their arguments, because `dataForStoringRequestBody` is also called
/// for a live request before it is compared with the recorded ones.
public protocol BodyDataProcessor: Sendable {
    /// Returns the request body to store, which is also compared with recorded ones.
    func dataForStoringRequestBody(data: Data?, of request: URLRequest) -> Data?

    /// Returns the response body to store.
    ///
    /// The client receives the server's body unchanged.
    func dataForStoringResponseBody(data: Data?, of request: URLRequest) -> Data?

    /// Returns the body that the client receives when a stub is played back.
    func dataForDeliveringResponseBody(data: Data?, of request: URLRequest) -> Data?
}

extension BodyDataProcessor {
    /// Returns the request body unchanged.
    public func dataForStoringRequestBody(data: Data?, of request: URLRequest) -> Data? { data }
    /// Returns the response body unchanged.
    public func dataForStoringResponseBody(data: Data?, of request: URLRequest) -> Data? { data }
    /// Returns the response body unchanged.
    public func dataForDeliveringResponseBody(data: Data?, of request: URLRequest) -> Data? { data }
}
