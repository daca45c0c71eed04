import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork

/// Faults and latency, as a client sees them.
@Suite(.timeLimit(.minutes(5)))
struct StubFaultTests {
    private let url = URL(string: "https://api.test/items")!

    private func outcome(_ response: StubResponse) async -> (status: Int?, body: Data?, error: URLError.Code?) {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.stub(.any, with: response)
        do {
            let (data, response) = try await network.session.data(from: url)
            return (response.status, data, nil)
        } catch {
            return (nil, nil, (error as? URLError)?.code)
        }
    }

    @Test(arguments: [
        (StubResponse.timedOut, URLError.Code.timedOut), (.connectionRefused, .cannotConnectToHost),
        (.hostNotFound, .cannotFindHost), (.connectionLost, .networkConnectionLost),
        (.offline, .notConnectedToInternet),
        (.text("whole").dropped(afterByteCount: 2), .networkConnectionLost),
    ])
    func `each connection fault fails with its URLError code`(response: StubResponse, code: URLError.Code) async {
        #expect(await outcome(response).error == code)
    }

    @Test func `a request without a response ends with its timeout`() async throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.stub(.any, with: .neverAnswering)
        var request = URLRequest(url: url)
        request.timeoutInterval = 0.05
        let error = await #expect(throws: URLError.self) { try await network.session.data(for: request) }
        #expect(error?.code == .timedOut)
    }

    @Test func `a caller that does not wait gets the timeout of a request without a response at once`() throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.stub(.any, with: .neverAnswering)
        let error = #expect(throws: URLError.self) { try network.response(to: URLRequest(url: url)) }
        #expect(error?.code == .timedOut)
    }

    @Test func `the client receives what arrives before a connection breaks`() async throws {
        let response = StubResponse.text("hello world").dropped(afterByteCount: 5)
        #expect(response.bytes == Data("hello".utf8))
        #expect(response.head?.headerFields["Content-Length"] == "11")
        #expect(StubResponse.text("hello").dropped(afterByteCount: -1).bytes == Data())
        #expect(StubResponse.text("hello").dropped(afterByteCount: .max).bytes == Data("hello".utf8))
    }

    @Test func `a body in parts arrives whole`() async {
        let response = StubResponse.text("hello world").chunked(byteCount: 3, every: .milliseconds(1))
        #expect(response.pace.chunks.map(\.length) == [3, 3, 3, 2])
        #expect(response.pace.chunks.map(\.seconds) == [0, 0.001, 0.002, 0.003])
        #expect(await outcome(response).body == Data("hello world".utf8))
        #expect(await outcome(.status(204).chunked(byteCount: 0, every: .seconds(1))).status == 204)
    }

    @Test func `a fault has none of the recorded times`() {
        let slow = StubResponse.text("0123456789").chunked(byteCount: 5, every: .seconds(50)).delayed(by: .seconds(50))
        let paces = StubFault.all(of: Stub(request: StubRequest(url: url), response: slow)).map(\.response.pace)
        #expect(paces.count == StubFault.Kind.allCases.count)
        #expect(paces.allSatisfy { $0.secondsToFirstByte == 0 && $0.chunks.allSatisfy { $0.seconds < 1 } })
    }

    @Test func `each recorded stub has a fault of each kind`() throws {
        let directory = TemporaryDirectory()
        try directory.write(
            """
            [
              { "request": { "method": "GET", "url": "https://api.test/items" }, "response": { "statusCode": 200 },
                "text": ["0123456789"] },
              { "request": { "method": "GET", "url": "https://api.test/items" }, "response": { "statusCode": 200 } },
              { "request": { "method": "DELETE", "url": "https://api.test/items/1" }, "response": { "statusCode": 204 } }
            ]
            """,
            to: "items.json"
        )
        let network = StubbornNetwork(.persistent(name: "items", path: directory.path)!, environment: .newRun)
        #expect(
            try network.faults().map(\.description) == [
                "timeout for GET https://api.test/items", "connection lost for GET https://api.test/items",
                "500 for GET https://api.test/items", "401 for GET https://api.test/items",
                "429 for GET https://api.test/items", "truncated body for GET https://api.test/items",
                "wrong content type for GET https://api.test/items", "slow body for GET https://api.test/items",
                "timeout for DELETE https://api.test/items/1", "connection lost for DELETE https://api.test/items/1",
                "500 for DELETE https://api.test/items/1", "401 for DELETE https://api.test/items/1",
                "429 for DELETE https://api.test/items/1",
            ]
        )
        let faults = try network.faults(for: .method("GET"))
        #expect(faults.count == 8)
        #expect(faults.first { $0.kind == .truncatedBody }?.response.bytes == Data("01234".utf8))
        #expect(faults.first { $0.kind == .slowBody }?.response.pace.chunks.count == 10)
        let lost = try #require(faults.first { $0.kind == .connectionLost })
        network.stub(lost)
        #expect(throws: URLError.self) { try network.response(to: URLRequest(url: url)) }
    }

    @Test func `a value of a test has no faults`() throws {
        let directory = TemporaryDirectory()
        let value = #"{ "value": "order", "json": 1 }"#
        try directory.write("[ \(value), \(Self.file.dropFirst())", to: "items.json")
        #expect(try Set(items(in: directory).faults().map(\.request.description)) == ["GET https://api.test/items"])
        try directory.write("[ \(value) ]", to: "items.json")
        let error = #expect(throws: StubbornNetworkError.self) { try items(in: directory).faults() }
        #expect(error?.code == .unstubbedRequest)
    }

    @Test func `a fault of a request with placeholders answers any value in their place`() throws {
        let directory = TemporaryDirectory()
        try directory.write(#"{ "matching": { "placeholders": ["<USER>"] } }"#, to: ".stubborn.json")
        try directory.write(
            """
            [
              { "request": { "method": "POST", "url": "https://api.test/login?api_key=REDACTED-api_key-1",
                  "requestJSON": { "password": "REDACTED-password-1", "user": "<USER>", "plan": "free" } },
                "response": { "statusCode": 204 } }
            ]
            """,
            to: "items.json"
        )
        let network = items(in: directory)
        network.stub(try #require(try network.faults().first { $0.kind == .serverError }))
        func request(plan: String) throws -> URLRequest {
            var request = URLRequest(url: try URL.parsed("https://api.test/login?api_key=mine"))
            request.httpMethod = "POST"
            request.httpBody = Data(#"{"user":"ada","password":"dummy","plan":"\#(plan)"}"#.utf8)
            return request
        }
        #expect(try network.response(to: request(plan: "free")).1.status == 500)
        #expect(throws: (any Error).self) { try network.response(to: request(plan: "pro")) }
        #expect(network.unstubbedRequests.count == 1)
    }

    @Test func `a fixture is found next to the test`() async throws {
        let found = await outcome(.fixture("item.json"))
        #expect(found.body == Data(#"{"id":1}"#.utf8))
        #expect(await outcome(.fixture("Fixtures/item.json", responseTime: .milliseconds(1))).status == 200)
        let created = StubResponse.fixture("item.json", statusCode: 201, headers: ["Location": "/items/1"])
        #expect(created.head?.statusCode == 201)
        #expect(created.head?.headerFields["Location"] == "/items/1")
        #expect(created.head?.headerFields["Content-Type"] == "application/json")
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.stub(.any, with: .fixture("none.json"))
        let error = #expect(throws: StubbornNetworkError.self) { try network.response(to: URLRequest(url: url)) }
        let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
        #expect(
            error?.message.components(separatedBy: "\n").first == """
                There is no fixture "none.json". Searched: \(here)/none.json, \(here)/Fixtures/none.json, \
                \(here)/Resources/none.json. Put it next to the test.
                """
        )
    }

    private func items(_ mode: RecordMode = .playback, in directory: TemporaryDirectory) -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: "items", path: directory.path)!, environment: .newRun)
        network.recordMode = mode
        network.onUnstubbedRequest = { _ in }
        return network
    }

    private static let file =
        #"[ { "request": { "method": "GET", "url": "https://api.test/items" }, "response": { "statusCode": 200 } } ]"#

    @Test func `faults of nothing are an error, because a test without cases passes`() throws {
        let directory = TemporaryDirectory()
        let missing = #expect(throws: StubbornNetworkError.self) { try items(in: directory).faults() }
        #expect(missing?.code == .stubFileNotFound)
        try directory.write(Self.file, to: "items.json")
        let renamed = #expect(throws: StubbornNetworkError.self) {
            try items(in: directory).faults(for: .path("/renamed"))
        }
        #expect(renamed?.code == .unstubbedRequest)
        #expect(
            renamed?.message.replacingOccurrences(of: directory.path, with: "S") == """
                No fault can be tried, because no recorded stub matches path /renamed (S/items.json, 1 stub). Correct the \
                pattern, or record the test with STUB_RECORD_MODE=recording-missing.
                """
        )
    }

    @Test(arguments: [RecordMode.recording, .recordingMissing, .recordingOnce])
    func `a test that is recorded together with its faults has none yet`(mode: RecordMode) throws {
        #expect(try items(mode, in: TemporaryDirectory()).faults() == [])
    }

    @Test func `what follows a fault is not recorded into the file of another test`() async throws {
        let directory = TemporaryDirectory()
        try directory.write(Self.file, to: "items.json")
        let server = try LoopbackServer { _ in .text("refreshed") }
        let network = items(.recording, in: directory)
        network.stub(try #require(try network.faults().first { $0.kind == .unauthorized }))
        #expect(try network.response(to: URLRequest(url: url)).1.status == 401)
        let error = await #expect(throws: (any Error).self) {
            try await network.session.data(from: server.url("/refresh"))
        }
        let report = error.flatMap { StubbornNetworkError($0)?.report }
        let origin = "mode playback (set in code; a network with a fault does not replace recordings)"
        #expect(report?.description.contains(origin) == true)
        #expect(server.requests.isEmpty)
        try network.finishRecording()
        #expect(try directory.text(of: "items.json") == Self.file)
    }
}
