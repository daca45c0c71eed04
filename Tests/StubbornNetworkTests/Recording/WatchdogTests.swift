import Foundation
import Testing

@testable import StubbornNetwork

@Suite(.timeLimit(.minutes(5)))
struct WatchdogTests {
    private func watchdog(_ seconds: Double, _ barks: Lock<Int>) -> Watchdog {
        Watchdog(seconds: seconds) { barks.withLock { $0 += 1 } }
    }

    @Test func `it barks once when nothing happens`() async throws {
        let barks = Lock(0)
        let dog = watchdog(0.02, barks)
        dog.start()
        try await eventually { barks.withLock { $0 } == 1 }
        #expect(!dog.stop())
        #expect(barks.withLock { $0 } == 1)
    }

    @Test func `it does not bark when it was stopped first`() {
        let barks = Lock(0)
        let dog = watchdog(3600, barks)
        dog.start()
        #expect(dog.stop())
        #expect(!dog.stop())
        #expect(barks.withLock { $0 } == 0)
    }

    @Test func `each sign begins the time anew`() async throws {
        let barks = Lock(0)
        let dog = watchdog(1, barks)
        dog.start()
        let start = DispatchTime.now().uptimeNanoseconds
        while DispatchTime.now().uptimeNanoseconds - start < 1_300_000_000 {
            dog.noteSign()
            try await Task.sleep(nanoseconds: 10_000_000)
        }
        #expect(barks.withLock { $0 } == 0)
        try await eventually { barks.withLock { $0 } == 1 }
    }

    @Test(arguments: [0, -1, .nan, .infinity, .greatestFiniteMagnitude, 1e9])
    func `a time that makes no sense, or is longer than a week, is never over`(seconds: Double) {
        let barks = Lock(0)
        let dog = watchdog(seconds, barks)
        dog.start()
        #expect(dog.stop())
        #expect(barks.withLock { $0 } == 0)
    }
}
