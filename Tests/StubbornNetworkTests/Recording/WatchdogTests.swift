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

    @Test(
        arguments: [
            (0, 0, 2), (0, 500_000_000, 1.5), (500_000_000, 500_000_000, 2), (500_000_000, 2_000_000_000, 0.5),
            (500_000_000, 2_500_000_000, nil), (0, 9_000_000_000, nil), (5_000_000_000, 0, 2),
        ] as [(UInt64, UInt64, Double?)]
    )
    func `each sign begins the time anew`(lastSign: UInt64, now: UInt64, rest: Double?) {
        #expect(Watchdog(seconds: 2) {}.rest(since: lastSign, now: now) == rest)
    }

    @Test func `it does not bark while there are signs, and does when they end`() async throws {
        // On a busy machine this test itself may be held up for longer than the dog waits: then it says nothing.
        for _ in 0..<20 {
            let barks = Lock(0)
            let dog = watchdog(0.5, barks)
            dog.start()
            let start = DispatchTime.now().uptimeNanoseconds
            var (last, longest) = (start, UInt64(0))
            while last - start < 1_200_000_000 {
                try await Task.sleep(nanoseconds: 10_000_000)
                dog.noteSign()
                let now = DispatchTime.now().uptimeNanoseconds
                (longest, last) = (max(longest, now - last), now)
            }
            let barksMeanwhile = barks.withLock { $0 }
            guard longest < 400_000_000 else { continue }
            #expect(barksMeanwhile == 0)
            try await eventually { barks.withLock { $0 } == 1 }
            return
        }
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
