import Foundation

@testable import StubbornNetwork

/// One load of a request: the client of its protocol, which judges what the protocol does.
final class Load: NSObject, URLProtocolClient, Sendable {
    private struct State {
        var urlProtocol: UncheckedTransfer<URLProtocol>?
        var task: (any SimulatedTask)?
        weak var startedProtocol: URLProtocol?
        var calls: [String] = []
        var problems: [String] = []
        var response: HTTPURLResponse?
        var body = Data()
        var error: NSError?
        var challenges: [URLAuthenticationChallenge] = []
        var redirectResponses: [HTTPURLResponse] = []
        var isOver = false
        var isStopped = false
        var isBeingCalled = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let request: URLRequest
    private let session: SimulatedSession
    private let kind: TaskKind
    private let place: Loader.Place
    private let loader: Loader
    private let answer: DelegateAnswer
    private let followsRedirects: Bool
    private let state = Lock(State())

    init(
        _ request: URLRequest,
        through session: SimulatedSession,
        by kind: TaskKind,
        at place: Loader.Place,
        of loader: Loader,
        answering answer: DelegateAnswer,
        followingRedirects: Bool
    ) {
        self.request = request
        self.session = session
        self.kind = kind
        self.place = place
        self.loader = loader
        self.answer = answer
        followsRedirects = followingRedirects
    }

    // MARK: What happened

    /// The calls of the client, without the bytes.
    var calls: [String] { state.withLock { $0.calls } }
    /// The rules of a client that were broken.
    var problems: [String] { state.withLock { $0.problems } }
    var response: HTTPURLResponse? { state.withLock { $0.response } }
    var body: Data { state.withLock { $0.body } }
    var text: String { String(decoding: body, as: UTF8.self) }
    /// The error, as the caller of the session gets it.
    var error: NSError? { state.withLock { $0.error } }
    var challenges: [URLAuthenticationChallenge] { state.withLock { $0.challenges } }
    /// The responses that came with redirects.
    var redirectResponses: [HTTPURLResponse] { state.withLock { $0.redirectResponses } }
    /// A Boolean value that indicates whether the protocol is freed, or was never started.
    var isFreed: Bool { state.withLock { $0.urlProtocol == nil && $0.startedProtocol == nil } }

    /// Waits until the load is stopped, which it is after each end.
    func end() async {
        await withCheckedContinuation { continuation in
            let isStopped = state.withLock { state in
                if !state.isStopped { state.waiters.append(continuation) }
                return state.isStopped
            }
            if isStopped { continuation.resume() }
        }
    }

    // MARK: Starting and stopping

    /// Starts the load, which has to end within 40 seconds.
    func start() {
        DispatchQueue.global().asyncAfter(deadline: .now() + 40) { [weak self] in
            guard let self, !state.withLock({ $0.isStopped }) else { return }
            state.withLock { $0.problems.append("no end") }
            loader.perform(at: place) { self.stop() }
        }
        start(request)
    }

    /// Asks the protocol classes, and starts the first one that accepts the request.
    private func start(_ request: URLRequest) {
        // "This can be called on any thread" (CustomHTTPProtocol). That a class is asked several times for a request is
        // not documented; decompiled code asks once for each start.
        DispatchQueue.global().async { [self] in
            let shown = session.request(request, by: kind)
            let asked = (0..<Int.random(in: 1...3)).map { _ in session.protocolClass(for: shown) }
            guard let protocolClass = asked.last ?? nil else { return refuse() }
            let canonical = protocolClass.canonicalRequest(for: shown)
            // A protocol may be created and freed on any thread, too (CustomHTTPProtocol).
            let urlProtocol = protocolClass.init(request: canonical, cachedResponse: nil, client: self)
            let task = kind.task(for: request)
            urlProtocol.task = task
            state.withLock { $0.task = task as? any SimulatedTask }
            let created = UncheckedTransfer(urlProtocol)
            loader.begin(at: place) {
                self.begin(created.value)
            } isOver: {
                self.state.withLock { $0.isOver }
            } onStall: {
                // Judged with the test's story: on this thread, no test is running.
                self.state.withLock { $0.problems.append("no end in the run loop mode of the start") }
            }
            DispatchQueue.global().asyncAfter(deadline: .now() + min(session.resourceTimeout, 3600)) { [weak self] in
                guard let self else { return }
                loader.perform(at: place) { self.stop(because: URLError(.timedOut)) }
            }
        }
    }

    /// No class accepts the request: on a Mac it goes to the real server now.
    private func refuse() {
        state.withLock { $0.calls.append("real network") }
        loader.perform(at: place) { self.stop() }
    }

