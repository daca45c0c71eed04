import Testing

@testable import StubbornNetwork

/// The words in which two long strings differ.
struct TextDifferenceTests {
    private let words = (1...200).map { "word\($0)" }

    private func text(_ change: (inout [String]) -> Void = { _ in }) -> String {
        var words = words
        change(&words)
        return words.joined(separator: " ")
    }

    @Test func `a word that differs is shown with what is around it`() {
        let difference = TextDifference(text(), text { $0[99] = "other" })
        #expect(difference.old.hasPrefix("…") && difference.old.hasSuffix("…"))
        #expect(difference.old.contains(" word99 word100 word101 "))
        #expect(difference.new.contains(" word99 other word101 "))
        #expect(difference.old.count == "word100".count + 2 * 49)
        #expect(difference.count == "1 of 200 words differs")
    }

    @Test func `the last word and the first one are shown as well`() {
        let last = TextDifference(text(), text { $0[199] = "other" })
        #expect(last.old.hasPrefix("…") && last.old.hasSuffix(" word199 word200") && last.new.hasSuffix(" other"))
        let first = TextDifference(text(), text { $0[0] = "other" })
        #expect(first.old.hasPrefix("word1 word2 ") && first.new.hasPrefix("other word2 ") && first.new.hasSuffix("…"))
    }

    @Test func `the words are counted that differ, and not those between them`() {
        func count(_ change: (inout [String]) -> Void) -> String? { TextDifference(text(), text(change)).count }
        #expect(count { $0.insert("new", at: 50) } == "1 of 201 words differs")
        #expect(count { $0.remove(at: 50) } == "1 of 200 words differs")
        #expect(count { ($0[10], $0[150]) = ("a", "b") } == "2 of 200 words differ")
        #expect(count { $0 = ["none"] } == "200 of 200 words differ")
        #expect(count { $0 = [] } == "200 of 200 words differ")
        #expect(TextDifference("one", "two").count == nil)
    }

    @Test(.timeLimit(.minutes(1)))
    func `long texts without a common word are compared in time that grows with their length`() {
        // The shortest edit between them needs 40 GB of memory.
        let texts = ["a", "b"].map { letter in (0..<50_000).map { "\(letter)\($0)" }.joined(separator: " ") }
        #expect(TextDifference(texts[0], texts[1]).count == "50000 of 50000 words differ")
    }

    @Test func `of a text without words the place is shown where it differs`() {
        let text = String(repeating: "x", count: 300)
        let difference = TextDifference(text + "a" + text, text + "bc" + text)
        let around = String(repeating: "x", count: 48)
        #expect(difference.old == "…\(around)a\(around)…" && difference.new == "…\(around)bc\(around)…")
    }

    @Test func `of white space that differs both texts are shown`() {
        let difference = TextDifference("a b", "a  b")
        #expect(difference.old == "a b" && difference.new == "a  b" && difference.count == "0 of 2 words differ")
    }
}
