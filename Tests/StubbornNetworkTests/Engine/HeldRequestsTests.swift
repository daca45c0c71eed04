import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork

/// A client that is not a session, and collects the body.
private final class CollectingClient: LoadClient {
    let body = Lock(Data())

    func connection(_ recorder: Recorder, bodyFrom source: RequestBodySource) -> Recorder.Connection? { nil }

    func send(_ event: ExchangeEvent) {
        if case .data(let data) = event { body.withLock { $0 += data } }
    }
}

/// A held answer waits for the test, and for nothing else.
@Suite(.timeLimit(.minutes(2)))
struct HeldRequestsTests {
    private let network = StubbornNetwork(.ephemeral, environment: [:])

    private func request(_ path: String, timeout: TimeInterval = 60) -> URLRequest {
        URLRequest(url: URL(string: "http://api.test\(path)")!, timeoutInterval: timeout)
    }

    @Test func `a stream that takes longer than its timeout is held after its first parts`() async throws {
        network.stub(.any, with: .text("12345678").chunked(byteCount: 1, every: .milliseconds(50)))
        let held = network.hold(.any, afterPart: 6)
        let task = Task { [network] in try await network.session.data(for: request("/stream", timeout: 0.2)).0 }
        #expect(await held.requested(within: .seconds(60)))
        held.release()
        // On a busy machine, the timeout may pass before the release.
        _ = await task.result
    }

    @Test func `a stream whose first parts are still coming is released too`() async throws {
        network.stub(.any, with: .text("12345678").chunked(byteCount: 1, every: .milliseconds(50)))
        let held = network.hold(.any, afterPart: 6)
        let task = Task { [network] in try await network.session.data(for: request("/stream")).0 }
        _ = try await network.waitForExchange(matching: .any, timeout: .seconds(60))
        held.release()
        #expect(try await task.value == Data("12345678".utf8))
    }

    @Test func `a client that stops in the middle of a release gets nothing more`() throws {
        let delivered = Lock<[HeldAnswer]>([])
        let answer = Lock<HeldAnswer?>(nil)
        let held = HeldAnswer(.get("http://api.test/"), afterPart: 0, timeout: 60) { _ in
            let current = answer.withLock { $0 }
            delivered.withLock { $0 += current.map { [$0] } ?? [] }
            current?.discard()
        }
        answer.withLock { $0 = held }
        for byte: UInt8 in 1...3 {
            held.receive(.data(Data([byte]))) { _ in Issue.record("delivered before the release") }
        }
        held.release()
        #expect(delivered.withLock { $0.count } == 1)
        answer.withLock { $0 = nil }
    }

    // Without a session, all events of the redirect are kept before the release.
    @Test func `after a held redirect is released, the next redirects are those of the next requests`() {
        network.stub(.path("/first"), with: .status(303, headers: ["Location": "/second"]))
        network.stub(.path("/second"), with: .status(307, headers: ["Location": "/third"]))
        network.stub(.path("/third")) { request in .text("\(request.method) \(request.body?.count ?? 0)") }
        let held = network.hold(.path("/first"))
        var first = request("/first")
        first.httpMethod = "POST"
        first.httpBody = Data("abc".utf8)
        let client = CollectingClient()
        RequestLoad(client, network.engine).proceed(with: first)
        #expect(held.requests.count == 1)
        held.release()
        #expect(client.body.withLock { $0 } == Data("GET 0".utf8))
    }

    @Test func `a request without a timeout is held until it is released`() async throws {
        let held = network.hold(.any, with: .text("x").delayed(by: .milliseconds(20)))
        let task = Task { [network] in try await network.session.data(for: request("/", timeout: 0)).0 }
        #expect(await held.requested(within: .seconds(60)))
        held.release()
        #expect(try await task.value == Data("x".utf8))
    }

    @Test func `requests that were released before they arrive are not held`() async throws {
        let held = network.hold(.any, with: .text("x"))
        held.release()
        #expect(try await network.session.data(for: request("/")).0 == Data("x".utf8))
        #expect(held.requests.isEmpty)
    }

    @Test func `as many requests as were released before they arrive are not held`() async throws {
        let held = network.hold(.any, with: .text("x"))
        held.release(times: 2)
        for path in ["/1", "/2"] { _ = try await network.session.data(for: request(path)) }
        let tasks = ["/3", "/4"].map { path in Task { [network] in try await network.session.data(for: request(path)) }
        }
        #expect(await held.requested(2, within: .seconds(60)))
        #expect(Set(held.requests.map(\.url.path)) == ["/3", "/4"])
        held.release(times: 1)
        held.release(times: 1)
        for task in tasks { _ = try await task.value }
    }

    @Test func `any number of requests is released before they arrive`() async throws {
        let held = network.hold(.any, with: .text("x"))
        for times in [1, Int.max, -1, .min, .max] { held.release(times: times) }
        #expect(try await network.session.data(for: request("/")).0 == Data("x".utf8))
        #expect(held.requests.isEmpty)
    }

