import Foundation
import Testing

@testable import StubbornNetwork

struct QueryItemTests {
    /// Each item as `name=value`, or `name` without a value.
    private func items(_ text: String, _ part: PercentEncoding.Part) -> [String] {
        text.withBytes { QueryItem.items(of: $0, as: part) }.map { item in
            item.value.map { "\(item.name)=\($0)" } ?? item.name
        }
    }

    @Test(arguments: [
        ("a=1&b=2", ["a=1", "b=2"]), ("a=1&&b=2&", ["a=1", "b=2"]), ("a", ["a"]), ("a=", ["a="]), ("=1", ["=1"]),
        ("a=b=c", ["a=b=c"]),
        ("", []), ("&", []), ("a=%7e%2f", ["a=~/"]), ("a=1&a=1", ["a=1", "a=1"]),
    ])
    func `a query is read item by item`(query: String, expected: [String]) {
        #expect(items(query, .query) == expected)
    }

    @Test func `in a form a plus is a space, and a name without a value has an empty one`() {
        #expect(items("a+b", .form) == items("a%20b=", .form))
        #expect(items("a+b", .query) != items("a%20b", .query))
        #expect(QueryItem.fields(ofForm: nil).isEmpty)
        #expect(QueryItem.fields(ofForm: Data("a=1&b".utf8)).map(\.name) == ["a", "b"])
    }

    @Test func `items are sorted by name, then by value, one without a value first`() {
        let sorted = [("a", nil), ("a", ""), ("a", "1"), ("a", "2"), ("b", nil)] as [(String, String?)]
        let items = sorted.map { QueryItem(name: $0.0, value: $0.1) }
        for (left, first) in items.enumerated() {
            for (right, second) in items.enumerated() {
                #expect((first < second) == (left < right), "\(first) \(second)")
            }
        }
    }

    @Test func `a name in plain text has the spellings that a URL may have`() {
        #expect(QueryItem.spellings(ofName: "a b") == ["a%20b", "a+b"])
        #expect(QueryItem.spellings(ofName: "a&b=c") == ["a%26b%3Dc"])
    }
}
