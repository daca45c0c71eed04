import Foundation
import Testing

@testable import StubbornNetwork

struct JSONMembersTests {
    private func values(_ paths: String..., in text: String) -> [String: String] {
        let data = Data(text.utf8)
        return JSONMembers.ranges(of: paths.map(JSONKeyPath.init), in: data).mapValues {
            String(decoding: data[$0], as: UTF8.self)
        }
    }

    @Test func `a member is found at its place, with all of its value`() {
        let text = #"{"a":{"b":[1,2]},"b":"no","c":null}"#
        #expect(values("a.b", in: text) == [".a.b": "[1,2]"])
        #expect(values("a", "c", in: text) == [".a": #"{"b":[1,2]}"#, ".c": "null"])
        #expect(values("b.a", "d", in: text) == [:])
    }

    @Test func `the members of all elements of an array are found`() {
        let text = #" [ {"id":1}, {"id":2,"in":{"id":3}}, [{"id":4}], 5 ] "#
        #expect(values("id", in: text) == ["[0].id": "1", "[1].id": "2", "[2][0].id": "4"])
    }

    @Test func `an escaped key is that key`() {
        #expect(values("aé", in: #"{"a\u00e9":1}"#) == [".aé": "1"])
    }

    @Test(arguments: ["", "text", #"{"a":1"#, #"{"a" 1}"#, "[1,]"])
    func `a text that is not JSON has none`(text: String) {
        #expect(values("a", in: text) == [:])
    }

    @Test func `a byte-order mark is left out`() {
        #expect(values("a", in: "\u{FEFF}{\"a\":1}") == [".a": "1"])
    }
}
