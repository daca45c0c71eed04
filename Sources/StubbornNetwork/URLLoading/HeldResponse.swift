import Foundation

/// A response that the client may not get: a redirect that can be followed, or a challenge that can be answered.
struct HeldResponse: Sendable {
    enum Reason: Sendable {
        case redirect(to: URLRequest)
        case challenge(HTTPChallenge)
    }

    let reason: Reason
    let response: HTTPURLResponse
    let request: URLRequest
    /// The URL of the request.
    let url: URL

    /// Creates a held response; `nil` for a response that the client gets in any case.
    init?(_ response: URLResponse, to request: URLRequest) {
        guard let response = response as? HTTPURLResponse, response.statusCode >= 300, let url = request.url else {
            return nil
        }
        self.url = url
        self.response = response
        self.request = request
        if let next = Redirect.next(after: response, to: request) {
            reason = .redirect(to: next)
        } else if let challenge = HTTPChallenge.firstBasic(in: ResponseHead(response)) {
            reason = .challenge(challenge)
        } else {
            return nil
        }
    }
}
