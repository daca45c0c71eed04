import Foundation
import LoopbackServer
import StubbornNetwork
import Testing

/// The session's own configuration holds while recording, and playing back does not touch it.
@Suite(.timeLimit(.minutes(5)))
struct DeliveryConfigurationTests {
    let run = LiveAndPlayed()
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    private func end(_ request: URLRequest, on session: URLSession) async throws -> ClientLog {
        let log = ClientLog()
        session.dataTask(with: request) { log.end($0, $1, $2) }.resume()
        try await eventually { log.ends == 1 }
        return log
    }

    private func echo(_ log: ClientLog) throws -> LoopbackServer.Echo {
        try JSONDecoder().decode(LoopbackServer.Echo.self, from: Data(log.text.utf8))
    }

    @Test(arguments: ClientStyle.dataTasks)
    func `additional headers reach the server while recording`(style: ClientStyle) async throws {
        var row = ClientCase("additional headers", style, path: "/echo", headers: ["X-Own": "own"])
        row.configure = { $0.httpAdditionalHeaders = ["X-Additional": "added", "X-Own": "not this"] }
        let live = try await run.record(row, at: server)
        server.stop()
        LiveAndPlayed.expect(row, live: live, played: try await run.play(row, at: server))
        let echo = try JSONDecoder().decode(LoopbackServer.Echo.self, from: live.body)
        #expect(echo.headers(named: "X-Additional") == ["added"])
        #expect(echo.headers(named: "X-Own") == ["own"])
    }

    @Test func `cookies that a response sets are sent with the next request, live and played`() async throws {
        func ask(_ mode: RecordMode) async throws -> [String] {
            let network = run.network(mode)
            network.requestMatcherOptions = RequestMatcherOptions([.httpMethod, .url, .headers(named: ["Cookie"])])
            let session = network.makeSession()
            var texts: [String] = []
            for path in ["/cookies/set?a=1", "/cookies", "/cookies/set?b=2", "/cookies"] {
                texts.append(try await end(URLRequest(url: server.url(path)), on: session).text)
            }
            try network.finishRecording()
            return texts
        }
        let live = try await ask(.recording)
        server.stop()
        #expect(live == ["cookies set", #"{"a":"1"}"#, "cookies set", #"{"a":"1","b":"2"}"#])
        #expect(try await ask(.playback) == live)
    }

    @Test func `cookies of a redirect are kept and sent on`() async throws {
        let server = try LoopbackServer { request in
            request.path == "/a"
                ? .init(status: 302, headers: [("Location", "/b"), ("Set-Cookie", "hop=1; Path=/")])
                : .text(request.header("Cookie") ?? "none")
        }
        let session = run.network(.recording).makeSession()
        let log = try await end(URLRequest(url: server.url("/a")), on: session)
        #expect(log.text == "hop=1")
        #expect(session.configuration.httpCookieStorage?.cookies(for: server.url("/"))?.map(\.name) == ["hop"])
    }

    /// Returns the cookies that a server gets with a task that was created before a login and resumed after it.
    private func cookiesSentAfterLogin(_ change: (inout URLRequest) -> Void = { _ in }) async throws -> String {
        let session = run.network(.recording).makeSession()
        var request = URLRequest(url: server.url("/cookies"))
        change(&request)
        let later = ClientLog()
        let task = session.dataTask(with: request) { later.end($0, $1, $2) }
        _ = try await end(URLRequest(url: server.url("/cookies/set?login=1")), on: session)
        task.resume()
        try await eventually { later.ends == 1 }
        return later.text
    }

    @Test func `a task created before a recorded login sends the cookies of the login`() async throws {
        #expect(try await cookiesSentAfterLogin() == #"{"login":"1"}"#)
    }

    @Test func `a request's own cookies are sent unchanged`() async throws {
        let sent = try await cookiesSentAfterLogin { $0.setValue("own=1", forHTTPHeaderField: "Cookie") }
        #expect(sent == #"{"own":"1"}"#)
    }

    @Test func `no cookies are added to a request that does not handle cookies`() async throws {
        #expect(try await cookiesSentAfterLogin { $0.httpShouldHandleCookies = false } == "{}")
    }

    @Test(arguments: [RecordMode.recording, .playback])
    func `a session that accepts no cookies is given none`(mode: RecordMode) async throws {
        let network = run.network(mode)
        if mode == .playback { network.stub(.any, with: .status(200, headers: ["Set-Cookie": "a=1; Path=/"])) }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage?.cookieAcceptPolicy = .never
        let session = network.makeSession(configuration: configuration)
        _ = try await end(URLRequest(url: server.url("/cookies/set?a=1")), on: session)
        #expect(configuration.httpCookieStorage?.cookies ?? [] == [])
    }

