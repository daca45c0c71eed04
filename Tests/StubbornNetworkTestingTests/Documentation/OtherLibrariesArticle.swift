import Foundation
import StubbornNetworkTesting
import Testing
import XCTest

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The class that the article replaces.
final class MockURLProtocol: URLProtocol {
    nonisolated(unsafe) static var handler: ((URLRequest) throws -> (HTTPURLResponse, Data))?

    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        do {
            guard let handler = Self.handler else { throw URLError(.unknown) }
            let (response, data) = try handler(request)
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            client?.urlProtocol(self, didLoad: data)
            client?.urlProtocolDidFinishLoading(self)
        } catch {
            client?.urlProtocol(self, didFailWithError: error)
        }
    }

    override func stopLoading() {}
}

@Suite(.stubbed) struct UserNameTests {
    let network = StubbornNetwork.current
    let client = UserClient(session: StubbornNetwork.current.session)

    @Test func userName() async throws {
        network.stub(.path("/users/42"), with: .json(["name": "Ada"]))
        #expect(try await client.name(of: 42) == "Ada")
    }
}

extension StubbornNetwork {
    var handler: ((URLRequest) throws -> (HTTPURLResponse, Data?))? {
        get { nil }
        set {
            nonisolated(unsafe) let handler = newValue
            stub(.any) { request in
                guard let (response, body) = try handler?(request.urlRequest) else { throw URLError(.unknown) }
                let fields = response.allHeaderFields as? [String: String] ?? [:]
                return StubResponse(head: .init(statusCode: response.statusCode, headers: .init(fields)), body: body)
            }
        }
    }
}

/// The tests of the article, after they were moved.
struct MovedTests {
    @Test(.stubbed(sharedSession: true)) func name() async throws {
        StubbornNetwork.current.stub(.get("https://api.example.com/users/42"), with: .json(["name": "Ada"]))
        #expect(try await UserClient(session: .shared).name(of: 42) == "Ada")
    }

    @Test(.stubbed(named: "fetchUser", sharedSession: true)) func fetchUser() async throws {
        #expect(try await UserClient(session: .shared).name(of: 42) == "Ada")
    }
}

final class UserNameXCTests: XCTestCase {
    func testName() async throws {
        let network = stubbedNetwork(sharedSession: true)
        network.stub(.host("api.example.com") && .path("/users/42"), with: .json(["name": "Ada"]))
        let name = try await UserClient(session: .shared).name(of: 42)
        XCTAssertEqual(name, "Ada")
    }
}

/// A class that sets its network in `setUp`, as the article says.
final class MovedHandlerXCTests: XCTestCase {
    private var network: StubbornNetwork?

    override func setUp() {
        network = stubbedNetwork()
    }

    func testFirstNetwork() async throws { try await checkName("Ada") }

    func testSecondNetwork() async throws { try await checkName("Eve") }

    private func checkName(_ name: String) async throws {
        let network = try XCTUnwrap(network)
        XCTAssertTrue(network.unusedDeclaredStubs.isEmpty)
        network.stub(.any, with: .json(["name": name]))
        let received = try await UserClient(session: network.session).name(of: 42)
        XCTAssertEqual(received, name)
    }
}

/// The calls of the tables in the article on coming from other libraries, in their order.
struct OtherLibrariesArticle {
    private let data = Data("[]".utf8)
    private let error = URLError(.badServerResponse)

