#if !canImport(FoundationNetworking)
    import Foundation

    extension URLProtocol {
        /// Returns what is known of this protocol's session.
        ///
        /// A task has no reference to its session here. The headers and cookies are on the request, and the client is
        /// asked for credentials.
        func sessionContext() -> SessionContext {
            var context = SessionContext()
            context.isSessionKnown = false
            context.bodySource = task?.bodySource(of: request) ?? .request
            context.delegate = TaskDelegate(urlProtocol: UncheckedTransfer(Weak(self)), thread: clientThread())
            return context
        }
    }

    /// The delegate of a task, as far as the protocol's client passes questions to it.
    struct TaskDelegate: Sendable {
        // Weak, because the protocol has a reference to the owner of this value.
        fileprivate let urlProtocol: UncheckedTransfer<Weak<URLProtocol>>
        fileprivate let thread: any ClientThread

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

        func challenge(
            _ challenge: URLAuthenticationChallenge,
            answer: @escaping @Sendable (ChallengeAnswer) -> Void
        ) {
            let sender = ChallengeSender(answer)
            let asked = UncheckedTransfer(
                URLAuthenticationChallenge(authenticationChallenge: challenge, sender: sender)
            )
            thread.perform {
                guard let urlProtocol = urlProtocol.value.object else { return }
                urlProtocol.client?.urlProtocol(urlProtocol, didReceive: asked.value)
            }
        }
    }

    /// The receiver of the answer to a challenge that was passed to a client.
    ///
    /// Only the first answer counts.
    private final class ChallengeSender: NSObject, URLAuthenticationChallengeSender, @unchecked Sendable {
        // Guarded by the lock inside.
        private let answer: Lock<(@Sendable (ChallengeAnswer) -> Void)?>

        init(_ answer: @escaping @Sendable (ChallengeAnswer) -> Void) {
            self.answer = Lock(answer)
        }

        private func give(_ value: ChallengeAnswer) {
            let answer = answer.withLock { answer in
                defer { answer = nil }
                return answer
            }
            answer?(value)
        }

        func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {
            give(.credential(credential))
        }
        func continueWithoutCredential(for challenge: URLAuthenticationChallenge) { give(.reject) }
        func cancel(_ challenge: URLAuthenticationChallenge) { give(.cancel) }
        func performDefaultHandling(for challenge: URLAuthenticationChallenge) { give(.defaultHandling) }
        func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) { give(.reject) }
    }

    extension URLCredentialStorage {
        /// Returns the default credential for a protection space.
        func storedDefault(for space: URLProtectionSpace) -> URLCredential? { defaultCredential(for: space) }
    }
#endif
