import Foundation
import Testing

@testable import StubbornNetwork

/// A recorded body that a test changes: everything but the change is as the server sent it.
struct JSONEditTests {
    private static let body = """
        {
          "id" : 18446744073709551615, "huge": 1e400,
          "price": 1.50, "path": "a\\/b\\u003C", "tags" : [1.0, [ ], {"a":1}], "name":"Ada"
        }

        """

    private static let edits: [(change: @Sendable (inout JSONLiteral) -> Void, expected: String)] = [
        ({ _ in }, body),
        ({ $0["name"] = "Ada" }, body),
        ({ $0["price"] = 1.5 }, body),
        ({ $0["name"] = "Eve" }, body.replacingOccurrences(of: #""Ada""#, with: #""Eve""#)),
        ({ $0["tags"][2]["a"] = 2 }, body.replacingOccurrences(of: #"{"a":1}"#, with: #"{"a":2}"#)),
        ({ $0["tags"] = [1] }, body.replacingOccurrences(of: #"[1.0, [ ], {"a":1}]"#, with: "[1.0]")),
        (
            { $0["tags"] = [1, [], ["a": 1], true] },
            body.replacingOccurrences(of: #"{"a":1}]"#, with: #"{"a":1}, true]"#)
        ),
        ({ $0["tags"][1] = ["new"] }, body.replacingOccurrences(of: "[ ]", with: #"["new"]"#)),
        ({ $0.remove("name") }, body.replacingOccurrences(of: #", "name":"Ada""#, with: "")),
        ({ $0.remove("id") }, body.replacingOccurrences(of: #""id" : 18446744073709551615, "#, with: "")),
        ({ $0["new"] = nil }, body.replacingOccurrences(of: #""Ada""#, with: #""Ada", "new":null"#)),
        ({ $0 = ["a"] }, "[\"a\"]\n"),
    ]

    @Test(arguments: edits.indices)
    func `only what changes is written anew`(index: Int) throws {
        var json = JSONLiteral(try #require(JSONValue(Data(Self.body.utf8))))
        Self.edits[index].change(&json)
        let edited = JSONEdit.body(Data(Self.body.utf8), changedTo: json.value)
        #expect(String(decoding: edited, as: UTF8.self) == Self.edits[index].expected)
        #expect(JSONValue(edited) == json.value)
    }

    @Test(arguments: [
        ("{}", #"{"a":1}"#), ("[ ]", #"{"a":1}"#), ("\u{FEFF} {\"b\" : 2}", "\u{FEFF} {\"a\":1}"),
        (#"{"a":3,"a":4}"#, #"{"a":1}"#), ("not JSON", #"{"a":1}"#), ("", #"{"a":1}"#),
    ])
    func `a body takes a new value`(old: String, expected: String) {
        let edited = JSONEdit.body(Data(old.utf8), changedTo: .object([("a", .number("1"))]))
        #expect(String(decoding: edited, as: UTF8.self) == expected)
    }

    @Test func `a body with a repeated key keeps both members until one of them is named`() throws {
        let old = Data(#"{"a":1, "a":2, "b":3}"#.utf8)
        var json = JSONLiteral(try #require(JSONValue(old)))
        json["b"] = 4
        #expect(String(decoding: JSONEdit.body(old, changedTo: json.value), as: UTF8.self) == #"{"a":1, "a":2, "b":4}"#)
    }
}
