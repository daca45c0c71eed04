import LoopbackServer
import StubbornNetwork
import Testing

/// Calls that keep compiling, written as users write them, with one import; and what they do.
@Suite(.timeLimit(.minutes(5)))
struct CallSiteTests {
    private let url = URL(string: "https://api.example.com/users/42")!
    private let directory = TemporaryDirectory()

    private func text(_ session: URLSession, _ url: URL) async throws -> String {
        String(decoding: try await session.data(from: url).0, as: UTF8.self)
    }

    @Test func `a stubbed session in one call, ephemeral`() async throws {
        let request = URLRequest(url: url)
        let data = Data("stub".utf8)
        let response = HTTPURLResponse(url: url, statusCode: 201, httpVersion: nil, headerFields: ["X-A": "b"])
        let session = StubbornNetwork.stubbed(withConfiguration: .ephemeral) { stubbedSession in
            stubbedSession.stub(request, data: data, response: response, error: nil)
        }
        let (received, answer) = try await session.data(for: request)
        #expect(received == data)
        #expect(answer.status == 201)
        #expect(answer.field("X-A") == "b")
    }

    @Test func `a stubbed session in one call, by the environment`() async throws {
        let session = StubbornNetwork.stubbed(
            withProcessInfo: .processInfo,
            stub: { stubbedURLSession in
                stubbedURLSession.recordMode = .recording
                stubbedURLSession.stub(.any, with: .text("declared"))
            }
        )
        #expect(try await text(session, url) == "declared")
        if ProcessInfo.processInfo.testing {
            Issue.record("These tests run without the variables of a process under test")
        }
    }

    @Test func `a stubbed session in one call, persistent`() async throws {
        try directory.write(
            """
            [
              {
                "data" : "cHJldmlldw==",
                "request" : { "method" : "GET", "url" : "https://api.example.com/users/42" },
                "response" : { "statusCode" : 200 }
              }
            ]
            """,
            to: "ContentView_Previews.json"
        )
        let session = StubbornNetwork.stubbed(
            withConfiguration: .persistent(name: "ContentView_Previews", path: directory.path)!
        ) { session in
            session.recordMode = .playback
        }
        #expect(try await text(session, url) == "preview")
    }

    @Test func `a network can be created first and configured through its properties`() throws {
        let persistent = StubbornNetwork(.persistent(name: "testLogin", path: directory.path)!)
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.recordMode = .recordingMissing
        #expect(network.recordMode == .recordingMissing)
        #expect(network.session === network.session)
        #expect(network.makeSession(configuration: .default, delegate: nil, delegateQueue: nil) !== network.session)
        let configuration = URLSessionConfiguration.ephemeral
        network.insertStubbedSessionURLProtocol(into: configuration)
        #expect(configuration.protocolClasses?.isEmpty == false)
        StubbornNetwork.standard = network
        #expect(StubbornNetwork.standard === network)
        try network.loadStubs()
        try network.finishRecording()
        network.requestMatcherOptions = .strict
        #expect(network.requestMatcherOptions.description == RequestMatcherOptions.strict.description)
        network.playbackOrder = .firstMatch
        #expect(network.playbackOrder == .firstMatch)
        network.recordsTiming = true
        network.playbackSpeed = .recorded
        network.bodyEncoding = .readable
        #expect(persistent.stubFile == directory.file("testLogin.json"))
    }

    @Test func `stubs can be declared with patterns, sequences, closures and files`() async throws {
        let network = StubbornNetwork(.observing)
        network.stub(.get("https://api.example.com/users/42"), with: .json(["id": 42]))
        network.stub(.host("api.example.com") && .path("/login") && .method("POST"), with: .status(401))
        network.stub(
            !.header("Authorization") && .path("/secret"),
            with: .failure(URLError(.userAuthenticationRequired))
        )
        network.stub(.get("/page"), with: [.json(1), .json(2)])
        network.stub(.get("/users/43"), with: .json(["id": 43, "name": "Ada", "tags": ["a"]]))
        network.passThrough(.host("localhost"))
        network.stub(.path("/clock")) { request in .text("12:00") }
        let stub = network.stub(
            .path("/slow"),
            with: .file(at: directory.file("none")).delayed(by: .milliseconds(100)).throttled(to: .threeG)
        )
        network.stub(
            .get("/items"),
            with: .fixture("items_request.json", in: Bundle.main, responseTime: .milliseconds(100))
        )
        func ask(_ path: String) async throws -> String {
            try await text(network.session, URL(string: "https://api.example.com\(path)")!)
        }
        #expect(try await ask("/users/42") == #"{"id":42}"#)
        #expect(try await ask("/users/43") == #"{"id":43,"name":"Ada","tags":["a"]}"#)
        #expect(try await [ask("/page"), ask("/page"), ask("/page")] == ["1", "2", "2"])
        #expect(try await ask("/clock") == "12:00")
        #expect(try await ask("/nothing").isEmpty)
        let unauthorized = await #expect(throws: URLError.self) { try await ask("/secret") }
        #expect(unauthorized?.code == .userAuthenticationRequired)
        for path in ["/slow", "/items"] {
            let missing = await expectStubbornNetworkError { try await ask(path) }
            #expect(missing?.code == .invalidStub)
        }
        network.remove(stub)
        #expect(try await ask("/slow").isEmpty)
        network.removeAllStubs()
        #expect(try await ask("/clock").isEmpty)
    }

