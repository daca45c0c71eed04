import Foundation

/// A connection to real servers: a session without our protocol classes, which does not follow redirects.
///
/// Each exchange has a delegate. Only with a delegate do the parts of a body arrive one by one, and redirects arrive
/// with their body. Do not call any of this on the thread of a `URLProtocol`: on Linux all sessions share one queue,
/// and creating or cancelling a task on it would deadlock.
final class RealServer: Sendable {
    let session: URLSession
    private let delegate = RealServerDelegate()

    /// Creates a connection with the proxy, the timeouts and the security of a configuration.
    init(_ configuration: URLSessionConfiguration = .ephemeral) {
        let configuration = configuration.ownCopy
        configuration.urlCache = nil
        configuration.timeoutIntervalForRequest = configuration.timeoutIntervalForRequest.bounded
        configuration.timeoutIntervalForResource = configuration.timeoutIntervalForResource.bounded
        // Each request already has the fields of its own session.
        configuration.httpAdditionalHeaders = nil
        // The client's session has added its cookies to the request, and stores the cookies of the response.
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Sends a request.
    ///
    /// The request's `timeoutInterval` is the longest time without an event. `onEvent` is called with one event at a time; the
    /// last one has `isLast` set. The function that is returned cancels the exchange. It may be called on any thread but a
    /// `URLProtocol`'s.
    func send(
        _ request: URLRequest,
        bodyFrom source: RequestBodySource = .request,
        onEvent: @escaping @Sendable (ExchangeEvent) -> Void
    ) -> @Sendable () -> Void {
        var bounded = request
        bounded.timeoutInterval = request.timeoutInterval.bounded
        let task = session.task(with: bounded, bodyFrom: source)
        let timer = InactivityTimer(seconds: request.timeoutInterval) {
            task.cancel()
            onEvent(.failure(StubFailure.timedOut.error(failing: request.url)))
        }
        let exchange = RealServerDelegate.Exchange(
            streamedBody: source.isStream ? request.httpBody : nil,
            onSent: timer.noteActivity,
            onEvent: { event in
                timer.noteActivity()
                // The timeout and the response race; the first one to stop the timer sends the last event.
                if event.isLast ? timer.stop() : !timer.isOver { onEvent(event) }
            }
        )
        delegate.add(exchange, for: task)
        timer.start()
        task.resume()
        return { task.cancel() }
    }

    /// Returns the answer to a challenge, by its authentication method and whether its response has arrived.
    static func answer(to method: String, hasResponse: Bool) -> URLSession.AuthChallengeDisposition {
        switch method {
        // These are about the connection, not about a user. Server trust comes before any response over TLS.
        case "NSURLAuthenticationMethodServerTrust", "NSURLAuthenticationMethodClientCertificate":
            .performDefaultHandling
        default: hasResponse ? .cancelAuthenticationChallenge : .rejectProtectionSpace
        }
    }
}

extension Error {
    /// Returns the error with the URL of the request, which Foundation on Linux leaves out of some errors.
    fileprivate func naming(_ url: URL?) -> any Error {
        guard let error = self as? URLError, error.failingURL == nil, let url else { return self }
        var userInfo = error.userInfo
        userInfo[NSURLErrorFailingURLErrorKey] = url
        userInfo["NSErrorFailingURLStringKey"] = url.absoluteString
        return URLError(error.code, userInfo: userInfo)
    }
}

extension URLSession {
    /// Returns a task of the kind that the client uses: Foundation adds other header fields to each.
    fileprivate func task(with request: URLRequest, bodyFrom source: RequestBodySource) -> URLSessionTask {
        guard source != .request, let body = request.httpBody else { return dataTask(with: request) }
        var request = request
        request.httpBody = nil
        switch source {
        case .delegate: return uploadTask(withStreamedRequest: request)
        case .upload: return uploadTask(with: request, from: body)
        case .stream, .request:
            request.httpBodyStream = InputStream(data: body)
            return dataTask(with: request)
        }
    }
}

extension TimeInterval {
    /// The interval; a week if it is not a positive number of less than a week: Foundation on Linux crashes for other
    /// values.
    var bounded: TimeInterval {
        let week: TimeInterval = 7 * 24 * 60 * 60
        return self > 0 && self < week ? self : week
    }
}

/// The delegate of all exchanges.
///
/// All methods are in the class that declares the conformance: on Linux a subclass's methods would not be called.
private final class RealServerDelegate: NSObject, URLSessionDataDelegate {
    struct Exchange {
        /// The body, for a task that asks for its body as a stream; `nil` if the task was created with the body.
        let streamedBody: Data?
        let onSent: @Sendable () -> Void
        let onEvent: @Sendable (ExchangeEvent) -> Void
        var stopsAtChallenge = false
        var hasResponse = false
        /// A Boolean value that indicates whether the server closed the connection instead of answering.
        var hasLostConnection = false