    @Test func `a MockURLProtocol has one handler for all sessions`() async throws {
        func session() -> URLSession {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.protocolClasses = [MockURLProtocol.self]
            return URLSession(configuration: configuration)
        }
        let url = try #require(URL(string: "https://api.example.com/users/42"))
        let response = try #require(HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil))
        let sessions = [session(), session()]
        for body in [#"{"name":"Ada"}"#, #"{"name":"Eve"}"#] {
            MockURLProtocol.handler = { _ in (response, Data(body.utf8)) }
        }

        for session in sessions { #expect(try await UserClient(session: session).name(of: 42) == "Eve") }
    }

    @Test func `the calls of a MockURLProtocol have replacements`() throws {
        let network = StubbornNetwork(.ephemeral)
        network.stub(.any) { request in .json(["bytes": request.body?.count ?? 0], statusCode: 201) }
        network.stub(.path("/slow"), with: .failure(URLError(.timedOut)).delayed(by: .seconds(1)))
        network.stub(.get("/job"), with: [.status(202), .status(200)])
        #expect(try status("https://api.example.com/job", of: network) == 202)
        #expect(try status("https://api.example.com/job", of: network) == 200)
        #expect(try status("https://api.example.com/", "POST", of: network) == 201)
        #expect(network.exchanges.map(\.request).map(\.method) == ["GET", "GET", "POST"])
        network.stub(.path("/login")) { request in
            guard request.headerFields["Accept"] == nil, request.url.path == "/login" else { throw URLError(.timedOut) }
            return .json(["id": 1], statusCode: 201, headers: ["ETag": "1"])
        }
        #expect(try status("https://api.example.com/login", of: network) == 201)
    }

    @Test func `a handler of a MockURLProtocol moves unchanged`() async throws {
        let network = StubbornNetwork(.ephemeral)
        let url = try #require(URL(string: "https://api.example.com/users/42"))
        var calls = 0
        network.handler = { request in
            calls += 1
            guard request.httpMethod == "POST" else { throw URLError(.unsupportedURL) }
            let url = try #require(request.url)
            let fields = ["ETag": "1"]
            let response = HTTPURLResponse(url: url, statusCode: 201, httpVersion: nil, headerFields: fields)
            return (try #require(response), request.httpBody)
        }
        var post = URLRequest(url: url)
        (post.httpMethod, post.httpBody) = ("POST", Data("Ada".utf8))
        let (data, response) = try await network.session.data(for: post)
        #expect(data == Data("Ada".utf8))
        #expect((response as? HTTPURLResponse)?.statusCode == 201)
        #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "ETag") == "1")
        let error = await #expect(throws: URLError.self) { try await network.session.data(from: url) }
        #expect(error?.code == .unsupportedURL)
        #expect(calls == 2)
    }

    @Test func `the OHHTTPStubs calls have replacements`() {
        let network = StubbornNetwork(.ephemeral)
        network.stub(.host("api.example.com")) { request in .text(request.method) }
        network.stub(.host("h") && .path("/p") && .method("POST"), with: .json(["id": 1], statusCode: 201))
        network.stub(.any, with: .data(data, headers: ["X-A": "1"]))
        network.stub(.query("page", equals: "2"), with: .fixture("Stubs/UserTests_name.json"))
        network.stub(.any, with: .failure(error))
        let slow = StubResponse.json([1]).delayed(by: .milliseconds(100))
        let stub = network.stub(.any, with: slow.throttled(to: .init(bytesPerSecond: 400_000)))
        network.remove(stub)
        network.passThrough(.host("localhost"))
        network.onUnstubbedRequest = { report in _ = report.description }
        #expect(network.unusedDeclaredStubs.count == 5)
    }

    /// Returns the status of the response; `nil` for a request that no stub answers.
    private func status(_ address: String, _ method: String = "GET", of network: StubbornNetwork) throws -> Int? {
        network.onUnstubbedRequest = { _ in }
        var request = URLRequest(url: try #require(URL(string: address)))
        request.httpMethod = method
        return (try? network.response(to: request).1 as? HTTPURLResponse)?.statusCode
    }

    @Test func `the latest stub that matches answers, and a request without one fails`() throws {
        let network = StubbornNetwork(.ephemeral)
        network.stub(.host("api.example.com"), with: .status(500))
        network.stub(.host("api.example.com") && .path("/p") && .query("page", equals: "2"), with: .status(201))
        #expect(try status("https://api.example.com/p?page=2&x=1", of: network) == 201)
        #expect(try status("https://api.example.com/p", of: network) == 500)
        #expect(try status("https://other.example.com/p", of: network) == nil)
    }

    @Test func `the Mocker patterns match what the mocks did`() throws {
        let network = StubbornNetwork(.ephemeral)
        network.stub(.url(ignoringQuery: "https://api.example.com/a") && .method("GET"), with: .status(201))
        network.stub(.path(suffix: ".png"), with: .status(202))
        #expect(try status("https://api.example.com/a?x=1", of: network) == 201)
        #expect(try status("https://api.example.com/a", "POST", of: network) == nil)
        #expect(try status("https://cdn.example.com/b/c.png?v=1", of: network) == 202)
    }

    @Test func `stubs that are declared after a rule for all requests still answer`() throws {
        let network = StubbornNetwork(.ephemeral)
        network.passThrough(.any)
        network.stub(.host("api.example.com"), with: .status(201))
        #expect(try status("https://api.example.com/a", of: network) == 201)
    }

    @Test(arguments: [
        (PlaybackOrder.sequenceThenLast, [1, 2, 2]), (.sequence, [1, 2, nil]), (.firstMatch, [1, 1, 1]),
    ])
    func `the orders give what the article promises`(order: PlaybackOrder, statusCodes: [Int?]) throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("orders-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let stubs = [1, 2].map { number in
            #"{ "request": { "method": "GET", "url": "https://api.example.com/a" }, "response": { "statusCode": \#(200 + number) } }"#
        }
        try Data("[\(stubs.joined(separator: ","))]".utf8).write(to: directory.appendingPathComponent("a.json"))
        let network = StubbornNetwork(.persistent(named: "a", in: directory.path), environment: [:])
        network.playbackOrder = order
        for statusCode in statusCodes {
            #expect(try status("https://api.example.com/a", of: network) == statusCode.map { 200 + $0 })
        }
    }

    @Test func `the matchers of earlier Stubborn Network versions can be set`() throws {
        let request = URLRequest(url: BooksURL.books)
        let network = StubbornNetwork(.ephemeral)
        network.stub(request, data: data, response: nil, error: nil)
        #expect(try status("https://other.example.com/books", of: network) == nil)
        network.requestMatcherOptions = [.httpMethod, .path, .query, .headers, .requestBody]
        #expect(try status("https://other.example.com/books", of: network) == 200)
        #expect(try status("https://other.example.com/books?page=2", of: network) == nil)
        network.requestMatcherOptions = RequestMatcherOptions([.custom { $0.url?.path == $1.url?.path }])
        #expect(try status("https://other.example.com/books?page=2", "POST", of: network) == 200)
        network.requestMatcherOptions = RequestMatcherOptions([.httpMethod, .custom { $0.url?.path == $1.url?.path }])
        #expect(try status("https://other.example.com/books?page=2", "POST", of: network) == nil)
    }

    @Test func `the Mocker calls have replacements`() {
        let network = StubbornNetwork(.ephemeral)
        network.stub(.get("https://api.example.com/a"), with: .data(data, contentType: "application/json"))
        network.stub(.get("/path"), with: .data(data).delayed(by: .seconds(5)))
        network.stub(.url(ignoringQuery: "https://api.example.com/a") && .method("GET"), with: .data(data))
        network.stub(.path(suffix: ".png"), with: .failure(error))
        network.passThrough(.url("https://api.example.com/b"))
        network.stub(URLRequest(url: BooksURL.books), with: .status(204))
        network.insertStubbedSessionURLProtocol(into: .ephemeral)
        #expect(network.exchanges(matching: .path("/login")).isEmpty)
    }

    @Test func `the DVR, Vinyl and Replay calls have replacements`() {
        let traits: [StubbedTrait] = [
            .stubbed(named: "example"),
            .stubbed(matching: [.httpMethod, .url, .requestBody, .headers(named: ["Accept"])]),
            .stubbed(matching: [.httpMethod, .url], order: .sequence),
            .stubbed(matching: [.requestBody, .query], order: .sequence),
            .stubbed(order: .firstMatch),
            .stubbed(named: "fetchUser", sharedSession: true),
            .stubbed { $0.stub(.get("https://api.example.com/a"), with: .text("a")) },
            .stubbed(matching: [.httpMethod, .path]),
            .stubbed(redaction: .standard.including(headers: ["X-Session"])),
            .stubbed(in: .main),
        ]
        #expect(traits.count == 10)
    }

    /// Only compiled: two of them fail the test that they stand in.
    private func whatWasAssertRequest(_ network: StubbornNetwork) async throws {
        assertRequests(of: network, recording: true)
        assertRequests(of: network)
        try await network.interceptingSharedSession { _ = try await URLSession.shared.data(from: BooksURL.books) }
    }

    /// Only compiled: the network is that of the process.
    private func whatWasStandard() {
        StubbornNetwork.standard.insertStubbedSessionURLProtocol(into: .ephemeral)
        StubbornNetwork.standard.stub(URLRequest(url: BooksURL.books), data: data)
        StubbornNetwork.standard.requestMatcherOptions = RequestMatcherOptions([.requestBody, .url, .httpMethod])
        StubbornNetwork.standard.bodyDataProcessor = WithoutNames()
    }

    @Test func `the calls of earlier Stubborn Network versions have replacements`() {
        let request = URLRequest(url: BooksURL.books)
        let response = URLResponse(url: BooksURL.books, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
        let session = StubbornNetwork.stubbed(withConfiguration: .ephemeral) { network in
            network.stub(request, data: data, response: response, error: nil)
        }
        let environment = StubbornNetwork.stubbed(withProcessInfo: .processInfo)
        let persistent = StubbornNetwork.stubbed(withConfiguration: .persistent(named: "n", in: "p"))
        #expect(ProcessInfo.processInfo.testing == false)
        #expect(Set([session, environment, persistent]).count == 3)
    }
}

private enum BooksURL {
    static let books = URL(string: "https://api.example.com/books")!
}
