import Foundation

/// The parts of its session that a load needs.
///
/// Created inside the first `startLoading`; used on any thread.
struct SessionContext: Sendable {
    /// The header fields that the session adds to a request that does not have them.
    var additionalHeaders: [String: String] = [:]

    /// The longest time between two parts of a response, for a request that has none of its own.
    var timeout: TimeInterval?

    /// The cookies of the session; `nil` for a session without a cookie storage.
    var cookies: CookieJar?

    /// A Boolean value that indicates whether this is from the session itself.
    ///
    /// If it cannot be reached, the configuration that it was created with is used.
    var isSessionKnown = true

    /// The credentials of the session; `nil` for a session without a storage, or if it cannot be reached.
    var credentials: URLCredentialStorage?

    /// The delegate of the task; `nil` if there is none that can be asked.
    var delegate: TaskDelegate?

    /// The way in which the task gets its body.
    var bodySource = RequestBodySource.request

    /// Tells the task's delegate that a part of the body has been sent; `nil` if no delegate is told.
    var onSent: (@Sendable (UploadProgress) -> Void)?
}

/// The cookies of a session, and its rules for them.
struct CookieJar: Sendable {
    let storage: HTTPCookieStorage
    let acceptPolicy: HTTPCookie.AcceptPolicy
    let setsCookies: Bool

    /// Creates the cookies of a session from its configuration; `nil` if it has no cookie storage.
    init?(_ configuration: URLSessionConfiguration) {
        guard let storage = configuration.httpCookieStorage else { return nil }
        self.storage = storage
        acceptPolicy = configuration.httpCookieAcceptPolicy
        setsCookies = configuration.httpShouldSetCookies
    }

    /// Stores the cookies that a response sets, as far as the policy allows.
    func keep(_ fields: [String: String], from url: URL) {
        guard acceptPolicy != .never else { return }
        let cookies = HTTPCookie.cookies(withResponseHeaderFields: fields, for: url)
        guard !cookies.isEmpty else { return }
        storage.setCookies(cookies, for: url, mainDocumentURL: nil)
    }

    /// Returns the `Cookie` field for a URL; `nil` if there are no cookies to send.
    func field(for url: URL) -> String? {
        guard setsCookies, let cookies = storage.cookies(for: url), !cookies.isEmpty else { return nil }
        return HTTPCookie.requestHeaderFields(with: cookies)["Cookie"]
    }
}

/// The answer of a delegate to a challenge.
enum ChallengeAnswer: Sendable {
    case credential(URLCredential)
    /// Do what is done without a delegate.
    case defaultHandling
    /// Deliver the response that has the challenge.
    case reject
    case cancel
}