        func send(_ response: URLResponse) { onEvent(.response(response, needsSession: response.needsSession)) }
    }

    private let exchanges = Lock<[Int: Exchange]>([:])

    func add(_ exchange: Exchange, for task: URLSessionTask) {
        exchanges.withLock { $0[task.taskIdentifier] = exchange }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        let body = exchanges.withLock { $0[task.taskIdentifier]?.streamedBody }
        completionHandler(body.map { InputStream(data: $0) })
        guard body == nil else { return }
        // When a server closes a reused connection instead of answering, Foundation on Linux asks for a stream of the
        // body, even for a task that was created with data. If such a task gets a stream, Foundation crashes. Without
        // a stream, it sends the request again without its body, and waits for a response until the timeout.
        exchanges.withLock { $0[task.taskIdentifier]?.hasLostConnection = true }
        // Foundation asks on a queue, and cancelling would wait for that queue.
        DispatchQueue.global().async { task.cancel() }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData count: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend expected: Int64
    ) {
        exchanges.withLock { $0[task.taskIdentifier]?.onSent }?()
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        // An informational response is not the final one, and a stub cannot contain it.
        let isInformational = (response as? HTTPURLResponse).map { 100..<200 ~= $0.statusCode } ?? false
        if !isInformational {
            exchanges.withLock { $0[dataTask.taskIdentifier]?.hasResponse = true }
            exchanges.withLock { $0[dataTask.taskIdentifier] }?.send(response)
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchanges.withLock { $0[dataTask.taskIdentifier]?.onEvent }?(.data(data))
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    // The code under test gets a challenge as a 401. On Linux its response and body have arrived already, and the
    // default handling would never complete.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let method = challenge.protectionSpace.authenticationMethod
        let disposition = RealServer.answer(to: method, hasResponse: task.response != nil)
        if disposition == .cancelAuthenticationChallenge {
            exchanges.withLock { $0[task.taskIdentifier]?.stopsAtChallenge = true }
        }
        completionHandler(disposition, nil)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let exchange = exchanges.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        // For a redirect without a usable target, Foundation calls only this function.
        let isOpen = !exchange.hasResponse && (error == nil || exchange.stopsAtChallenge)
        if isOpen, let response = task.response { exchange.send(response) }
        if let error, !exchange.stopsAtChallenge {
            let error = exchange.hasLostConnection ? URLError(.networkConnectionLost) : error
            exchange.onEvent(.failure(error.naming(task.originalRequest?.url)))
        } else if task.response == nil {
            exchange.onEvent(.failure(URLError(.badServerResponse)))
        } else {
            exchange.onEvent(.end(body: nil))
        }
    }
}

/// A timer that fires if nothing happens for a while.
///
/// On Linux a session does not apply the timeouts of requests.
final class InactivityTimer: Sendable {
    private let lastActivity = Lock(DispatchTime.now())
    private let seconds: Double
    /// The function to call; `nil` after the timer has fired or been stopped.
    private let onTimeout: Lock<(@Sendable () -> Void)?>

    /// Creates a timer, which runs from `start()`, and calls `onTimeout` once at most, on any thread.
    ///
    /// A time that is not positive, or more than a week, is a week.
    init(seconds: Double, onTimeout: @escaping @Sendable () -> Void) {
        self.seconds = seconds.bounded
        self.onTimeout = Lock(onTimeout)
    }

    func start() { wait(seconds) }

    /// A Boolean value that indicates whether the timer has fired or been stopped.
    var isOver: Bool { onTimeout.withLock { $0 == nil } }

    /// Restarts the time.
    func noteActivity() { lastActivity.withLock { $0 = .now() } }

    /// Stops the timer, and returns a Boolean value that indicates whether it had neither fired nor been stopped.
    func stop() -> Bool { onTimeout.withLock { $0.take() } != nil }

    private func wait(_ seconds: Double) {
        // It is not cancelled, because it does not retain this object.
        _ = Delay.run(after: seconds) { [weak self] in
            guard let self, !isOver else { return }
            let (now, end) = (DispatchTime.now(), lastActivity.withLock { $0 } + self.seconds)
            if end > now + .milliseconds(1) {
                wait(Double(end.uptimeNanoseconds - now.uptimeNanoseconds) / 1_000_000_000)
            } else {
                onTimeout.withLock { $0.take() }?()
            }
        }
    }
}
