import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork
@testable import StubbornNetworkTesting

/// The end of a test that has a stubbed network.
@Suite(.timeLimit(.minutes(5)))
struct TestEndTests {
    @Test func `the ends of many tests at once leave threads to the tasks that they wait for`() async throws {
        let server = try LoopbackServer { _ in .init(body: .raw([.hang])) }
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        // More than the threads that tasks have.
        let networks = try (0..<ProcessInfo.processInfo.activeProcessorCount * 4).map { number in
            var settings = TestSettings(
                name: "test\(number)",
                directory: .init(path: directory),
                recordMode: .recording
            )
            settings.environment = [:]
            return try TestNetwork([settings], for: TestName(ofXCTest: "-[A a]"), in: #filePath, target: .trait)
        }
        let requests = networks.map { $0.network.session.dataTask(with: server.url("/")) }
        for request in requests { request.resume() }
        #expect(await server.waitForRequests(path: "/", count: requests.count))
        let texts = await withTaskGroup(of: [String].self) { group in
            for network in networks { group.addTask { await network.end(isComplete: true) } }
            group.addTask {
                for request in requests { request.cancel() }
                return []
            }
            return await group.reduce(into: [String]()) { $0 += $1 }
        }
        #expect(texts.filter { $0.hasPrefix("The test ended before") } == [])
        #expect(texts.count == networks.count)
    }

    @Test func `a test whose task is cancelled still waits for what it records`() async throws {
        let server = try LoopbackServer { _ in .init(body: .raw([.hang])) }
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var settings = TestSettings(name: "test", directory: .init(path: directory), recordMode: .recording)
        settings.environment = [:]
        let network = try TestNetwork([settings], for: TestName(ofXCTest: "-[A a]"), in: #filePath, target: .trait)
        let request = network.network.session.dataTask(with: server.url("/"))
        request.resume()
        #expect(await server.waitForRequests(path: "/"))
        let end = Task {
            while !Task.isCancelled { await Task.yield() }
            request.cancel()
            return await network.end(isComplete: true)
        }
        end.cancel()
        #expect(await end.value.filter { $0.hasPrefix("The test ended before") } == [])
        #expect(network.network.recordedStubs.count == 1)
    }

    @Test func `a request that starts after the end of its test is not recorded, and says so`() async throws {
        let server = try LoopbackServer { _ in .text("polled") }
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: directory) }
        var settings = TestSettings(name: "test", directory: .init(path: directory.path), recordMode: .recording)
        settings.environment = [:]
        let test = try TestNetwork([settings], for: TestName(ofXCTest: "-[A a]"), in: #filePath, target: .trait)
        let session = test.network.session
        _ = try await session.data(from: server.url("/job"))
        let texts = await test.end(isComplete: true)
        #expect(texts.first?.hasPrefix("1 exchange was recorded into ") == true, "\(texts)")
        let error = await #expect(throws: (any Error).self) { try await session.data(from: server.url("/job")) }
        #expect(
            error.flatMap { StubbornNetworkError($0)?.message } == """
                The request for \(server.url("/job")) was not recorded: it started after the end of its \
                test. The real server was not called. In the test, await or cancel every task, \
                such as a task that polls.
                """
        )
        #expect(server.requests.count == 1)
        let file = try String(contentsOf: directory.appendingPathComponent("test.json"), encoding: .utf8)
        #expect(file.components(separatedBy: "\"request\"").count == 2)
    }

    @Test func `the error of a request after the end of its test has no token`() async throws {
        let token = "glpat-" + "Zx8kQ2mN7pLr4TvWy1Bc"
        let server = try LoopbackServer { _ in .text("polled") }
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: directory) }
        var settings = TestSettings(name: "test", directory: .init(path: directory.path), recordMode: .recording)
        settings.environment = [:]
        let test = try TestNetwork([settings], for: TestName(ofXCTest: "-[A a]"), in: #filePath, target: .trait)
        let session = test.network.session
        _ = await test.end(isComplete: true)
        let thrown = await #expect(throws: (any Error).self) {
            try await session.data(from: server.url("/hooks/\(token)/job"))
        }
        let error = try #require(thrown.flatMap { StubbornNetworkError($0) })
        #expect(error.message.contains("after the end of its test") && !error.message.contains(token), "\(error)")
        #expect(error.url.map { !"\($0)".contains(token) } == true)
    }

    @Test func `what an XCTest asks for in its tearDown method is recorded too`() async throws {
        let server = try LoopbackServer { _ in .text("tidied up") }
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: directory) }
        var settings = TestSettings(name: "test", directory: .init(path: directory.path), recordMode: .recording)
        settings.environment = [:]
        let test = try TestNetwork([settings], for: TestName(ofXCTest: "-[A a]"), in: #filePath, target: .xcTest)
        for path in ["/job", "/end"] {
            _ = try await test.network.session.data(from: server.url(path))
            _ = test.endBlocking(isComplete: true)
        }
        let file = try String(contentsOf: directory.appendingPathComponent("test.json"), encoding: .utf8)
        #expect(file.contains("/job") && file.contains("/end"))
    }

    @Test(arguments: [AdviceTarget.trait, .xcTest])
    func `a test that runs again in one process replaces what it recorded, and plays it`(target: AdviceTarget)
        async throws
    {
        let count = Lock(0)
        let server = try LoopbackServer { _ in .text("\(count.withLock { $0 += 1; return $0 })") }
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: directory) }
        for mode in [RecordMode.recording, .recording, .recording, .playback, .playback] {
            var settings = TestSettings(directory: .init(path: directory.path), recordMode: mode)
            settings.environment = [:]
            let test = try TestNetwork(
                [settings],
                for: TestName(ofXCTest: "-[Again again]"),
                in: #filePath,
                target: target
            )
            for path in ["/a", "/b"] {
                let text = String(
                    decoding: try await test.network.session.data(from: server.url(path)).0,
                    as: UTF8.self
                )
                if mode == .playback { #expect(text == (path == "/a" ? "5" : "6")) }
            }
            let texts = await test.end(isComplete: true)
            #expect(texts.count == (mode == .playback ? 0 : 1), "\(texts)")
        }
        let file = try String(contentsOf: directory.appendingPathComponent("Again_again.json"), encoding: .utf8)
        #expect(file.components(separatedBy: "\"request\"").count == 3)
    }
}
