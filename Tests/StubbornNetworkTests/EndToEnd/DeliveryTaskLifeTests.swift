import Foundation
import LoopbackServer
import StubbornNetwork
import Testing

/// A task's life, from a cancelled start to a dropped session: each ends once, as it would without stubs.
@Suite(.timeLimit(.minutes(5)))
struct DeliveryTaskLifeTests {
    let run = LiveAndPlayed()
    let url = URL(string: "http://api.test/a")!

    private func network(delay: DispatchTimeInterval? = nil, _ text: String = "stub") -> StubbornNetwork {
        let network = run.network(.playback)
        network.stub(.any, with: delay.map { StubResponse.text(text).delayed(by: $0) } ?? .text(text))
        return network
    }

    private let never = DispatchTimeInterval.seconds(55)

    /// Waits until a task has ended, and fails the test where it ends again, or with another error.
    ///
    /// The second argument is the error's code, or `nil` for a task that ends without an error.
    private func expectOneEnd(
        _ log: ClientLog,
        _ code: Int?,
        of network: StubbornNetwork,
        on session: URLSession
    ) async throws {
        try await eventually { log.ends > 0 }
        try await network.answerOneMoreRequest(on: session)
        #expect(log.ends == 1)
        #expect(log.errorCode == code)
    }

    @Test(arguments: [false, true])
    func `a task that is cancelled before it is resumed ends as cancelled`(byDelegate: Bool) async throws {
        let network = network()
        let delegate = ClientDelegate()
        let session = network.makeSession(delegate: byDelegate ? delegate : nil)
        let log = delegate.log
        let task =
            byDelegate ? session.dataTask(with: url) : session.dataTask(with: url) { log.end($0, $1, $2) }
        task.cancel()
        try await expectOneEnd(log, -999, of: network, on: session)
        #expect(log.status == nil)
    }

    @Test(arguments: [false, true])
    func `a task that is cancelled while it waits ends as cancelled`(byDelegate: Bool) async throws {
        let network = network(delay: never)
        let delegate = ClientDelegate()
        let session = network.makeSession(delegate: byDelegate ? delegate : nil)
        let log = delegate.log
        let task =
            byDelegate ? session.dataTask(with: url) : session.dataTask(with: url) { log.end($0, $1, $2) }
        task.resume()
        try await eventually { network.exchanges.count == 1 }
        task.cancel()
        task.cancel()
        try await expectOneEnd(log, -999, of: network, on: session)
    }

    @Test(arguments: [false, true])
    func `a task that is cancelled while it is recorded gives up the connection`(byDelegate: Bool) async throws {
        let server = try LoopbackServer()
        let network = run.network(.recording)
        let delegate = ClientDelegate()
        let session = network.makeSession(delegate: byDelegate ? delegate : nil)
        let log = delegate.log
        let url = server.url("/sse")
        let task =
            byDelegate ? session.dataTask(with: url) : session.dataTask(with: url) { log.end($0, $1, $2) }
        task.resume()
        server.signal("sse")
        #expect(await server.waitForRequests(path: "/sse"))
        if byDelegate { try await eventually { log.text.contains("event 1") } }
        task.cancel()
        try await expectOneEnd(log, -999, of: network, on: session)
        // A server that goes on sending notices.
        try await eventually {
            server.signal("sse")
            return server.openConnectionCount == 0
        }
    }

    @Test(arguments: [RecordMode.recording, .live])
    func `cancelling a task after a redirect closes its connection`(
        mode: RecordMode
    ) async throws {
        let server = try LoopbackServer { request in
            guard request.path == "/first" else { return .init(body: .chunked([.send("a"), .hang])) }
            return .init(status: 302, headers: [("Location", "/second"), ("Connection", "close")])
        }
        let log = ClientLog()
        // Far longer than this test waits: the end must not come by itself.
        let request = URLRequest(url: server.url("/first"), timeoutInterval: 600)
        let task = run.network(mode).session.dataTask(with: request) { log.end($0, $1, $2) }
        task.resume()
        #expect(await server.waitForRequests(path: "/second"))
        task.cancel()
        try await eventually { log.ends > 0 && server.openConnectionCount == 0 }
        #expect(log.ends == 1)
        #expect(log.errorCode == -999)
    }

