import Testing

@testable import StubbornNetwork

struct QuotedTextTests {
    @Test(arguments: [
        ("a", #""a""#), ("", #""""#), ("\"\\", #""\"\\""#), ("a\tb\r\n", #""a\tb\r\n""#),
        ("\u{0}\u{1B}\u{7F}", #""\u{0}\u{1b}\u{7f}""#),
        ("é😀", #""é😀""#),
    ])
    func `a text is a Swift literal`(text: String, literal: String) {
        #expect(text.quoted() == literal)
    }

    @Test(arguments: [
        ("abcdef", 6, #""abcdef""#), ("abcdefg", 6, #""abc…""#), ("ab\n\n\n", 6, #""ab…""#), ("aééé", 6, #""aé…""#),
        ("😀😀", 7, #""😀…""#),
        ("😀😀", 8, #""😀😀""#),
    ])
    func `a long literal is cut between two characters or escapes`(text: String, byteCount: Int, literal: String) {
        #expect(text.quoted(upTo: byteCount) == literal)
    }

    @Test(arguments: [
        ("abcdef", 6, "abcdef"), ("abcdefg", 6, "abc…"), ("aééé", 6, "aé…"), ("😀😀", 7, "😀…"), ("abc", 3, "abc"),
    ])
    func `a long text is cut between two characters`(text: String, byteCount: Int, cut: String) {
        #expect(text.cut(to: byteCount) == cut)
    }

    @Test func `a text has 256 bytes if nothing is said`() {
        for count in [255, 256, 257] {
            let text = String(repeating: "a", count: count)
            #expect(text.cut().utf8.count == min(count, 256))
            #expect(text.quoted().utf8.count == min(count, 256) + 2)
        }
    }

    @Test(arguments: [
        ("a b", true), ("a\tb\r\n", true), ("é", true), ("\u{0}", false), ("\u{1F}", false), ("\u{7F}", false),
        ("", true),
    ])
    func `a plain text has no control characters but tabs and line breaks`(text: String, isPlain: Bool) {
        #expect(text.isPlainText == isPlain)
    }

    @Test func `a noun is in the plural unless there is one`() {
        #expect([0, 1, 2].map { $0.counting("byte") } == ["0 bytes", "1 byte", "2 bytes"])
    }
}
