import Foundation
import StubbornNetworkTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The answers of "How do I…".
struct HowDoIArticle {
    private func logIn() async throws {
        let name = try await UserClient(session: StubbornNetwork.current.session).name(of: 42)
        #expect(name == "Ada")
    }

    @Test(.stubbed(named: "Login")) func login() async throws { try await logIn() }
    @Test(.stubbed(sharing: ["Login"])) func list() async throws { try await logIn() }

    @Test(.stubbed(named: "Login") { $0.stub(.path("/users/:id"), with: .recorded { $0.json["name"] = "Eve" }) })
    func aTraitChangesWhatIsRecorded() async throws {
        #expect(try await UserClient(session: StubbornNetwork.current.session).name(of: 42) == "Eve")
    }

    private func send(_ method: String, _ address: String, _ body: String? = nil, _ network: StubbornNetwork) throws
        -> String
    {
        var request = URLRequest(url: try #require(URL(string: address)))
        request.httpMethod = method
        request.httpBody = body.map { Data($0.utf8) }
        return String(decoding: try network.response(to: request).0, as: UTF8.self)
    }

    @Test func `a GraphQL operation is stubbed by its body`() throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.onUnstubbedRequest = { _ in }
        network.stub(
            .graphQL("User", variables: ["id": 42]),
            with: .json(["data": ["user": ["name": "Ada"]]])
        )
        func body(_ operation: String) -> String {
            #"{"operationName":"\#(operation)","query":"{ a }","variables":{"id":42}}"#
        }
        let address = "https://api.example.com/graphql"
        #expect(try send("POST", address, body("User"), network) == #"{"data":{"user":{"name":"Ada"}}}"#)
        #expect(throws: StubbornNetworkError.self) { try send("POST", address, body("Other"), network) }
    }

    @Test func `an id is recorded by its name`() {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.recordMode = .recording
        let id = network.value("order") { UUID() }
        #expect(network.recordedStubs.map(\.description) == ["value \"order\": \"\(id)\""])
    }

    @Test func `a configuration of another client is answered`() async throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.stub(.any, with: .text("stubbed"))
        let configuration = URLSessionConfiguration.ephemeral
        network.insertStubbedSessionURLProtocol(into: configuration)
        let url = try #require(URL(string: "https://api.example.com/"))
        let data = try await URLSession(configuration: configuration).data(from: url).0
        #expect(String(decoding: data, as: UTF8.self) == "stubbed")
    }

    @Test func `a delegate gets the events one by one`() async throws {
        final class EventReader: NSObject, URLSessionDataDelegate {
            let (parts, continuation) = AsyncStream.makeStream(of: Data.self)

            func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
                continuation.yield(data)
            }

            func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
                continuation.finish()
            }
        }
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.stub(
            .path("/events"),
            with: .text("data: 1\n\ndata: 2\n\n", headers: ["Content-Type": "text/event-stream"])
        )
        let delegate = EventReader()
        let session = network.makeSession(delegate: delegate)
        session.dataTask(with: try #require(URL(string: "https://api.example.com/events"))).resume()
        var events: [String] = []
        for await part in delegate.parts { events.append(String(decoding: part, as: UTF8.self)) }
        #expect(events == ["data: 1\n\n", "data: 2\n\n"])
    }

    @Test func `one host is stubbed, and the others are not`() throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.onUnstubbedRequest = { _ in }
        network.passThrough(!.host("api.example.com"))
        #expect(throws: StubbornNetworkError.self) { try send("GET", "https://api.example.com/", nil, network) }
        let other = #expect(throws: StubbornNetworkError.self) {
            try send("GET", "https://b.example.com/", nil, network)
        }
        #expect(other?.message.contains("passThrough(_:) sends such a request") == true)
    }

    @Test func `settings and declared stubs do what the article says`() throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.stub(.get("/job"), with: [.json(["state": "running"]), .json(["state": "done"])])
        let answers = try ["running", "done"].map { _ in try send("GET", "https://api.example.com/job", nil, network) }
        #expect(answers == [#"{"state":"running"}"#, #"{"state":"done"}"#])

        network.volatileJSONKeyPaths = ["generatedAt", "items.updatedAt"]
        network.volatileHeaderFields = .standard.including("X-Build-Number").excluding("X-Cache")
        network.requestMatcherOptions = [
            .httpMethod, .url(ignoringQueryItems: ["ts"]), .requestBody(ignoringJSONKeyPaths: ["sentAt"]),
        ]
        network.stub(.get("/report/:id"), with: .text("a report"))
        #expect(try send("GET", "https://api.example.com/report/1761", nil, network) == "a report")
        #expect(network.volatileJSONKeyPaths == ["generatedAt", "items.updatedAt"])

        network.stub(.get("/news"), with: .status(429, headers: ["Retry-After": "2"]))
        let news = URLRequest(url: try #require(URL(string: "https://api.example.com/news")))
        let response = try network.response(to: news).1 as? HTTPURLResponse
        #expect(response?.value(forHTTPHeaderField: "Retry-After") == "2")

        network.stub(.any, with: .offline)
        #expect(throws: URLError.self) { try send("POST", "https://api.example.com/login", nil, network) }
        let logins = network.exchanges(matching: .path("/login"))
        #expect(logins.count == 1)
    }
}