    @Test func `a cache never shadows a stub`() async throws {
        let network = run.network(.playback)
        network.stub(
            .any,
            with: ["first", "second", "third"].map { .text($0, headers: ["Cache-Control": "max-age=3600"]) }
        )
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = URLCache(memoryCapacity: 1_000_000, diskCapacity: 0, diskPath: nil)
        configuration.requestCachePolicy = .returnCacheDataElseLoad
        let url = URL(string: "http://api.test/cached")!
        let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)!
        configuration.urlCache?.storeCachedResponse(
            CachedURLResponse(response: response, data: Data("cached".utf8)),
            for: URLRequest(url: url)
        )
        let session = network.makeSession(configuration: configuration)
        network.insertStubbedSessionURLProtocol(into: configuration)
        let own = URLSession(configuration: configuration)
        #expect(try await end(URLRequest(url: url), on: session).text == "first")
        #expect(try await end(URLRequest(url: url), on: session).text == "second")
        #expect(try await end(URLRequest(url: url), on: own).text == "third")
    }

    static let timeouts: [TimeInterval] = [.infinity, .greatestFiniteMagnitude, 1e15, .nan, 0, -1]

    @Test(arguments: timeouts, [RecordMode.recording, .playback])
    func `a request with a very long timeout succeeds`(timeout: TimeInterval, mode: RecordMode) async throws {
        let network = run.network(mode)
        if mode == .playback { network.stub(.any, with: .text("hello").delayed(by: .milliseconds(5))) }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = timeout
        configuration.timeoutIntervalForResource = timeout
        let session = network.makeSession(configuration: configuration)
        #expect(try await end(URLRequest(url: server.url("/hello")), on: session).text == "hello")
        let request = URLRequest(url: server.url("/hello"), timeoutInterval: timeout)
        #expect(try await end(request, on: session).text == "hello")
    }

    @Test func `making a session does not change the configuration`() throws {
        let configuration = URLSessionConfiguration.default
        let cache = URLCache(memoryCapacity: 1000, diskCapacity: 0, diskPath: nil)
        configuration.urlCache = cache
        configuration.httpAdditionalHeaders = ["X-Own": "own"]
        configuration.timeoutIntervalForRequest = 12
        let classes = configuration.protocolClasses?.map { ObjectIdentifier($0) }
        let storage = configuration.httpCookieStorage
        let session = run.network(.playback).makeSession(configuration: configuration)
        #expect(configuration.protocolClasses?.map { ObjectIdentifier($0) } == classes)
        #expect(configuration.urlCache === cache)
        #expect(configuration.httpAdditionalHeaders as? [String: String] == ["X-Own": "own"])
        #expect(configuration.timeoutIntervalForRequest == 12)
        #expect(configuration.httpCookieStorage === storage)
        #expect(session.configuration !== configuration)
        #expect(session.configuration.httpCookieStorage === storage)
    }

    private func ask(answering challenges: ClientDelegate.Behaviour.Challenges, timeout: TimeInterval) async throws
        -> ClientLog
    {
        let network = run.network(.playback)
        network.stub(.any, with: .text("welcome"))
        let headers: HeaderFields = ["WWW-Authenticate": "Basic realm=\"test\""]
        network.stub(!.header("Authorization"), with: .text("unauthorized", statusCode: 401, headers: headers))
        let log = ClientLog()
        let session = network.makeSession(delegate: ClientDelegate(log, .init(challenges: challenges)))
        session.dataTask(with: URLRequest(url: server.url("/"), timeoutInterval: timeout)).resume()
        try await eventually { log.ends == 1 }
        return log
    }

    @Test func `an unanswered challenge ends with its response`() async throws {
        let log = try await ask(answering: .silence, timeout: 0.1)
        #expect(log.calls == ["challenge HTTPBasic test 0", "response 401", "data", "completion"])
        #expect(log.text == "unauthorized")
    }

    @Test func `a delegate can answer a challenge through the challenge's sender`() async throws {
        let log = try await ask(answering: .credentialToSender(user: "ada", password: "secret"), timeout: 60)
        #expect(log.calls == ["challenge HTTPBasic test 0", "response 200", "data", "completion"])
        #expect(log.text == "welcome")
    }

    @Test func `answering an unrecorded challenge never reaches the server`() async throws {
        let url = server.url("/basic-auth/ada/secret")
        let challenged = ClientCase("challenged", path: url.path)
        _ = try await run.record(challenged, at: server)
        let connections = server.connectionCount
        for style in ClientStyle.dataTasks {
            var answering = ClientCase("answering", style, path: url.path)
            answering.behaviour = ClientDelegate.Behaviour(challenges: .credential(user: "ada", password: "secret"))
            #expect(try await run.play(answering, at: server)["ends"] == "1")
            var stored = ClientCase("stored", style, path: url.path)
            stored.storesCredentials = true
            #expect(try await run.play(stored, at: server)["status"] == "401")
        }
        #expect(server.connectionCount == connections)
    }

    @Test(arguments: ClientStyle.dataTasks)
    func `a name that cannot be resolved is played from a stub file`(style: ClientStyle) async throws {
        try run.directory.write(
            """
            [
              {
                "error" : {
                  "code" : -1003, "description" : "A server with the specified hostname could not be found.",
                  "domain" : "NSURLErrorDomain"
                },
                "request" : { "method" : "GET", "url" : "http://nowhere.test/a" }
              }
            ]
            """,
            to: "case.json"
        )
        var row = ClientCase("unknown host", style, path: "/")
        row.request = { _ in URLRequest(url: URL(string: "http://nowhere.test/a")!) }
        let seen = try await run.play(row, at: server)
        #expect(seen["error"] == "NSURLErrorDomain -1003")
        #expect(seen["is URLError"] == "true")
        #expect(seen["failing URL"] == "http://nowhere.test/a")
        #expect(seen["calls"] == "failure -1003")
        #expect(server.connectionCount == 0)
    }

    @Test(arguments: ClientStyle.dataTasks)
    func `a redirect to an unrecorded URL ends in an error`(style: ClientStyle) async throws {
        var run = run
        run.prepare = { network in
            network.stub(.path("/a"), with: .status(302, headers: ["Location": "/b"]))
        }
        let seen = try await run.play(ClientCase("unrecorded", style, path: "/a"), at: server)
        #expect(seen["ends"] == "1")
        #expect(seen["error"] != nil)
        #expect(server.connectionCount == 0)
    }
}
