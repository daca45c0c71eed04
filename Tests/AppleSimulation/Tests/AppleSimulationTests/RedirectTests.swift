import Foundation
import Testing

@testable import StubbornNetwork

/// Redirects are followed inside one load: a client that was redirected would begin another one.
@Suite(.timeLimit(.minutes(2)))
struct RedirectTests {
    private let network = StubbornNetwork(.ephemeral, environment: [:])

    private func request(_ path: String) -> URLRequest { URLRequest(url: URL(string: "https://api.test\(path)")!) }

    private func load(_ request: URLRequest) async throws -> Load? {
        var load: Load?
        try await Loader.story { load = await $0.load(request, through: SimulatedSession(network)) }
        return load
    }

    @Test func `a chain of redirects is followed, each from its own stub`() async throws {
        network.stub(.get("/a"), with: .status(302, headers: ["Location": "/b"]))
        network.stub(.get("/b"), with: .status(301, headers: ["Location": "/c"]).delayed(by: .milliseconds(5)))
        network.stub(.get("/c"), with: .text("here"))
        let load = try await load(request("/a"))
        #expect(load?.calls == ["response 200", "data", "end"])
        #expect(load?.response?.url?.path == "/c")
        #expect(load?.text == "here")
    }

    @Test func `a redirect repeats a body that came as a stream`() async throws {
        network.stub(.post("/a"), with: .status(307, headers: ["Location": "/b"]))
        network.stub(.post("/b") && .requestBody(text: "Emma"), with: .text("stored"))
        var request = request("/a")
        request.httpMethod = "POST"
        request.httpBody = Data("Emma".utf8)
        #expect(try await load(request)?.text == "stored")
    }

    @Test func `a loop of redirects fails`() async throws {
        network.stub(.get("/loop"), with: .status(302, headers: ["Location": "/loop"]))
        #expect(try await load(request("/loop"))?.calls == ["failure NSURLErrorDomain -1007"])
    }

    @Test(arguments: [LoadingMode.classic, .new])
    func `a loop of redirects fails even if a delegate follows it in new loads`(mode: LoadingMode) async throws {
        network.stub(.get("/loop"), with: .status(302, headers: ["Location": "/loop"]))
        let session = session(SimulatedRedirectDelegate(), in: mode)
        var load: Load?
        try await Loader.story {
            load = await $0.load(request("/loop"), through: session, by: .data, followingRedirects: true)
        }
        #expect(load?.calls.last == "failure NSURLErrorDomain -1007")
        #expect(load?.calls.filter { $0 == "redirect" }.count == Redirect.limit)
    }

    @Test func `a redirect without a location is a response`() async throws {
        network.stub(.get("/nowhere"), with: .status(302))
        #expect(try await load(request("/nowhere"))?.calls == ["response 302", "end"])
    }

    /// A session of the network, or one with a configuration that the network is registered in: only that can be in the new mode.
    private func session(_ delegate: any URLSessionDelegate, in mode: LoadingMode) -> SimulatedSession {
        let made = network.makeSession(delegate: delegate)
        guard mode == .new else { return SimulatedSession(made.configuration) }
        return SimulatedSession(network, SimulatedConfiguration.in(.new))
    }

    /// Loads `/a`, which leads to `/b`, in a session with a delegate that is asked about redirects.
    private func loadWithDelegate(
        _ delegate: any URLSessionDelegate,
        by kind: TaskKind = .data,
        following follows: Bool = true,
        in mode: LoadingMode = .classic
    ) async throws -> Load? {
        network.stub(.get("/a"), with: .text("moved", statusCode: 302, headers: ["Location": "/b"]))
        network.stub(.get("/b"), with: .text("here"))
        let session = session(delegate, in: mode)
        var load: Load?
        try await Loader.story {
            load = await $0.load(request("/a"), through: session, by: kind, followingRedirects: follows)
        }
        return load
    }

    @Test func `a delegate that refuses a redirect gets its response`() async throws {
        let load = try await loadWithDelegate(SimulatedRedirectDelegate(), following: false)
        #expect(load?.calls == ["redirect", "response 302", "data", "end"])
        #expect(load?.text == "moved")
        #expect(load?.redirectResponses.map(\.statusCode) == [302])
        #expect(load?.redirectResponses.map(\.url) == [request("/a").url])
        #expect(load?.redirectResponses.map { $0.value(forHTTPHeaderField: "Location") } == ["/b"])
        #expect(network.exchanges.map(\.request.url.path) == ["/a"])
    }

