import Foundation
import Testing

@testable import StubbornNetwork

struct JSONParserTests {
    private func value(_ text: String) -> JSONValue? { JSONParser.value(of: Data(text.utf8)) }

    @Test(arguments: [
        (#"{"a": 1, "b": [true, null]}"#, #"{"b":[true,null],"a":1.0}"#),
        (#""\u00e9\n\/""#, "\"\u{e9}\\u000a/\""),
        (#""\ud83d\ude00""#, "\"😀\""),
        ("1", "1.0"), ("100", "1e2"), ("0.5", "5E-1"), ("-0", "0"), ("0.10", "0.1"), ("1e400", "10e399"),
        ("123456789012345678901234567890", "123456789012345678901234567890.0"),
        ("\u{feff}[1]", " [ 1 ]\n"),
    ])
    func `equal values are equal however they are written`(one: String, other: String) {
        #expect(value(one) != nil)
        #expect(value(one) == value(other))
    }

    @Test(arguments: [
        ("1", "true"), ("0", "false"), ("1", "\"1\""), ("null", "{}"), ("[]", "{}"), ("[1,2]", "[2,1]"),
        ("\"a\"", "\"A\""),
        ("9007199254740993", "9007199254740992"), ("1e999999999999", "1e999999999998"), ("{\"a\":null}", "{}"),
    ])
    func `different values differ`(one: String, other: String) {
        #expect(value(one) != nil && value(other) != nil)
        #expect(value(one) != value(other))
    }

    @Test(arguments: [
        "", " ", "{", "[1,]", "{\"a\":1,}", "{\"a\" 1}", "{a:1}", "01", "+1", "1.", ".5", "1e", "-", "--1", "1-2",
        "0x10",
        "NaN", "tru", "\"", "\"\\x\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"\\u12\"", "\"\u{1}\"",
        "1 2", "[1] x", "{\"a\":1,\"a\":2}", "'a'", "\u{feff}",
    ])
    func `what is not JSON is refused`(text: String) {
        #expect(value(text) == nil)
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        #expect(JSONParser.value(of: Data([0x22, 0xFF, 0x22])) == nil)
    }

    @Test(arguments: [
        ("1.50", "1.5"), ("15e-1", "1.5"), ("-0.0", "0"), ("1E30", "1e30"), ("1e20", "100000000000000000000"),
        ("1e21", "1e21"), ("0.001", "0.001"), ("-12.5e1", "-125"), ("1e-30", "1e-30"), ("12e-21", "12e-21"),
        ("12e-20", "0.00000000000000000012"),
    ])
    func `numbers have one spelling`(written: String, spelled: String) {
        #expect(value(written) == .number(spelled))
    }

    @Test func `depth is bounded, and what is admitted can be handled on a small stack`() {
        let deepest = JSONParser.maximumDepth
        let nested = { @Sendable (depth: Int, core: String) in
            String(repeating: "{\"a\":[", count: depth / 2) + core + String(repeating: "]}", count: depth / 2)
        }
        #expect(value(nested(deepest + 2, "1")) == nil)
        #expect(value(String(repeating: "[", count: 1_000_000)) == nil)

        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            let (one, other) = (StubRequest.json(nested(deepest, "1")), StubRequest.json(nested(deepest, "2")))
            let options: RequestMatcherOptions = [.requestBody(ignoringJSONKeys: ["x"])]
            let index = MatchIndex(options: options, requests: [one])
            #expect(index.matches(one) == [0])
            #expect(index.matches(other) == [])
            #expect(index.nearest(to: other, limit: 1).first?.differences.count == 1)
            #expect(value("[1]").map { RequestPattern.body(json: [1]).match(.json($0.text(upTo: 9))) } != nil)
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
        (#"{"a":1}"#, ["a.b", "x", ""], #"{"a":1}"#),
        (#"{"":1}"#, [""], "{}"),
        ("1", ["a"], "1"),
    ])
    func `members are left out by path`(json: String, paths: [String], rest: String) {
        #expect(value(json)?.removing(paths.map { JSONKeyPath($0) }).text(upTo: 256) == rest)
    }

    @Test func `random bytes do not trap`() {
        var random = Generator(seed: 29)
        let alphabet = Array(#"{}[]":,\u0d8e-+.tfn 1"#.utf8) + [0xC3, 0xFF, 0x00]
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0..<20, using: &random)).compactMap { _ in
                alphabet.randomElement(using: &random)
            }
            let ours = JSONParser.value(of: Data(bytes))
            // Whatever is accepted here, Foundation accepts too, but for numbers that no Double holds.
            if ours != nil, !bytes.contains(UInt8(ascii: "e")) {
                #expect(
                    (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil,
                    "\(bytes)"
                )
            }
        }
    }
}
