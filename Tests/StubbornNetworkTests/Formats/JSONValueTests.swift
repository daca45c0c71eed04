import Foundation
import Testing

@testable import StubbornNetwork

struct JSONValueTests {
    private func value(_ text: String) -> JSONValue? { JSONValue(body: Data(text.utf8)) }

    @Test(arguments: [
        (#"{"a":1,"b":[true,null]}"#, #" { "b" : [ true , null ], "a" : 1.0 } "#),
        ("[1e2,10,-0]", "[100,1.0E+1,0.0]"), ("[0.001]", "[1e-3]"), ("[12300]", "[0.0123e6]"),
        (#"["é/😀"]"#, #"["\u00e9\/\ud83d\ude00"]"#), ("{}", "{ }"), ("[[],{}]", "[ [] , {} ]"),
    ])
    func `the same value in another spelling`(left: String, right: String) throws {
        let (left, right) = (try #require(self.value(left)), try #require(self.value(right)))
        #expect(left == right)
        #expect(left.hashValue == right.hashValue)
    }

    @Test(arguments: [
        ("[1,2]", "[2,1]"), ("[1]", #"["1"]"#), ("[9007199254740993]", "[9007199254740992]"), ("[1e999]", "[1e998]"),
        ("[0.1]", "[0.10000000000000001]"), ("[]", "{}"), ("[true]", "[false]"),
        ("[-1]", "[1]"), ("[1e99999999999999999999]", "[1e99999999999999999998]"), (#"{"a":1}"#, #"{"a":1,"b":null}"#),
    ])
    func `other values`(left: String, right: String) throws {
        #expect(try #require(self.value(left)) != #require(self.value(right)))
    }

    @Test(arguments: [
        "", "1", "\"a\"", "null", "[1,]", "[01]", #"["\ud800"]"#, #"{"a":1,"a":1}"#, "[1] x", "{", "[\u{1}]",
        String(repeating: "[", count: 129) + String(repeating: "]", count: 129),
    ])
    func `what is compared as bytes`(text: String) {
        #expect(value(text) == nil)
    }

    @Test func `a hundred levels are compared as a value`() {
        let nested = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        #expect(value(nested) != nil)
        #expect(value(nested) == value(" " + nested))
    }
}
