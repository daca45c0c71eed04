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
#endif
