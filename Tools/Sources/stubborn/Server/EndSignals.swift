@preconcurrency import Dispatch
import Foundation

/// The signals that ask a process to end: SIGINT, SIGTERM, and SIGHUP when its terminal is closed.
///
/// They are caught as soon as this object is created. If `nohup` has set SIGHUP to be ignored, it is not caught. After the first
/// signal, a second one ends the process at once, unless it is SIGHUP: both the shell and the system send that when a terminal is
/// closed.
final class EndSignals: Sendable {
    private let numbers: [Int32]
    private let stream: AsyncStream<Int32>
    private let sources: [any DispatchSourceSignal]

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        self.stream = stream
        let registered = DispatchSemaphore(value: 0)
        numbers = [SIGINT, SIGTERM, SIGHUP].filter { number in
            let previous = unsafeBitCast(signal(number, SIG_IGN), to: Int.self)
            return number != SIGHUP || previous != unsafeBitCast(SIG_IGN, to: Int.self)
        }
        sources = numbers.map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { continuation.yield(number) }
            source.setRegistrationHandler { registered.signal() }
            source.resume()
            return source
        }
        // Until a source is registered, a signal is lost.
        for _ in sources { registered.wait() }
    }

    /// Waits for a signal, or until the task is cancelled, and returns its number.
    @discardableResult func first() async -> Int32 {
        let first = await stream.first { _ in true } ?? 0
        for number in numbers where number != SIGHUP { signal(number, SIG_DFL) }
        return first
    }
}
