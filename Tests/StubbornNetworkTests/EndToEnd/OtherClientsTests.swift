import Foundation
import LoopbackServer
import Testing

@_spi(Tools) @testable import StubbornNetwork

/// Clients that are not sessions, through `response(to:from:)` and `streamedResponse(to:from:)`.
@Suite(.timeLimit(.minutes(5)))
struct OtherClientsTests {
    let directory = TemporaryDirectory()

    private func network(_ mode: RecordMode, name: String = "case", report: String? = nil) -> StubbornNetwork {
        var environment: [String: String] = .newRun
        environment["STUB_REPORT"] = report.map { directory.file($0).path }
        let network = StubbornNetwork(.persistent(name: name, path: directory.path)!, environment: environment)
        network.recordMode = mode
        return network
    }

    /// A client that is not a session of the library.
    private static let client = URLSession(
        configuration: .ephemeral,
        delegate: StayingDelegate(),
        delegateQueue: nil
    )

    @Sendable private static func send(_ request: StubRequest) async throws -> StubResponse {
        let (data, response) = try await client.data(for: request.urlRequest)
        let http = try #require(response as? HTTPURLResponse)
        let fields = http.allHeaderFields.compactMap { name, value in
            (name as? String).flatMap { name in (value as? String).map { HeaderFields.Field(name: name, value: $0) } }
        }
        return StubResponse(
            head: ResponseHead(statusCode: http.statusCode, headers: HeaderFields(fields)),
            body: data.isEmpty ? nil : data
        )
    }

    @Sendable private static func mustNotSend(_ request: StubRequest) async throws -> StubResponse {
        Issue.record("the server was asked for \(request)")
        return StubResponse(head: ResponseHead(statusCode: 599))
    }

    // MARK: The same as a session

    /// Reads the run report of a network, without what tells its stub file from another, and without the URLs of responses.
    ///
    /// A session says which URL has answered, which is the request's here.
    private func report(_ name: String) throws -> RunReport.Network {
        var report = try #require(RunReport(contentsOf: directory.file(name))?.networks.first)
        (report.file, report.pathInPackage, report.recordingReport) = (nil, nil, nil)
        report.redaction?.replacements.removeAll { $0.part.hasPrefix("response URL") }
        return report
    }

