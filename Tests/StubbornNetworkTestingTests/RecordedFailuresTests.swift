import StubbornNetwork
import XCTest

@testable import StubbornNetworkTesting

/// When and where XCTest's failures are observed.
///
/// A synchronous test runs on the main thread, an asynchronous one does not.
final class RecordedFailuresTests: XCTestCase {
    /// The calls of `add` and `remove`, and whether they were made outside the main thread.
    private let calls = Lock<[String]>([])

    private func recordedFailures() -> RecordedFailures {
        let note = { @Sendable [calls] (call: String) in
            calls.withLock { $0.append(call + (Thread.isMainThread ? "" : " outside the main thread")) }
        }
        return RecordedFailures(add: { _ in note("add") }, remove: { _ in note("remove") })
    }

    /// Returns when the main queue has done what was asked of it before.
    private func drainMainQueue() async {
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
    }

    func testAnAsynchronousTestIsObservedFromTheMainThread() async {
        let recorded = recordedFailures()
        recorded.startObserving()
        await drainMainQueue()
        XCTAssertEqual(calls.withLock { $0 }, ["add"])
        recorded.stopObserving()
        await drainMainQueue()
        XCTAssertEqual(calls.withLock { $0 }, ["add", "remove"])
    }

    func testASynchronousTestIsObservedAtOnce() {
        let recorded = recordedFailures()
        recorded.startObserving()
        XCTAssertEqual(calls.withLock { $0 }, ["add"])
        recorded.stopObserving()
        XCTAssertEqual(calls.withLock { $0 }, ["add", "remove"])
    }

    func testATestThatHasEndedIsNeverObserved() {
        let recorded = recordedFailures()
        let hasStarted = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            recorded.startObserving()
            hasStarted.signal()
        }
        hasStarted.wait()
        // The main thread was busy until now.
        recorded.stopObserving()
        let isDrained = expectation(description: "the main queue is empty")
        DispatchQueue.main.async { isDrained.fulfill() }
        wait(for: [isDrained], timeout: 60)
        XCTAssertEqual(calls.withLock { $0 }, [])
    }
}
