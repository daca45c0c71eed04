import Testing

@testable import StubbornNetwork

struct XMLTextTests {
    @Test(arguments: [
        ("&amp;&lt;&gt;&quot;&apos;&#39;", "&<>\"''"), ("a &#65;&#x42;&#X43; d", "a ABC d"), ("&#233;&#x1F600;", "é😀"),
        ("&amp;lt;", "&lt;"), ("&amp", "&amp"), ("&nbsp;", "&nbsp;"), ("&#;", "&#;"), ("&#x;", "&#x;"),
        ("&#xD800;", "&#xD800;"),
        ("&#A;", "&#A;"), ("& &", "& &"), ("", ""),
        // Twelve bytes are the longest number.
        ("&#000000065;", "A"), ("&#0000000065;", "&#0000000065;"),
    ])
    func `the entities of XML and numbers are unescaped, and nothing else`(text: String, expected: String) {
        #expect(String(decoding: text.withBytes(XMLText.unescaped), as: UTF8.self) == expected)
    }

    @Test func `what is escaped comes back`() {
        let text = Array("<a b=\"c\">d's & e</a>".utf8)
        let escaped = XMLText.escaped(text)
        #expect(String(decoding: escaped, as: UTF8.self) == "&lt;a b=&quot;c&quot;&gt;d&apos;s &amp; e&lt;/a&gt;")
        #expect(escaped.withUnsafeBufferPointer(XMLText.unescaped) == text)
        #expect(String(decoding: XMLText.escaped(text, "<".utf8), as: UTF8.self) == "&lt;a b=\"c\">d's & e&lt;/a>")
    }
}
