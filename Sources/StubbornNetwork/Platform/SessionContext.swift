import Foundation

/// The parts of its session that a load needs.
///
/// They are used on any thread. On Apple's platforms, a protocol does not know its session, so they are from the network's first
/// session.
struct SessionContext: Sendable {
    /// The session's configuration.
    let configuration: URLSessionConfiguration

    /// The header fields that the session adds to requests without them.
    var additionalHeaders: [String: String] = [:]

    /// A Boolean value that indicates whether any session of the network may have a delegate; set only in the first context.
    var mayHaveDelegate = false

    /// A Boolean value that indicates whether any session of the network has a delegate for redirects.
    ///
    /// It is set only in the first context, and only on platforms where a task does not know its delegate.
    var asksAboutRedirects = false

    /// The delegate of the task; `nil` if there is none that can be asked.
    var delegate: TaskDelegate?

    /// A Boolean value that indicates whether the client gets the parts of a body one by one, rather than the whole
    /// body at the end.
    ///
    /// On Apple's platforms, it always does, because Foundation joins them if needed.
    var takesBodyInParts = true

    /// The way in which the task gets its body.
    var bodySource = RequestBodySource.request

    /// Creates the context of a session without a delegate.
    init(_ configuration: URLSessionConfiguration) {
        self.configuration = configuration
        for (name, value) in configuration.httpAdditionalHeaders ?? [:] { additionalHeaders["\(name)"] = "\(value)" }
    }

    /// Returns a request with the header fields and the cookies that the session adds to it.
    func completing(_ request: URLRequest) -> URLRequest {
        var request = request
        let added = additionalHeaders.filter { request.value(forHTTPHeaderField: $0.key) == nil }
        // Setting a single field would change the spelling of its name.
        if !added.isEmpty { request.allHTTPHeaderFields = (request.allHTTPHeaderFields ?? [:]).merging(added) { $1 } }
        // On Apple's platforms a session adds its cookies below custom protocols; on Linux when a task is created.
        if request.value(forHTTPHeaderField: "Cookie") == nil { request.addCookies(of: self) }
        return request
    }

    /// Adds another session of the network, and keeps only the header fields that all sessions have.
    mutating func add(_ other: SessionContext) {
        additionalHeaders = additionalHeaders.filter { other.additionalHeaders[$0.key] == $0.value }
        mayHaveDelegate = mayHaveDelegate || other.mayHaveDelegate
        asksAboutRedirects = asksAboutRedirects || other.asksAboutRedirects
    }
}

extension URLSessionConfiguration {
    /// A private copy, in the classic loading mode.
    var ownCopy: URLSessionConfiguration {
        let copy = copy() as? URLSessionConfiguration ?? .ephemeral
        copy.selectClassicLoadingMode()
        return copy
    }

    /// Writes a warning, once for each owner of a configuration, if sessions with this one use the newer loading mode.
    func warnAboutLoadingMode(of owner: String) {
        guard usesNewLoadingMode else { return }
        StandardError.writeOnce(
            """
            warning: usesClassicLoadingMode is false for \(owner). In that mode the system does not consult registered protocol \
            classes, and replaces errors. Set it to true before you make the session, or use a session of the network.
            """
        )
    }

    /// Stores the cookies that a response sets, as far as the policy allows.
    ///
    /// - Returns: the cookies that are now in the storage that all sessions share.
    func storeCookies(_ fields: [String: String], from url: URL) -> [HTTPCookie] {
        guard httpCookieAcceptPolicy != .never else { return [] }
        let cookies = HTTPCookie.cookies(withResponseHeaderFields: fields, for: url)
        guard !cookies.isEmpty else { return [] }
        httpCookieStorage?.setCookies(cookies, for: url, mainDocumentURL: nil)
        return httpCookieStorage === HTTPCookieStorage.shared ? cookies : []
    }

    /// Returns the `Cookie` field that a session gives to a request; `nil` if there are no cookies to send.
    func cookies(for request: URLRequest) -> String? {
        guard httpShouldSetCookies, request.httpShouldHandleCookies, let url = request.url else { return nil }
        let cookies = httpCookieStorage?.cookies(for: url) ?? []
        return cookies.isEmpty ? nil : HTTPCookie.requestHeaderFields(with: cookies)["Cookie"]
    }
}

extension URLRequest {
    /// Sets the session's cookies for the URL, if there are any.
    mutating func addCookies(of context: SessionContext?) {
        guard let cookies = context?.configuration.cookies(for: self) else { return }
        setValue(cookies, forHTTPHeaderField: "Cookie")
    }
}

extension Error {
    /// Returns the user info of the `NSError` that this error is bridged to, with the texts of a `LocalizedError`.
    ///
    /// On Apple's platforms, the system asks the original error for these texts. A new `NSError` would lack them.
    func completeUserInfo(of bridged: NSError) -> [String: Any] {
        var info = bridged.userInfo
        guard let error = self as? any LocalizedError else { return info }
        let texts = [
            NSLocalizedDescriptionKey: error.errorDescription, NSLocalizedFailureReasonErrorKey: error.failureReason,
            NSLocalizedRecoverySuggestionErrorKey: error.recoverySuggestion, NSHelpAnchorErrorKey: error.helpAnchor,
        ]
        for (key, text) in texts where info[key] == nil { info[key] = text }
        return info
    }
}

/// A function that takes the answer of a delegate to a challenge.
typealias ChallengeAnswer = @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

/// The sender of a challenge, for clients and delegates that give their answer to the challenge itself.
final class ChallengeSender: NSObject, URLAuthenticationChallengeSender, Sendable {
    private let answer: ChallengeAnswer

    init(_ answer: @escaping ChallengeAnswer) { self.answer = answer }

    func use(_ credential: URLCredential, for _: URLAuthenticationChallenge) { answer(.useCredential, credential) }
    func continueWithoutCredential(for _: URLAuthenticationChallenge) { answer(.rejectProtectionSpace, nil) }
    func cancel(_: URLAuthenticationChallenge) { answer(.cancelAuthenticationChallenge, nil) }
    func performDefaultHandling(for _: URLAuthenticationChallenge) { answer(.performDefaultHandling, nil) }
    func rejectProtectionSpaceAndContinue(with _: URLAuthenticationChallenge) { answer(.rejectProtectionSpace, nil) }
}

/// A function that asynchronously schedules work on the only thread that may call the client of a `URLProtocol`, the
/// thread of `startLoading`.
///
/// On Linux that is the task's own work queue, on Apple's platforms the run loop that called `startLoading`. Calling
/// the client on a different thread crashes on Linux under load, and the thread sanitizer does not detect it. The
/// function may be called from any thread except the client's.
typealias ClientThread = @Sendable (_ work: @escaping @Sendable () -> Void) -> Void

/// A function that asynchronously calls the client of a `URLProtocol` on its thread, unless the load has ended or was
/// stopped.
typealias ClientCall = @Sendable (_ call: @escaping @Sendable (URLProtocol) -> Void) -> Void
