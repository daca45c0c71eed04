import Foundation

/// Changes bodies on their way into and out of stubs. Conform to it where a body holds what redaction cannot know, or
/// what differs in every run.
///
///     struct WithoutPIN: BodyDataProcessor {
///         func dataForStoringRequestBody(data: Data?, of request: URLRequest) -> Data? { data.map(maskingPIN) }
///     }
///
/// Each hook returns its input by default. Hooks are called on any thread, several at a time; they must be functions of
/// their arguments, because a live request's body goes through `dataForStoringRequestBody` once more to be compared with
/// the recorded ones. They run before redaction.
public protocol BodyDataProcessor: Sendable {
    /// The request body that is stored, and compared with.
    func dataForStoringRequestBody(data: Data?, of request: URLRequest) -> Data?

    /// The response body that is stored. The client still receives what the server sent.
    func dataForStoringResponseBody(data: Data?, of request: URLRequest) -> Data?

    /// The body that the client receives when a stub is played back.
    func dataForDeliveringResponseBody(data: Data?, of request: URLRequest) -> Data?
}

extension BodyDataProcessor {
    public func dataForStoringRequestBody(data: Data?, of request: URLRequest) -> Data? { data }
    public func dataForStoringResponseBody(data: Data?, of request: URLRequest) -> Data? { data }
    public func dataForDeliveringResponseBody(data: Data?, of request: URLRequest) -> Data? { data }
}
