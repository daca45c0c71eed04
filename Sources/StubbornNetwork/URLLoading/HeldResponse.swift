import Foundation

/// A response that may not be the client's: a redirect that leads on, or a challenge that can be answered.
struct HeldResponse: Sendable {
    enum Reason: Sendable {
        case redirect(to: URLRequest)
        case challenge(HTTPChallenge)
    }

    let reason: Reason
    let response: HTTPURLResponse
    let request: URLRequest
    /// Where the response comes from.
    let url: URL

    /// `nil` for a response that is the client's for certain.
    init?(_ response: URLResponse, to request: URLRequest) {
        guard let response = response as? HTTPURLResponse, response.statusCode >= 300, let url = request.url else {
            return nil
        }
        self.url = url
        self.response = response
        self.request = request
        if let next = Redirect.next(after: response, to: request) {
            reason = .redirect(to: next)
        } else if let challenge = HTTPChallenge.challenges(in: ResponseHead(response)).preferred {
            reason = .challenge(challenge)
        } else {
            return nil
        }
    }
}

extension URLResponse {
    /// The response as the client can be given it, for one that came from the real server.
    var forClient: URLResponse {
        guard let response = self as? HTTPURLResponse, !response.isFitForClient, let url else { return self }
        let head = ResponseHead(response)
        return HTTPURLResponse.forClient(
            url: url,
            statusCode: head.statusCode,
            headerFields: head.headerFields.combined
        ) ?? self
    }
}
