import Foundation

/// The task of a load, and its redirects, challenges, cookies and timeouts.
///
/// A session handles these for its tasks, but not for a custom protocol. Other clients and callers have no context here.
extension RequestLoad {
    // MARK: The request of a session

    /// Starts the load of a session's task, inside `startLoading`.
    ///
    /// A stub without a delay has been delivered when this returns.
    func start(_ urlProtocol: URLProtocol) {
        let request = urlProtocol.request
        let task = urlProtocol.task
        if let part = task?.missingPart {
            let (name, url) = ("URLSessionTask.\(part)", request.url.map(Redactor.shown))
            return fail(StubbornNetworkError.unsupportedVersion(of: "Foundation", without: name, url: url))
        }
        if let reason = task?.unsupportedReason {
            return fail(StubbornNetworkError(.unsupportedRequest, reason, url: request.url.map(Redactor.shown)))
        }
        let read: @Sendable () throws -> Data?
        var queue = DispatchQueue.global(qos: .userInitiated)
        switch task?.body(for: request) ?? request.visibleBody {
        case .known(let body) where engine.loadsQuickly: return proceed(with: request.with(body: body))
        case .known(let body): read = { body }
        // A stream may wait for work on a global queue, which has few threads.
        case .deferred(let readBody): (read, queue) = (readBody, DispatchQueue(label: "StubbornNetwork.RequestBody"))
        case .unreadable: return fail(StubbornNetworkError.unreadableBody(request.url.map(Redactor.shown)))
        }
        prepareToWait()
        engine.perform(on: queue) { [self] in
            do { proceed(with: request.with(body: try read())) } catch { fail(error) }
        }
    }

    /// Continues after a response that was held back: follows the redirect, or answers the challenge.
    func handle(_ held: HeldResponse) {
        switch held.reason {
        case .redirect(let next): redirect(held, to: next)
        case .challenge(let challenge): answer(challenge, of: held)
        }
    }

    // MARK: Redirects

    private func redirect(_ held: HeldResponse, to next: URLRequest) {
        let count = state.withLock { $0.redirects.increment() } + held.request.redirectsOfEarlierLoads
        guard count <= Redirect.limit else {
            return fail(StubFailure.tooManyRedirects.error(failing: next.url ?? held.request.url))
        }
        guard let delegate = context?.delegate else { return follow(next) }
        var next = next
        if delegate.followsInNewLoads {
            next.redirectsOfEarlierLoads = count
            // The client stops this load, or gets the redirect.
            state.withLock { $0.response = held.response }
            end(isAnswered: true)
        }
        startOperation { [next] in
            let cancel = delegate.redirect(held.response, to: next) { [self] chosen in
                if let chosen { follow(chosen) } else { deliver(held) }
            }
            return { _ in cancel() }
        }
    }

    /// Continues with the request after a redirect or a challenge.
    private func follow(_ request: URLRequest) {
        var request = request
        request.addCookies(of: context)
        proceed(with: request)
    }

    // MARK: Challenges

    /// The number of times that a challenge is answered before its response is delivered.
    private static let maximumAnswerCount = 3

    private func answer(_ challenge: HTTPChallenge, of held: HeldResponse) {
        guard let context, let space = held.request.url.flatMap(challenge.protectionSpace) else {
            return deliver(held)
        }
        let failures = state.withLock { $0.failedAnswers.increment() } - 1
        guard failures < Self.maximumAnswerCount else { return deliver(held) }
        let proposed = failures == 0 ? context.configuration.urlCredentialStorage?.storedDefault(for: space) : nil
        let answer: ChallengeAnswer = { [self] disposition, credential in
            // Repeating the request would use up a stub.
            guard state.withLock({ $0.stop }) == nil else { return }
            switch disposition {
            case .cancelAuthenticationChallenge: fail(URLError(.cancelled))
            case .rejectProtectionSpace: deliver(held)
            default:
                let chosen = disposition == .useCredential ? credential ?? proposed : proposed
                if let chosen { send(chosen, for: challenge, of: held) } else { deliver(held) }
            }
        }
        guard let delegate = context.delegate else { return answer(.performDefaultHandling, nil) }
        let seconds = min(timeout(of: held.request).bounded, TaskDelegate.longestAnswerTime)
        startOperation {
            // The first answer counts.
            let timer = InactivityTimer(seconds: seconds) { answer(.rejectProtectionSpace, nil) }
            let give: ChallengeAnswer = { if timer.stop() { answer($0, $1) } }
            let question = URLAuthenticationChallenge(
                protectionSpace: space,
                proposedCredential: proposed,
                previousFailureCount: failures,
                failureResponse: held.response,
                error: nil,
                sender: ChallengeSender(give)
            )
            timer.start()
            delegate.challenge(question, answer: give)
            return { _ in _ = timer.stop() }
        }
    }

