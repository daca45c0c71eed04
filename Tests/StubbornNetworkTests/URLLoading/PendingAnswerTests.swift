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
        let pending = PendingAnswer(answers.add)
        for answer in ["first", "second", "third"] { pending.give(answer) }
        #expect(answers.all == ["first"])
    }

    @Test func `the default answer is given when the time is over`() async throws {
        let pending = PendingAnswer(answers.add)
        pending.expire(after: 0.01, with: "none") { [answers] in answers.add("withdrawn") }
        try await eventually { answers.all == ["withdrawn", "none"] }
        pending.give("late")
        #expect(answers.all == ["withdrawn", "none"])
    }

    @Test func `the receiver is freed when an answer is given or the wait is cancelled`() async throws {
        weak var kept: Answers?
        let ends: [(PendingAnswer<String>, () -> Void) -> Void] = [
            { pending, expire in
                expire()
                pending.give("answer")
            },
            { pending, expire in
                expire()
                pending.cancel()
            },
            { pending, expire in
                pending.give("answer")
                expire()
            },
        ]
        for end in ends {
            let pending = {
                let answers = Answers()
                kept = answers
                let pending = PendingAnswer(answers.add)
                end(pending) { pending.expire(after: 1_000, with: "none") { answers.add("withdrawn") } }
                return pending
            }()
            // A cancelled timer is freed on its own queue.
            try await eventually { kept == nil }
            pending.cancel()
        }
    }
}
