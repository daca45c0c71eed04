import Foundation

/// An answer that somebody else may give, at any time, several times or never: the first one counts.
final class PendingAnswer<Answer: Sendable>: Sendable {
    private struct State {
        var receive: (@Sendable (Answer) -> Void)?
        var stopTimer: (@Sendable () -> Void)?
    }

    private let state: Lock<State>

    /// Creates an answer that is waited for.
    ///
    /// - Parameters:
    ///   - seconds: the longest time to wait.
    ///   - answer: the answer if nobody gives one by then.
    ///   - receive: called with the answer, once.
    init(within seconds: Double, otherwise answer: Answer, _ receive: @escaping @Sendable (Answer) -> Void) {
        state = Lock(State(receive: receive))
        let stopTimer = Delay.run(after: seconds) { self.give(answer) }
        let isOver = state.withLock { state in
            if state.receive != nil { state.stopTimer = stopTimer }
            return state.receive == nil
        }
        if isOver { stopTimer() }
    }

    /// Gives the answer.
    func give(_ answer: Answer) {
        end()?(answer)
    }

    /// Stops waiting without an answer.
    func cancel() {
        _ = end()
    }

    /// Ends the waiting, and returns the receiver if it was still waiting.
    private func end() -> (@Sendable (Answer) -> Void)? {
        let ended = state.withLock { state in
            defer { state = State() }
            return state
        }
        ended.stopTimer?()
        return ended.receive
    }
}
