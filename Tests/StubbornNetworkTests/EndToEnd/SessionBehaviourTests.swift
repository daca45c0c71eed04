import Foundation
import LoopbackServer
import StubbornNetwork
import Testing

/// What a session does for its tasks holds for a stubbed one too: live, and played back.
@Suite(.timeLimit(.minutes(5)))
struct SessionBehaviourTests {
    let directory = TemporaryDirectory()
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    private func network(_ mode: RecordMode) -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: "session", path: directory.path)!, environment: .newRun)
        network.recordMode = mode
        network.redaction = .none
        network.onUnstubbedRequest = { _ in }
        return network
    }

    /// The same with the server, and then without it.
    private func liveAndPlayed(_ check: (StubbornNetwork) async throws -> Void) async throws {
        let recording = network(.recording)
        try await check(recording)
        try recording.finishRecording()
        let connections = server.connectionCount
        server.stop()
        try await check(network(.playback))
        #expect(server.connectionCount == connections)
    }

    // MARK: Challenges

    @Test func `a delegate answers a challenge`() async throws {
        try await liveAndPlayed { network in
            let delegate = QuestionedDelegate()
            let session = network.makeSession(delegate: delegate)
            let (_, response) = try await session.data(from: server.url("/basic-auth/user/pass"))
            #expect(response.status == 200)
            #expect(delegate.challenges == 1)
        }
        #expect(server.requests.count == 2)
    }

    @Test(arguments: ["Digest realm=\"test\", nonce=\"n\", qop=\"auth\"", "Bearer realm=\"test\"", "Negotiate"])
    func `a challenge other than basic is delivered as the response, and no delegate is asked`(
        challenge: String
    ) async throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.stub(.any, with: .status(401, headers: ["WWW-Authenticate": challenge]))
        let delegate = QuestionedDelegate()
        let (_, response) = try await network.makeSession(delegate: delegate).data(from: server.url("/"))
        #expect(response.status == 401)
        #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "WWW-Authenticate") == challenge)
        #expect(delegate.challenges == 0)
    }

    /// A session that has a password for the server.
    private func session(of network: StubbornNetwork, storing password: String) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        let space = URLProtectionSpace(
            host: "127.0.0.1",
            port: Int(server.port),
            protocol: "http",
            realm: "test",
            authenticationMethod: NSURLAuthenticationMethodHTTPBasic
        )
        // An ephemeral session's own storage keeps no default credential on Linux.
        configuration.urlCredentialStorage = .shared
        URLCredentialStorage.shared.setDefaultCredential(
            URLCredential(user: "user", password: password, persistence: .forSession),
            for: space
        )
        return network.makeSession(configuration: configuration)
    }

    @Test func `a stored credential answers a challenge`() async throws {
        try await liveAndPlayed { network in
            let session = session(of: network, storing: "pass")
            let (_, response) = try await session.data(from: server.url("/basic-auth/user/pass"))
            #expect(response.status == 200)
        }
    }

    @Test func `a stored password that is wrong is sent once, so that no account is locked`() async throws {
        try await liveAndPlayed { network in
            let session = session(of: network, storing: "wrong")
            let (_, response) = try await session.data(from: server.url("/basic-auth/user/pass"))
            #expect(response.status == 401)
        }
        #expect(server.requests.map { $0.header("Authorization") != nil } == [false, true])
    }

    @Test func `a wrong password is asked for again only a few times`() async throws {
        try await liveAndPlayed { network in
            let delegate = QuestionedDelegate(password: "wrong")
            let session = network.makeSession(delegate: delegate)
            let (_, response) = try await session.data(from: server.url("/basic-auth/user/pass"))
            #expect(response.status == 401)
            #expect(delegate.challenges == 3)
        }
    }

    @Test func `without a delegate the 401 is the response`() async throws {
        try await liveAndPlayed { network in
            let (_, response) = try await network.session.data(from: server.url("/basic-auth/user/pass"))
            #expect(response.status == 401)
        }
    }

    @Test func `a delegate cancels a challenge`() async throws {
        try await liveAndPlayed { network in
            let session = network.makeSession(delegate: QuestionedDelegate(answer: .cancelAuthenticationChallenge))
            let error = await #expect(throws: URLError.self) {
                try await session.data(from: server.url("/basic-auth/user/pass"))
            }
            #expect(error?.code == .cancelled)
        }
    }

    // MARK: Redirects

    @Test func `a delegate is asked about each redirect`() async throws {
        try await liveAndPlayed { network in
            let delegate = QuestionedDelegate()
            let session = network.makeSession(delegate: delegate)
            let (data, response) = try await session.data(from: server.url("/redirect/2"))
            #expect(response.status == 200)
            #expect(response.url == server.url("/hello"))
            #expect(!data.isEmpty)
            #expect(delegate.redirects == [server.url("/redirect/1"), server.url("/hello")])
        }
    }

    @Test(arguments: ["/redirect/2", "/basic-auth/user/pass"], [RecordMode.recording, .live, .playback])
    func `a delegate is called on the session's own queue`(path: String, mode: RecordMode) async throws {
        if mode == .playback {
            let recording = network(.recording)
            _ = try await recording.makeSession(delegate: QuestionedDelegate()).data(from: server.url(path))
            try recording.finishRecording()
            server.stop()
        }
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let elsewhere = ClientLog()
        let behaviour = ClientDelegate.Behaviour(
            challenges: .credential(user: "user", password: "pass"),
            onCall: { name, _ in if OperationQueue.current !== queue { elsewhere.call(name) } }
        )
        let delegate = ClientDelegate(ClientLog(), behaviour)
        let session = network(mode).makeSession(delegate: delegate, delegateQueue: queue)
        session.dataTask(with: server.url(path)).resume()
        try await eventually { delegate.log.ends == 1 }
        #expect(delegate.log.status == 200)
        #expect(delegate.log.calls.contains { $0.hasPrefix("redirect") || $0.hasPrefix("challenge") })
        #expect(elsewhere.calls == [])
    }

    @Test func `a delegate that refuses a redirect gets the redirect as the response`() async throws {
        try await liveAndPlayed { network in
            let session = network.makeSession(delegate: QuestionedDelegate(follows: false))
            let (_, response) = try await session.data(from: server.url("/redirect/2"))
            #expect(response.status == 302)
            #expect(response.url == server.url("/redirect/2"))
        }
    }

    @Test(arguments: [RecordMode.recording, .live])
    func `a redirect that sets a cookie is followed with the new one, not with the old one`(
        mode: RecordMode
    ) async throws {
        let server = try LoopbackServer { request in
            guard request.path == "/login" else { return .text("home") }
            let cookie = "sid=\(request.nextNumber(for: "sid")); Path=/"
            return .init(status: 302, headers: [("Location", "/home"), ("Set-Cookie", cookie)])
        }
        let session = network(mode).session
        for _ in 0..<2 { _ = try await session.data(from: server.url("/login")) }
        let sent = server.requests.map { "\($0.path) \($0.header("Cookie") ?? "none")" }
        #expect(sent == ["/login none", "/home sid=1", "/login sid=1", "/home sid=2"])
    }

    @Test(arguments: [RecordMode.recording, .live])
    func `a redirect that deletes a cookie is followed without it`(mode: RecordMode) async throws {
        let server = try LoopbackServer { request in
            switch request.path {
            case "/login": return .text("in", headers: [("Set-Cookie", "sid=1; Path=/")])
            case "/logout":
                let cookie = "sid=gone; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT"
                return .init(status: 303, headers: [("Location", "/home"), ("Set-Cookie", cookie)])
            default: return .text("home")
            }
        }
        let session = network(mode).session
        for path in ["/login", "/logout"] { _ = try await session.data(from: server.url(path)) }
        let sent = server.requests.map { "\($0.path) \($0.header("Cookie") ?? "none")" }
        #expect(sent == ["/login none", "/logout sid=1", "/home none"])
    }

    @Test(arguments: [RecordMode.recording, .live])
    func `a challenge that sets a cookie is answered with the new one, not with the old one`(
        mode: RecordMode
    ) async throws {
        let server = try LoopbackServer { request in
            if request.header("Authorization") != nil { return .text("in") }
            let cookie = "sid=\(request.nextNumber(for: "sid")); Path=/"
            return .init(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"test\""), ("Set-Cookie", cookie)])
        }
        let session = network(mode).makeSession(delegate: QuestionedDelegate())
        for _ in 0..<2 { _ = try await session.data(from: server.url("/")) }
        #expect(server.requests.map { $0.header("Cookie") ?? "none" } == ["none", "sid=1", "sid=1", "sid=2"])
    }

    @Test(arguments: [RecordMode.recording, .live])
    func `a redirect to another server takes no cookie and no password there`(mode: RecordMode) async throws {
        let other = try LoopbackServer()
        var request = URLRequest(url: server.url("/redirect-to?url=\(other.url("/hello").absoluteString)"))
        request.setValue("session=grey-mule", forHTTPHeaderField: "Cookie")
        request.setValue("Bearer tall-bird", forHTTPHeaderField: "Authorization")
        request.setValue("kept", forHTTPHeaderField: "X-Mine")
        _ = try await network(mode).session.data(for: request)
        #expect(server.requests.first?.header("Cookie") == "session=grey-mule")
        let redirected = try #require(other.requests.first)
        #expect(redirected.header("Cookie") == nil)
        #expect(redirected.header("Authorization") == nil)
        #expect(redirected.header("X-Mine") == "kept")
    }

    // MARK: Cookies, header fields, timeouts

    @Test func `cookies of a response are kept, and sent`() async throws {
        try await liveAndPlayed { network in
            let configuration = URLSessionConfiguration.ephemeral
            let session = network.makeSession(configuration: configuration)
            _ = try await session.data(from: server.url("/cookies/set?flavour=oat"))
            let cookies = configuration.httpCookieStorage?.cookies(for: server.url("/")) ?? []
            #expect(cookies.map { "\($0.name)=\($0.value)" } == ["flavour=oat"])
            let (data, _) = try await session.data(from: server.url("/cookies"))
            #expect(String(decoding: data, as: UTF8.self).contains("oat"))
        }
    }

    @Test func `a stub's cookie is kept`() async throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.stub(.path("/login"), with: .status(200, headers: ["Set-Cookie": "a=1; Path=/"]))
        let configuration = URLSessionConfiguration.ephemeral
        let session = network.makeSession(configuration: configuration)
        _ = try await session.data(from: server.url("/login"))
        let cookies = configuration.httpCookieStorage?.cookies(for: server.url("/")) ?? []
        #expect(cookies.map { "\($0.name)=\($0.value)" } == ["a=1"])
    }

    @Test func `a delegate receives no data for a response without a body`() async throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.stub(.any, with: .status(200))
        let delegate = ClientDelegate()
        let session = network.makeSession(delegate: delegate)
        session.dataTask(with: server.url("/")).resume()
        try await eventually { delegate.log.ends == 1 }
        #expect(delegate.log.calls == ["response 200", "completion"])
    }

    @Test func `a session that accepts no cookies stores none`() async throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.stub(.any, with: .status(200, headers: ["Set-Cookie": "a=1; Path=/"]))
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieAcceptPolicy = .never
        _ = try await network.makeSession(configuration: configuration).data(from: server.url("/"))
        #expect(configuration.httpCookieStorage?.cookies?.isEmpty == true)
    }

    @Test func `a session's header fields reach the server`() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["X-Session": "mine", "X-Both": "session"]
        let network = network(.recording)
        var request = URLRequest(url: server.url("/hello"))
        request.setValue("request", forHTTPHeaderField: "X-Both")
        _ = try await network.makeSession(configuration: configuration).data(for: request)
        #expect(server.requests.first?.header("X-Session") == "mine")
        #expect(server.requests.first?.header("X-Both") == "request")
    }

    @Test(arguments: [TimeInterval.infinity, .greatestFiniteMagnitude, 1e12])
    func `an infinite timeout does not crash`(timeout: TimeInterval) async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = timeout
        configuration.timeoutIntervalForResource = timeout
        var request = URLRequest(url: server.url("/hello"))
        request.timeoutInterval = timeout
        let session = network(.recording).makeSession(configuration: configuration)
        #expect(try await session.data(for: request).1.status == 200)
    }

    @Test func `a delay longer than the request's or the session's timeout ends in a timeout`() async throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.stub(.any, with: StubResponse.text("late").delayed(by: .seconds(30)))
        var request = URLRequest(url: server.url("/"))
        request.timeoutInterval = 0.05
        let error = await #expect(throws: URLError.self) { try await network.session.data(for: request) }
        #expect(error?.code == .timedOut)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 0.05
        let session = network.makeSession(configuration: configuration)
        let other = await #expect(throws: URLError.self) { try await session.data(from: server.url("/")) }
        #expect(other?.code == .timedOut)
    }

    // MARK: The life of a task

    @Test func `a suspended task uses its stub once, and gets it when it is resumed`() async throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        let delay = DispatchTimeInterval.milliseconds(30)
        network.stub(.any, with: ["1", "2"].map { StubResponse.text($0).delayed(by: delay) })
        let answers = Answers()
        let task = network.session.dataTask(with: server.url("/")) { data, _, error in answers.add(data, error) }
        task.resume()
        task.suspend()
        task.resume()
        task.suspend()
        try await eventually { network.exchanges.count == 1 }
        task.resume()
        try await eventually { answers.all.count == 1 }
        #expect(answers.all == ["1"])
        let (data, _) = try await network.session.data(from: server.url("/"))
        #expect(String(decoding: data, as: UTF8.self) == "2")
    }

    @Test func `a task is cancelled before, while and after it is answered`() async throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.stub(.path("/now"), with: .text("now"))
        network.stub(.path("/never"), with: StubResponse.text("late").delayed(by: .seconds(50)))
        let answers = Answers()
        func start(_ path: String) -> URLSessionDataTask {
            network.session.dataTask(with: server.url(path)) { data, _, error in answers.add(data, error) }
        }
        let before = start("/now")
        before.cancel()
        before.resume()
        try await eventually { answers.all.count == 1 }
        let during = start("/never")
        during.resume()
        during.cancel()
        try await eventually { answers.all.count == 2 }
        let after = start("/now")
        after.resume()
        try await eventually { answers.all.count == 3 }
        after.cancel()
        #expect(answers.all == ["cancelled", "cancelled", "now"])
    }

    @Test func `an invalidated session cancels what runs, or waits for it`() async throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.stub(.any, with: StubResponse.text("done").delayed(by: .milliseconds(50)))
        let answers = Answers()
        let cancelled = network.makeSession()
        cancelled.dataTask(with: server.url("/")) { data, _, error in answers.add(data, error) }.resume()
        cancelled.invalidateAndCancel()
        try await eventually { answers.all == ["cancelled"] }
        let finished = network.makeSession()
        finished.dataTask(with: server.url("/")) { data, _, error in answers.add(data, error) }.resume()
        finished.finishTasksAndInvalidate()
        try await eventually { answers.all == ["cancelled", "done"] }
    }

    @Test func `a large body reaches a delegate in parts, and a completion handler whole`() async throws {
        let body = LoopbackServer.bytes(count: 3_000_000)
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.stub(.any, with: .data(body))
        let delegate = CollectingDelegate()
        let session = network.makeSession(delegate: delegate)
        session.dataTask(with: server.url("/")).resume()
        try await eventually { delegate.isComplete }
        #expect(delegate.data == body)
        #expect(delegate.chunkCount > 5)
        #expect(try await session.data(from: server.url("/")).0 == body)
    }
}

