import Foundation
import Testing

@testable import StubbornNetwork

/// Texts that people cannot distinguish.
struct LookAlikesTests {
    @Test(arguments: [
        ("50\u{a0}km", "50 km", #"50\u{a0}km"#, "50 km"), ("a\u{200b}b", "ab", #"a\u{200b}b"#, "ab"),
        ("\u{430}da", "ada", #"\u{430}da"#, "ada"), ("caf\u{e9}", "cafe\u{301}", #"caf\u{e9}"#, #"cafe\u{301}"#),
        ("\u{41e}K", "OK", #"\u{41e}K"#, "OK"), ("\u{ff21}", "A", #"\u{ff21}"#, "A"),
    ])
    func `texts that look alike are shown with escapes`(first: String, second: String, shown: String, other: String)
        throws
    {
        let escaped = try #require(LookAlikes.escaped(first, second))
        #expect(escaped.first == shown)
        #expect(escaped.second.utf8.elementsEqual(other.utf8))
    }

    @Test(arguments: [("50 km", "50 m"), ("ada", "ada"), ("Müller", "Muller"), ("é", "e"), ("日本", "日木")])
    func `other texts are shown as they are`(first: String, second: String) {
        #expect(LookAlikes.escaped(first, second) == nil)
    }

    @Test func `a difference between two values that look alike shows it`() {
        let difference = RequestDifference("url.query.unit", "\"50\u{a0}km\"", "\"50 km\"", .other)
        #expect(difference.description == #"url.query.unit: recorded "50\u{a0}km", requested "50 km""#)
    }
}
