import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork

/// What is recorded is played back, call by call.
@Suite(.timeLimit(.minutes(2)))
struct RecordingTests {
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("stubs-\(UUID().uuidString)")

    private func network(_ mode: RecordMode) throws -> StubbornNetwork {
        let file = try #require(StubbornNetworkConfiguration.persistent(name: "simulation", path: directory.path))
        let network = StubbornNetwork(file, environment: [:])
        network.recordMode = mode
        network.onUnstubbedRequest = { _ in }
        // A busy machine takes its time to cancel.
        network.cancellationTimeout = .seconds(60)
        return network
    }

    private func requests(of server: LoopbackServer) -> [URLRequest] {
        let paths = [
            "/hello", "/json", "/bytes/300000", "/status/404", "/empty", "/redirect/3", "/gzip", "/slow/3?ms=1",
        ]
        let gets = paths.map { URLRequest(url: server.url($0)) }
        var post = URLRequest(url: server.url("/echo"))
        post.httpMethod = "POST"
        post.httpBody = Data(#"{"title":"Emma"}"#.utf8)
        var put = URLRequest(url: server.url("/upload"))
        put.httpMethod = "PUT"
        put.httpBody = Data(repeating: 7, count: 200_000)
        return gets + [post, put]
    }

    @Test func `recorded requests are played back as they were`() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let server = try LoopbackServer()
        var recorded: [Load] = []
        try await Loader.story { loader in
            let network = try network(.recording)
            for request in requests(of: server) {
                recorded.append(await loader.load(request, through: SimulatedSession(network)))
            }
            try network.finishRecording()
        }
        let connections = server.connectionCount
        try await Loader.story { loader in
            let network = try network(.playback)
            for (request, recorded) in zip(requests(of: server), recorded) {
                let played = await loader.load(request, through: SimulatedSession(network))
                #expect(played.error == nil)
                #expect(played.response?.statusCode == recorded.response?.statusCode)
                #expect(played.response?.url == recorded.response?.url)
                #expect(played.body == recorded.body)
                #expect(played.calls.first == recorded.calls.first && played.calls.last == recorded.calls.last)
            }
        }
        #expect(server.connectionCount == connections)
    }

    /// The loads of a request that the server never ends, recorded and played.
    private func loads(
        _ body: LoopbackServer.Body,
        ending end: (Load) async throws -> Void = { _ in },
        resourceTimeout: TimeInterval = 600,
        settingErrors errorTime: ErrorTime = .beforeStop
    ) async throws -> (recorded: Load, played: Load) {
        defer { try? FileManager.default.removeItem(at: directory) }
        let server = try LoopbackServer { _ in .init(body: body) }
        defer { server.stop() }
        let loads = Lock<[Load]>([])
        for mode in [RecordMode.recording, .playback] {
            let network = try network(mode)
            let configuration = URLSessionConfiguration.ephemeral
            configuration.timeoutIntervalForResource = mode == .recording ? resourceTimeout : 600
            var session = SimulatedSession(network, configuration)
            session.errorTime = errorTime
            try await Loader.story { [session] loader in
                let load = loader.start(URLRequest(url: server.url("/endless")), through: session)
                try await end(load)
                await load.end()
                loads.withLock { $0.append(load) }
            }
            try network.finishRecording()
        }
        let both = loads.withLock { $0 }
        return (both[0], both[1])
    }

    @Test(arguments: [ErrorTime.beforeStop, .afterStop])
    func `a request that the session's resource timeout ends is played as it was, before a response and after`(
        errorTime: ErrorTime
    ) async throws {
        for body in [LoopbackServer.Body.raw([.hang]), .chunked([.send("some"), .hang])] {
            let loads = try await loads(body, resourceTimeout: 0.5, settingErrors: errorTime)
            #expect(loads.recorded.error?.code == URLError.timedOut.rawValue)
            #expect(loads.played.calls == loads.recorded.calls + ["failure NSURLErrorDomain -1001"])
            #expect(loads.played.text == loads.recorded.text)
        }
    }

    @Test func `a request that the loader stops with another error is played with that error`() async throws {
        let loads = try await loads(.chunked([.send("some"), .hang])) { load in
            try await eventually { load.text == "some" }
            load.cancel(because: URLError(.networkConnectionLost))
        }
        #expect(loads.played.calls == ["response 200", "data", "failure NSURLErrorDomain -1005"])
    }

