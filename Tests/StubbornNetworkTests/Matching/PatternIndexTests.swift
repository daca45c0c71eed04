import Foundation
import Testing

@testable import StubbornNetwork

struct PatternIndexTests {
    private let user = StubRequest.make("GET", "https://a.example/users/42?ts=1")

    private func index(_ options: RequestMatcherOptions = .standard, _ patterns: RequestPattern...) -> PatternIndex {
        var index = PatternIndex(options: options)
        for pattern in patterns { index.append(pattern) }
        return index
    }

    @Test func `the latest pattern that holds wins`() {
        let index = index(.standard, .any, .get("/users/42"), .request(user), .path("/users/:id"), .path("/x"))
        #expect(index.latest(answering: user)?.position == 3)
        #expect(index.latest(answering: user)?.pathParameters == ["id": "42"])
        #expect(index.latest(answering: user) { $0 < 3 }?.position == 2)
        #expect(index.latest(answering: user) { $0 < 2 }?.position == 1)
        #expect(index.latest(answering: user) { $0 < 1 }?.position == 0)
        #expect(index.latest(answering: user) { $0 < 0 } == nil)
    }

    @Test func `a removed pattern no longer matches, and its position is not reused`() {
        var index = index(.standard, .any, .get("/users/42"), .request(user), .path("/users/:id"))
        for position in [3, 2, 1, 1, 99] { index.remove(position) }
        #expect(index.count == 1)
        #expect(index[1] == nil)
        #expect(index.latest(answering: user)?.position == 0)
        #expect(index.append(.request(user)) == 4)
        #expect(index.latest(answering: user)?.position == 4)
    }

    @Test func `declared requests are matched by the options in force`() {
        var index = index(.standard, .any, .request(.make("GET", "https://a.example/users/42?ts=2")), .any)
        index.remove(2)
        #expect(index.latest(answering: user)?.position == 0)
        let loose = index.matching(by: [.url(ignoringQueryItems: ["ts"])])
        #expect(loose.latest(answering: user)?.position == 1)
        #expect(loose.count == 2)
        var more = loose
        #expect(more.append(.any) == 3)
    }
}