    @Test func `cancelling a task that has ended changes nothing`() async throws {
        let network = network()
        let log = ClientLog()
        let task = network.session.dataTask(with: url) { log.end($0, $1, $2) }
        task.resume()
        try await eventually { log.ends == 1 }
        task.cancel()
        try await expectOneEnd(log, nil, of: network, on: network.session)
        #expect(log.text == "stub")
    }

    /// The session of a delegate that cancels its task inside a callback, on the first call of it.
    private func cancellingSession(in call: String, _ log: ClientLog, of network: StubbornNetwork) -> URLSession {
        let isCancelled = Lock(false)
        let behaviour = ClientDelegate.Behaviour(onCall: { name, task in
            guard name == call else { return }
            let isFirst = isCancelled.withLock { isCancelled in
                defer { isCancelled = true }
                return !isCancelled
            }
            if isFirst { task.cancel() }
        })
        network.stub(.path("/a"), with: .status(302, headers: ["Location": "http://api.test/b"]))
        return network.makeSession(delegate: ClientDelegate(log, behaviour))
    }

    @Test(arguments: ["response", "data", "redirect"])
    func `a task may be cancelled from a callback`(call: String) async throws {
        let network = run.network(.playback)
        // 50 seconds: the callback may come late, and the task must not have ended by then.
        network.stub(.path("/b"), with: .data(Data(count: 5000)).throttled(to: .init(bytesPerSecond: 100)))
        let log = ClientLog()
        let session = cancellingSession(in: call, log, of: network)
        session.dataTask(with: url).resume()
        try await expectOneEnd(log, -999, of: network, on: session)
    }

    @Test func `cancelling a task in its last callback changes nothing`() async throws {
        let network = run.network(.playback)
        network.stub(.path("/b"), with: .text("stub"))
        let log = ClientLog()
        let session = cancellingSession(in: "completion", log, of: network)
        session.dataTask(with: url).resume()
        try await expectOneEnd(log, nil, of: network, on: session)
        #expect(log.text == "stub")
    }

    @Test func `an async call that is cancelled throws`() async throws {
        let network = network(delay: never)
        let session = network.session
        let log = ClientLog()
        let url = url
        let task = Task {
            do { _ = try await session.data(from: url) } catch { log.end(error) }
        }
        try await eventually { network.exchanges.count == 1 }
        task.cancel()
        try await expectOneEnd(log, -999, of: network, on: session)
    }

    @Test func `a task that is suspended and resumed uses its stub up once`() async throws {
        let network = run.network(.playback)
        network.stub(.any, with: ["first", "second"].map { .text($0).delayed(by: .milliseconds(200)) })
        let logs = [ClientLog(), ClientLog()]
        let task = network.session.dataTask(with: url) { logs[0].end($0, $1, $2) }
        task.resume()
        // At once: later the stub may have come.
        for _ in 0..<3 {
            task.suspend()
            task.resume()
        }
        try await eventually { logs[0].ends == 1 }
        network.session.dataTask(with: url) { logs[1].end($0, $1, $2) }.resume()
        try await eventually { logs[1].ends == 1 }
        #expect(logs.map(\.text) == ["first", "second"])
        #expect(logs.map(\.ends) == [1, 1])
        #expect(network.exchanges.count == 2)
    }

    @Test func `nothing reaches a task while it is suspended`() async throws {
        let network = network(delay: .milliseconds(100))
        let session = network.session
        let (log, later) = (ClientLog(), ClientLog())
        let task = session.dataTask(with: url) { log.end($0, $1, $2) }
        task.resume()
        task.suspend()
        // The stub of the suspended task is due before those of the ones that start after it.
        session.dataTask(with: url) { later.end($0, $1, $2) }.resume()
        try await eventually { later.ends == 1 }
        try await network.answerOneMoreRequest(on: session)
        #expect(log.ends == 0)
        task.resume()
        try await expectOneEnd(log, nil, of: network, on: session)
    }