/// What tasks ended with: the text, or `cancelled`, or the error.
final class Answers: @unchecked Sendable {
    private let lock = NSLock()
    private var answers: [String] = []

    var all: [String] { lock.withLock { answers } }

    func add(_ data: Data?, _ error: (any Error)?) {
        let isCancelled = (error as? URLError)?.code == .cancelled
        let answer =
            isCancelled ? "cancelled" : error.map { "\($0)" } ?? String(decoding: data ?? Data(), as: UTF8.self)
        lock.withLock { answers.append(answer) }
    }
}

/// Counts what it is asked, and answers as told.
final class QuestionedDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let lock = NSLock()
    private var challengeCount = 0
    private var redirectTargets: [URL?] = []
    private let password: String
    private let answer: URLSession.AuthChallengeDisposition
    private let follows: Bool

    init(
        password: String = "pass",
        answer: URLSession.AuthChallengeDisposition = .useCredential,
        follows: Bool = true
    ) {
        self.password = password
        self.answer = answer
        self.follows = follows
    }

    var challenges: Int { lock.withLock { challengeCount } }
    var redirects: [URL?] { lock.withLock { redirectTargets } }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        lock.withLock { challengeCount += 1 }
        completionHandler(answer, URLCredential(user: "user", password: password, persistence: .none))
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        lock.withLock { redirectTargets.append(request.url) }
        completionHandler(follows ? request : nil)
    }
}
