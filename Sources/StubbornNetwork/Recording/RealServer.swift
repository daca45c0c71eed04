import Foundation

/// The way to the real server: one inner session that no stub is asked about, and that stops at redirects.
///
/// Every exchange is driven by a delegate, because only then do parts arrive as they come, and redirects with their
/// body. Nothing here may be called from the thread of a `URLProtocol`: on Linux all sessions share one queue, and a task
/// that is made or cancelled on it waits for itself.
final class RealServer: Sendable {
    private let session: URLSession
    private let delegate: RealServerDelegate

    /// - Parameter configuration: of the session that asks, for its proxy, its timeouts and its security. Changed here.
    init(_ configuration: URLSessionConfiguration = .ephemeral) {
        configuration.urlCache = nil
        configuration.timeoutIntervalForRequest = configuration.timeoutIntervalForRequest.bounded
        configuration.timeoutIntervalForResource = configuration.timeoutIntervalForResource.bounded
        // Each request brings those of its own session.
        configuration.httpAdditionalHeaders = nil
        // The outer session has put its cookies on the request, and keeps those of the response.
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        delegate = RealServerDelegate()
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    deinit {
        session.finishTasksAndInvalidate()
    }

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - request: its `timeoutInterval` is the longest that may pass without a sign of the server.
    ///   - onEvent: called with one event at a time, the last time with one that `isLast`.
    /// - Returns: what cancels the exchange, from any thread but a `URLProtocol`'s.
    func send(_ request: URLRequest, onEvent: @escaping @Sendable (ExchangeEvent) -> Void) -> @Sendable () -> Void {
        let task = session.dataTask(with: request.forRealServer)
        let watchdog = Watchdog(seconds: request.timeoutInterval) {
            task.cancel()
            onEvent(.failure(StubFailure.timedOut.error(failing: request.url)))
        }
        delegate.add(
            { event in
                watchdog.noteSign()
                // Whoever stops the dog first has the last word.
                if event.isLast ? watchdog.stop() : !watchdog.isOver { onEvent(event) }
            },
            for: task
        )
        watchdog.start()
        task.resume()
        return { task.cancel() }
    }
}

extension Error {
    /// The error with the URL that it is about: Foundation on Linux leaves it out of some.
    fileprivate func naming(_ url: URL?) -> any Error {
        guard let error = self as? URLError, error.failingURL == nil, let url else { return self }
        var userInfo = error.userInfo
        userInfo[NSURLErrorFailingURLErrorKey] = url
        userInfo["NSErrorFailingURLStringKey"] = url.absoluteString
        return URLError(error.code, userInfo: userInfo)
    }
}

extension URLRequest {
    /// The request as the inner session takes it.
    fileprivate var forRealServer: URLRequest {
        var request = self
        request.timeoutInterval = request.timeoutInterval.bounded
        return request
    }
}

extension TimeInterval {
    /// A positive number of at most a week: Foundation on Linux converts the interval to an integer, and traps on one that
    /// is too large or none at all.
    fileprivate var bounded: TimeInterval {
        let week: TimeInterval = 7 * 24 * 60 * 60
        return self > 0 && self < week ? self : week
    }
}

/// Everything is implemented here, in the class that declares the conformance: on Linux a subclass's method would not be
/// called.
private final class RealServerDelegate: NSObject, URLSessionDataDelegate {
    private struct Exchange {
        var onEvent: @Sendable (ExchangeEvent) -> Void
        var stopsAtChallenge = false
        var hasResponse = false
    }

    private let exchanges = Lock<[Int: Exchange]>([:])

    func add(_ onEvent: @escaping @Sendable (ExchangeEvent) -> Void, for task: URLSessionTask) {
        exchanges.withLock { $0[task.taskIdentifier] = Exchange(onEvent: onEvent) }
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        // An informational response is not the one that was asked for, and none that a stub could hold.
        let isInformational = (response as? HTTPURLResponse).map { 100..<200 ~= $0.statusCode } ?? false
        if !isInformational { tell(response, of: dataTask) }
        completionHandler(.allow)
    }

    private func tell(_ response: URLResponse, of task: URLSessionTask) {
        let onEvent = exchanges.withLock { exchanges in
            exchanges[task.taskIdentifier]?.hasResponse = true
            return exchanges[task.taskIdentifier]?.onEvent
        }
        onEvent?(.response(response))
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

    // A challenge is the code under test's to see, as the 401 that it is. On Linux response and body have arrived by
    // now, and the default handling would wait for ever.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard challenge.isAboutServerTrust == false else {
            completionHandler(.performDefaultHandling, nil)
            return
        }
        guard task.response != nil else {
            completionHandler(.rejectProtectionSpace, nil)
            return
        }
        exchanges.withLock { $0[task.taskIdentifier]?.stopsAtChallenge = true }
        completionHandler(.cancelAuthenticationChallenge, nil)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        // A redirect that leads nowhere is told of at its end alone.
        if error == nil, let response = task.response,
            exchanges.withLock({ $0[task.taskIdentifier]?.hasResponse }) == false
        {
            tell(response, of: task)
        }
        guard let exchange = exchanges.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        if let error, !exchange.stopsAtChallenge {
            exchange.onEvent(.failure(error.naming(task.originalRequest?.url)))
        } else if task.response == nil {
            exchange.onEvent(.failure(URLError(.badServerResponse)))
        } else {
            exchange.onEvent(.end(body: nil))
        }
    }
}

extension URLAuthenticationChallenge {
    /// Whether this asks about the connection, client certificate or server trust, rather than about a user.
    fileprivate var isAboutServerTrust: Bool {
        let method = protectionSpace.authenticationMethod
        return method == "NSURLAuthenticationMethodServerTrust"
            || method == "NSURLAuthenticationMethodClientCertificate"
    }
}
