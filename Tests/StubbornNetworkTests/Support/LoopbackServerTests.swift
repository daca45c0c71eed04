import LoopbackServer
import StubbornNetwork
import Testing

struct LoopbackServerTests {
    @Test(.timeLimit(.minutes(5)))
    func `a handler of the test answers, and the log keeps its requests`() throws {
        let server = try LoopbackServer { request in
            .init(status: 201, reason: "Made", headers: [("X-A", "1"), ("X-A", "2")], body: .data(request.body))
        }
        let response = try RawClient.get(
            "/a%2Fb?q=1&empty&r=%C3%A4",
            method: "post",
            headers: [("x-First", "1"), ("X-first", "2")],
            body: Data("body".utf8),
            from: server
        )
        #expect(response.statusLine == "HTTP/1.1 201 Made")
        #expect(response.headers.map(\.name) == ["X-A", "X-A", "Content-Length"])
        #expect(response.text == "body")

        let request = try #require(server.requests.first)
        #expect(request.method == "post")
        #expect(request.target == "/a%2Fb?q=1&empty&r=%C3%A4")
        #expect(request.path == "/a%2Fb")
        #expect(request.query.map(\.name) == ["q", "empty", "r"])
        #expect(request.query("r") == "ä")
        #expect(request.headers.map(\.name) == ["Host", "x-First", "X-first", "Content-Length"])
        #expect(request.header("X-FIRST") == "1")
        #expect(request.body == Data("body".utf8))
    }

    @Test(.timeLimit(.minutes(5)))
    func `connections and requests are counted`() throws {
        let server = try LoopbackServer()
        #expect(server.connectionCount == 0)
        let client = try RawClient(port: server.port)
        for target in ["/hello", "/hello?again", "/json"] {
            try client.send("GET", target)
            #expect(try client.response().status == 200)
        }
        #expect(server.connectionCount == 1)
        #expect(server.openConnectionCount == 1)
        #expect(try RawClient.get("/hello", from: server).status == 200)
        #expect(server.connectionCount == 2)
        #expect(server.requestCount(path: "/hello") == 3)
        #expect(server.requestCount(path: "/json") == 1)
        #expect(server.requestCount(path: "/other") == 0)
    }

