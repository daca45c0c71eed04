import Foundation
import Testing

@testable import StubbornNetwork

/// A scanner of a text that is loaded part by part.
struct JSONScannerLoadingTests {
    /// Returns the keys and the scalars that a scanner visits, with only `width` bytes in memory at a time.
    private func scalars(in text: String, width: Int) throws(JSONSyntaxError) -> [String] {
        let bytes = Array(text.utf8)
        let window = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: width)
        defer { window.deallocate() }
        var scanner = JSONScanner { offset in
            // What was loaded before is gone.
            window.update(repeating: 0)
            let part = bytes.dropFirst(offset).prefix(width)
            _ = window.update(fromContentsOf: part)
            return Bytes(rebasing: window.prefix(part.count))
        }
        var scalars: [String] = []
        scanner.skipWhitespace()
        try scanner.walk { token in
            switch token {
            case .key(let value), .scalar(let value):
                scalars.append(String(decoding: bytes[value.range], as: UTF8.self))
            case .open, .close: break
            }
        }
        scanner.skipWhitespace()
        if scanner.current != nil { throw JSONSyntaxError(at: scanner.position, expected: "nothing after the value") }
        return scalars
    }

    @Test(arguments: 8...60)
    func `every value is found, whatever the length of the parts`(width: Int) throws {
        let long = String(repeating: "x", count: 100)
        let text =
            #"  [ {"a" :"b\"c\\",      "\u00e9é":[-12.5e+300 , true,false,null]}  ,  "\#(long)\n\#(long)",[],"" ]   "#
        let expected = [
            #""a""#, #""b\"c\\""#, #""\u00e9é""#, "-12.5e+300", "true", "false", "null", #""\#(long)\n\#(long)""#,
            #""""#,
        ]
        #expect(try scalars(in: text, width: width) == expected)
    }

    @Test(arguments: 8...60)
    func `a fault is found at its offset, whatever the length of the parts`(width: Int) {
        let long = String(repeating: "x", count: 50)
        let faults: [(String, JSONSyntaxError)] = [
            (#"["\#(long)"#, .closingQuote(at: 52)), (#"["\#(long)\"#, .closingQuote(at: 53)),
            (#"["\#(long)\u12"]"#, .escape(#"\u12"#, at: 52)),
            (#"["\#(long)", tru]"#, JSONSyntaxError(at: 55, expected: "true")),
            (#"["\#(long)" 1]"#, JSONSyntaxError(at: 54, expected: #""," or "]""#)),
            (#"["\#(long)"] 1"#, JSONSyntaxError(at: 55, expected: "nothing after the value")),
        ]
        for (text, fault) in faults {
            #expect(throws: fault) { try scalars(in: text, width: width) }
        }
    }
}