    private func begin(_ urlProtocol: URLProtocol) {
        let created = UncheckedTransfer(urlProtocol)
        let isStopped = state.withLock { state in
            state.startedProtocol = created.value
            if !state.isStopped { state.urlProtocol = created }
            return state.isStopped
        }
        guard !isStopped else { return }
        urlProtocol.startLoading()
    }

    /// Cancels the load after a time, or stops it with another error.
    func cancel(after seconds: Double = 0, because error: URLError = URLError(.cancelled)) {
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [self] in
            // The loader is busy with others, so that calls of the client come to wait after the stop.
            loader.perform(at: place) { usleep(.random(in: 0...200)) }
            loader.perform(at: place) { self.stop(because: error) }
        }
    }

    /// Ends the load with an error that is not the protocol's: the task usually has it when the protocol is stopped (donk's
    /// `HTTPExchange.stop()` reads it there).
    private func stop(because error: URLError) {
        let task = state.withLock { state -> (any SimulatedTask)? in
            guard !state.isOver, !state.isStopped else { return nil }
            state.isOver = true
            state.error = error as NSError
            return state.task
        }
        task?.cancel(with: error, at: session.errorTime)
        stop()
    }

    /// Stops the protocol.
    ///
    /// A protocol is stopped when its task is cancelled, and after each end: "Finally, after calling
    /// -URLProtocolDidFinishLoading, I get" `stopLoading` (cocoabuilder.com, message cocoa/2006/7/21/168026, which also
    /// tells of crashes by calls of the client during and after `stopLoading`).
    private func stop() {
        let urlProtocol = state.withLock { state -> UncheckedTransfer<URLProtocol>? in
            state.isStopped = true
            defer { state.urlProtocol = nil }
            return state.urlProtocol
        }
        let failure = state.withLock { $0.task?.failure }
        failure?.withLock { $0.stoppingThread = ObjectIdentifier(Thread.current) }
        urlProtocol?.value.stopLoading()
        failure?.withLock { $0.stoppingThread = nil }
        if failure?.withLock({ $0.isReadWhileStopping }) == true {
            state.withLock { $0.problems.append("a wait for the task's error inside stopLoading") }
        }
        if case .late(let answer) = answer { challenges.forEach(answer.give) }
        // When CFNetwork releases it is not known: not at once, so that work which is on its way finds the protocol.
        if let urlProtocol { loader.perform(at: place) { _ = urlProtocol } }
        let waiters = state.withLock { state in
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    // MARK: The client

    /// Judges a call of the client; one that the client would not expect is not noted.
    private func judge(_ call: String, isEnd: Bool = false, _ note: @escaping (inout State) -> String?) {
        let isRightThread = place == .queue || loader.isThisThread
        let counts = state.withLock { state in
            if !isRightThread { state.problems.append("\(call) on another thread") }
            let name = call.prefix { $0 != " " }
            if state.isBeingCalled { state.problems.append("\(name) during another call") }
            if state.isStopped { state.problems.append("\(name) after stopLoading") }
            if state.isOver { state.problems.append("\(name) after the end") }
            guard !state.isStopped, !state.isOver else { return false }
            state.isBeingCalled = true
            state.calls.append(call)
            if let problem = note(&state) { state.problems.append(problem) }
            state.isOver = isEnd
            return true
        }
        guard counts else { return }
        // A call from another thread in the meantime is noticed.
        if place == .queue { sched_yield() }
        state.withLock { $0.isBeingCalled = false }
        if isEnd { loader.perform(at: place) { self.stop() } }
    }

    func urlProtocol(
        _ protocol: URLProtocol,
        didReceive response: URLResponse,
        cacheStoragePolicy policy: URLCache.StoragePolicy
    ) {
        let response = response as? HTTPURLResponse
        judge("response \(response?.statusCode ?? 0)") { state in
            defer { state.response = response }
            if state.response != nil { return "a second response" }
            // The next request must use up a stub of its own.
            return policy == .notAllowed ? nil : "a response that may be cached"
        }
    }

    func urlProtocol(_ protocol: URLProtocol, didLoad data: Data) {
        judge("data") { state in
            state.body += data
            return state.response == nil ? "data without a response" : nil
        }
    }

    func urlProtocolDidFinishLoading(_ protocol: URLProtocol) {
        judge("end", isEnd: true) { $0.response == nil ? "an end without a response" : nil }
    }

    /// Hands on an error as CFNetwork does.
    ///
    /// The classic loader passes a different `NSError` with the same domain, code and user info, and drops the text of other types
    /// ("URLProtocol alters error in iOS 14", DataDog/dd-sdk-ios, pull request 257). The newer one passes an error of its own
    /// with the same code, as decompiled code suggests, which has the protocol's as its underlying error.
    func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error) {
        let isPlain = type(of: error) == NSError.self
        let error = error as NSError
        var copy = NSError(domain: error.domain, code: error.code, userInfo: isPlain ? error.userInfo : [:])
        if session.mode == .new {
            copy = NSError(domain: NSURLErrorDomain, code: error.code, userInfo: [NSUnderlyingErrorKey: copy])
        }
        judge("failure \(copy.domain) \(copy.code)", isEnd: true) { state in
            state.error = copy
            return nil
        }
    }

    /// Asks the session's delegate.
    ///
    /// "The protocol client guarantees that it will answer the request on the same thread that called this method"
    /// (NSURLProtocol.h). That it answers through the sender is documented for `NSURLConnection` only. In the newer loading mode,
    /// decompiled code answers on the queue of the delegate.
    func urlProtocol(_ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge) {
        judge("challenge") { state in
            state.challenges.append(challenge)
            return state.response == nil ? nil : "a challenge after a response"
        }
        let question = UncheckedTransfer(challenge)
        let give: @Sendable () -> Void = { [answer] in answer.give(to: question.value) }
        if session.mode == .new { DispatchQueue.global().async(execute: give) } else { loader.perform(at: place, give) }
    }

    func urlProtocol(_ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse) {
        judge("redirect") { state in
            if let redirectResponse = redirectResponse as? HTTPURLResponse {
                state.redirectResponses.append(redirectResponse)
            }
            return state.response == nil ? nil : "a redirect after a response"
        }
        // A delegate answers on its own queue. A response that the protocol sends before reaches the caller (OHHTTPStubs issues
        // 230 and 280, openradar 39391319).
        DispatchQueue.global().asyncAfter(deadline: .now() + .random(in: 0...0.05)) { [self] in
            loader.perform(at: place) { self.answerRedirect(to: request) }
        }
    }

    /// Follows a redirect with a new load, or refuses it, as the delegate wants it.
    ///
    /// A classic loader that refuses a redirect waits for what the protocol sends: without a response, the load never ends
    /// (OHHTTPStubs issue 174). The newer one ends such a load by itself, as decompiled code suggests.
    private func answerRedirect(to request: URLRequest) {
        let (isOver, response) = state.withLock { ($0.isStopped || $0.isOver, $0.redirectResponses.last) }
        guard !isOver else { return }
        if !followsRedirects {
            guard session.mode == .new else { return }
            state.withLock { state in
                state.calls.append("response \(response?.statusCode ?? 0) of the loader")
                state.response = response
                state.isOver = true
            }
            return stop()
        }
        let urlProtocol = state.withLock { state in
            defer { state.urlProtocol = nil }
            return state.urlProtocol
        }
        guard let urlProtocol else { return }
        urlProtocol.value.stopLoading()
        start(request)
    }

    func urlProtocol(_ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse) {
        judge("cached") { _ in "a cached response, which nobody gave" }
    }

    func urlProtocol(_ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge) {
        judge("cancelled challenge") { _ in nil }
    }
}

/// The answer of a session's delegate to a challenge.
enum DelegateAnswer: Sendable {
    /// There is no delegate, or it asks for the default.
    case defaultHandling
    case use(user: String, password: String)
    case reject
    /// An answer without a credential, as CFNetwork passes on `.useCredential` with `nil`.
    case continueWithoutCredential
    case cancel
    /// The delegate never calls its completion handler, or the client never calls the sender.
    case never
    /// An answer at the moment when the load has been stopped.
    indirect case late(DelegateAnswer)
    /// An answer that comes after a time, in seconds: the user is asked.
    indirect case after(Double, DelegateAnswer)
    /// Several answers to one challenge.
    indirect case first(DelegateAnswer, then: DelegateAnswer)

    func give(to challenge: URLAuthenticationChallenge) {
        guard let sender = challenge.sender else { return }
        switch self {
        case .defaultHandling: sender.performDefaultHandling(for: challenge)
        case .use(let user, let password):
            sender.use(URLCredential(user: user, password: password, persistence: .none), for: challenge)
        case .reject: sender.rejectProtectionSpaceAndContinue(with: challenge)
        case .continueWithoutCredential: sender.continueWithoutCredential(for: challenge)
        case .cancel: sender.cancel(challenge)
        case .never, .late: break
        case .after(let seconds, let answer):
            let challenge = UncheckedTransfer(challenge)
            DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { answer.give(to: challenge.value) }
        case .first(let first, let second):
            first.give(to: challenge)
            second.give(to: challenge)
        }
    }
}
