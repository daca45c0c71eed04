import Foundation
import Testing

@testable import StubbornNetwork

@Suite(.timeLimit(.minutes(5)))
struct InactivityTimerTests {
    private func timer(_ seconds: Double, _ timeouts: Lock<Int>) -> InactivityTimer {
        InactivityTimer(seconds: seconds) { timeouts.withLock { $0 += 1 } }
    }

    @Test func `the timer fires once when nothing happens`() async throws {
        let timeouts = Lock(0)
        let timer = timer(0.02, timeouts)
        timer.start()
        try await eventually { timeouts.withLock { $0 } == 1 }
        #expect(!timer.stop())
        #expect(timeouts.withLock { $0 } == 1)
    }

    @Test func `what a timer calls is freed when the timer is stopped`() {
        final class Owner: Sendable {}
        weak var kept: Owner?
        let timer = {
            let owner = Owner()
            kept = owner
            return InactivityTimer(seconds: 3600) { withExtendedLifetime(owner) {} }
        }()
        timer.start()
        #expect(kept != nil)
        #expect(timer.stop())
        #expect(kept == nil)
    }

    @Test func `a timer that was stopped does not fire`() {
        let timeouts = Lock(0)
        let timer = timer(3600, timeouts)
        timer.start()
        #expect(timer.stop())
        #expect(!timer.stop())
        #expect(timeouts.withLock { $0 } == 0)
    }

    @Test func `the timer does not fire during activity, and fires after it`() async throws {
        // On a busy machine this test itself may be held up for longer than the timer waits. It tries again then.
        for _ in 0..<20 {
            let timeouts = Lock(0)
            let timer = timer(0.5, timeouts)
            timer.start()
            let start = DispatchTime.now().uptimeNanoseconds
            var (last, longest) = (start, UInt64(0))
            while last - start < 1_200_000_000 {
                try await Task.sleep(nanoseconds: 10_000_000)
                timer.noteActivity()
                let now = DispatchTime.now().uptimeNanoseconds
                (longest, last) = (max(longest, now - last), now)
            }
            let timeoutsMeanwhile = timeouts.withLock { $0 }
            guard longest < 400_000_000 else { continue }
            #expect(timeoutsMeanwhile == 0)
            try await eventually { timeouts.withLock { $0 } == 1 }
            return
        }
    }

    @Test(arguments: [0, -1, .nan, .infinity, .greatestFiniteMagnitude, 1e9])
    func `a timer that is not positive, or longer than a week, never fires`(seconds: Double) {
        let timeouts = Lock(0)
        let timer = timer(seconds, timeouts)
        timer.start()
        #expect(timer.stop())
        #expect(timeouts.withLock { $0 } == 0)
    }
}