    @Test(
        .timeLimit(.minutes(5)),
        arguments: [
            "GET /hello HTTP/1.1\r\nConnection: close\r\n\r\n",
            "GET /hello HTTP/1.1\r\nconnection: keep-alive, Close\r\n\r\n",
            "GET /hello HTTP/1.0\r\n\r\n",
            "GET /hello HTTP/1.1\nConnection: close\n\n",
        ]
    )
    func `the connection is closed when the request says so`(request: String) throws {
        let server = try LoopbackServer()
        let client = try RawClient(port: server.port)
        try client.send(request)
        #expect(
            client.ending()
                == .closed(
                    Data(
                        """
                        HTTP/1.1 200 OK\r
                        Content-Type: text/plain; charset=utf-8\r
                        Content-Length: 5\r
                        Connection: close\r
                        \r
                        hello
                        """.utf8
                    )
                )
        )
    }

    @Test(.timeLimit(.minutes(5)))
    func `a client that expects 100 gets it before it sends the body`() throws {
        let server = try LoopbackServer()
        let client = try RawClient(port: server.port)
        try client.send("POST /upload HTTP/1.1\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
        #expect(try client.response().status == 100)
        #expect(server.requests.isEmpty)
        try client.send("body")
        #expect(try client.response().text == #"{"byteCount":4,"checksum":"cd4de79bc6c93295"}"#)
    }

    @Test(.timeLimit(.minutes(5)))
    func `a body in chunks is put together`() throws {
        let server = try LoopbackServer()
        let client = try RawClient(port: server.port)
        try client.send("POST /echo HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n4;a=b\r\nWi")
        try client.send("ki\r\nA\r\npedia\r\n\r\nx\r\n0\r\nX-Trailer: ignored\r\n\r\n")
        let echo = try JSONDecoder().decode(LoopbackServer.Echo.self, from: client.response().body)
        #expect(echo.body == "Wikipedia\r\n\r\nx")
        try client.send("GET", "/hello")
        #expect(try client.response().text == "hello")
    }

    @Test(.timeLimit(.minutes(5)))
    func `large bodies arrive whole in both directions`() async throws {
        let server = try LoopbackServer()
        let session = URLSession(configuration: .ephemeral)
        let body = LoopbackServer.bytes(count: 10_000_000)
        var request = URLRequest(url: server.url("/upload"))
        request.httpMethod = "POST"
        let (data, _) = try await session.upload(for: request, from: body)
        let upload = try JSONDecoder().decode(LoopbackServer.Upload.self, from: data)
        #expect(upload == LoopbackServer.Upload(body))
        #expect(try await session.data(from: server.url("/bytes/10000000")).0 == body)
    }

    @Test(.timeLimit(.minutes(5)), arguments: UnreadableRequest.all)
    func `a malformed request is refused`(request: UnreadableRequest) throws {
        let server = try LoopbackServer()
        let client = try RawClient(port: server.port)
        try client.send(request.bytes)
        let response = try client.response()
        #expect(response.status == request.status)
        #expect(response.text == request.testDescription)
        #expect(client.ending() == .closed(Data()))
        #expect(server.requests.isEmpty)
    }

    @Test(.timeLimit(.minutes(5)))
    func `300 concurrent requests are all answered`() async throws {
        let server = try LoopbackServer()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 50
        let session = URLSession(configuration: configuration)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for count in 0..<300 {
                group.addTask {
                    try await session.data(from: server.url("/bytes/\(count)")).0 == LoopbackServer.bytes(count: count)
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
        #expect(server.requests.count == 300)
        #expect(Set(server.requests.map(\.path)).count == 300)
    }

    @Test(.timeLimit(.minutes(5)))
    func `500 connections can wait at the same time`() async throws {
        let server = try LoopbackServer { request in
            .init(body: .chunked([.send(request.target), .waitForSignal("go"), .send("!")]))
        }
        let clients = try (0..<500).map { _ in try RawClient(port: server.port) }
        for (index, client) in clients.enumerated() { try client.send("GET", "/\(index)") }
        while server.requests.count < 500 { try await Task.sleep(nanoseconds: 1_000_000) }
        #expect(server.openConnectionCount == 500)
        for _ in clients { server.signal("go") }
        for (index, client) in clients.enumerated() {
            #expect(try client.response().text == "/\(index)!")
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a signal that comes first is kept, and lets one step pass`() throws {
        let steps: [LoopbackServer.Step] = ["one", "two", "three"].flatMap { [.waitForSignal("go"), .send($0)] }
        let server = try LoopbackServer { _ in .init(body: .chunked(steps)) }
        server.signal("go")
        let client = try RawClient(port: server.port)
        try client.send("GET", "/")
        #expect(try client.read(through: "one\r\n").hasSuffix("\r\n\r\n3\r\none\r\n"))
        server.signal("go")
        #expect(try client.read(through: "two\r\n") == "3\r\ntwo\r\n")
        server.stop()
        #expect(client.ending() == .closed(Data()))
    }

    @Test(.timeLimit(.minutes(5)))
    func `a server can be stopped from its own handler`() throws {
        let stopping = StoppingHandler()
        let server = try LoopbackServer { _ in stopping.answer() }
        stopping.set(server)
        let client = try RawClient(port: server.port)
        try client.send("GET", "/")
        #expect(client.ending() == .closed(Data()))
        server.stop()
        #expect(throws: (any Error).self) { try RawClient(port: server.port) }
    }

    @Test(.timeLimit(.minutes(5)))
    func `stopping ends requests that hang, and refuses further connections`() async throws {
        let server = try LoopbackServer { request in
            switch request.path {
            case "/hang": .init(body: .raw([.hang]))
            case "/wait": .init(body: .raw([.wait(milliseconds: 600_000)]))
            case "/signal": .init(body: .raw([.waitForSignal("never")]))
            case "/unread": .init(body: .data(Data(count: 50_000_000)))
            default: .init()
            }
        }
        let idle = try RawClient(port: server.port)
        let clients = try ["/hang", "/wait", "/signal", "/unread"].map { target in
            let client = try RawClient(port: server.port)
            try client.send("GET", target)
            return client
        }
        let url = server.url("/hang")
        let lost = Task { try await URLSession(configuration: .ephemeral).data(from: url) }
        while server.requests.count < 5 { try await Task.sleep(nanoseconds: 1_000_000) }

        server.stop()
        server.stop()
        #expect(server.openConnectionCount == 0)
        #expect(idle.ending() == .closed(Data()))
        for client in clients.prefix(3) { #expect(client.ending() == .closed(Data())) }
        await #expect(throws: URLError.self) { try await lost.value }
        #expect(throws: (any Error).self) { try RawClient(port: server.port) }
        #expect(server.requests.count == 5)
    }

    @Test(.timeLimit(.minutes(5)))
    func `a server stops when it is released`() throws {
        var server: LoopbackServer? = try LoopbackServer()
        let port = try #require(server?.port)
        let client = try RawClient(port: port)
        try client.send("GET", "/hello")
        #expect(try client.response().text == "hello")
        server = nil
        #expect(client.ending() == .closed(Data()))
        #expect(throws: (any Error).self) { try RawClient(port: port) }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a client that disconnects does not affect other clients`() throws {
        let server = try LoopbackServer { _ in
            .init(body: .chunked([.waitForSignal("gone")] + Array(repeating: .send(Data(count: 65_536)), count: 50)))
        }
        for _ in 0..<5 {
            let client = try RawClient(port: server.port)
            try client.send("GET", "/")
            _ = try client.read(through: "\r\n\r\n")
        }
        for _ in 0..<6 { server.signal("gone") }
        #expect(try RawClient.get("/", from: server).body.count == 50 * 65_536)
    }

    @Test(.timeLimit(.minutes(5)))
    func `a stopped server's port refuses connections and is not reused`() async throws {
        let stopped = try LoopbackServer.stopped()
        let others = try (0..<50).map { _ in try LoopbackServer() }
        #expect(!others.map(\.port).contains(stopped.port))
        let error = await #expect(throws: URLError.self) {
            try await URLSession(configuration: .ephemeral).data(from: stopped.url("/"))
        }
        #expect(error?.code == .cannotConnectToHost)
        #expect(stopped.connectionCount == 0)
    }

    @Test(.timeLimit(.minutes(5)))
    func `a test can wait for a request that hangs`() async throws {
        let server = try LoopbackServer()
        let url = server.url("/hang")
        let task = Task { try await URLSession(configuration: .ephemeral).data(from: url) }
        #expect(await server.waitForRequests(path: "/hang"))
        server.stop()
        await #expect(throws: URLError.self) { try await task.value }
    }
}

/// A handler that stops its own server, which exists only after it.
private final class StoppingHandler: Sendable {
    private let server = Lock<LoopbackServer?>(nil)

    func set(_ server: LoopbackServer) {
        self.server.withLock { $0 = server }
    }

    func answer() -> LoopbackServer.Response {
        server.withLock { $0.take() }?.stop()
        return .text("too late")
    }
}

/// Bytes that are no request, and with what they are refused.
struct UnreadableRequest: Sendable, CustomTestStringConvertible {
    let bytes: String
    let status: Int
    let testDescription: String

    init(_ bytes: String, _ status: Int, _ reason: String) {
        self.bytes = bytes
        self.status = status
        testDescription = reason
    }

    static let all: [UnreadableRequest] = [
        .init("nonsense\r\n\r\n", 400, "not a request line: nonsense"),
        .init("GET / HTTP/2\r\n\r\n", 400, "not a request line: GET / HTTP/2"),
        .init("GET / HTTP/1.1\r\nnonsense\r\n\r\n", 400, "not a header field: nonsense"),
        .init(post("Content-Length: -1"), 400, "not a length: -1"),
        .init(post("Content-Length: 99999999999999999999"), 400, "not a length: 99999999999999999999"),
        .init(post("Content-Length: 1\r\nContent-Length: 2"), 400, "the length of the body is not clear"),
        .init(post("Transfer-Encoding: gzip"), 400, "the length of the body is not clear"),
        .init(post("Transfer-Encoding: chunked") + "x\r\n", 400, "not a length: x"),
        .init(post("Transfer-Encoding: chunked") + "1\r\nabc\r\n", 400, "a chunk is longer than its size"),
        .init(post("Transfer-Encoding: chunked") + "C800001\r\n", 413, "the body is larger than 209715200 bytes"),
        .init(post("Content-Length: 209715201"), 413, "the body is larger than 209715200 bytes"),
        .init(post("X: \(String(repeating: "x", count: 70_000))"), 431, "the head is too large"),
        .init("GET /\(String(repeating: "x", count: 70_000))", 431, "the head is too large"),
    ]

    private static func post(_ fields: String) -> String {
        "POST / HTTP/1.1\r\n\(fields)\r\n\r\n"
    }
}
