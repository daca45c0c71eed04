import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork

/// Tests of `URLSession.shared`, which run one after the other because a process has only one.
///
/// Other suites may intercept requests at the same time, but their interceptions belong to tasks.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SharedSessionTests {
    let url = URL(string: "http://api.test/same")!
    let directory = TemporaryDirectory()

    private func network(answering text: String) -> StubbornNetwork {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.stub(.any, with: .text(text))
        network.onUnstubbedRequest = { _ in }
        return network
    }

    private func text(of url: URL) async throws -> String {
        String(decoding: try await URLSession.shared.data(from: url).0, as: UTF8.self)
    }

    private func expect(_ text: String, from url: URL, location: SourceLocation = #_sourceLocation) async throws {
        let answer = try await self.text(of: url)
        #expect(answer == text, sourceLocation: location)
    }

    /// The same by a task which belongs to no interception.
    private func expectDetached(_ text: String, from url: URL, location: SourceLocation = #_sourceLocation) async throws
    {
        let answer = try await Task.detached { try await self.text(of: url) }.value
        #expect(answer == text, sourceLocation: location)
    }

    private func textByCompletion(of url: URL) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            dataTask(url) { continuation.resume(with: $0) }.resume()
        }
    }

    private func dataTask(
        _ url: URL,
        completion: @escaping @Sendable (Result<String, any Error>) -> Void
    ) -> URLSessionDataTask {
        URLSession.shared.dataTask(with: url) { data, _, error in
            completion(error.map { .failure($0) } ?? .success(String(decoding: data ?? Data(), as: UTF8.self)))
        }
    }

    private func error(_ code: StubbornNetworkError.Code, _ request: () async throws -> String) async {
        let error = await expectStubbornNetworkError { _ = try await request() }
        #expect(error?.code == code)
    }

    /// Waits until nothing of other suites is in force.
    private func alone(_ body: () async throws -> Void) async throws {
        let request = URLRequest(url: try #require(URL(string: "https://api.test/")))
        try await eventually { !SharedSessionInterceptions.shared.refuse(request, task: nil) }
        try await body()
    }

    // MARK: In tasks

    @Test func `parallel tasks of different networks each get their own answer for one URL`() async throws {
        let (count, roundCount) = (60, 3)
        let wrong = Lock(0)
        let answers = Lock(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask {
                    for round in 0..<roundCount {
                        let expected = "\(number)-\(round)"
                        try await network(answering: expected).interceptingSharedSession {
                            async let child = text(of: url)
                            let unstructured = Task { try await text(of: url) }
                            let byTask = try await text(of: url)
                            let byCompletion = try await textByCompletion(of: url)
                            let all = [byTask, byCompletion, try await child, try await unstructured.value]
                            answers.withLock { $0 += all.count }
                            wrong.withLock { $0 += all.count { $0 != expected } }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(answers.withLock { $0 } == count * roundCount * 4)
        #expect(wrong.withLock { $0 } == 0)
    }

    @Test func `the inner of two interceptions answers, and then the outer again`() async throws {
        try await network(answering: "outer").interceptingSharedSession {
            try await expect("outer", from: url)
            try await network(answering: "inner").interceptingSharedSession {
                try await expect("inner", from: url)
            }
            try await expect("outer", from: url)
        }
    }

    @Test func `an error of the body is thrown, and the interception ends`() async throws {
        weak var engine: Engine?
        await #expect(throws: CancellationError.self) {
            let network = network(answering: "a")
            engine = network.engine
            try await network.interceptingSharedSession { throw CancellationError() }
        }
        #expect(engine == nil)
    }

    @MainActor @Test func `the body runs where its caller runs`() async throws {
        var answer = ""
        try await network(answering: "main").interceptingSharedSession {
            answer = try await text(of: url)
            MainActor.assertIsolated()
        }
        #expect(answer == "main")
    }

    @Test func `a request that is started after its interception has ended fails, while others are in force`()
        async throws
    {
        let other = network(answering: "other").interceptSharedSession()
        defer { other.end() }
        let (started, continuation) = AsyncStream.makeStream(of: Void.self)
        let task = await network(answering: "gone").interceptingSharedSession(file: "App/A.swift", line: 7) {
            Task {
                for await _ in started {}
                return try await text(of: url)
            }
        }
        continuation.finish()
        let error = await expectStubbornNetworkError { _ = try await task.value }
        #expect(error?.code == .networkGone)
        #expect(error?.message.contains("a network in memory, intercepting since App/A.swift:7") == true)
    }

    // MARK: In no task

    @Test func `the only interception answers a request of a detached task`() async throws {
        try await alone {
            let interception = network(answering: "only").interceptSharedSession()
            defer { interception.end() }
            try await expect("only", from: url)
            try await expectDetached("only", from: url)
            let fromQueue = try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async { dataTask(url) { continuation.resume(with: $0) }.resume() }
            }
            #expect(fromQueue == "only")
        }
    }

    @Test func `a request outside every interception's task fails when several networks intercept`() async throws {
        let server = try LoopbackServer()
        let one = network(answering: "one")
        let two = network(answering: "two")
        let interceptions = [one.interceptSharedSession(), two.interceptSharedSession()]
        await error(.ambiguousInterception) { try await text(of: server.url("/hello")) }
        await error(.ambiguousInterception) { try await textByCompletion(of: server.url("/hello")) }
        for interception in interceptions { interception.end() }
        #expect(server.connectionCount == 0)
        #expect(one.exchanges.isEmpty && two.exchanges.isEmpty)
    }

    @Test func `two interceptions of one network are not ambiguous`() async throws {
        try await alone {
            let network = network(answering: "same")
            let interceptions = [network.interceptSharedSession(), network.interceptSharedSession()]
            try await expect("same", from: url)
            interceptions[1].end()
            try await expect("same", from: url)
            interceptions[0].end()
        }
    }

    // MARK: The real server

    @Test func `after the end the real server is reached again, by a session that was used before`() async throws {
        let server = try LoopbackServer()
        try await alone {
            try await expect("hello", from: server.url("/hello"))
            let interception = network(answering: "stub").interceptSharedSession()
            try await expect("stub", from: server.url("/hello"))
            #expect(server.requestCount(path: "/hello") == 1)
            interception.end()
            interception.end()
            try await expect("hello", from: server.url("/hello"))
            #expect(server.requestCount(path: "/hello") == 2)
        }
    }

    @Test func `a request that its network does not stub fails, and does not reach the server`() async throws {
        let server = try LoopbackServer()
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.onUnstubbedRequest = { _ in }
        await network.interceptingSharedSession {
            await error(.unstubbedRequest) { try await text(of: server.url("/hello")) }
            await error(.unstubbedRequest) { try await textByCompletion(of: server.url("/hello")) }
        }
        #expect(server.connectionCount == 0)
        #expect(network.unstubbedRequests.count == 2)
    }

    @Test func `an interception does not affect sessions created from a configuration`() async throws {
        let server = try LoopbackServer()
        try await network(answering: "stub").interceptingSharedSession {
            for configuration in [URLSessionConfiguration.default, .ephemeral] {
                let session = URLSession(configuration: configuration)
                let (data, _) = try await session.data(from: server.url("/hello"))
                #expect(String(decoding: data, as: UTF8.self) == "hello")
                session.finishTasksAndInvalidate()
            }
        }
        #expect(server.requestCount(path: "/hello") == 2)
    }

    @Test func `a network that intercepts can record`() async throws {
        let server = try LoopbackServer()
        let configuration = StubbornNetworkConfiguration.persistent(name: "shared", path: directory.path)!
        let recording = StubbornNetwork(configuration, environment: [:])
        recording.recordMode = .recording
        try await recording.interceptingSharedSession {
            try await expect("hello", from: server.url("/hello"))
        }
        try recording.finishRecording()
        server.stop()
        try await StubbornNetwork(configuration, environment: [:]).interceptingSharedSession {
            try await expect("hello", from: server.url("/hello"))
        }
        #expect(server.requestCount(path: "/hello") == 1)
    }

    @Test func `requests for data URLs are not answered by the network`() async throws {
        try await network(answering: "stub").interceptingSharedSession {
            for url in ["data:text/plain,hi", "file:///etc/hosts", "about:blank"] {
                let request = URLRequest(url: try #require(URL(string: url)))
                #expect(!UnclaimedRequestURLProtocol.canInit(with: request))
                #expect(!(0..<64).contains { routeMarker(number: $0).classOfInterception.canInit(with: request) })
            }
        }
    }

    // MARK: Life

    @Test func `an interception and its network stay alive until the interception ends`() async throws {
        weak var engine: Engine?
        let number = {
            let network = network(answering: "held")
            engine = network.engine
            return network.interceptSharedSession().number
        }()
        #expect(engine != nil)
        SharedSessionInterceptions.shared.end(number)
        #expect(engine == nil)
    }

    @Test func `a request that was started before the end is answered, and the network freed after it`() async throws {
        weak var engine: Engine?
        let server = try LoopbackServer()
        for _ in 0..<200 {
            let answer = try await withCheckedThrowingContinuation { continuation in
                let network = network(answering: "mine")
                engine = network.engine
                let task = dataTask(server.url("/hello")) { continuation.resume(with: $0) }
                let interception = network.interceptSharedSession()
                SharedSessionInterception.$ofTask.withValue(interception) { task.resume() }
                interception.end()
            }
            #expect(answer == "mine")
        }
        #expect(server.connectionCount == 0)
        try await eventually { engine == nil }
    }

    @Test func `equal requests that were started before the end are all answered`() async throws {
        let answers = Lock<[String]>([])
        func startAndEnd() {
            let network = network(answering: "mine")
            let interception = network.interceptSharedSession()
            SharedSessionInterception.$ofTask.withValue(interception) {
                for _ in 0..<20 {
                    let task = dataTask(url) { result in
                        answers.withLock { $0.append((try? result.get()) ?? "none") }
                    }
                    task.resume()
                }
            }
            interception.end()
        }
        startAndEnd()
        try await eventually { answers.withLock { $0.count } == 20 }
        #expect(answers.withLock { $0 } == Array(repeating: "mine", count: 20))
    }

    @Test func `an ended interception is freed after the claim timeout, even if claims remain`() async throws {
        weak var engine: Engine?
        let number = {
            let network = network(answering: "never")
            engine = network.engine
            let interception = network.interceptSharedSession()
            // Apple's loader asks several times for one request.
            for _ in 0..<3 {
                let isClaimed = SharedSessionInterception.$ofTask.withValue(interception) {
                    (0..<SharedSessionInterceptions.shared.classes.withLock { $0.count })
                        .contains { routeMarker(number: $0).classOfInterception.canInit(with: URLRequest(url: url)) }
                }
                #expect(isClaimed)
            }
            return interception.number
        }()
        SharedSessionInterceptions.shared.end(number, claimTimeout: .milliseconds(10))
        try await eventually { engine == nil }
    }

    @Test func `an interception works after the shared session's protocol classes were replaced`() async throws {
        try await network(answering: "first").interceptingSharedSession { try await expect("first", from: url) }
        URLSession.shared.configuration.protocolClasses = URLSessionConfiguration.default.protocolClasses
        try await network(answering: "second").interceptingSharedSession { try await expect("second", from: url) }
    }

    #if canImport(FoundationNetworking)
        // The list is live only here. The simulation of Apple's loader tests the registered classes.
        @Test func `an interception is asked before a class that others have put before it`() async throws {
            try await network(answering: "first").interceptingSharedSession { try await expect("first", from: url) }
            let list = try #require(URLSession.shared.configuration.protocolClasses)
            URLSession.shared.configuration.protocolClasses = [OtherProtocol.self] + list
            try await network(answering: "second").interceptingSharedSession { try await expect("second", from: url) }
            #expect(URLSession.shared.configuration.protocolClasses?.contains { $0 == OtherProtocol.self } == true)
            URLSession.shared.configuration.protocolClasses?.removeAll { $0 == OtherProtocol.self }
        }
    #endif

    @Test func `a task that is cancelled before it starts leaves nothing behind`() async throws {
        weak var engine: Engine?
        await {
            let network = network(answering: "never")
            engine = network.engine
            await network.interceptingSharedSession {
                for _ in 0..<20 {
                    let task = URLSession.shared.dataTask(with: url)
                    task.cancel()
                    task.resume()
                }
            }
        }()
        try await eventually { engine == nil }
    }

    @Test func `protocol classes are reused after an interception ends`() async throws {
        for number in 0..<300 {
            try await network(answering: "\(number)").interceptingSharedSession {
                try await expect("\(number)", from: url)
            }
        }
        let classCount = SharedSessionInterceptions.shared.classes.withLock { $0.count }
        #expect(classCount <= 5 * SharedSessionInterceptions.batchSize)
    }
}

/// A protocol class of somebody else, which takes the requests of this suite.
private final class OtherProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { request.url?.path == "/same" }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func startLoading() { client?.urlProtocol(self, didFailWithError: URLError(.unknown)) }
    override func stopLoading() {}
}
