import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork

/// Requests that the client cancels: they are recorded as far as they had come, and wait to be cancelled when played.
@Suite(.timeLimit(.minutes(5)))
struct CancelledRequestTests {
    let directory = TemporaryDirectory()

    enum Client: String, CaseIterable { case completion, delegate, async }

    /// A request that is under way.
    private struct Running {
        let log: ClientLog
        let cancel: @Sendable () -> Void
    }

    private func network(_ mode: RecordMode) -> StubbornNetwork {
        let network = StubbornNetwork(.persistent(name: "search", path: directory.path)!, environment: .newRun)
        network.recordMode = mode
        network.bodyEncoding = .readable
        network.onUnstubbedRequest = { _ in }
        // A busy machine takes its time to cancel.
        network.cancellationTimeout = .seconds(60)
        return network
    }

    private func start(_ request: URLRequest, _ client: Client, on network: StubbornNetwork) -> Running {
        let log = ClientLog()
        switch client {
        case .completion:
            let task = network.session.dataTask(with: request) { log.end($0, $1, $2) }
            task.resume()
            return Running(log: log) { task.cancel() }
        case .delegate:
            let task = network.makeSession(delegate: ClientDelegate(log)).dataTask(with: request)
            task.resume()
            return Running(log: log) { task.cancel() }
        case .async:
            let session = network.session
            let task = Task {
                do {
                    let (data, response) = try await session.data(for: request)
                    log.end(data, response, nil)
                } catch {
                    log.end(error)
                }
            }
            return Running(log: log) { task.cancel() }
        }
    }

    /// A server that answers `s` not at all, `st` with a head, `sto` with half of the body, and everything else whole.
    private func searchServer() throws -> LoopbackServer {
        try LoopbackServer { request in
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n"
            let body: LoopbackServer.Body =
                switch request.query("q") {
                case "s": .raw([.hang])
                case "st": .raw([.send(head), .hang])
                case "sto": .raw([.send(head), .send("[\"sto"), .hang])
                default: .raw([.send(head), .send("[\"stone\"]")])
                }
            return .init(body: body)
        }
    }

    private func request(_ query: String, at server: LoopbackServer, timeout: TimeInterval = 60) -> URLRequest {
        URLRequest(url: server.url("/search?q=\(query)"), timeoutInterval: timeout)
    }

    /// Types a word: cancels the search for each beginning when the next one follows.
    ///
    /// - Returns: the outcome of each search.
    private func search(
        _ queries: [String],
        _ client: Client,
        on network: StubbornNetwork,
        at server: LoopbackServer,
        isRecording: Bool
    ) async throws -> [String] {
        var outcomes: [String] = []
        let count = network.exchanges.count
        for (index, query) in queries.enumerated() {
            let running = start(request(query, at: server), client, on: network)
            if index == queries.count - 1 {
                try await eventually { running.log.ends == 1 }
            } else {
                try await eventually { network.exchanges.count == count + index + 1 }
                if isRecording {
                    #expect(await server.waitForRequests(path: "/search", count: index + 1))
                    if client == .delegate, query == "st" { try await eventually { running.log.status == 200 } }
                    if client == .delegate, query == "sto" { try await eventually { !running.log.text.isEmpty } }
                }
                if client == .delegate, query == "sto" { try await eventually { running.log.text == "[\"sto" } }
                running.cancel()
                running.cancel()
                try await eventually { running.log.ends == 1 }
            }
            outcomes.append(running.log.errorCode.map { "\($0)" } ?? running.log.text)
        }
        return outcomes
    }

    @Test(arguments: Client.allCases)
    func `search as you type is recorded whole and played back`(client: Client) async throws {
        let server = try searchServer()
        let queries = ["s", "st", "sto", "stone"]
        let recording = network(.recording)
        let live = try await search(queries, client, on: recording, at: server, isRecording: true)
        try recording.finishRecording()
        server.stop()
        let connections = server.connectionCount
        let playback = network(.playback)
        let played = try await search(queries, client, on: playback, at: server, isRecording: false)
        #expect(live == ["-999", "-999", "-999", "[\"stone\"]"])
        #expect(played == live)
        #expect(playback.unstubbedRequests.isEmpty)
        #expect(playback.unusedStubs.isEmpty)
        #expect(server.connectionCount == connections)
    }

