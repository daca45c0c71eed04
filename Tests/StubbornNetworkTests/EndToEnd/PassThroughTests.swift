import Foundation
import LoopbackServer
import StubbornNetwork
import Testing

/// Requests that go to the real server in every mode.
@Suite(.timeLimit(.minutes(5)))
struct PassThroughTests {
    private let directory = TemporaryDirectory()
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    private func network(_ mode: RecordMode, environment: [String: String] = [:]) -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: "through", path: directory.path)!, environment: environment)
        network.recordMode = mode
        network.onUnstubbedRequest = { _ in }
        return network
    }

    @discardableResult
    private func ask(_ network: StubbornNetwork, _ path: String = "/counter") async throws -> String {
        String(decoding: try await network.session.data(from: server.url(path)).0, as: UTF8.self)
    }

    @Test(arguments: RecordMode.allCases)
    func `a request that is passed through reaches the server and is not recorded`(mode: RecordMode) async throws {
        let network = network(mode)
        network.passThrough(.path("/counter"))
        #expect(try await [ask(network), ask(network)] == ["1", "2"])
        #expect(network.exchanges.map(\.outcome) == [.passedThrough, .passedThrough])
        #expect(network.summary.description == "2 requests: 2 passed through.")
        try network.finishRecording()
        #expect(network.recordedStubs.isEmpty)
        #expect(directory.contents == [])
    }

    @Test func `a recorded stub does not answer a request that is passed through`() async throws {
        let recording = network(.recording)
        try await ask(recording)
        try recording.finishRecording()
        let network = network(.playback)
        let rule = network.passThrough(.host("127.0.0.1"))
        #expect(try await ask(network) == "2")
        network.remove(rule)
        #expect(try await ask(network) == "1")
        #expect(server.requests.count == 2)
    }

    @Test func `a delegate that has no credentials gets the response with its body`() async throws {
        let server = try LoopbackServer { _ in
            LoopbackServer.Response(
                status: 401,
                headers: [("WWW-Authenticate", #"Basic realm="test""#)],
                body: .data(Data("who are you?".utf8))
            )
        }
        let network = network(.playback)
        network.passThrough(.any)
        let delegate = ClientDelegate()
        network.makeSession(delegate: delegate).dataTask(with: server.url("/")).resume()
        try await eventually { delegate.log.ends == 1 }
        #expect(delegate.log.text == "who are you?")
    }

    @Test func `the latest declared stub or pass-through rule decides`() async throws {
        let network = network(.playback)
        network.stub(.any, with: .text("first"))
        network.passThrough(.host("127.0.0.1"))
        network.stub(.path("/hello"), with: .text("last"))
        #expect(try await ask(network) == "1")
        #expect(try await ask(network, "/hello") == "last")
        #expect(server.requests.map(\.path) == ["/counter"])
        network.removeAllStubs()
        await expectStubbornNetworkError { try await ask(network) }
        #expect(server.requests.count == 1)
    }

    @Test func `only what a rule names reaches the server, also after a redirect`() async throws {
        let network = network(.playback)
        network.passThrough(.path("/redirect-to"))
        let error = await expectStubbornNetworkError {
            try await ask(network, "/redirect-to?url=/hello")
        }
        #expect(error?.code == .unstubbedRequest || error?.code == .stubFileNotFound)
        #expect(server.requests.map(\.path) == ["/redirect-to"])
    }

    @Test func `an observing network sends what a rule names, and nothing else`() async throws {
        let network = StubbornNetwork(.observing, environment: [:])
        network.passThrough(.path("/counter"))
        #expect(try await ask(network) == "1")
        #expect(try await ask(network, "/hello").isEmpty)
        #expect(server.requests.map(\.path) == ["/counter"])
    }

    @Test func `a pass-through rule is never an unused stub`() {
        let network = network(.playback)
        network.passThrough(.any)
        #expect(network.unusedDeclaredStubs.isEmpty)
        #expect(network.unusedStubReports.isEmpty)
    }

    @Test func `a report does not count pass-through rules, and offers one for a server on this machine`() async throws
    {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.onUnstubbedRequest = { _ in }
        network.passThrough(.path("/other"))
        let error = await expectStubbornNetworkError { try await ask(network) }
        let url = server.url("/counter")
        #expect(
            error?.message == """
                No stub answers GET \(url) (playback): there are no stubs. The network was not touched.
                Matched by [.httpMethod, .url, .requestBody] (default), order .sequenceThenLast (default), mode playback \
                (default).
                To declare it:  network.stub(.get("\(url)"), with: .status(200))
                To let it through:  network.passThrough(.host("127.0.0.1"))
                """
        )
    }

    @Test func `the run report counts what is passed through`() async throws {
        let file = directory.file("report.json")
        let network = network(.playback, environment: ["STUB_REPORT": file.path])
        network.passThrough(.any)
        try await ask(network)
        let read = try #require(RunReport(contentsOf: file)?.networks.first)
        #expect(read.summary.passedThrough == 1)
        #expect(read.networkAttempts == 1)
    }

    @Test func `a request without a session is not passed through`() throws {
        let network = network(.playback)
        network.passThrough(.any)
        let error = #expect(throws: StubbornNetworkError.self) {
            try network.response(to: URLRequest(url: server.url("/counter")))
        }
        let text = """
            No stub answers \(server.url("/counter")). passThrough(_:) sends such a request to the real server, but \
            response(to:) cannot. Use network.session, or declare a stub.
            """
        #expect(error?.message.hasPrefix(text) == true, "\(error?.message ?? "")")
        #expect(server.connectionCount == 0)
    }
}
