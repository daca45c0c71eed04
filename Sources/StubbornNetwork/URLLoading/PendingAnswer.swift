import Foundation

/// An answer that somebody else may give, at any time, several times or never: the first one counts.
final class PendingAnswer<Answer: Sendable>: Sendable {
    private struct State {
        var receive: (@Sendable (Answer) -> Void)?
        var stopTimer: (@Sendable () -> Void)?
    }

    private let state: Lock<State>

    init(_ receive: @escaping @Sendable (Answer) -> Void) {
        state = Lock(State(receive: receive))
    }

    /// Gives the answer.
    func give(_ answer: Answer) {
        end()?(answer)
    }

    /// Stops waiting without an answer.
    func cancel() {
        _ = end()
    }

    /// Calls `onExpiry` and gives an answer if nobody has given one after a time, in seconds.
    func expire(after seconds: Double, with answer: Answer, _ onExpiry: @escaping @Sendable () -> Void) {
        let stopTimer = Delay.run(after: seconds) {
            guard let receive = self.end() else { return }
            onExpiry()
            receive(answer)
        }
        let isOver = state.withLock { state in
            if state.receive != nil { state.stopTimer = stopTimer }
            return state.receive == nil
        }
        if isOver { stopTimer() }
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