    @Test func `a network's matchers, order, redaction and body processor can be set`() {
        struct SensitiveDataProcessor: BodyDataProcessor {}
        let network = StubbornNetwork(.ephemeral)
        network.requestMatcherOptions = .standard
        network.requestMatcherOptions = RequestMatcherOptions([
            .httpMethod, .url(ignoringQueryItems: ["ts"]), .headers(named: ["Accept"]),
            .custom { $0.url?.path == $1.url?.path },
        ])
        network.playbackOrder = .sequenceThenLast
        network.redaction = .standard.including(headers: ["X-Session"], queryItems: ["sig"], jsonKeys: ["pin"])
        network.bodyDataProcessor = SensitiveDataProcessor()
        #expect(network.requestMatcherOptions.matchers.count == 4)
        #expect(network.bodyDataProcessor is SensitiveDataProcessor)
    }

    @Test func `a network lists its exchanges, unstubbed requests and unused stubs`() async throws {
        let reports = Reports()
        let network = StubbornNetwork(.ephemeral)
        network.onUnstubbedRequest = { report in reports.add(report) }
        network.stub(.path("/login"), with: .status(200))
        _ = try network.response(to: URLRequest(url: URL(string: "https://api.example.com/login")!))
        #expect(throws: StubbornNetworkError.self) { try network.response(to: URLRequest(url: url)) }
        #expect(network.exchanges.map(\.outcome) == [.stubbed, .unstubbed])
        #expect(network.exchanges.allSatisfy { $0.duration != nil })
        #expect(network.unstubbedRequests.map(\.url) == [url])
        #expect(network.unusedStubs.isEmpty)
        #expect(network.exchanges(matching: .path("/login")).count == 1)
        #expect(reports.all.first?.description.isEmpty == false)
    }

    @Test func `a custom matcher can call the network`() async throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.onUnstubbedRequest = { _ in }
        network.requestMatcherOptions = [.custom { [weak network] _, _ in network?.unusedStubs.isEmpty == false }]
        network.recordMode = .recordingMissing
        let server = try LoopbackServer()
        _ = try await text(network.session, server.url("/hello"))
        network.recordMode = .playback
        await expectStubbornNetworkError { try await text(network.session, server.url("/hello")) }
    }

    @Test func `a stub with a web page as its file or an invalid status code is an error`() async throws {
        let network = StubbornNetwork(.ephemeral)
        for response: StubResponse in [.file(at: URL(string: "http://127.0.0.1:1/")!), .status(Int.max), .status(-1)] {
            network.stub(.any, with: response)
            let error = await expectStubbornNetworkError { try await text(network.session, url) }
            #expect(error?.code == .invalidStub)
        }
    }

    @Test func `an endpoint brings its own sample`() async throws {
        struct Endpoint: SampleResponding {
            var urlRequest: URLRequest { URLRequest(url: URL(string: "https://api.example.com/sample")!) }
            var sampleResponse: StubResponse { .text("sample") }
        }
        let network = StubbornNetwork(.ephemeral)
        let endpoint = Endpoint()
        network.stub(endpoint)
        let (data, _) = try await network.session.data(for: endpoint.urlRequest)
        #expect(String(decoding: data, as: UTF8.self) == "sample")
    }

    @Test func `bodies are processed on their way in and out`() async throws {
        struct Processor: BodyDataProcessor {
            func dataForDeliveringResponseBody(data: Data?, of request: URLRequest) -> Data? {
                data.map { Data("processed ".utf8) + $0 }
            }
        }
        let network = StubbornNetwork(.ephemeral)
        network.bodyDataProcessor = Processor()
        network.stub(.any, with: .text("body"))
        #expect(try await text(network.session, url) == "processed body")
    }
}
