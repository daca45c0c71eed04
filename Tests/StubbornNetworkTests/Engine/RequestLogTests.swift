import Foundation
import Testing

@testable import StubbornNetwork

struct RequestLogTests {
    private let log = RequestLog()

    @Test func `an exchange keeps the duration and the outcome of its first end`() throws {
        let number = log.begin(.get("https://a.test/"))
        log.decide(number, .recorded)
        log.end(number, isAnswered: true)
        let first = try #require(log.all.first)
        #expect(first.outcome == .recorded)
        #expect(first.duration != nil)
        log.end(number, isAnswered: false)
        #expect(log.all.map(\.outcome) == [.recorded])
        #expect(log.all.map(\.duration) == [first.duration])
    }

    @Test(
        arguments: [
            (nil, false, .failed), (.recorded, false, .failed), (.passedThrough, false, .failed),
            (.recorded, true, .recorded), (.passedThrough, true, .passedThrough), (.stubbed, false, .stubbed),
            (.unstubbed, false, .unstubbed),
        ] as [(Exchange.Outcome?, Bool, Exchange.Outcome)]
    )
    func `only an exchange with the real server fails for want of an answer`(
        decided: Exchange.Outcome?,
        isAnswered: Bool,
        outcome: Exchange.Outcome
    ) {
        let number = log.begin(.get("https://a.test/"))
        if let decided { log.decide(number, decided) }
        log.end(number, isAnswered: isAnswered)
        #expect(log.all.map(\.outcome) == [outcome])
    }

    @Test func `exchanges are in the order in which they began, with their own outcomes`() {
        let numbers = ["/a", "/b", "/c"].map { log.begin(.get("https://a.test\($0)")) }
        log.end(numbers[2], isAnswered: false)
        log.decide(numbers[0], .stubbed)
        #expect(log.all.map(\.request.url.path) == ["/a", "/b", "/c"])
        #expect(log.all.map(\.decision) == [.stubbed, nil, .failed])
        #expect(log.all.map(\.outcome) == [nil, nil, .failed])
        #expect(log.all.dropFirst(numbers[1]).map(\.request.url.path) == ["/b", "/c"])
    }
}
