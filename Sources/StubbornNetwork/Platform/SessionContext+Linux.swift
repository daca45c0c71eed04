#if canImport(FoundationNetworking) && !SIMULATES_APPLE
    import Foundation

    extension URLProtocol {
        /// Returns the thread for this protocol's client, inside the first `startLoading`.
        ///
        /// A protocol without a task has no client to call. A task without a work queue has been refused.
        func clientThread() -> ClientThread {
            guard let queue = task.flatMap({ TaskReflection(task: $0).workQueue }) else { return { _ in } }
            return { work in queue.async(execute: work) }
        }

        /// Returns the context of this protocol's session, inside the first `startLoading`.
        ///
        /// A task whose session cannot be reached has been refused.
        func sessionContext(
            orOf first: @autoclosure () -> SessionContext?,
            callingClient: ClientCall
        ) -> SessionContext {
            guard let task, let session = TaskReflection(task: task).session else { return SessionContext(.ephemeral) }
            var context = SessionContext(session.configuration)
            context.bodySource = task.bodySource(of: request)
            context.takesBodyInParts = task.takesBodyInParts
            context.delegate = (task.delegate ?? TaskReflection(task: task).ownDelegate).map {
                TaskDelegate(delegate: UncheckedTransfer($0), task: task, session: session)
            }
            return context
        }
    }

    extension URLSessionConfiguration {
        /// Does nothing, because there is one loading mode here.
        func selectClassicLoadingMode() {}

        /// `false`, because there is one loading mode here.
        var usesNewLoadingMode: Bool { false }
    }

    extension Error {
        /// The error as the client gets it: itself.
        var forClient: any Error { self }
    }

    extension URLSessionDelegate {
        /// `false`, because a task knows its delegate here.
        var hearsOfRedirects: Bool { false }
    }

    /// The delegate of a task, which this type asks on the session's delegate queue, because Foundation does not for a
    /// custom protocol.
    struct TaskDelegate: Sendable {
        fileprivate let delegate: UncheckedTransfer<any URLSessionTaskDelegate>
        fileprivate let task: URLSessionTask
        fileprivate let session: URLSession

        /// The longest time that an answer to a challenge may take: unlimited, except for the request's timeout.
        static let longestAnswerTime = TimeInterval.infinity

        /// `false`, because the load that was redirected goes on.
        var followsInNewLoads: Bool { false }

        /// Asks the delegate for the request that follows a redirect; `nil` to deliver the redirect itself as the
        /// response.
        func redirect(
            _ response: HTTPURLResponse,
            to request: URLRequest,
            answer: @escaping @Sendable (URLRequest?) -> Void
        ) -> @Sendable () -> Void {
            session.delegateQueue.addOperation {
                delegate.value.urlSession(
                    session,
                    task: task,
                    willPerformHTTPRedirection: response,
                    newRequest: request,
                    completionHandler: answer
                )
            }
            return {}
        }

        func challenge(_ challenge: URLAuthenticationChallenge, answer: @escaping ChallengeAnswer) {
            session.delegateQueue.addOperation {
                delegate.value.urlSession(session, task: task, didReceive: challenge, completionHandler: answer)
            }
        }
    }

    extension URLCredentialStorage {
        /// Returns the default credential for a protection space, which the storage finds only by the object with which
        /// it was stored.
        func storedDefault(for space: URLProtectionSpace) -> URLCredential? {
            let identity = { (space: URLProtectionSpace) in
                (space.host, space.port, space.protocol, space.realm, space.authenticationMethod)
            }
            let stored = allCredentials.keys.first { identity($0) == identity(space) }
            return defaultCredential(for: stored ?? space)
        }
    }

    /// A response that has no URL while the client is told that loading has finished.
    ///
    /// At this time, Foundation examines a 401 with `WWW-Authenticate`. If the response has a URL, Foundation makes a
    /// protection space. It then replaces our protocol with its own, which calls the real server, or it waits forever.
    /// Without a URL the task ends with the 401 that was delivered.
    ///
    /// Sendable as `HTTPURLResponse` is; it adds no state.
    final class ShieldedHTTPURLResponse: HTTPURLResponse, @unchecked Sendable {
        @TaskLocal static var hidesURL = false

        override var url: URL? { Self.hidesURL ? nil : super.url }
    }

    extension HTTPURLResponse {
        /// Returns a response for the client.
        static func forClient(url: URL, statusCode: Int, headerFields: [String: String]) -> HTTPURLResponse? {
            let (status, http) = (statusCode, "HTTP/1.1")
            return status == 401
                ? ShieldedHTTPURLResponse(url: url, statusCode: status, httpVersion: http, headerFields: headerFields)
                : HTTPURLResponse(url: url, statusCode: status, httpVersion: http, headerFields: headerFields)
        }

        /// A Boolean value that indicates whether one response may be used for several requests: nothing changes it here.
        static var mayBeShared: Bool { true }

        /// A Boolean value that indicates whether the response sets cookies.
        var setsCookies: Bool {
            // Foundation capitalizes the names of the fields here, and finds a name by comparing it with all of them.
            allHeaderFields["Set-Cookie"] != nil
        }

        /// A Boolean value that indicates whether this response, which Foundation made, may be passed to a client.
        var isFitForClient: Bool { statusCode != 401 || self is ShieldedHTTPURLResponse }
    }

    extension URLProtocol {
        /// Tells the client that loading has finished.
        func finish() {
            ShieldedHTTPURLResponse.$hidesURL.withValue(true) { client?.urlProtocolDidFinishLoading(self) }
        }
    }
#endif
