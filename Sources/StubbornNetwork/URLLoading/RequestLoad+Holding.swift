import Foundation

extension RequestLoad {
    /// Holds the answer to a request, if the test wants to release it.
    ///
    /// A request that fails without an answer is not held, and neither is a caller that cannot wait.
    func hold(_ stubRequest: StubRequest, of request: URLRequest, _ decision: Decision) {
        if case .fail = decision { return }
        guard client.waits, state.withLock({ $0.heldAnswer?.isHeld != true }) else { return }
        let holds = engine.holds.withLock { $0 }
        guard !holds.isEmpty else { return }
        let options = engine.settings.current.settings.rules.matchers
        let matching = engine.inTest { holds.filter { $0.pattern.match(stubRequest, options: options) != nil } }
        for hold in matching.reversed() {
            prepareToWait()
            let answer = hold.add { partCount in
                let answer = HeldAnswer(stubRequest, afterPart: partCount, timeout: timeout(of: request)) { [self] in
                    deliver($0, of: request)
                }
                state.withLock { $0.heldAnswer = answer }
                return answer
            }
            if let answer { return answer.startTimer() }
        }
    }
}