    @Test func `a refused redirect takes half a second, and longer in the simulation`() async throws {
        #expect(TaskDelegate.redirectTime == 0.5)
        let start = DispatchTime.now().uptimeNanoseconds
        _ = try await loadWithDelegate(SimulatedRedirectDelegate(), following: false)
        let seconds = Double(DispatchTime.now().uptimeNanoseconds - start) / 1_000_000_000
        #expect(seconds >= TaskDelegate.redirectTime * TaskDelegate.slowness)
    }

    @Test func `the delegate of a session that others make is not asked about redirects`() async throws {
        network.stub(.get("/a"), with: .text("moved", statusCode: 302, headers: ["Location": "/b"]))
        network.stub(.get("/b"), with: .text("here"))
        try await Loader.story { loader in
            let load = await loader.load(request("/a"), through: SimulatedSession(network), followingRedirects: false)
            #expect(load.calls == ["response 200", "data", "end"])
        }
    }

    @Test func `a redirect that the loader refuses by itself gets no second response`() async throws {
        let load = try await loadWithDelegate(SimulatedRedirectDelegate(), following: false, in: .new)
        #expect(load?.calls == ["redirect", "response 302 of the loader"])
        #expect(network.exchanges.map(\.response?.statusCode) == [302])
    }

    @Test(arguments: [TaskKind.data, .dataWithRedirectDelegate], [LoadingMode.classic, .new])
    func `a delegate that follows a redirect gets the response of a new load`(kind: TaskKind, mode: LoadingMode)
        async throws
    {
        let load = try await loadWithDelegate(SimulatedRedirectDelegate(), by: kind, in: mode)
        #expect(load?.calls == ["redirect", "response 200", "data", "end"])
        #expect(load?.text == "here")
        #expect(network.exchanges.map(\.request.url.path) == ["/a", "/b"])
        #expect(network.exchanges.map(\.response?.statusCode) == [302, 200])
    }

    @Test func `a load that is stopped after a redirect gets no response`() async throws {
        network.stub(.any, with: .text("moved", statusCode: 302, headers: ["Location": "/b"]))
        let session = SimulatedSession(network.makeSession(delegate: SimulatedRedirectDelegate()).configuration)
        try await Loader.story { loader in
            let load = loader.start(request("/a"), through: session, followingRedirects: false)
            try await eventually { load.calls == ["redirect"] }
            load.cancel()
            await load.end()
            #expect(load.calls == ["redirect"])
        }
    }

    @Test func `a redirect that a delegate follows keeps the body`() async throws {
        network.stub(.post("/a"), with: .status(307, headers: ["Location": "/b"]))
        network.stub(.post("/b") && .requestBody(text: "Emma"), with: .text("stored"))
        var post = request("/a")
        post.httpMethod = "POST"
        post.httpBody = Data("Emma".utf8)
        let session = SimulatedSession(network.makeSession(delegate: SimulatedRedirectDelegate()).configuration)
        try await Loader.story { [post] loader in
            #expect(await loader.load(post, through: session).text == "stored")
        }
    }

    @Test(arguments: [0, 1])
    func `a delegate is asked also when another session of the network has none`(position: Int) async throws {
        network.stub(.get("/a"), with: .text("moved", statusCode: 302, headers: ["Location": "/b"]))
        let delegates = (0..<2).map { $0 == position ? SimulatedRedirectDelegate() : nil }
        let sessions = delegates.map { SimulatedSession(network.makeSession(delegate: $0).configuration) }
        try await Loader.story { loader in
            let load = await loader.load(request("/a"), through: sessions[position], followingRedirects: false)
            #expect(load.text == "moved")
        }
    }

    @Test func `a task's own delegate is asked about redirects`() async throws {
        let load = try await loadWithDelegate(OtherDelegate(), by: .dataWithRedirectDelegate, following: false)
        #expect(load?.text == "moved")
    }

    /// "Methods not implemented on this delegate will still be forwarded to the session delegate" (`NSURLSession.h`, about the
    /// delegate of a task).
    @Test func `a session's delegate is asked if the task's own does not hear of redirects`() async throws {
        let load = try await loadWithDelegate(SimulatedRedirectDelegate(), by: .dataWithDelegate, following: false)
        #expect(load?.calls == ["redirect", "response 302", "data", "end"])
        #expect(load?.text == "moved")
    }

    @Test func `a delegate that does not hear of redirects is not asked`() async throws {
        let load = try await loadWithDelegate(OtherDelegate(), by: .dataWithDelegate, following: false)
        #expect(load?.calls == ["response 200", "data", "end"])
    }
}

private final class OtherDelegate: NSObject, URLSessionDelegate {}