    /// Requests to the loopback server, by their test.
    static let conversations: [String: [StubRequest]] = {
        func request(_ method: String, _ path: String, _ body: String? = nil, type: String? = nil) -> StubRequest {
            StubRequest(
                method: method,
                url: URL(string: path)!,
                headers: type.map { ["Content-Type": $0] } ?? [:],
                body: body.map { Data($0.utf8) }
            )
        }
        return [
            "reading": [request("GET", "/hello"), request("GET", "/json"), request("HEAD", "/hello")],
            "writing": [
                request("POST", "/echo", #"{"a":1}"#, type: "application/json"),
                request("PUT", "/echo", "a=1&b=2", type: "application/x-www-form-urlencoded"),
                request("DELETE", "/status/204"),
            ],
            "failing": [request("GET", "/status/404"), request("GET", "/status/500"), request("GET", "/nowhere")],
            "redirects": [request("HEAD", "/redirect-to?url=/hello&status=302")],
            "secrets": [
                request("POST", "/echo", #"{"password":"correct horse battery"}"#, type: "application/json"),
                request("GET", "/hello?api_key=zR7tQ2mW9xK4vB8n"),
            ],
            "order": [request("GET", "/hello"), request("GET", "/json"), request("GET", "/hello")],
            "fields": [
                StubRequest(url: URL(string: "/hello")!, headers: ["X-Zulu": "1", "X-Alpha": "2", "x-zulu": "3"])
            ],
            "bytes": [request("GET", "/bytes/3000"), request("GET", "/bytes/0")],
        ]
    }()

    @Test(arguments: conversations.keys.sorted())
    func
        `the same conversation makes the same stub file and report as with a session, and is played without the server`(
            name: String
        ) async throws
    {
        let server = try LoopbackServer()
        let requests = try #require(Self.conversations[name]).map { request -> StubRequest in
            var request = request
            request.url = server.url(request.url.absoluteString)
            return request
        }
        let recorder = network(.recording, name: "session", report: "session.report")
        let session = recorder.makeSession(delegate: StayingDelegate())
        for request in requests { _ = try await session.data(for: request.urlRequest) }
        session.invalidateAndCancel()
        try recorder.finishRecording()
        let other = network(.recording, name: "other", report: "other.report")
        for request in requests { _ = try await other.response(to: request, from: Self.send) }
        try other.finishRecording()
        server.stop()
        try await eventually {
            let reports = ["session", "other"].compactMap { try? report("\($0).report") }
            return reports.count == 2 && reports[0] == reports[1] && reports[0].recorded.count == requests.count
        }
        let lines = try report("other.report").recorded
        #expect(lines.allSatisfy { $0.contains(/: \d{3}(, \d+ bytes)?$/) }, "\(lines)")

        let texts = try ["session", "other"].map { name in
            try String(contentsOf: directory.file("\(name).json"), encoding: .utf8)
                .replacing(/"Date\[:::\][^"]*"/, with: "")
        }
        #expect(texts[0] == texts[1])
        var answers: [[StubResponse]] = []
        for name in ["session", "other"] {
            let player = network(.playback, name: name)
            answers.append([])
            for request in requests {
                answers[answers.count - 1].append(try await player.response(to: request, from: Self.mustNotSend))
            }
            #expect(player.exchanges.allSatisfy { $0.outcome == .stubbed && $0.duration != nil })
        }
        #expect(answers[0].map { $0.head?.statusCode } == answers[1].map { $0.head?.statusCode })
        #expect(answers[0].map(\.body) == answers[1].map(\.body))
    }

    @Test func `names of fields that differ in capitals stay apart`() async throws {
        let fields: HeaderFields = ["X-A": "1", "x-a": "2", "X-B": "3", "X-B": "4"]
        for mode in [RecordMode.recording, .playback] {
            let network = network(mode)
            let response = try await network.response(to: StubRequest(url: URL(string: "https://api.test/a")!)) { _ in
                StubResponse(head: ResponseHead(statusCode: 200, headers: fields))
            }
            let expected: HeaderFields = mode == .recording ? fields : ["X-A": "1", "x-a": "2", "X-B": "3, 4"]
            #expect(response.head?.headerFields.map(\.self) == expected.map(\.self))
            try network.finishRecording()
        }
    }

    // MARK: Modes

    @Test(arguments: [RecordMode.playback, .recordingOnce, .recordingMissing, .recording, .live])
    func `the server is asked where the mode says so`(mode: RecordMode) async throws {
        let server = try LoopbackServer()
        let known = StubRequest(url: server.url("/hello"))
        let recorder = network(.recording)
        _ = try await recorder.response(to: known, from: Self.send)
        try recorder.finishRecording()
        let network = network(mode)
        let count = server.requests.count
        _ = try await network.response(to: known, from: Self.send)
        #expect(server.requests.count - count == (mode == .recording || mode == .live ? 1 : 0))
        let unknown = try? await network.response(to: StubRequest(url: server.url("/json")), from: Self.send)
        #expect((unknown != nil) == [.recordingMissing, .recording, .live].contains(mode))
        let outcomes: [RecordMode: [Exchange.Outcome?]] = [
            .playback: [.stubbed, .unstubbed], .recordingOnce: [.stubbed, .unstubbed],
            .recordingMissing: [.stubbed, .recorded], .recording: [.recorded, .recorded],
            .live: [.passedThrough, .passedThrough],
        ]
        #expect(network.exchanges.map(\.outcome) == outcomes[mode])
    }

    @Test func `a request that nobody stubbed fails with the report of a session`() async throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.stub(.get("/users/1"), with: .status(200))
        let url = URL(string: "https://api.test/users/2")!
        let error = await #expect(throws: StubbornNetworkError.self) {
            try await network.response(to: StubRequest(url: url), from: Self.mustNotSend)
        }
        let other = await #expect(throws: StubbornNetworkError.self) { try await network.session.data(from: url) }
        #expect(error?.report?.description == other?.report?.description)
        #expect(error?.report?.cause == other?.report?.cause)
        #expect(network.unstubbedRequests.count == 2)
    }

    @Test func `a declared stub answers, with its delay and its error`() async throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.stub(.get("/a"), with: .json(["id": 1]).delayed(by: .milliseconds(20)))
        network.stub(.get("/b"), with: .failure(URLError(.notConnectedToInternet)))
        let start = DispatchTime.now().uptimeNanoseconds
        let response = try await network.response(
            to: StubRequest(url: URL(string: "https://api.test/a")!),
            from: Self.mustNotSend
        )
        #expect(DispatchTime.now().uptimeNanoseconds - start >= 20_000_000)
        #expect(response.head?.statusCode == 200)
        #expect(response.body == Data(#"{"id":1}"#.utf8))
        let error = await #expect(throws: URLError.self) {
            try await network.response(to: StubRequest(url: URL(string: "https://api.test/b")!), from: Self.mustNotSend)
        }
        #expect(error?.code == .notConnectedToInternet)
        #expect(network.exchanges.allSatisfy { $0.outcome == .stubbed && $0.duration != nil })
    }

    @Test func `verifying compares what the closure returns with the recording`() async throws {
        let request = StubRequest(url: URL(string: "https://api.test/users")!)
        let recorder = network(.recording)
        _ = try await recorder.response(to: request) { _ in .json(["count": 1]) }
        try recorder.finishRecording()
        let network = network(.verifying)
        let played = try await network.response(to: request) { _ in .json(["total": 1]) }
        #expect(played.body == Data(#"{"total":1}"#.utf8))
        let report = await network.verificationReport()
        #expect(report.stubs.map(\.differences.count) == [2])
    }

    // MARK: Errors

    struct TransportError: Error, Equatable {
        var code = 0
    }

    @Test func `the error of the transport is thrown as it is, recorded and played`() async throws {
        let recorder = network(.recording)
        let url = URL(string: "https://api.test/a")!
        let own = await #expect(throws: TransportError.self) {
            try await recorder.response(to: StubRequest(url: url)) { _ in throw TransportError(code: 7) }
        }
        #expect(own == TransportError(code: 7))
        let known = await #expect(throws: URLError.self) {
            try await recorder.response(to: StubRequest(method: "PUT", url: url)) { _ in throw URLError(.timedOut) }
        }
        #expect(known?.code == .timedOut)
        try recorder.finishRecording()
        let player = network(.playback)
        let bridged = TransportError(code: 7) as NSError
        let played = await #expect(throws: NSError.self) {
            try await player.response(to: StubRequest(url: url), from: Self.mustNotSend)
        }
        #expect(played?.domain == bridged.domain && played?.code == bridged.code)
        let timedOut = await #expect(throws: URLError.self) {
            try await player.response(to: StubRequest(method: "PUT", url: url), from: Self.mustNotSend)
        }
        #expect(timedOut?.code == .timedOut)
    }

    @Test func `a request with a placeholder is not sent`() async throws {
        let network = network(.recording)
        let request = StubRequest(url: URL(string: "https://api.test/a?api_key=REDACTED-api_key-1")!)
        let error = await #expect(throws: StubbornNetworkError.self) {
            try await network.response(to: request, from: Self.mustNotSend)
        }
        #expect(error?.code == .placeholderInRequest)
        #expect(throws: StubbornNetworkError.self) { try network.finishRecording() }
    }

    @Test func `a request that is not one of HTTP is refused`() async throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        let error = await #expect(throws: StubbornNetworkError.self) {
            try await network.response(to: StubRequest(url: URL(string: "ftp://a.test/")!), from: Self.mustNotSend)
        }
        #expect(error?.code == .unsupportedRequest)
    }

    // MARK: Streams

    /// A response whose parts the test sends.
    private static func stream() -> (
        response: StreamedResponse, parts: AsyncThrowingStream<Data, any Error>.Continuation
    ) {
        let (stream, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
        let head = ResponseHead(statusCode: 200, headers: ["Content-Type": "text/event-stream"])
        return (StreamedResponse(head: head, parts: stream), continuation)
    }

    @Test func `the parts of a body arrive as they are sent, and are recorded at the end`() async throws {
        let recorder = network(.recording)
        recorder.recordsTiming = true
        let (sent, parts) = Self.stream()
        let request = StubRequest(url: URL(string: "https://api.test/events")!)
        let response = try await recorder.streamedResponse(to: request) { _ in sent }
        var iterator = response.parts.makeAsyncIterator()
        for text in ["one", "two", "three"] {
            // The next part is sent when this one has arrived.
            parts.yield(Data(text.utf8))
            #expect(try await iterator.next() == Data(text.utf8))
        }
        #expect(recorder.exchanges.map(\.duration) == [nil])
        parts.finish()
        #expect(try await iterator.next() == nil)
        #expect(recorder.exchanges.first?.duration != nil)
        try recorder.finishRecording()
        let player = network(.playback)
        player.playbackSpeed = .recorded
        let played = try await player.streamedResponse(to: request) { _ in throw TransportError() }
        var texts: [String] = []
        for try await part in played.parts { texts.append(String(decoding: part, as: UTF8.self)) }
        #expect(texts == ["one", "two", "three"])
    }

    @Test func `a stream without an end is verified up to the part at which the client cancelled it`() async throws {
        let request = StubRequest(url: URL(string: "https://api.test/events")!)
        for (mode, texts) in [(RecordMode.recording, ["one", "two"]), (.verifying, ["one", "two", "three"])] {
            let network = network(mode)
            let isOver = Lock(false)
            let reader = Task {
                let response = try await network.streamedResponse(to: request) { _ in
                    let (sent, parts) = Self.stream()
                    parts.onTermination = { _ in isOver.withLock { $0 = true } }
                    for text in texts { parts.yield(Data(text.utf8)) }
                    return sent
                }
                for try await part in response.parts where part.suffix(3) == Data("two".utf8) { break }
            }
            try await reader.value
            #expect(await network.verificationReport().stubs.map(\.severity) == (mode == .verifying ? [nil] : []))
            // Nobody reads the rest.
            try await eventually { isOver.withLock { $0 } }
            try network.finishRecording()
        }
    }

    @Test func `a declared latency holds for other clients too`() async throws {
        let network = StubbornNetwork(.ephemeral)
        network.stub(.any, with: .text("late").delayed(by: .milliseconds(300)))
        let start = DispatchTime.now().uptimeNanoseconds
        let request = StubRequest(url: URL(string: "https://api.test/")!)
        let response = try await network.streamedResponse(to: request) { _ in throw TransportError() }
        #expect(DispatchTime.now().uptimeNanoseconds - start >= 300_000_000)
        for try await part in response.parts { #expect(part == Data("late".utf8)) }
    }

    @Test func `whoever stops reading cancels the exchange, and what has arrived is recorded`() async throws {
        let recorder = network(.recording)
        let (sent, parts) = Self.stream()
        let request = StubRequest(url: URL(string: "https://api.test/events")!)
        let reader = Task {
            let response = try await recorder.streamedResponse(to: request) { _ in sent }
            for try await part in response.parts where part == Data("two".utf8) { break }
        }
        parts.yield(Data("one".utf8))
        parts.yield(Data("two".utf8))
        try await reader.value
        try recorder.finishRecording()
        #expect(recorder.exchanges.first?.duration != nil)
        let stub = try #require(recorder.recordedStubs.first)
        #expect(stub.response.failure?.code == URLError.cancelled.rawValue)
        #expect(stub.response.body == Data("onetwo".utf8))
    }

    @Test func `a task that is cancelled ends at once, while a stub is delayed and while the server is asked`()
        async throws
    {
        let network = network(.recording)
        network.stub(.get("/late"), with: .status(200).delayed(by: .seconds(600)))
        let (isAsked, asked) = AsyncStream<Void>.makeStream()
        let requests = ["/late", "/slow"].map { StubRequest(url: URL(string: "https://api.test\($0)")!) }
        let tasks = requests.map { request in
            Task {
                try await network.response(to: request) { _ in
                    asked.yield()
                    try await Task.sleep(nanoseconds: 600_000_000_000)
                    return .status(200)
                }
            }
        }
        for await _ in isAsked { break }
        for task in tasks {
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        try network.finishRecording()
        #expect(network.recordedStubs.map { $0.response.failure?.code } == [URLError.cancelled.rawValue])
    }

    @Test func `a stream that breaks off is recorded with its error`() async throws {
        let recorder = network(.recording)
        let (sent, parts) = Self.stream()
        let request = StubRequest(url: URL(string: "https://api.test/events")!)
        parts.yield(Data("one".utf8))
        parts.finish(throwing: URLError(.networkConnectionLost))
        await #expect(throws: URLError.self) {
            for try await _ in try await recorder.streamedResponse(to: request, from: { _ in sent }).parts {}
        }
        #expect(recorder.exchanges.map(\.outcome) == [.failed])
        try recorder.finishRecording()
        let player = network(.playback)
        let played = try await player.streamedResponse(to: request) { _ in throw TransportError() }
        var text = ""
        let error = await #expect(throws: URLError.self) {
            for try await part in played.parts { text += String(decoding: part, as: UTF8.self) }
        }
        #expect(error?.code == .networkConnectionLost)
        #expect(text == "one")
    }

    @Test func `64 bodies at once, and one of 20 MB, come back whole`() async throws {
        let recorder = network(.recording)
        let long = LoopbackServer.bytes(count: 20_000_000)
        @Sendable func body(_ number: Int) -> Data {
            number == 0 ? long : Data(repeating: UInt8(number), count: 10_000)
        }
        @Sendable func all(_ network: StubbornNetwork, asks: Bool) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<64 {
                    group.addTask {
                        let request = StubRequest(url: URL(string: "https://api.test/\(number)")!)
                        let response = try await network.response(to: request) { _ in
                            #expect(asks)
                            return StubResponse(head: ResponseHead(statusCode: 200), body: body(number))
                        }
                        #expect(response.body == body(number))
                    }
                }
                try await group.waitForAll()
            }
        }
        try await all(recorder, asks: true)
        try recorder.finishRecording()
        try await all(network(.playback), asks: false)
    }

    @Test func `several cookies stay several fields`() async throws {
        let recorder = network(.recording)
        let request = StubRequest(url: URL(string: "https://api.test/login")!)
        var head = ResponseHead(statusCode: 200)
        head.headerFields.append(name: "Set-Cookie", value: "theme=dark; Expires=Wed, 21 Oct 2026 07:28:00 GMT")
        head.headerFields.append(name: "Set-Cookie", value: "size=2")
        head.headerFields.append(name: "Vary", value: "Accept")
        head.headerFields.append(name: "Vary", value: "Origin")
        _ = try await recorder.response(to: request) { [head] _ in StubResponse(head: head) }
        try recorder.finishRecording()
        let played = try await network(.playback).response(to: request, from: Self.mustNotSend)
        #expect(played.head?.headerFields.values(named: "Set-Cookie").count == 2)
        #expect(played.head?.headerFields.values(named: "Vary") == ["Accept, Origin"])
    }
}

/// A delegate that follows no redirect.
private final class StayingDelegate: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
