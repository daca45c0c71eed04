import Foundation
import Testing

@testable import StubbornNetwork

/// What a run's requests have asked with, and its responses have given.
struct RunWordsTests {
    private func stub(
        _ url: String = "https://a.test/",
        sent: String = "",
        field: String = "",
        given: String = "",
        givenField: String = ""
    ) throws -> Stub {
        let request = StubRequest(url: try URL.parsed(url), headerFields: ["X-A": field], body: Data(sent.utf8))
        let head = ResponseHead(statusCode: 200, headerFields: ["X-B": givenField])
        return Stub(request: request, response: StubResponse(head: head, body: Data(given.utf8)))
    }

    @Test func `a value is carried by the URL, a header field or the body of a later request`() throws {
        let words = RunWords([
            try stub(), try stub("https://a.test/path-word?q=query.word&r=two%20words"),
            try stub(field: "W/\"field~word\""),
            try stub(sent: #"{"id":"body_word"}"#),
        ])
        for (value, index) in [
            ("path-word", 1), ("query.word", 1), ("words", 1), ("field~word", 2), ("\"field~word\"", 2),
            ("body_word", 3),
        ] {
            #expect(words.isCarried(value, after: index - 1), "\(value)")
            #expect(!words.isCarried(value, after: index), "\(value)")
            #expect(!words.isGiven(value, before: .max), "\(value)")
        }
        #expect(words.isCarried("path-word query.word", after: 0))
        #expect(!words.isCarried("path-word other-word", after: 0))
        #expect(!words.isCarried("path", after: 0))
    }

    @Test func `a value is given by a header field or the body of an earlier response`() throws {
        let words = RunWords([
            try stub(), try stub(givenField: "\"field-word\""), try stub(given: #"{"id":"body-word"}"#),
            try stub(given: "body-word"),
        ])
        for (value, index) in [("field-word", 1), ("body-word", 2)] {
            #expect(words.isGiven(value, before: index + 1), "\(value)")
            #expect(!words.isGiven(value, before: index), "\(value)")
            #expect(!words.isCarried(value, after: -1), "\(value)")
        }
    }

    @Test func `the last request and the first response count`() throws {
        let stubs = try (0..<3).map { _ in try stub("https://a.test/word", given: "gift") }
        let words = RunWords(stubs)
        #expect(words.isCarried("word", after: 1) && !words.isCarried("word", after: 2))
        #expect(words.isGiven("gift", before: 1) && !words.isGiven("gift", before: 0))
    }

    @Test func `words of four characters count, in bodies of 64 kibibytes`() throws {
        func words(_ count: Int, _ word: String) throws -> RunWords {
            let body = word + String(repeating: " ", count: count - word.utf8.count)
            return RunWords([try stub(sent: body, given: body)])
        }
        for (count, word, counts) in [
            (10, "four", true), (10, "abc", false), (65_536, "four", true), (65_537, "four", false),
        ] {
            #expect(try words(count, word).isCarried(word, after: -1) == counts, "\(word) in \(count)")
            #expect(try words(count, word).isGiven(word, before: 1) == counts, "\(word) in \(count)")
        }
        #expect(!RunWords([]).isCarried("four", after: -1))
        #expect(try !words(10, "four").isCarried("", after: -1))
    }
}
