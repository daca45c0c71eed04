#if !canImport(FoundationNetworking) || SIMULATES_APPLE
    import Foundation

    extension URLProtocol {
        /// Returns the thread for this protocol's client, inside `startLoading`: the current run loop.
        ///
        /// A thread that does not run its run loop would never perform anything, so a queue is used instead.
        func clientThread() -> ClientThread {
            guard let mode = RunLoop.current.currentMode, let current = CFRunLoopGetCurrent() else {
                let queue = DispatchQueue(label: "StubbornNetwork.ClientThread")
                return { work in queue.async(execute: work) }
            }
            // Adding a block to a run loop and waking it are documented as thread-safe.
            let (runLoop, modes) = (UncheckedTransfer(current), [mode.rawValue, RunLoop.Mode.default.rawValue])
            return { work in
                CFRunLoopPerformBlock(runLoop.value, modes as CFTypeRef, work)
                CFRunLoopWakeUp(runLoop.value)
            }
        }

        /// Returns the context of the network's first session, or else of `URLSession.shared`, because a task does not
        /// know its session here.
        ///
        /// The context has a delegate if there may be one.
        func sessionContext(
            orOf first: @autoclosure () -> SessionContext?,
            callingClient call: @escaping ClientCall
        ) -> SessionContext {
            var context = first() ?? SessionContext(URLSession.shared.configuration)
            context.bodySource = task?.bodySource(of: request) ?? .request
            let delegate = taskDelegate
            if context.mayHaveDelegate || delegate != nil {
                let follows = context.asksAboutRedirects || delegate?.hearsOfRedirects == true
                context.delegate = TaskDelegate(followsInNewLoads: follows, callClient: call)
            }
            return context
        }

        /// The delegate that the task has in addition to its session's.
        private var taskDelegate: (any URLSessionTaskDelegate)? {
            guard #available(macOS 12, iOS 15, tvOS 15, watchOS 8, *) else { return nil }
            return task?.delegate
        }
    }

    extension URLSessionConfiguration {
        /// The property is new in macOS 15.4 and iOS 18.4.
        ///
        /// Older SDKs lack it, so it is set by key-value coding.
        private static let loadingModeKey = "usesClassicLoadingMode"

        private var hasLoadingModes: Bool { responds(to: NSSelectorFromString("setUsesClassicLoadingMode:")) }

        /// Selects the classic loading mode.
        ///
        /// The newer one replaces errors, and reads the answers to redirects differently.
        func selectClassicLoadingMode() {
            if hasLoadingModes { setValue(true, forKey: Self.loadingModeKey) }
        }

        /// A Boolean value that indicates whether the newer loading mode is selected.
        var usesNewLoadingMode: Bool { hasLoadingModes && value(forKey: Self.loadingModeKey) as? Bool == false }
    }

    extension Error {
        /// The error as the client gets it: an `NSError`, because the system drops the text of other types.
        var forClient: any Error {
            let error = self as NSError
            return NSError(domain: error.domain, code: error.code, userInfo: completeUserInfo(of: error))
        }
    }

    extension URLSessionDelegate {
        /// A Boolean value that indicates whether the delegate implements `willPerformHTTPRedirection`.
        var hearsOfRedirects: Bool {
            let name = "URLSession:task:willPerformHTTPRedirection:newRequest:completionHandler:"
            return responds(to: NSSelectorFromString(name))
        }
    }

    /// The delegate of a task, to which the protocol's client passes some questions.
    struct TaskDelegate: Sendable {
        /// The longest time that an answer to a challenge may take, in seconds.
        ///
        /// The sender of a challenge is documented for `NSURLConnection` only: the client may never call it.
        static let longestAnswerTime: TimeInterval = 10

        /// The time, in seconds, within which a client stops the load if its delegate follows a redirect.
        static let redirectTime = 0.5

        /// The factor of that time: the simulated clients of many tests share a few threads, so they have more time.
        #if SIMULATES_APPLE
            static let slowness = 6.0
        #else
            private static let slowness = 1.0
        #endif

        /// A Boolean value that indicates whether the client follows a redirect with a new load, and stops this one.
        let followsInNewLoads: Bool
        fileprivate let callClient: ClientCall

        /// Decides that the redirect is followed; or reports it to the client, and decides later that the response is
        /// delivered.
        ///
        /// The client begins a new load if its delegate follows the redirect. If not, it waits for the response or, in
        /// the newer loading mode, ends the load. The client does not report which of these it does, and a response
        /// that is sent at once can overtake its delegate. So the response waits until the client has had time to stop
        /// the load. Without a delegate, the redirect is not reported, because the new load could not be recognized as
        /// a part of this one.
        ///
        /// - Returns: A function that cancels the answer.
        func redirect(
            _ response: HTTPURLResponse,
            to request: URLRequest,
            answer: @escaping @Sendable (URLRequest?) -> Void
        ) -> @Sendable () -> Void {
            guard followsInNewLoads else {
                answer(request)
                return {}
            }
            callClient { $0.client?.urlProtocol($0, wasRedirectedTo: request, redirectResponse: response) }
            return Delay.run(after: Self.redirectTime * Self.slowness) { answer(nil) }
        }

        /// Passes a challenge to the client, which gives its answer to the challenge's sender.
        func challenge(_ challenge: URLAuthenticationChallenge, answer: @escaping ChallengeAnswer) {
            callClient { $0.client?.urlProtocol($0, didReceive: challenge) }
        }
    }

    extension URLCredentialStorage {
        /// Returns the default credential for a protection space.
        func storedDefault(for space: URLProtectionSpace) -> URLCredential? { defaultCredential(for: space) }
    }

    extension HTTPURLResponse {
        /// Returns a response for the client.
        static func forClient(url: URL, statusCode: Int, headerFields: [String: String]) -> HTTPURLResponse? {
            HTTPURLResponse(url: url, statusCode: statusCode, httpVersion: "HTTP/1.1", headerFields: headerFields)
        }

        /// A Boolean value that indicates whether one response may be used for several requests: not here, because
        /// other code can attach objects to it.
        static var mayBeShared: Bool { false }

        /// A Boolean value that indicates whether the response sets cookies.
        var setsCookies: Bool { value(forHTTPHeaderField: "Set-Cookie") != nil }

        /// A Boolean value that indicates whether this response, which Foundation made, may be passed to a client.
        var isFitForClient: Bool { true }
    }

    extension URLProtocol {
        /// Tells the client that loading has finished.
        func finish() { client?.urlProtocolDidFinishLoading(self) }
    }
#endif