    /// Repeats a request with a credential.
    private func send(_ credential: URLCredential, for challenge: HTTPChallenge, of held: HeldResponse) {
        guard let user = credential.user, let password = credential.password,
            let authorization = challenge.basicAuthorization(user: user, password: password)
        else { return deliver(held) }
        var request = held.request
        let field = held.response.statusCode == 407 ? "Proxy-Authorization" : "Authorization"
        request.setValue(authorization, forHTTPHeaderField: field)
        follow(request)
    }

    // MARK: Cookies, header fields, timeouts

    /// Stores the cookies that a response sets.
    func storeCookies(of response: URLResponse) {
        guard let response = response as? HTTPURLResponse, response.setsCookies, let url = response.url else { return }
        let fields = ResponseHead(response).headerFields.combined
        let shared = context?.configuration.storeCookies(fields, from: url) ?? []
        if !shared.isEmpty { engine.sharedCookies.withLock { $0 += shared } }
    }

    /// Returns the request for the real server, with the session's header fields and its timeout.
    func requestForServer(_ request: URLRequest) -> URLRequest {
        var request = context?.completing(request) ?? request
        request.timeoutInterval = timeout(of: request)
        return request
    }

    /// Returns the longest time between two parts of a response: the request's timeout, or the session's if the request
    /// has the default of 60 seconds.
    func timeout(of request: URLRequest) -> TimeInterval {
        guard request.timeoutInterval == 60, let context else { return request.timeoutInterval }
        return context.configuration.timeoutIntervalForRequest
    }

    var context: SessionContext? { state.withLock { $0.context } }
}

extension URLRequest {
    private static let redirectsKey = "StubbornNetwork.redirects"

    /// The number of redirects that the earlier loads of the request's task followed.
    ///
    /// A delegate that returns a different request than the proposed one begins at 0.
    fileprivate var redirectsOfEarlierLoads: Int {
        get { URLProtocol.property(forKey: Self.redirectsKey, in: self) as? Int ?? 0 }
        set {
            guard let request = (self as NSURLRequest).mutableCopy() as? NSMutableURLRequest else { return }
            URLProtocol.setProperty(newValue, forKey: Self.redirectsKey, in: request)
            self = request as URLRequest
        }
    }

    /// Returns the request with the body that its task sends.
    fileprivate func with(body: Data?) -> URLRequest {
        var request = self
        // Each change of a request copies it.
        if request.httpBodyStream != nil { request.httpBodyStream = nil }
        if request.httpBody != body { request.httpBody = body }
        return request
    }

    /// Returns the request without its cookies, if they are from the session.
    func withoutCookies(of context: SessionContext?) -> URLRequest {
        // A storage returns cookies in any order.
        let pairs = { (field: String) in
            Set(field.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) })
        }
        guard let own = value(forHTTPHeaderField: "Cookie"), let cookies = context?.configuration.cookies(for: self),
            pairs(own).isSubset(of: pairs(cookies))
        else { return self }
        var request = self
        request.setValue(nil, forHTTPHeaderField: "Cookie")
        return request
    }
}

/// A response that the client may not get: a redirect that can be followed, or a challenge that can be answered.
struct HeldResponse: Sendable {
    enum Reason: Sendable {
        case redirect(to: URLRequest)
        case challenge(HTTPChallenge)
    }

    let reason: Reason
    let response: HTTPURLResponse
    let request: URLRequest
    var body = Data()

    /// Creates a held response; `nil` for a response that the client gets in any case.
    init?(_ response: URLResponse, to request: URLRequest) {
        guard let response = response as? HTTPURLResponse, response.statusCode >= 300 else { return nil }
        (self.response, self.request) = (response, request)
        if let next = Redirect.next(after: response, to: request) {
            reason = .redirect(to: next)
        } else if let challenge = HTTPChallenge.firstBasic(in: ResponseHead(response)) {
            reason = .challenge(challenge)
        } else {
            return nil
        }
    }
}
