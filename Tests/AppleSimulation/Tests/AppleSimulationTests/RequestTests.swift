import Foundation
import Testing

@testable import StubbornNetwork

/// What a stub says arrives on the loader's thread, in order.
@Suite(.timeLimit(.minutes(2)))
struct RequestTests {
    private let network = StubbornNetwork(.ephemeral, environment: [:])
    private let request = URLRequest(url: URL(string: "https://api.test/books")!)

    private var session: SimulatedSession { SimulatedSession(network) }

    @Test func `a GET is answered with the response, the body and the end`() async throws {
        network.stub(.get("/books"), with: .text("Emma", headers: ["X-Page": "1"]))
        try await Loader.story { loader in
            let load = await loader.load(request, through: session)
            #expect(load.calls == ["response 200", "data", "end"])
            #expect(load.response?.value(forHTTPHeaderField: "X-Page") == "1")
            #expect(load.text == "Emma")
        }
    }

    @Test func `each header field of a stub reaches the client`() async throws {
        let fields = [
            "Cache-Control": "max-age=60", "Content-Length": "4", "Content-Type": "text/plain", "ETag": #""1""#,
            "Location": "/elsewhere", "Server": "", "Set-Cookie": "basket=42", "Vary": "Accept",
            "WWW-Authenticate": "Basic",
        ]
        network.stub(.any, with: .data(Data("Emma".utf8), headers: HeaderFields(fields)))
        try await Loader.story { loader in
            let response = await loader.load(request, through: session).response
            for (name, value) in fields { #expect(response?.value(forHTTPHeaderField: name) == value) }
        }
    }

    @Test func `each load has a response of its own, to which others can attach objects`() async throws {
        network.stub(.any, with: .text("Emma"))
        try await Loader.story { loader in
            let first = await loader.load(request, through: session).response
            #expect(await loader.load(request, through: session).response !== first)
        }
    }

    @Test func `a late response arrives later, and as a whole`() async throws {
        network.stub(.any, with: .text("late").delayed(by: .milliseconds(10)))
        try await Loader.story { loader in
            let loads = (0..<200).map { _ in loader.start(request, through: session) }
            for load in loads {
                await load.end()
                #expect(load.calls == ["response 200", "data", "end"])
                #expect(load.text == "late")
            }
        }
    }

    @Test func `a large body arrives in parts, in their order`() async throws {
        let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 251) })
        network.stub(.path("/books"), with: .data(body))
        network.stub(.path("/slow"), with: .data(body).chunked(byteCount: 300_000, every: .milliseconds(1)))
        try await Loader.story { loader in
            for path in ["books", "slow"] {
                let request = URLRequest(url: try #require(URL(string: "https://api.test/\(path)")))
                for load in (0..<20).map({ _ in loader.start(request, through: session) }) {
                    await load.end()
                    #expect(load.body == body)
                    #expect(load.calls.count > 8)
                }
            }
        }
    }

    @Test func `a request without a stub fails, and says which one it is`() async throws {
        network.onUnstubbedRequest = { _ in }
        try await Loader.story { loader in
            let load = await loader.load(request, through: session)
            let error = try #require(load.error)
            #expect(error.domain == StubbornNetworkError.errorDomain)
            #expect(error.code == StubbornNetworkError.Code.unstubbedRequest.number)
            #expect(error.localizedDescription.hasPrefix("No stub answers GET https://api.test/books"))
        }
    }

    /// The handshake of a WebSocket comes as a request with the scheme `http` or `https` (DebugSwift issue 400).
    @Test func `the handshake of a WebSocket fails, and does not use the stub for its URL`() async throws {
        network.stub(.get("/books"), with: .text("Emma"))
        var handshake = request
        for (name, value) in ["Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"] {
            handshake.setValue(value, forHTTPHeaderField: name)
        }
        try await Loader.story { [handshake] loader in
            let error = await loader.load(handshake, through: session).error
            #expect(error?.code == StubbornNetworkError.Code.unsupportedRequest.number)
            let text = "The WebSocket to https://api.test/books was refused"
            #expect(error?.localizedDescription.hasPrefix(text) == true)
            #expect(await loader.load(request, through: session).text == "Emma")
        }
    }

    @Test(arguments: [("POST", "websocket"), ("GET", "h2c")])
    func `a request that upgrades to something else is answered`(method: String, upgrade: String) async throws {
        network.stub(.any, with: .text("Emma"))
        var request = request
        request.httpMethod = method
        request.setValue(upgrade, forHTTPHeaderField: "Upgrade")
        try await Loader.story { [request] loader in
            #expect(await loader.load(request, through: session).text == "Emma")
        }
    }

    @Test func `a declared failure reaches the caller with its domain and its code`() async throws {
        network.stub(.any, with: .failure(URLError(.notConnectedToInternet)))
        try await Loader.story { loader in
            let load = await loader.load(request, through: session)
            #expect(load.calls == ["failure NSURLErrorDomain -1009"])
        }
    }

    @Test(arguments: [true, false])
    func `a declared failure reaches the caller with its message and its URL`(isURLError: Bool) async throws {
        let url = try #require(request.url)
        let userInfo: [String: Any] = [NSLocalizedDescriptionKey: "No network.", NSURLErrorFailingURLErrorKey: url]
        let code = URLError.Code.notConnectedToInternet
        // The library makes a `URLError` of an `NSError` with the same domain.
        let other = NSError(domain: NSURLErrorDomain, code: code.rawValue, userInfo: userInfo)
        network.stub(.any, with: .failure(isURLError ? URLError(code, userInfo: userInfo) : other))
        try await Loader.story { loader in
            let error = await loader.load(request, through: session).error
            #expect(error?.code == code.rawValue)
            #expect(error?.localizedDescription == "No network.")
            #expect(error?.userInfo[NSURLErrorFailingURLErrorKey] as? URL == url)
        }
    }

    @Test func `a failure of the library has the failing URL`() async throws {
        network.stub(.any, with: .status(302, headers: ["Location": "/books"]))
        try await Loader.story { loader in
            let error = await loader.load(request, through: session).error
            #expect(error?.userInfo[NSURLErrorFailingURLErrorKey] as? URL == request.url)
            #expect(error?.userInfo["NSErrorFailingURLStringKey"] as? String == request.url?.absoluteString)
        }
    }

    @Test(arguments: [200, 204, 206, 304, 404, 500])
    func `a response without a body has an end, whatever its status`(status: Int) async throws {
        network.stub(.any, with: .status(status))
        try await Loader.story { loader in
            #expect(await loader.load(request, through: session).calls == ["response \(status)", "end"])
        }
    }

    @Test func `a response that takes longer than the request's timeout is a timeout`() async throws {
        network.stub(.any, with: .text("never").delayed(by: .seconds(1_000)))
        var request = request
        request.timeoutInterval = 0.05
        try await Loader.story { [request] loader in
            let load = await loader.load(request, through: session)
            #expect(load.calls == ["failure NSURLErrorDomain -1001"])
        }
    }

    @Test func `a session's additional header fields take part in matching`() async throws {
        network.stub(.header("X-Client", equals: "ios"), with: .text("for iOS"))
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["X-Client": "ios"]
        try await Loader.story { loader in
            let load = await loader.load(request, through: SimulatedSession(network, configuration))
            #expect(load.text == "for iOS")
        }
    }

    @Test func `a loader without a run loop gets the events in order, too`() async throws {
        network.stub(.any, with: .text("in order").chunked(byteCount: 1, every: .milliseconds(1)))
        try await Loader.story { loader in
            for load in (0..<60).map({ _ in loader.start(request, through: session, at: .queue) }) {
                await load.end()
                #expect(load.text == "in order")
            }
        }
    }

    @Test func `a loader that waits in another mode of its run loop gets the events there`() async throws {
        network.stub(.any, with: .text("in order").chunked(byteCount: 1, every: .milliseconds(1)))
        try await Loader.story { loader in
            for load in (0..<3).map({ _ in loader.start(request, through: session, at: .otherMode) }) {
                await load.end()
                #expect(load.text == "in order")
            }
        }
    }

    @Test func `a loader that leaves the mode in which it started gets the events in its usual one`() async throws {
        network.stub(.any, with: .text("in order").chunked(byteCount: 1, every: .milliseconds(1)))
        try await Loader.story { loader in
            for load in (0..<10).map({ _ in loader.start(request, through: session, at: .leftMode) }) {
                await load.end()
                #expect(load.text == "in order")
            }
        }
    }

    @Test func `a download is answered`() async throws {
        network.stub(.any, with: .text("Emma"))
        try await Loader.story { loader in
            #expect(await loader.load(request, through: session, by: .download).text == "Emma")
        }
    }

    @Test(arguments: [TaskKind.data, .download, .upload(nil), .none])
    func `a body arrives in parts for each kind of task`(kind: TaskKind) async throws {
        network.stub(.any, with: .text("Emma").chunked(byteCount: 1, every: .milliseconds(1)))
        try await Loader.story { loader in
            let load = await loader.load(request, through: session, by: kind)
            #expect(load.calls == ["response 200", "data", "data", "data", "data", "end"])
        }
    }

    @Test(arguments: ["data:text/plain,Emma", "file:///tmp/emma.txt", "about:blank"])
    func `a request that goes to no server is left to the system`(url: String) async throws {
        network.stub(.any, with: .text("Emma"))
        try await Loader.story { loader in
            let request = URLRequest(url: try #require(URL(string: url)))
            #expect(await loader.load(request, through: session).calls == ["real network"])
        }
    }

    @Test func `a response of a server reaches the client as Foundation made it`() throws {
        for status in [200, 302, 401] {
            let url = try #require(request.url)
            let made = HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: nil)
            #expect(made?.forClient === made)
        }
    }

    /// So a closure that blocks its thread stops all requests.
    @Test func `a closure of a stub runs on the thread of the loader`() async throws {
        let isOnThread = Lock(false)
        try await Loader.story { loader in
            network.stub(.any) { [weak loader] _ in
                isOnThread.withLock { $0 = loader?.isThisThread == true }
                return .text("Emma")
            }
            #expect(await loader.load(request, through: session).text == "Emma")
        }
        #expect(isOnThread.withLock { $0 })
    }

    @Test func `the settings of a network's first session apply to all of its sessions`() async throws {
        let challenge: HeaderFields = ["WWW-Authenticate": #"Basic realm="books""#]
        network.stub(.get("/late"), with: .text("never").delayed(by: .seconds(1_000)))
        network.stub(.get("/login"), with: .status(401, headers: challenge))
        network.stub(.get("/login") && .header("Authorization"), with: .text("welcome"))
        network.stub(.get("/set"), with: .status(200, headers: ["Set-Cookie": "basket=42"]))
        let configurations = [URLSessionConfiguration.ephemeral, .ephemeral]
        configurations[0].timeoutIntervalForRequest = 0.05
        configurations[0].urlCredentialStorage = SimulatedCredentialStorage(user: "ada", realm: "books")
        let sessions = configurations.map {
            SimulatedSession(network.makeSession(configuration: $0, delegate: nil).configuration)
        }
        let urls = try ["late", "login", "set"].map { try #require(URL(string: "https://api.test/\($0)")) }
        try await Loader.story { loader in
            let late = await loader.load(URLRequest(url: urls[0]), through: sessions[1])
            #expect(late.calls == ["failure NSURLErrorDomain -1001"])
            #expect(await loader.load(URLRequest(url: urls[1]), through: sessions[1]).text == "welcome")
            _ = await loader.load(URLRequest(url: urls[2]), through: sessions[1])
        }
        let cookies = configurations.map { $0.httpCookieStorage?.cookies(for: urls[2])?.map(\.name) ?? [] }
        #expect(cookies == [["basket"], []])
    }

    @Test func `a session's own timeout ends a late response`() async throws {
        network.stub(.any, with: .text("never").delayed(by: .seconds(1_000)))
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 0.05
        try await Loader.story { loader in
            let load = await loader.load(request, through: SimulatedSession(network, configuration))
            #expect(load.calls == ["failure NSURLErrorDomain -1001"])
        }
    }

    @Test(arguments: [URLSessionTask.State.running, .suspended, .canceling, .completed])
    func `stopping the protocol of a task in any state ends its load`(state: URLSessionTask.State) async throws {
        network.stub(.any, with: .text("never").delayed(by: .seconds(1_000)))
        try await Loader.story { loader in
            for load in (0..<20).map({ _ in loader.start(request, through: session, by: .dataTask(state)) }) {
                load.cancel(after: 0.01)
                await load.end()
            }
        }
        try await eventually { network.exchanges.allSatisfy { $0.duration != nil } }
    }

    @Test func `a network is asked before the other classes of a configuration`() async throws {
        network.stub(.any, with: .text("mine"))
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [FailingProtocol.self] + (configuration.protocolClasses ?? [])
        let made = network.makeSession(configuration: configuration, delegate: nil).configuration
        try await Loader.story { loader in
            #expect(await loader.load(request, through: SimulatedSession(made)).text == "mine")
            #expect(await loader.load(request, through: SimulatedSession(network, configuration)).text == "mine")
        }
    }

    @Test func `sessions of two networks are answered by their own`() async throws {
        let other = StubbornNetwork(.ephemeral, environment: [:])
        network.stub(.any, with: .text("first"))
        other.stub(.any, with: .text("second"))
        try await Loader.story { loader in
            #expect(await loader.load(request, through: session).text == "first")
            #expect(await loader.load(request, through: SimulatedSession(other)).text == "second")
        }
    }
}
