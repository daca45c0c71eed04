import Testing

@testable import StubbornNetwork

struct EscapedTextTests {
    private func decoded(_ text: String, plusAsSpace: Bool = false) -> String? {
        text.withBytes { EscapedText($0, in: 0..<$0.count, plusAsSpace: plusAsSpace)?.bytes }
            .map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [
        ("a%2Db", "a-b"), (#"a\u002db"#, "a-b"), (#"a\x2Db"#, "a-b"), (#"a\/b"#, "a/b"), ("a&#45;b", "a-b"),
        ("a&amp;b", "a&b"), (#"\ud83d\ude00"#, "😀"), (#"\u005c\u005Cu"#, #"\\u"#), (#"\"\'\\"#, #""'\"#),
        ("%41&#x42;\\u0043", "ABC"),
    ])
    func `each kind of escape is decoded`(text: String, expected: String) {
        #expect(decoded(text) == expected)
    }

    @Test(arguments: ["", "plain", "100 %", "%2", "%zz", "a & b", "&unknown;", #"\"#, #"\n"#, #"\x4"#, #"\u00"#])
    func `a text without escapes has nothing to decode`(text: String) {
        #expect(decoded(text) == nil)
    }

    @Test func `a plus is a space where that is said`() {
        let text = "a+b%21"
        #expect(decoded(text) == "a+b!")
        #expect(decoded(text, plusAsSpace: true) == "a b!")
    }

    @Test func `a range leads back to the text that it was decoded from`() throws {
        let text = "x=%41%42c;y"
        try text.withBytes { bytes in
            let decoded = try #require(EscapedText(bytes, in: 2..<9))
            #expect(decoded.bytes == Array("ABc".utf8))
            #expect(decoded.original(0..<3) == 2..<9)
            #expect(decoded.original(1..<2) == 5..<8)
            // Nothing of it is escaped.
            #expect(decoded.original(2..<3) == nil)
        }
    }

    @Test(arguments: [
        ("%41", true), ("%25", true), ("%26", true), ("%5C", true), ("%2B", true), ("%2F", true), ("%3D", true),
        ("%20", true), ("%4", false),
        (#"\u0041"#, true), (#"\x41"#, true), (#"\/"#, true), (#"\\""#, true), (#"\""#, false), (#"\n"#, false),
        ("&#65;", true), ("&#x41;", true), ("&#39;", true), ("&amp;", false), ("&amp;lt;", true), ("&amp;#65;", true),
        ("&amp;lt", false),
        ("&lt;", false),
    ])
    func `the region of an unusual escape is looked at`(text: String, isUnusual: Bool) {
        #expect(text.withBytes(EscapedText.regions).isEmpty == !isUnusual)
    }

    @Test func `regions reach 512 bytes to both sides, and those that meet are one`() {
        func regions(_ gap: Int) -> [Range<Int>] {
            let text =
                String(repeating: "-", count: 1_000) + "%41" + String(repeating: "-", count: gap) + "%41"
                + String(repeating: "-", count: 1_000)
            return text.withBytes(EscapedText.regions)
        }
        #expect(regions(2_000) == [488..<1_512, 2_491..<3_515])
        #expect(regions(1_021) == [488..<2_536])
        #expect(regions(1_022) == [488..<1_512, 1_513..<2_537])
        #expect("%41".withBytes(EscapedText.regions) == [0..<3])
    }
}