    @Test(arguments: [RecordMode.playback, .recording])
    func `invalidating and cancelling ends every task`(mode: RecordMode) async throws {
        let server = try LoopbackServer()
        let network = run.network(mode)
        if mode == .playback { network.stub(.any, with: .text("late").delayed(by: never)) }
        let delegate = ClientDelegate()
        let session = network.makeSession(delegate: delegate)
        for _ in 0..<3 { session.dataTask(with: server.url("/hang")).resume() }
        try await eventually { network.exchanges.count == 3 }
        session.invalidateAndCancel()
        try await eventually { delegate.log.calls.last == "invalid" }
        #expect(delegate.log.calls == ["failure -999", "failure -999", "failure -999", "invalid"])
    }

    @Test(arguments: [RecordMode.playback, .recording])
    func `finishing and invalidating lets tasks come to their end`(mode: RecordMode) async throws {
        let server = try LoopbackServer()
        let network = run.network(mode)
        if mode == .playback { network.stub(.any, with: .text("late").delayed(by: .milliseconds(50))) }
        let delegate = ClientDelegate()
        let session = network.makeSession(delegate: delegate)
        session.dataTask(with: server.url("/slow/1?ms=50")).resume()
        session.finishTasksAndInvalidate()
        try await eventually { delegate.log.calls.last == "invalid" }
        #expect(delegate.log.calls == ["response 200", "data", "completion", "invalid"])
    }

    @Test(arguments: [RecordMode.playback, .recording])
    func `a session that is dropped while a task runs is freed when it has ended`(mode: RecordMode) async throws {
        let server = try LoopbackServer()
        let log = ClientLog()
        weak var session: URLSession?
        do {
            let network = run.network(mode)
            if mode == .playback { network.stub(.any, with: .text("late").delayed(by: .milliseconds(50))) }
            let made = network.makeSession()
            session = made
            made.dataTask(with: server.url("/slow/1?ms=50")) { log.end($0, $1, $2) }.resume()
        }
        try await eventually { log.ends > 0 }
        // Nothing is left that could end the task again.
        try await eventually { session == nil }
        #expect(log.ends == 1)
        #expect(log.errorCode == nil)
        #expect(log.status == 200)
    }

    @Test(arguments: ClientStyle.dataTasks)
    func `a stub slower than the request's timeout ends in a timeout`(style: ClientStyle) async throws {
        let server = try LoopbackServer()
        var run = run
        run.prepare = { $0.stub(.any, with: .text("late").delayed(by: .seconds(30))) }
        var row = ClientCase("late", style, path: "/")
        row.request = { URLRequest(url: $0.url("/"), timeoutInterval: 0.05) }
        let seen = try await run.play(row, at: server)
        #expect(seen["error"] == "NSURLErrorDomain -1001")
        #expect(seen["failing URL"] == server.url("/").absoluteString)
        #expect(seen["is URLError"] == "true")
        #expect(server.connectionCount == 0)
    }

    @Test func `the session's own request timeout holds for stubs`() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 0.05
        let network = network(delay: never)
        let log = ClientLog()
        let session = network.makeSession(configuration: configuration)
        session.dataTask(with: url) { log.end($0, $1, $2) }.resume()
        try await expectOneEnd(log, -1001, of: network, on: session)
    }

    @Test func `a response that breaks off mid-stream is played back as it was received`() async throws {
        let server = try LoopbackServer()
        let network = run.network(.recording)
        let delegate = ClientDelegate()
        let url = server.url("/sse")
        network.makeSession(delegate: delegate).dataTask(with: url).resume()
        server.signal("sse")
        try await eventually { delegate.log.text.contains("event 1") }
        server.stop()
        try await eventually { delegate.log.ends == 1 }
        #expect(delegate.log.errorCode != nil)
        try network.finishRecording()
        let played = ClientDelegate()
        let playback = run.network(.playback)
        try playback.loadStubs()
        playback.makeSession(delegate: played).dataTask(with: url).resume()
        try await eventually { played.log.ends == 1 }
        #expect(played.log.errorCode == delegate.log.errorCode)
        #expect(played.log.calls == delegate.log.calls)
        #expect(played.log.text == delegate.log.text)
    }
}
