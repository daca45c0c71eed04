import Foundation
import Testing

@testable import StubbornNetwork

/// The strict reading, and how far it goes.
struct JSONScannerTests {
    private func fault(in bytes: [UInt8]) -> JSONSyntaxError? {
        do throws(JSONSyntaxError) {
            try bytes.withUnsafeBufferPointer { bytes throws(JSONSyntaxError) in
                try JSONScanner.read(bytes) { _ in }
            }
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        "1", "-0.5e+7", "true", "null", "\"\"", "[]", "{}", " [1 , {\"a\":[]}]\n", "\u{FEFF}[1]", #"{"a":1,"a":2}"#,
        #"{"":"\u0000\ud83d\ude00\/"}"#,
    ])
    func `valid JSON is accepted`(text: String) {
        #expect(fault(in: Array(text.utf8)) == nil)
    }

    @Test(arguments: [
        ("", 0, "a value"), (" ", 1, "a value"), ("\u{FEFF}", 3, "a value"),
        ("[1,]", 3, "another value after the comma"),
        (#"{"a":1,}"#, 7, "another value after the comma"), (#"{"a" 1}"#, 5, #"":" after the key"#),
        ("{a:1}", 1, "a key in quotation marks"), ("[1 2]", 3, #""," or "]""#), ("1 2", 2, "nothing after the value"),
        ("[1] x", 4, "nothing after the value"), ("01", 0, "a number"), ("[1.]", 1, "a number"), ("1-2", 0, "a number"),
        ("+1", 0, "a value"), ("'a'", 0, "a value"), ("tru", 0, "true"), ("\"", 1, "a closing quotation mark"),
        ("\"\u{1}\"", 1, "control characters in text to be escaped"),
        (#"["\x"]"#, 2, #"an escape such as \n or \u00e9"#), (#"["a\u12"]"#, 3, #"an escape such as \n or \u00e9"#),
        (#"["a\ud800"]"#, 3, #"a pair of surrogates such as \ud83d\ude00"#),
        (#"["\ud800\u0041"]"#, 2, #"a pair of surrogates such as \ud83d\ude00"#),
        (#"["\udc00"]"#, 2, #"a pair of surrogates such as \ud83d\ude00"#),
    ])
    func `a syntax error has its offset and what was expected`(text: String, offset: Int, expected: String) {
        #expect(fault(in: Array(text.utf8))?.offset == offset)
        #expect(fault(in: Array(text.utf8))?.expected == expected)
    }

    @Test func `bytes that are not UTF-8 are a fault`() {
        #expect(
            fault(in: [0x22, 0x61, 0xFF, 0x22])
                == JSONSyntaxError(at: 2, expected: "UTF-8 text", found: "the byte 0xFF")
        )
    }

    @Test func `arrays and objects can be nested at most 512 levels deep`() {
        let nested = { (depth: Int) in
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        let expected = "at most 512 arrays and objects inside each other"
        let tooDeep = JSONSyntaxError(at: 512, expected: expected, found: "one more")
        #expect(fault(in: nested(512)) == nil)
        #expect(fault(in: nested(513)) == tooDeep)
        #expect(fault(in: Array(repeating: .openingBracket, count: 1_000_000)) == tooDeep)
    }

    @Test(arguments: [
        (#"a\n\u00e9\/\""#, "a\né/\""), (#"\q"#, "q"), (#"\u12"#, #"\u12"#), (#"\"#, #"\"#), (#"\ud800x"#, "\u{FFFD}x"),
        (#"\ud83d\ude00"#, "😀"), (#"\ud83d\u0041"#, "\u{FFFD}A"), ("", ""),
    ])
    func `lenient unescaping accepts invalid escapes`(content: String, text: String) {
        let unescaped = content.withBytes { JSONString.unescapedLeniently($0) }
        #expect(String(decoding: unescaped, as: UTF8.self) == text)
    }

    @Test func `random bytes do not trap, and nothing is accepted that Foundation refuses`() {
        var random = Generator(seed: 29)
        let alphabet = Array(#"{}[]":,\u0d8e-+.tfn 1"#.utf8) + [0xC3, 0xFF, 0x00]
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0..<20, using: &random)).compactMap { _ in
                alphabet.randomElement(using: &random)
            }
            // But for numbers that no Double holds.
            if fault(in: bytes) == nil, !bytes.contains(UInt8(ascii: "e")) {
                #expect(
                    (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil,
                    "\(bytes)"
                )
            }
        }
    }
}
