import Foundation
import Testing

@testable import StubbornNetwork

struct JSONValueTests {
    private func value(_ text: String) -> JSONValue? { JSONValue(Data(text.utf8)) }

    @Test(arguments: [
        (#"{"a": 1, "b": [true, null]}"#, #" { "b" : [ true , null ], "a" : 1.0 } "#),
        (#""\u00e9\n\/""#, "\"\u{e9}\\u000a/\""),
        (#""\ud83d\ude00""#, "\"😀\""),
        ("1", "1.0"), ("100", "1e2"), ("0.5", "5E-1"), ("-0", "0"), ("0.10", "0.1"), ("1e400", "10e399"),
        ("123456789012345678901234567890", "123456789012345678901234567890.0"), ("[12300]", "[0.0123e6]"),
        ("\u{feff}[1]", " [ 1 ]\n"), ("{}", "{ }"), ("[[],{}]", "[ [] , {} ]"),
        (#"{"c":{"z":1,"y":[2]},"b":{},"a":[]}"#, #"{"a":[],"b":{},"c":{"y":[2],"z":1}}"#),
        (#"{"a":1,"b":0,"a":2}"#, #"{"b":0,"a":1,"a":2}"#),
    ])
    func `the same value in another spelling is equal`(one: String, other: String) throws {
        let (one, other) = (try #require(value(one)), try #require(value(other)))
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
    }

    @Test(arguments: [
        ("1", "true"), ("0", "false"), ("1", "\"1\""), ("null", "{}"), ("[]", "{}"), ("[1,2]", "[2,1]"),
        ("\"a\"", "\"A\""), ("[-1]", "[1]"), ("[0.1]", "[0.10000000000000001]"), ("[[],[1]]", "[[1],[]]"),
        ("9007199254740993", "9007199254740992"), ("1e999999999999", "1e999999999998"), ("{\"a\":null}", "{}"),
        (#"{"a":1}"#, #"{"a":1,"b":null}"#), (#"{"a":1,"a":1}"#, #"{"a":1}"#), (#"{"a":1,"a":2}"#, #"{"a":2,"a":1}"#),
        (#"{"a":"b"}"#, #"["a","b"]"#),
    ])
    func `another value is not equal`(one: String, other: String) throws {
        #expect(try #require(value(one)) != #require(value(other)))
    }

    @Test(arguments: [
        ("1.50", "1.5"), ("15e-1", "1.5"), ("-0.0", "0"), ("1E30", "1e30"), ("1e20", "100000000000000000000"),
        ("1e21", "1e21"), ("0.001", "0.001"), ("-12.5e1", "-125"), ("1e-30", "1e-30"), ("12e-21", "12e-21"),
        ("12e-20", "0.00000000000000000012"), ("1e-0000000000001", "0.1"),
    ])
    func `equal numbers get the same spelling`(written: String, spelled: String) {
        #expect(value(written) == .number(spelled))
    }

    @Test(arguments: ["", "1", "\"a\"", "null", "[1,]", "[1] x", "{", "[\u{1}]"])
    func `a JSON body must be a valid object or array`(text: String) {
        #expect(JSONValue(body: Data(text.utf8)) == nil)
    }

    @Test func `JSON nested 512 levels deep can be compared on a small stack`() {
        let nested = { @Sendable (depth: Int, core: String) in
            String(repeating: #"{"b":0,"a":["#, count: depth / 2) + core + String(repeating: "]}", count: depth / 2)
        }
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            let (one, other) = (StubRequest.json(nested(512, "1")), StubRequest.json(nested(512, "2")))
            let options: RequestMatcherOptions = [.requestBody(ignoringJSONKeyPaths: ["x"])]
            let index = MatchIndex(options: options, requests: [one])
            #expect(index.positions(one) == [0])
            #expect(index.positions(other) == [])
            let differences = index.nearest(to: other)?.differences ?? []
            #expect(differences.map(\.text) == ["recorded 1, requested 2"])
            let (first, second) = (value(nested(512, "1")), value(nested(512, "2")))
            #expect(first != nil && second != nil && first != second)
            #expect(first?.removing([JSONKeyPath(keys: Array(repeating: "a", count: 256))]) != first)
            #expect(first?.contains(.object([("a", .array([]))])) == false)
            #expect(first?.text(upTo: 100_000).utf8.count == nested(512, "1").utf8.count)
            let same = first.map { RequestPattern.requestBody(containing: $0).match(one) != nil }
            #expect(same == true)
            done.signal()
        }
        thread.stackSize = 512 * 1_024
        thread.start()
        done.wait()
    }

    @Test(arguments: [
        (#"{"a":1,"b":{"c":2,"d":3}}"#, ["a", "b.c"], #"{"b":{"d":3}}"#),
        (#"{"items":[{"id":1,"n":1},{"id":2}]}"#, ["items.id"], #"{"items":[{"n":1},{}]}"#),
        (#"[{"id":1},[{"id":2,"x":3}]]"#, ["id"], #"[{},[{"x":3}]]"#),
        (#"{"a.b":1,"a":{"b":2}}"#, [#"a\.b"#], #"{"a":{"b":2}}"#),
        (#"{"a":{"b":1}}"#, ["a", "a.b"], "{}"),
        (#"{"a":[{"b":1},2,{"c":3}],"d":4}"#, ["a.b", "c", "a.d"], #"{"a":[{},2,{"c":3}],"d":4}"#),
        (#"{"a":1}"#, ["a.b", "x", ""], #"{"a":1}"#),
        (#"{"a":1,"b":2,"a":3}"#, ["a"], #"{"b":2}"#),
        (#"{"":1}"#, [""], "{}"),
        ("1", ["a"], "1"),
    ])
    func `members are left out by path`(json: String, paths: [String], rest: String) {
        #expect(value(json)?.removing(paths.map { JSONKeyPath($0) }).text(upTo: 256) == rest)
    }

    @Test(arguments: [
        (#"{"a":1,"b":[{"c":2,"d":3}]}"#, #"{"b":[{"c":2}]}"#, true), (#"{"a":1}"#, "{}", true), ("[1]", "[]", false),
        (#"{"a":1}"#, #"{"a":2}"#, false), (#"{"a":1}"#, #"{"b":1}"#, false), (#"{"a":{"b":1}}"#, #"{"a":1}"#, false),
        (#"{"a":1,"a":2}"#, #"{"a":1}"#, true), (#"{"a":1,"a":2}"#, #"{"a":1,"a":2}"#, true),
        (#"{"a":1}"#, #"{"a":1,"a":1}"#, false), ("null", "null", true),
    ])
    func `a value contains another if it has all of its members`(json: String, part: String, contains: Bool) throws {
        #expect(try #require(value(json)).contains(try #require(value(part))) == contains)
    }

    @Test func `a value is written on one line, and cut`() {
        #expect(
            value(#"{"b":[1,"x"],"a":{"é":null,"a":1,"a":false}}"#)?.text(upTo: 100)
                == #"{"a":{"a":1,"a":false,"é":null},"b":[1,"x"]}"#
        )
        #expect(value("[111,222,333]")?.text(upTo: 5) == "[111,222")
    }
}