    @Test func `what had arrived of a cancelled request is in the stub file`() async throws {
        let server = try searchServer()
        let recording = network(.recording)
        _ = try await search(
            ["s", "st", "sto", "stone"],
            .delegate,
            on: recording,
            at: server,
            isRecording: true
        )
        try recording.finishRecording()
        let file = try directory.text(of: "search.json")
            .replacingOccurrences(of: server.url("").absoluteString, with: "http://api.test")
        let cancelled = """
            "error" : {
                  "code" : -999,
                  "description" : "The client cancelled this request.",
                  "domain" : "NSURLErrorDomain"
                },
            """
        func request(_ query: String) -> String {
            """
            "recordedAt" : "1970-01-01T00:00:00Z",
                "request" : {
                  "method" : "GET",
                  "url" : "http://api.test/search?q=\(query)"
                }
            """
        }
        let response = """
            "response" : {
                  "headerFields" : [
                    "Content-Length[:::]9",
                    "Content-Type[:::]application/json"
                  ],
                  "statusCode" : 200
                }
            """
        #expect(
            file == """
                [
                  {
                    \(cancelled)
                    \(request("s"))
                  },
                  {
                    \(cancelled)
                    \(request("st")),
                    \(response)
                  },
                  {
                    \(cancelled)
                    \(request("sto")),
                    \(response),
                    "text" : [ "[\\"sto" ]
                  },
                  {
                    "json" : [
                      "stone"
                    ],
                    \(request("stone")),
                    \(response)
                  }
                ]

                """
        )
    }

    /// The responses in the stub file.
    private func stored() throws -> [StubResponse] {
        let playback = network(.playback)
        try playback.loadStubs()
        return playback.engine.recorded.stubs().map(\.response)
    }

    /// Writes a file with the stub of a cancelled request.
    private func writeCancelled(_ more: String = "") throws {
        try directory.write(
            """
            [ { "error" : { "code" : -999, "domain" : "NSURLErrorDomain" }, \(more)
                "request" : { "method" : "GET", "url" : "http://api.test/a" } } ]
            """,
            to: "search.json"
        )
    }

    private let url = URL(string: "http://api.test/a")!

    @Test(arguments: Client.allCases, [true, false])
    func `a request that is not cancelled ends at its timeout, and the report says why`(
        client: Client,
        isOwnTimeout: Bool
    ) async throws {
        try writeCancelled(#""text" : [ "half" ], "response" : { "statusCode" : 200 },"#)
        let network = network(.playback)
        let reports = Lock<[UnstubbedRequestReport]>([])
        network.onUnstubbedRequest = { report in reports.withLock { $0.append(report) } }
        let request = URLRequest(url: url, timeoutInterval: isOwnTimeout ? 0.2 : 60)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 0.2
        let log = ClientLog()
        let session = network.makeSession(
            configuration: isOwnTimeout ? .ephemeral : configuration,
            delegate: client == .delegate ? ClientDelegate(log) : nil
        )
        switch client {
        case .completion: session.dataTask(with: request) { log.end($0, $1, $2) }.resume()
        case .delegate: session.dataTask(with: request).resume()
        case .async:
            await expectStubbornNetworkError { try await session.data(for: request) }
            log.end(StubbornNetworkError.notCancelledCode)
        }
        try await eventually { log.ends == 1 }
        let code = StubbornNetworkError.notCancelledCode.errorCode
        #expect(log.errorCode == code)
        if client == .delegate { #expect(log.calls == ["response 200", "data", "failure \(code)"]) }
        #expect(reports.withLock { $0 }.map(\.cause) == [.notCancelled])
        #expect(network.unstubbedRequests.map(\.url) == [url])
    }

    @Test func `a request waits to be cancelled for two seconds, or for its own timeout if that is shorter`() {
        var response = StubResponse(failure: .cancelledByClient)
        let request = StubRequest(url: url)
        for (timeout, seconds) in [(5.0, 2.0), (0.5, 0.5), (0, 2), (-1, 2), (.infinity, 2), (1e9, 2)] {
            let steps = Player(speed: .immediate).steps(for: response, to: request, isRecorded: true, timeout: timeout)
            #expect(steps.map(\.seconds) == [seconds])
        }
        let patient = Player(speed: .immediate, cancellationTimeout: 7)
        #expect(patient.steps(for: response, to: request, isRecorded: true, timeout: 60).map(\.seconds) == [7])
        response = .failure(URLError(.cancelled))
        let steps = Player(speed: .immediate).steps(for: response, to: request, isRecorded: false)
        #expect(steps.map(\.seconds) == [0], "a declared error is delivered at once")
    }

    @Test func `response(to:) fails at once and says why`() throws {
        try writeCancelled()
        let network = network(.playback)
        let error = #expect(throws: StubbornNetworkError.self) {
            try network.response(to: URLRequest(url: url))
        }
        #expect(error?.code == .notCancelled)
        #expect(error?.message.hasPrefix("When GET http://api.test/a was recorded, the client cancelled it") == true)
        #expect(error?.report?.cause == .notCancelled)
    }

    @Test(arguments: Client.allCases)
    func `a request that is cancelled before it is sent is recorded`(client: Client) async throws {
        let server = try searchServer()
        let recording = network(.recording)
        let running = start(request("s", at: server), client, on: recording)
        running.cancel()
        try await eventually { running.log.ends == 1 }
        try await eventually { recording.exchanges.count == 1 }
        try recording.finishRecording()
        #expect(try stored().map(\.waitsToBeCancelled) == [true])
    }

    @Test func `a redirect that is followed when the task has been cancelled is recorded and not sent`() async throws {
        let server = try LoopbackServer { request in
            request.path == "/first" ? .init(status: 302, headers: [("Location", "/second")]) : .text("second")
        }
        for mode in [RecordMode.recording, .playback] {
            let network = network(mode)
            let delegate = HesitatingDelegate()
            let task = network.makeSession(delegate: delegate).dataTask(with: server.url("/first"))
            task.resume()
            try await eventually { delegate.isAsked }
            task.cancel()
            try await eventually { delegate.hasEnded }
            delegate.follow()
            try network.finishRecording()
            #expect(try stored().map(\.waitsToBeCancelled) == [false, true])
            #expect(network.unstubbedRequests.isEmpty && network.unusedStubs.isEmpty)
            #expect(server.requestCount(path: "/second") == 0)
            if mode == .recording { server.stop() }
        }
    }

    @Test func `the end of a recording waits for the requests that were cancelled`() async throws {
        let server = try searchServer()
        let recording = network(.recording)
        recording.bodyDataProcessor = SlowProcessor()
        let running = start(request("s", at: server), .completion, on: recording)
        #expect(await server.waitForRequests(path: "/search"))
        running.cancel()
        try await eventually { running.log.ends == 1 }
        try recording.finishRecording()
        #expect(try stored().map(\.waitsToBeCancelled) == [true])
    }

    @Test func `a session that is invalidated stores its requests as cancelled`() async throws {
        let server = try searchServer()
        let recording = network(.recording)
        let delegate = ClientDelegate()
        let session = recording.makeSession(delegate: delegate)
        for query in ["s", "s", "sto"] { session.dataTask(with: request(query, at: server)).resume() }
        #expect(await server.waitForRequests(path: "/search", count: 3))
        try await eventually { delegate.log.text == "[\"sto" }
        session.invalidateAndCancel()
        try await eventually { delegate.log.calls.last == "invalid" }
        try recording.finishRecording()
        #expect(try stored().map(\.waitsToBeCancelled) == [true, true, true])
        let bodies = try stored().map { $0.body.map { String(decoding: $0, as: UTF8.self) } }
        #expect(bodies == [nil, nil, "[\"sto"])
    }

    @Test func `a task that is released while it runs is recorded to its end`() async throws {
        let server = try LoopbackServer()
        let recording = network(.recording)
        let log = ClientLog()
        recording.session.dataTask(with: server.url("/slow/2?ms=50")) { log.end($0, $1, $2) }.resume()
        try await eventually { log.ends == 1 }
        try recording.finishRecording()
        #expect(!(try directory.text(of: "search.json").contains("error")))
    }

    @Test func `a cancelled request that has a stub only in this run is added to the file`() async throws {
        let server = try searchServer()
        let first = network(.recording)
        _ = try await search(["stone"], .completion, on: first, at: server, isRecording: true)
        try first.finishRecording()
        let second = network(.recordingMissing)
        _ = try await search(["s", "stone"], .delegate, on: second, at: server, isRecording: true)
        try second.finishRecording()
        server.stop()
        let playback = network(.playback)
        let played = try await search(["s", "stone"], .delegate, on: playback, at: server, isRecording: false)
        #expect(played == ["-999", "[\"stone\"]"])
    }

    @Test func `a network sets how long a request waits to be cancelled`() async throws {
        try writeCancelled()
        let network = network(.playback)
        network.cancellationTimeout = .milliseconds(10)
        let error = await #expect(throws: StubbornNetworkError.self) { try await network.session.data(from: url) }
        #expect(error?.code == .notCancelled)
    }

    @Test(arguments: [RecordMode.playback, .recordingMissing])
    func `a complete stub answers before one of a cancelled request`(mode: RecordMode) throws {
        try directory.write(
            """
            [ { "error" : { "code" : -999, "domain" : "NSURLErrorDomain" },
                "request" : { "method" : "GET", "url" : "http://api.test/a" } },
              { "text" : [ "fresh" ], "response" : { "statusCode" : 200 },
                "request" : { "method" : "GET", "url" : "http://api.test/a" } } ]
            """,
            to: "search.json"
        )
        let network = network(mode)
        #expect(try network.response(to: URLRequest(url: url)).0 == Data("fresh".utf8))
    }

    @Test func `recordingMissing records a request that was only cancelled before`() async throws {
        let server = try LoopbackServer { _ in .text("fresh") }
        try directory.write(
            """
            [ { "error" : { "code" : -999, "domain" : "NSURLErrorDomain" },
                "request" : { "method" : "GET", "url" : "\(server.url("/a"))" } } ]
            """,
            to: "search.json"
        )
        let network = network(.recordingMissing)
        #expect(try await network.session.data(from: server.url("/a")).0 == Data("fresh".utf8))
        #expect(network.exchanges.map(\.outcome) == [.recorded])
        try network.finishRecording()
    }

    @Test func `the same request is cancelled and then answered`() async throws {
        let server = try LoopbackServer { request in
            request.nextNumber(for: "refresh") == 1 ? .init(body: .raw([.hang])) : .text("fresh")
        }
        for mode in [RecordMode.recording, .playback] {
            let network = network(mode)
            let first = start(URLRequest(url: server.url("/")), .completion, on: network)
            try await eventually { network.exchanges.count == 1 }
            if mode == .recording { #expect(await server.waitForRequests(path: "/")) }
            first.cancel()
            let second = start(URLRequest(url: server.url("/")), .completion, on: network)
            try await eventually { first.log.ends == 1 && second.log.ends == 1 }
            // On playback the complete stub answers both.
            if mode == .recording { #expect(first.log.errorCode == -999) }
            #expect(second.log.text == "fresh")
            try network.finishRecording()
            if mode == .recording { server.stop() }
        }
    }

    @Test func `a request that is cancelled while its body is read is stored before the recording ends`() async throws {
        let server = try searchServer()
        try directory.write("", to: "search.txt")
        let pipe = directory.file("body").path
        try #require(mkfifo(pipe, 0o600) == 0)
        var request = request("s", at: server)
        request.httpMethod = "POST"
        request.httpBodyStream = InputStream(fileAtPath: pipe)
        let network = network(.recording)
        let running = start(request, .completion, on: network)
        // The file opens when somebody reads it.
        let writer = try #require(FileHandle(forWritingAtPath: pipe))
        running.cancel()
        try await eventually { running.log.ends == 1 }
        #expect(network.exchanges.isEmpty)
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(100)) { try? writer.close() }
        try network.finishRecording()
        #expect(network.recordedStubs.map(\.response.waitsToBeCancelled) == [true])
    }

    @Test(arguments: [RecordMode.playback, .recordingOnce])
    func `a cancelled request with a body that does not end is not an error in playback`(mode: RecordMode) async throws
    {
        try writeCancelled()
        let pipe = directory.file("body").path
        try #require(mkfifo(pipe, 0o600) == 0)
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBodyStream = InputStream(fileAtPath: pipe)
        let network = network(mode)
        let running = start(request, .completion, on: network)
        // The file opens when somebody reads it.
        let writer = try #require(FileHandle(forWritingAtPath: pipe))
        defer { try? writer.close() }
        running.cancel()
        try await eventually { running.log.ends == 1 }
        try network.loadStubs()
        #expect(throws: Never.self) {
            try PendingWork.$longestWait.withValue(.milliseconds(20)) { try network.finishRecording() }
        }
    }

    @Test func `a hook of the recording that ends the recording does not wait for itself`() async throws {
        let server = try searchServer()
        try directory.write("body", to: "body.txt")
        var request = request("sto", at: server)
        request.httpMethod = "POST"
        request.httpBodyStream = InputStream(fileAtPath: directory.file("body.txt").path)
        let network = network(.recording)
        let engine = network.engine
        let hasWaited = Lock<[Bool]>([])
        network.bodyDataProcessor = CallingProcessor {
            let hasEnded = engine.pending.wait()
            try? engine.finishRecording()
            hasWaited.withLock { $0.append(hasEnded) }
        }
        let running = start(request, .delegate, on: network)
        try await eventually { running.log.text == "[\"sto" }
        running.cancel()
        try await eventually { running.log.ends == 1 }
        try network.finishRecording()
        // For the request before it is sent, and for the response when it is cancelled.
        #expect(hasWaited.withLock { $0 } == [true, true])
        #expect(network.recordedStubs.map(\.response.waitsToBeCancelled) == [true])
    }

    @Test func `what is still being stored when the recording ends is an error of the recording`() throws {
        let network = network(.recording)
        let isStored = DispatchSemaphore(value: 0)
        defer { isStored.signal() }
        network.engine.perform { isStored.wait() }
        let error = #expect(throws: StubbornNetworkError.self) {
            try PendingWork.$longestWait.withValue(.milliseconds(20)) { try network.finishRecording() }
        }
        #expect(
            error?.message.hasSuffix(
                """
                cannot be written: A response that a client has cancelled was still being stored after 10 seconds. \
                Cancel it earlier, or leave it out with a recording filter.
                """
            ) == true
        )
    }

    @Test func `a request that is cancelled right before the process exits is recorded`() async throws {
        let server = try LoopbackServer { _ in .init(body: .raw([.hang])) }
        let child = try ChildProcess(
            1,
            atATime: 1,
            of: server.url("/"),
            environment: ["STUB_NAME": "search", "STUB_RECORD_MODE": "recording", "CANCELS": "1"],
            directory: directory
        )
        _ = child.answered()
        let end = try child.wait()
        #expect(end.status == 0, "\(end.errors)")
        let stubs = try #require(try StubFileStore(file: directory.file("search.json")).read()).entries.map(\.stub)
        #expect(stubs.map(\.response.waitsToBeCancelled) == [true])
    }

    @Test func `a request that is cancelled behind a redirect waits there again`() async throws {
        let server = try LoopbackServer { request in
            request.path == "/first"
                ? .init(status: 302, headers: [("Location", "/second")]) : .init(body: .raw([.hang]))
        }
        for mode in [RecordMode.recording, .playback] {
            let network = network(mode)
            let running = start(URLRequest(url: server.url("/first")), .completion, on: network)
            if mode == .recording {
                #expect(await server.waitForRequests(path: "/second"))
            } else {
                try await eventually { network.unusedStubs.isEmpty }
            }
            running.cancel()
            try await eventually { running.log.ends == 1 }
            #expect(running.log.errorCode == -999)
            try network.finishRecording()
            #expect(network.unstubbedRequests.isEmpty)
            if mode == .recording { server.stop() }
        }
        #expect(try directory.text(of: "search.json").components(separatedBy: "\"statusCode\" : 302").count == 2)
    }

    @Test func `a network in memory plays a cancelled request too`() async throws {
        let server = try searchServer()
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.cancellationTimeout = .seconds(60)
        network.recordMode = .recording
        _ = try await search(["s", "stone"], .completion, on: network, at: server, isRecording: true)
        try network.finishRecording()
        server.stop()
        network.recordMode = .playback
        let played = try await search(["s", "stone"], .completion, on: network, at: server, isRecording: false)
        #expect(played == ["-999", "[\"stone\"]"])
    }

    @Test func `a live request that is cancelled is not stored`() async throws {
        let server = try searchServer()
        let network = network(.live)
        _ = try await search(["s", "stone"], .completion, on: network, at: server, isRecording: true)
        try network.finishRecording()
        #expect(directory.contents == [])
    }
}

