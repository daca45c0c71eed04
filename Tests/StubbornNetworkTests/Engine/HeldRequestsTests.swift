import Foundation
import Testing

@testable import StubbornNetwork

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
        let load = HeldAnswer.Load(
            deliver: { _ in
                let held = answer.withLock { $0 }
                delivered.withLock { $0 += held.map { [$0] } ?? [] }
                held?.discard()
            },
            fail: { _ in }
        )
        let held = HeldAnswer(.get("http://api.test/"), afterPart: 0, timeout: 60, load)
        answer.withLock { $0 = held }
        for byte: UInt8 in 1...3 {
            held.receive(.data(Data([byte]))) { _ in Issue.record("delivered before the release") }
        }
        held.release()
        #expect(delivered.withLock { $0.count } == 1)
        answer.withLock { $0 = nil }
    }

    @Test func `a request without a timeout is held until it is released`() async throws {
        let held = network.hold(.any, with: .text("x").delayed(by: .milliseconds(20)))
        let task = Task { [network] in try await network.session.data(for: request("/", timeout: 0)).0 }
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
