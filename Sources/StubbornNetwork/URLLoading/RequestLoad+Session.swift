import Foundation

/// What a session would do for its tasks, and does not do for a custom protocol: redirects, challenges, cookies, timeouts.
extension RequestLoad {
    /// Where to after a response that was held back.
    func goOn(after held: HeldResponse, body: Data?) {
        switch held.reason {
        case .redirect(let next): redirect(held, to: next, body: body)
        case .challenge(let challenge): answer(challenge, of: held, body: body)
        }
    }

    // MARK: Redirects

    private func redirect(_ held: HeldResponse, to next: URLRequest, body: Data?) {
        let redirects = state.withLock { state in
            state.redirects += 1
            return state.redirects
        }
        guard redirects <= Redirect.limit else {
            return fail(StubFailure.tooManyRedirects.error(failing: next.url ?? held.url))
        }
        guard let delegate = context?.delegate else { return follow(next) }
        delegate.redirect(held.response, to: next) { chosen in
            if let chosen { self.follow(chosen) } else { self.deliver(held, body: body) }
        }
    }

    private func follow(_ request: URLRequest) {
        var request = request
        if let url = request.url, let cookie = cookies?.field(for: url) {
            request.setValue(cookie, forHTTPHeaderField: "Cookie")
        }
        proceed(request)
    }

    // MARK: Challenges

    /// How often a challenge is answered before its response is given to the client.
    private static let mostAnswers = 3

    private func answer(_ challenge: HTTPChallenge, of held: HeldResponse, body: Data?) {
        guard let context, let space = challenge.protectionSpace(at: held.url) else {
            return deliver(held, body: body)
        }
        let failures = state.withLock { state in
            state.failedAnswers += 1
            return state.failedAnswers - 1
        }
        guard failures < Self.mostAnswers else { return deliver(held, body: body) }
        let proposed = failures == 0 ? context.credentials?.storedDefault(for: space) : nil
        let answer: @Sendable (ChallengeAnswer) -> Void = { answer in
            switch answer {
            case .credential(let credential): self.send(credential, for: challenge, of: held, body: body)
            case .defaultHandling:
                guard let proposed else { return self.deliver(held, body: body) }
                self.send(proposed, for: challenge, of: held, body: body)
            case .reject: self.deliver(held, body: body)
            case .cancel: self.fail(URLError(.cancelled))
            }
        }
        guard let delegate = context.delegate else { return answer(.defaultHandling) }
        let question = URLAuthenticationChallenge(
            protectionSpace: space,
            proposedCredential: proposed,
            previousFailureCount: failures,
            failureResponse: held.response,
            error: nil,
            sender: NoSender()
        )
        delegate.challenge(question, answer: answer)
    }

    /// Repeats a request with a credential.
    private func send(_ credential: URLCredential, for challenge: HTTPChallenge, of held: HeldResponse, body: Data?) {
        guard let user = credential.user, let password = credential.password else {
            return deliver(held, body: body)
        }
        let authorization = HTTPCredentials(user: user, password: password).authorization(
            answering: challenge,
            method: held.request.httpMethod ?? "GET",
            uri: HTTPCredentials.uri(of: held.url),
            body: held.request.httpBody
        )
        guard let authorization else { return deliver(held, body: body) }
        var request = held.request
        let field = held.response.statusCode == 407 ? "Proxy-Authorization" : "Authorization"
        request.setValue(authorization, forHTTPHeaderField: field)
        proceed(request)
    }

    // MARK: Cookies, header fields, timeouts

    func keepCookies(of response: URLResponse) {
        guard let response = response as? HTTPURLResponse, let url = response.url,
            response.value(forHTTPHeaderField: "Set-Cookie") != nil
        else { return }
        cookies?.keep(ResponseHead(response).headerFields.combined, from: url)
    }

    /// The request as the real server gets it: with what the session adds, and without its caches.
    func requestForServer(_ request: URLRequest) -> URLRequest {
        var request = request
        for (name, value) in context?.additionalHeaders ?? [:] where request.value(forHTTPHeaderField: name) == nil {
            request.setValue(value, forHTTPHeaderField: name)
        }
        request.timeoutInterval = timeout(of: request)
        request.cachePolicy = .reloadIgnoringLocalCacheData
        return request
    }

    /// The longest wait between two parts of a response: the request's own, or the session's where the request has the
    /// default of 60 seconds, which is what a request without one of its own says too.
    func timeout(of request: URLRequest) -> TimeInterval {
        guard request.timeoutInterval == 60, let timeout = context?.timeout else { return request.timeoutInterval }
        return timeout
    }

    /// The session's cookies or, where it cannot be reached, those of the configuration that it was probably made with.
    private var cookies: CookieJar? {
        guard let context else { return nil }
        return context.isSessionKnown ? context.cookies : engine?.cookies
    }

    private var context: SessionContext? { state.withLock { $0.context } }
}

extension HTTPChallenge {
    fileprivate func protectionSpace(at url: URL) -> URLProtectionSpace? {
        guard let host = url.host, let method = protectionSpaceMethod else { return nil }
        return URLProtectionSpace(
            host: host,
            port: url.port ?? (url.scheme == "https" ? 443 : 80),
            protocol: url.scheme,
            realm: realm,
            authenticationMethod: method
        )
    }
}

/// A challenge has to name a sender; the answer comes by the completion handler instead.
private final class NoSender: NSObject, URLAuthenticationChallengeSender {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}
