import LoopbackServer
import StubbornNetwork
import Testing

/// A route with what it answers to a plain `GET`.
struct RouteExpectation: Sendable, CustomTestStringConvertible {
    let target: String
    let status: Int
    let text: String
    let testDescription: String

    init(_ target: String, _ status: Int, _ text: String) {
        self.target = target
        self.status = status
        self.text = text
        testDescription = target
    }

    static let all: [RouteExpectation] = [
        .init("/hello", 200, "hello"),
        .init("/hello?ignored=1", 200, "hello"),
        .init("/json", 200, #"{"id":1,"name":"Ada","tags":["first","second"]}"#),
        .init("/status/200", 200, "status 200"),
        .init("/status/204", 204, ""),
        .init("/status/304", 304, ""),
        .init("/status/418", 418, "status 418"),
        .init("/status/503", 503, "status 503"),
        .init("/status/999", 999, "status 999"),
        .init("/status/nonsense", 400, "unusable parameters: /status/nonsense"),
        .init("/bytes/0", 200, ""),
        .init("/bytes/-1", 400, "unusable parameters: /bytes/-1"),
        .init("/bytes/99999999999999999999", 400, "unusable parameters: /bytes/99999999999999999999"),
        .init("/headers", 200, "headers"),
        .init("/empty", 200, ""),
        .init("/chunked/3", 200, "chunk 1\nchunk 2\nchunk 3\n"),
        .init("/chunked/0", 200, ""),
        .init("/slow/2?ms=1", 200, "chunk 1\nchunk 2\n"),
        .init("/sse?events=0", 200, ""),
        .init("/cookies", 200, "{}"),
        .init("/cookies/set", 200, "cookies set"),
        .init("/etag", 200, "tagged"),
        .init("/counter", 200, "1"),
        .init("/sequence/a", 200, "1"),
        .init("/upload", 200, #"{"byteCount":0,"checksum":"cbf29ce484222325"}"#),
        .init("/bearer/token", 401, "unauthorized"),
        .init("/", 404, "no route: /"),
        .init("/nowhere", 404, "no route: /nowhere"),
    ]

    /// What URLSession follows, waits for unsuccessfully or cannot read.
    static let raw: [RouteExpectation] = [
        .init("/basic-auth/ada/secret", 401, "unauthorized"),
        .init("/headers/latin1", 200, "latin1"),
        .init("/redirect/3", 302, "redirect to /redirect/2"),
        .init("/redirect/1", 302, "redirect to /hello"),
        .init("/redirect/0", 400, "unusable parameters: /redirect/0"),
        .init("/redirect-to?url=/hello&status=307", 307, "redirect to /hello"),
        .init("/redirect-to?url=%0D%0AX:1", 400, "unusable parameters: /redirect-to?url=%0D%0AX:1"),
        .init("/redirect-to", 400, "unusable parameters: /redirect-to"),
        .init("/redirect-loop", 302, "redirect to /redirect-loop"),
    ]
}

struct LoopbackServerRouteTests {
    let server: LoopbackServer
    let session = URLSession(configuration: .ephemeral)

    init() throws {
        server = try LoopbackServer()
    }

    @Test(.timeLimit(.minutes(5)), arguments: RouteExpectation.all)
    func `URLSession gets what a route promises`(expectation: RouteExpectation) async throws {
        let (data, response) = try await get(expectation.target)
        #expect(response.statusCode == expectation.status)
        #expect(String(decoding: data, as: UTF8.self) == expectation.text)
    }

    @Test(.timeLimit(.minutes(5)), arguments: RouteExpectation.all + RouteExpectation.raw)
    func `a HEAD has the header of the GET and no body`(expectation: RouteExpectation) throws {
        let get = try RawClient.get(expectation.target, from: server)
        #expect(get.status == expectation.status)
        let counters = ["/counter", "/sequence/a"]
        if !counters.contains(expectation.target) { #expect(get.text == expectation.text) }

        let client = try RawClient(port: server.port)
        try client.send("HEAD", expectation.target, headers: [("Connection", "close")])
        let head = try client.response(hasBody: false)
        #expect(head.status == expectation.status)
        #expect(client.ending() == .closed(Data()))
        for name in ["Content-Type", "Content-Length", "Transfer-Encoding", "Location", "ETag"] {
            #expect(head.headers(named: name) == get.headers(named: name))
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a body of bytes is the same for each count`() async throws {
        #expect(try await get("/bytes/100000").data == LoopbackServer.bytes(count: 100_000))
        #expect(LoopbackServer.bytes(count: 3) == Data([0xE0, 0xEE, 0x68]))
        #expect(LoopbackServer.bytes(count: 1001).prefix(8) != LoopbackServer.bytes(count: 1000).prefix(8))
    }

    @Test(.timeLimit(.minutes(5)))
    func `an echo shows the request as it came`() async throws {
        var request = URLRequest(url: server.url("/echo?q=a%20b"))
        request.httpMethod = "PUT"
        request.setValue("Grüße", forHTTPHeaderField: "X-Greeting")
        request.httpBody = Data("bödy".utf8)
        let (data, _) = try await session.data(for: request)
        let echo = try JSONDecoder().decode(LoopbackServer.Echo.self, from: data)
        #expect(echo.method == "PUT")
        #expect(echo.target == "/echo?q=a%20b")
        #expect(echo.headers(named: "x-greeting") == ["Grüße"])
        #expect(echo.body == "bödy")
        #expect(echo.bodyBase64 == "YsO2ZHk=")
    }

    @Test(.timeLimit(.minutes(5)))
    func `header fields are sent as they are, repeated and in any encoding`() async throws {
        let raw = try RawClient.get("/headers", from: server)
        #expect(raw.headers(named: "Set-Cookie").map { $0.prefix(8) } == ["first=1;", "second=2"])
        #expect(raw.headers.filter { $0.name.hasPrefix("X-") }.map { $0.value } == ["one", "two", "Grüße"])
        #expect(try RawClient.get("/headers/latin1", from: server).headers(named: "X-Latin1") == ["Grüße"])
        let (_, response) = try await get("/headers")
        #expect(response.value(forHTTPHeaderField: "X-Repeated") == "one, two")
        #expect(response.value(forHTTPHeaderField: "X-Lower-Case") == "kept")
    }

    @Test(.timeLimit(.minutes(5)), arguments: ["gzip", "deflate"])
    func `a compressed body is what URLSession decompresses`(coding: String) async throws {
        let (data, response) = try await get("/\(coding)")
        #expect(String(decoding: data, as: UTF8.self) == LoopbackServer.compressedText)
        #expect(response.value(forHTTPHeaderField: "Content-Encoding") == coding)
        #expect(try RawClient.get("/\(coding)", from: server).body.count < 50)
    }

    @Test(.timeLimit(.minutes(5)))
    func `each redirect is a separate request to the server`() async throws {
        let (data, response) = try await get("/redirect/3")
        #expect(String(decoding: data, as: UTF8.self) == "hello")
        #expect(response.url == server.url("/hello"))
        #expect(server.requests.map(\.target) == ["/redirect/3", "/redirect/2", "/redirect/1", "/hello"])
        let target = "/redirect-to?status=308&url=" + "\(server.url("/json"))"
        #expect(try await get(target).response.url == server.url("/json"))
    }

    @Test(.timeLimit(.minutes(5)))
    func `a redirect loop ends at the client's redirect limit`() async throws {
        let error = await #expect(throws: URLError.self) { try await self.get("/redirect-loop") }
        #expect(error?.code == .httpTooManyRedirects)
        #expect(server.requestCount(path: "/redirect-loop") > 5)
    }

    @Test(.timeLimit(.minutes(5)))
    func `each server-sent event waits for its signal`() throws {
        let client = try RawClient(port: server.port)
        try client.send("GET", "/sse?events=2", headers: [("Connection", "close")])
        #expect(try client.read(through: "\r\n\r\n").contains("Content-Type: text/event-stream"))
        server.signal("sse")
        #expect(try client.read(through: "\n\n\r\n") == "21\r\nid: 1\nevent: tick\ndata: event 1\n\n\r\n")
        server.signal("unrelated")
        server.signal("sse")
        #expect(client.ending() == .closed(Data("21\r\nid: 2\nevent: tick\ndata: event 2\n\n\r\n0\r\n\r\n".utf8)))
    }

    @Test(.timeLimit(.minutes(5)))
    func `the cut and reset routes break their responses`() async throws {
        for (target, ending) in [
            (
                "/cut",
                RawClient.Ending.closed(
                    Data("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1000\r\n\r\npartial".utf8)
                )
            ),
            ("/reset", .reset),
        ] {
            let client = try RawClient(port: server.port)
            try client.send("GET", target)
            #expect(client.ending() == ending)
            await #expect(throws: URLError.self) { try await self.get(target) }
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a request that hangs ends when the client gives up`() async throws {
        var request = URLRequest(url: server.url("/hang"))
        request.timeoutInterval = 1
        let error = await #expect(throws: URLError.self) { try await session.data(for: request) }
        #expect(error?.code == .timedOut)
        while server.openConnectionCount > 0 { try await Task.sleep(nanoseconds: 1_000_000) }
    }

    @Test(.timeLimit(.minutes(5)))
    func `the server sets cookies and returns those that it got`() async throws {
        let (_, response) = try await get("/cookies/set?a=1&b=two")
        let set = try RawClient.get("/cookies/set?a=1&b=two", from: server).headers(named: "Set-Cookie")
        #expect(response.statusCode == 200)
        #expect(set == ["a=1; Path=/", "b=two; Path=/"])
        #expect(
            try RawClient.get("/cookies", headers: [("Cookie", "a=1; b=x=y")], from: server).text
                == #"{"a":"1","b":"x=y"}"#
        )
    }

    @Test(.timeLimit(.minutes(5)))
    func `counters count per server and per name`() throws {
        let texts = try ["/counter", "/counter", "/sequence/a", "/sequence/b", "/sequence/a"].map {
            try RawClient.get($0, from: server).text
        }
        #expect(texts == ["1", "2", "1", "1", "2"])
        #expect(try RawClient.get("/counter", from: LoopbackServer()).text == "1")
    }

    @Test(
        .timeLimit(.minutes(5)),
        arguments: [(#""v1""#, 304), (#"W/"v1""#, 304), (#""v0", "v1""#, 304), ("*", 304), (#""v0""#, 200)]
    )
    func `a known entity tag is answered with 304`(tag: String, status: Int) throws {
        let response = try RawClient.get("/etag", headers: [("If-None-Match", tag)], from: server)
        #expect(response.status == status)
        #expect(response.headers(named: "ETag") == [#""v1""#])
    }

    @Test(
        .timeLimit(.minutes(5)),
        arguments: [
            ("/basic-auth/ada/sec%20ret", "Basic YWRhOnNlYyByZXQ=", "welcome ada"),
            ("/basic-auth/ada/secret", "Basic YWRhOnNlYyByZXQ=", "unauthorized"),
            ("/basic-auth/ada/secret", "Bearer YWRhOnNlY3JldA==", "unauthorized"),
            ("/bearer/token", "bearer token", "welcome"),
            ("/bearer/token", "Bearer other", "unauthorized"),
            ("/bearer/token", "Bearer", "unauthorized"),
        ]
    )
    func `only the right credentials are accepted`(target: String, authorization: String, text: String) throws {
        let headers = [(name: "Authorization", value: authorization)]
        #expect(try RawClient.get(target, headers: headers, from: server).text == text)
    }

    @Test(.timeLimit(.minutes(5)))
    func `a missing credential is challenged`() throws {
        #expect(
            try RawClient.get("/basic-auth/a/b", from: server).headers(named: "WWW-Authenticate")
                == [#"Basic realm="test""#]
        )
        #expect(
            try RawClient.get("/bearer/a", from: server).headers(named: "WWW-Authenticate")
                == [#"Bearer realm="test""#]
        )
    }

    private func get(_ target: String) async throws -> (data: Data, response: HTTPURLResponse) {
        let (data, response) = try await session.data(from: server.url(target))
        return (data, try #require(response as? HTTPURLResponse))
    }
}