    @Test func `a request that was stopped for an unknown reason is not stored`() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let server = try LoopbackServer { _ in .init(body: .chunked([.send("some"), .hang])) }
        defer { server.stop() }
        let network = try network(.recording)
        var session = SimulatedSession(network)
        session.errorTime = .never
        try await Loader.story { [session] loader in
            let load = loader.start(URLRequest(url: server.url("/endless")), through: session)
            try await eventually { load.text == "some" }
            load.cancel()
        }
        try network.finishRecording()
        #expect(network.recordedStubs.isEmpty)
    }

    @Test func `a request that the client cancels waits to be cancelled again`() async throws {
        let loads = try await loads(.chunked([.send("some"), .hang])) { load in
            try await eventually { load.text == "some" }
            load.cancel()
        }
        #expect(loads.recorded.error?.code == URLError.cancelled.rawValue)
        #expect(loads.played.error?.code == URLError.cancelled.rawValue)
        #expect(loads.played.calls == ["response 200", "data"])
    }

    @Test func `cookies are stored and sent, although no protocol sees them`() async throws {
        let server = try LoopbackServer()
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.passThrough(.any)
        let session = SimulatedSession(network)
        try await Loader.story { loader in
            _ = await loader.load(URLRequest(url: server.url("/cookies/set?basket=42")), through: session)
            let load = await loader.load(URLRequest(url: server.url("/cookies")), through: session)
            #expect(load.text == #"{"basket":"42"}"#)
        }
    }

    @Test func `the real server is asked again, although the session has a cache`() async throws {
        let server = try LoopbackServer { _ in .text("some", headers: [("Cache-Control", "max-age=3600")]) }
        defer { server.stop() }
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.passThrough(.any)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = URLCache(memoryCapacity: 1_000_000, diskCapacity: 0, diskPath: nil)
        let session = SimulatedSession(network, configuration)
        try await Loader.story { loader in
            for _ in 0..<2 { _ = await loader.load(URLRequest(url: server.url("/cached")), through: session) }
        }
        #expect(server.requests.count == 2)
    }

    /// A protocol does not know its session.
    @Test(arguments: [0, 1])
    func `the real server gets the header fields of the request's session, and of no other`(position: Int) async throws
    {
        let server = try LoopbackServer()
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.passThrough(.any)
        let sessions = (0..<2).map { number in
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpAdditionalHeaders = ["X-Both": "1", "X-\(number)": "1"]
            return SimulatedSession(network, configuration)
        }
        try await Loader.story { loader in
            _ = await loader.load(URLRequest(url: server.url("/hello")), through: sessions[position])
        }
        let request = try #require(server.requests.first)
        #expect(request.header("X-Both") == "1")
        #expect(request.header("X-\(position)") == "1")
        #expect(request.header("X-\(1 - position)") == nil)
    }

    @Test(arguments: [200, 302, 404])
    func `the cookies of each response are stored`(status: Int) async throws {
        let server = try LoopbackServer { request in
            guard request.path == "/set" else { return .text(request.header("Cookie") ?? "none") }
            return .init(status: status, headers: [("Set-Cookie", "basket=42"), ("Location", "/end")])
        }
        defer { server.stop() }
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.passThrough(.any)
        let session = SimulatedSession(network)
        try await Loader.story { loader in
            _ = await loader.load(URLRequest(url: server.url("/set")), through: session)
            let load = await loader.load(URLRequest(url: server.url("/end")), through: session)
            #expect(load.text == "basket=42")
        }
    }

    /// What decides about the cookies of a request.
    enum CookieSetting: CaseIterable {
        case none, neverAccepts, neverSends, requestWithoutCookies, requestWithOwnCookie
    }

    @Test(arguments: CookieSetting.allCases)
    func `cookies are stored and sent as the session and the request want`(setting: CookieSetting) async throws {
        let server = try LoopbackServer { request in
            guard request.path == "/set" else { return .text(request.header("Cookie") ?? "no cookie") }
            return .init(status: 200, headers: [("Set-Cookie", "basket=42")])
        }
        defer { server.stop() }
        let configuration = URLSessionConfiguration.ephemeral
        if setting == .neverAccepts { configuration.httpCookieAcceptPolicy = .never }
        if setting == .neverSends { configuration.httpShouldSetCookies = false }
        var request = URLRequest(url: server.url("/end"))
        if setting == .requestWithoutCookies { request.httpShouldHandleCookies = false }
        if setting == .requestWithOwnCookie { request.setValue("own=1", forHTTPHeaderField: "Cookie") }
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.passThrough(.any)
        let session = SimulatedSession(network, configuration)
        try await Loader.story { [request] loader in
            _ = await loader.load(URLRequest(url: server.url("/set")), through: session)
            let load = await loader.load(request, through: session)
            switch setting {
            case .none: #expect(load.text == "basket=42")
            case .requestWithOwnCookie: #expect(load.text == "own=1")
            case .neverAccepts, .neverSends, .requestWithoutCookies: #expect(load.text == "no cookie")
            }
        }
    }

    @Test func `the connection to the real server has nothing of the session that is for its requests`() {
        let configuration = URLSessionConfiguration.default
        configuration.httpAdditionalHeaders = ["X-Client": "ios"]
        configuration.urlCredentialStorage = SimulatedCredentialStorage(user: "ada", realm: "books")
        let own = RealServer(configuration).session.configuration
        #expect(own.httpAdditionalHeaders == nil)
        #expect(own.urlCache == nil)
        #expect(own.httpCookieStorage == nil)
        #expect(own.urlCredentialStorage == nil)
        #expect(!own.httpShouldSetCookies)
    }

    /// A session with a delegate is freed only after it was invalidated, which also ends its reference to the delegate.
    @Test func `the connection to the real server is invalidated when nobody needs it`() async throws {
        let session = RealServer().session
        try await eventually { session.delegate == nil }
    }

    @Test func `a server that cannot be reached is an error of the caller`() async throws {
        let server = try LoopbackServer.stopped()
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.passThrough(.any)
        try await Loader.story { loader in
            let load = await loader.load(URLRequest(url: server.url("/hello")), through: SimulatedSession(network))
            #expect(load.calls == ["failure NSURLErrorDomain -1004"])
        }
    }
}
