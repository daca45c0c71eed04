import Foundation

/// What a load needs of the session that it belongs to. Made inside the first `startLoading`, used from anywhere.
struct SessionContext: Sendable {
    /// Header fields that the session adds to its requests, where they are not on the request already.
    var additionalHeaders: [String: String] = [:]

    /// The time that the session allows between two parts of a response, where the request does not say.
    var timeout: TimeInterval?

    /// Where cookies are kept; `nil` for a session that keeps none.
    var cookies: CookieJar?

    /// Whether the session itself told this. Where it cannot be reached, what it was made with has to do.
    var isSessionKnown = true

    /// Where credentials are kept; `nil` for a session that keeps none, or whose credentials cannot be reached.
    var credentials: URLCredentialStorage?

    /// The task's delegate and what it has to be given; `nil` where nobody can be asked.
    var delegate: TaskDelegate?
}

/// A session's cookies, and whether it uses them.
struct CookieJar: Sendable {
    let storage: HTTPCookieStorage
    let acceptPolicy: HTTPCookie.AcceptPolicy
    let setsCookies: Bool

    /// The cookies of the sessions that are made with a configuration; `nil` where they keep none.
    init?(_ configuration: URLSessionConfiguration) {
        guard let storage = configuration.httpCookieStorage else { return nil }
        self.storage = storage
        acceptPolicy = configuration.httpCookieAcceptPolicy
        setsCookies = configuration.httpShouldSetCookies
    }

    /// Keeps what a response sets, as the policy allows.
    func keep(_ fields: [String: String], from url: URL) {
        guard acceptPolicy != .never else { return }
        let cookies = HTTPCookie.cookies(withResponseHeaderFields: fields, for: url)
        guard !cookies.isEmpty else { return }
        storage.setCookies(cookies, for: url, mainDocumentURL: nil)
    }

    /// The `Cookie` field for a URL; `nil` where there is nothing to send.
    func field(for url: URL) -> String? {
        guard setsCookies, let cookies = storage.cookies(for: url), !cookies.isEmpty else { return nil }
        return HTTPCookie.requestHeaderFields(with: cookies)["Cookie"]
    }
}

/// What a delegate says to a challenge.
enum ChallengeAnswer: Sendable {
    case credential(URLCredential)
    /// Whatever would be done without a delegate.
    case defaultHandling
    /// The response to the challenge is the response.
    case reject
    case cancel
}
