#if !canImport(FoundationNetworking) || SIMULATES_APPLE
    import Foundation

    extension URLProtocol {
        /// Returns the context of the network's first session, because a task does not know its session here, or of
        /// `URLSession.shared`, with a delegate if there may be one to ask.
        func sessionContext(
            orOf first: @autoclosure () -> SessionContext?,
            callingClient call: @escaping ClientCall
        ) -> SessionContext {
            var context = first() ?? SessionContext(URLSession.shared.configuration)
            context.bodySource = task?.bodySource(of: request) ?? .request
            if context.mayHaveDelegate || hasTaskDelegate {
                context.delegate = TaskDelegate(callClient: call)
            }
            return context
        }

        /// A Boolean value that indicates whether the task has a delegate of its own.
        private var hasTaskDelegate: Bool {
            guard #available(macOS 12, iOS 15, tvOS 15, watchOS 8, *) else { return false }
            return task?.delegate != nil
        }
    }

    /// The delegate of a task, as far as the protocol's client passes questions to it.
    struct TaskDelegate: Sendable {
        /// The longest time that an answer to a challenge may take, in seconds.
        ///
        /// The sender of a challenge is documented for `NSURLConnection` only: the client may never call it.
        static let longestAnswerTime: TimeInterval = 10

        fileprivate let callClient: ClientCall

        /// Answers that the redirect is followed.
        ///
        /// The client is not asked: it would begin a new load, which could not be recognised as a part of this one.
        func redirect(
            _ response: HTTPURLResponse,
            to request: URLRequest,
            answer: @escaping @Sendable (URLRequest?) -> Void
        ) {
            answer(request)
        }

        /// Passes a challenge to the client, which gives its answer to the challenge's sender.
        func challenge(
            _ challenge: URLAuthenticationChallenge,
            answer: @escaping @Sendable (ChallengeAnswer) -> Void
        ) {
            callClient { $0.client?.urlProtocol($0, didReceive: challenge) }
        }
    }

    extension URLCredentialStorage {
        /// Returns the default credential for a protection space.
        func storedDefault(for space: URLProtectionSpace) -> URLCredential? { defaultCredential(for: space) }
    }
#endif