    @Test func `a request that ended before its release does not use up the release`() async throws {
        let held = network.hold(.any, with: .text("x"))
        let first = Task { [network] in try await network.session.data(for: request("/1")) }
        #expect(await held.requested(within: .seconds(60)))
        first.cancel()
        _ = await first.result
        let second = Task { [network] in try await network.session.data(for: request("/2")) }
        #expect(await held.requested(2, within: .seconds(60)))
        held.release(times: 1)
        _ = try await second.value
    }

    @Test func `a request that was cancelled before its stub was found is not held, and uses up no release`() {
        let held = network.hold(.any, with: .text("x"))
        held.release(times: 1)
        let (stopped, client) = (CollectingClient(), CollectingClient())
        let load = RequestLoad(stopped, network.engine)
        load.stop { CancellationError() }
        load.proceed(with: request("/"))
        RequestLoad(client, network.engine).proceed(with: request("/"))
        #expect(client.body.withLock { $0 } == Data("x".utf8))
        let later = RequestLoad(stopped, network.engine)
        later.stop { CancellationError() }
        later.proceed(with: request("/"))
        #expect(held.requests.isEmpty && network.failHeldRequests().isEmpty)
    }

    @Test func `neither the failure of a test that holds a request nor its error contains a secret`() async throws {
        let (key, token) = ("k9" + "Zx4Tq7Wm2Rb5", "glpat-" + "Zx8kQ2mN7pLr4TvWy1Bc")
        let held = network.hold(.any, with: .text("x"))
        let task = Task { [network] in try await network.session.data(for: request("/\(token)/news?api_key=\(key)")) }
        #expect(await held.requested(within: .seconds(60)))
        let messages = network.failHeldRequests()
        #expect(messages.count == 1)
        #expect(messages.first?.contains("/news?api_key=REDACTED\n") == true)
        let error = await expectStubbornNetworkError { try await task.value }
        #expect(error?.message.contains("/news was still held when its test ended.") == true)
        for text in messages + ["\(error?.message ?? "") \(error?.url?.absoluteString ?? "")"] {
            #expect(!text.contains(token) && !text.contains(key))
        }
    }

    @Test func `a held request ends at the timeout of its session`() async throws {
        let held = network.hold(.any, with: .text("x"))
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 0.2
        let session = network.makeSession(configuration: configuration)
        let error = await #expect(throws: URLError.self) { try await session.data(for: request("/")) }
        #expect(error?.code == .timedOut)
        #expect(held.requests.count == 1)
    }

    @Test func `the outcome of a request is not known while its delayed answer is pending`() async throws {
        network.stub(.any, with: .text("x").delayed(by: .seconds(1_000)))
        let task = Task { [network] in try await network.session.data(for: request("/", timeout: 2_000)) }
        let pending = try await network.waitForExchange(matching: .any, timeout: .seconds(60))
        #expect(pending.outcome == nil && pending.duration == nil)
        task.cancel()
        _ = await task.result
    }

    @Test(arguments: RecordMode.allCases)
    func `an answer is held in each mode, and then comes as it would have come`(mode: RecordMode) async throws {
        let server = try LoopbackServer { _ in .text("x") }
        let directory = TemporaryDirectory()
        for isHeld in [false, true] {
            let configuration = StubbornNetworkConfiguration.persistent(name: "a", path: directory.path)
            let network = StubbornNetwork(try #require(configuration), environment: .newRun)
            network.recordMode = isHeld ? mode : .recording
            let held = isHeld ? network.hold(.path("/held")) : nil
            let task = Task { try await network.session.data(from: server.url("/held")).0 }
            if let held {
                #expect(await held.requested(within: .seconds(60)))
                #expect(network.exchanges.map(\.outcome) == [nil])
                held.release()
            }
            #expect(try await task.value == Data("x".utf8))
            try network.finishRecording()
        }
    }

    @Test func `an answer that is passed through is held`() async throws {
        let server = try LoopbackServer { _ in .text("x") }
        network.passThrough(.any)
        let held = network.hold(.any)
        let task = Task { [network] in try await network.session.data(from: server.url("/held")).0 }
        #expect(await held.requested(within: .seconds(60)))
        held.release()
        #expect(try await task.value == Data("x".utf8))
    }

    @Test func `a thousand held requests end in any way, and their network is freed`() async throws {
        weak var engine: Engine?
        try await {
            let network = StubbornNetwork(.ephemeral, environment: [:])
            engine = network.engine
            let held = network.hold(.any, with: .text("x"))
            let session = network.session
            let tasks = (0..<1_000).map { number in Task { try await session.data(for: request("/\(number)")) } }
            #expect(await held.requested(1_000, within: .seconds(60)))
            held.release(times: 300)
            for task in tasks.suffix(300) { task.cancel() }
            held.fail(URLError(.notConnectedToInternet))
            for task in tasks { _ = await task.result }
            try await eventually { network.exchanges.allSatisfy { $0.duration != nil } }
        }()
        try await eventually { engine == nil }
    }
}
