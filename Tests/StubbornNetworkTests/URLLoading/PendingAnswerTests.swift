import Testing

@testable import StubbornNetwork

/// The first answer counts, and a time limit gives one if nobody else does.
@Suite(.timeLimit(.minutes(5)))
struct PendingAnswerTests {
    private final class Answers: Sendable {
        private let answers = Lock<[String]>([])

        var all: [String] { answers.withLock { $0 } }

        func add(_ answer: String) { answers.withLock { $0.append(answer) } }
    }

    private let answers = Answers()

    @Test func `the first of several answers counts`() {
        let pending = PendingAnswer(within: 1_000, otherwise: "none", answers.add)
        for answer in ["first", "second", "third"] { pending.give(answer) }
        #expect(answers.all == ["first"])
    }

    @Test func `the default answer is given when the time is over`() async throws {
        let pending = PendingAnswer(within: 0.01, otherwise: "none", answers.add)
        try await eventually { answers.all == ["none"] }
        pending.give("late")
        #expect(answers.all == ["none"])
    }

    @Test func `the receiver is freed when an answer is given or the wait is cancelled`() async throws {
        weak var kept: Answers?
        for end in [{ $0.give("answer") }, { $0.cancel() }] as [(PendingAnswer<String>) -> Void] {
            let pending = {
                let answers = Answers()
                kept = answers
                return PendingAnswer(within: 1_000, otherwise: "none", answers.add)
            }()
            #expect(kept != nil)
            end(pending)
            #expect(kept == nil)
        }
    }
}