/// A delegate that answers a redirect when it is told to.
private final class HesitatingDelegate: NSObject, URLSessionDataDelegate {
    private let answer = Lock<(@Sendable () -> Void)?>(nil)
    private let end = Lock(false)

    var isAsked: Bool { answer.withLock { $0 != nil } }
    var hasEnded: Bool { end.withLock { $0 } }

    func follow() { answer.withLock { $0 }?() }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        answer.withLock { $0 = { completionHandler(request) } }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        end.withLock { $0 = true }
    }
}

/// A processor that calls a function when it stores a body.
private struct CallingProcessor: BodyDataProcessor {
    let call: @Sendable () -> Void

    func dataForStoringRequestBody(data: Data?, of request: URLRequest) -> Data? {
        call()
        return data
    }

    func dataForStoringResponseBody(data: Data?, of request: URLRequest) -> Data? {
        call()
        return data
    }

    func dataForDeliveringResponseBody(data: Data?, of request: URLRequest) -> Data? { data }
}

/// A processor that takes a moment to store a response.
private struct SlowProcessor: BodyDataProcessor {
    func dataForStoringRequestBody(data: Data?, of request: URLRequest) -> Data? { data }
    func dataForDeliveringResponseBody(data: Data?, of request: URLRequest) -> Data? { data }

    func dataForStoringResponseBody(data: Data?, of request: URLRequest) -> Data? {
        Thread.sleep(forTimeInterval: 0.3)
        return data
    }
}

extension StubbornNetworkError {
    fileprivate static let notCancelledCode = StubbornNetworkError(.notCancelled, "")
}
