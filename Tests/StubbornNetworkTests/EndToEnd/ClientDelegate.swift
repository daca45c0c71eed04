import Foundation

@testable import StubbornNetwork

/// What has happened to one task, as its client sees it.
final class ClientLog: Sendable {
    struct State {
        /// In order, consecutive parts of the body as one: `["response 200", "data", "completion"]`.
        var calls: [String] = []
        /// Each part of the body, as it came.
        var parts: [Data] = []
        var body = Data()
        var response: URLResponse?
        var error: (any Error)?
        /// The number of times that the task has ended; more than one is never right.
        var ends = 0
    }

    private let lock = Lock(State())

    var ends: Int { lock.withLock { $0.ends } }
    var calls: [String] { lock.withLock { $0.calls } }
    var parts: [Data] { lock.withLock { $0.parts } }
    var text: String { lock.withLock { String(decoding: $0.body, as: UTF8.self) } }
    var status: Int? { lock.withLock { $0.response?.status } }
    var errorCode: Int? { lock.withLock { $0.error.map { ($0 as NSError).code } } }

    func seen(task: URLSessionTask?, session: URLSession, url: URL?) -> Seen {
        let state = UncheckedTransfer(lock.withLock { UncheckedTransfer($0) }.value)
        return Seen(state.value, task: task, session: session, url: url)
    }

    /// Puts the end after the calls that it overtook on another queue.
    func moveEndToEnd() {
        lock.withLock { state in
            guard let end = state.calls.firstIndex(where: { $0 == "completion" || $0.hasPrefix("failure") }) else {
                return
            }
            state.calls.append(state.calls.remove(at: end))
        }
    }

    func call(_ name: String) {
        lock.withLock { $0.calls.append(name) }
    }

    func receive(_ response: URLResponse) {
        lock.withLock { state in
            state.calls.append("response \(response.status ?? 0)")
            state.response = response
        }
    }

    func receive(_ data: Data) {
        lock.withLock { state in
            if state.calls.last != "data" { state.calls.append("data") }
            state.parts.append(data)
            state.body.append(data)
        }
    }

    func end(_ error: (any Error)?) {
        lock.withLock { state in
            state.calls.append(error.map { "failure \(($0 as NSError).code)" } ?? "completion")
            state.error = error
            state.ends += 1
        }
    }

    /// The end that a completion handler or an async call is told, all at once.
    func end(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) {
        lock.withLock { state in
            if let response { state.response = response }
            if let data { state.body = data }
        }
        end(error)
    }
}

/// A session's or a task's delegate that writes down all it is told, and does as it is told.
///
/// Everything is in this one class: on Linux a subclass's methods would not be called.
final class ClientDelegate: NSObject, URLSessionDataDelegate {
    /// What the delegate does where it is asked.
    struct Behaviour: Sendable {
        enum Redirects: Sendable {
            case follow
            case refuse
            case change(@Sendable (URLRequest) -> URLRequest)
        }

        enum Challenges: Sendable {
            case defaultHandling
            case credential(user: String, password: String)
            /// The same, given to the sender of the challenge instead of the completion handler.
            case credentialToSender(user: String, password: String)
            case cancel
            case reject
            /// No answer.
            case silence
        }

        var redirects = Redirects.follow
        var challenges = Challenges.defaultHandling
        var disposition = URLSession.ResponseDisposition.allow
        var bodyStream: Data?
        /// Called inside each call, with its name.
        var onCall: @Sendable (String, URLSessionTask) -> Void = { _, _ in }
    }

    let log: ClientLog
    private let behaviour: Behaviour

    init(_ log: ClientLog = ClientLog(), _ behaviour: Behaviour = Behaviour()) {
        self.log = log
        self.behaviour = behaviour
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        log.receive(response)
        behaviour.onCall("response", dataTask)
        completionHandler(behaviour.disposition)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        log.receive(data)
        behaviour.onCall("data", dataTask)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        log.call("redirect \(response.statusCode) \(request.httpMethod ?? "") \(request.url?.path ?? "")")
        behaviour.onCall("redirect", task)
        switch behaviour.redirects {
        case .follow: completionHandler(request)
        case .refuse: completionHandler(nil)
        case .change(let change): completionHandler(change(request))
        }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let space = challenge.protectionSpace
        let method = space.authenticationMethod.replacingOccurrences(of: "NSURLAuthenticationMethod", with: "")
        log.call("challenge \(method) \(space.realm ?? "") \(challenge.previousFailureCount)")
        behaviour.onCall("challenge", task)
        switch behaviour.challenges {
        case .defaultHandling: completionHandler(.performDefaultHandling, nil)
        case .cancel: completionHandler(.cancelAuthenticationChallenge, nil)
        case .reject: completionHandler(.rejectProtectionSpace, nil)
        case .silence: break
        case .credentialToSender(let user, let password):
            let credential = URLCredential(user: user, password: password, persistence: .none)
            challenge.sender?.use(credential, for: challenge)
        case .credential(let user, let password):
            // A second challenge means that they were wrong.
            guard challenge.previousFailureCount == 0 else { return completionHandler(.rejectProtectionSpace, nil) }
            completionHandler(.useCredential, URLCredential(user: user, password: password, persistence: .none))
        }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        completionHandler(behaviour.bodyStream.map { InputStream(data: $0) })
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        log.end(error)
        behaviour.onCall("completion", task)
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        log.call("invalid")
    }
}
