import Foundation
import Testing

@testable import StubbornNetwork

/// A value is found in each spelling that Foundation gives it, and nowhere else.
struct ValueFinderTests {
    private static let value = #"p<ä'"s/w&r d+1=x"#

    private func hits(_ value: String, _ reach: ValueFinder.Reach = .everywhere, in text: String) -> [String] {
        var finder = ValueFinder()
        finder.insert(Array(value.utf8), reach)
        return text.withBytes { bytes in finder.hits(in: bytes).map { bytes.part($0.range).text } }
    }

    @Test(
        arguments: [
            value, value.addingPercentEncoding(withAllowedCharacters: .unreserved), URLComponents.form(value),
        ].compactMap(\.self)
    )
    func `a value is found as it is and percent-encoded, by as much as it takes`(spelling: String) {
        #expect(hits(Self.value, in: "a=\(spelling)&b=1") == [spelling])
    }

    @Test func `a text that is no longer than the value is searched too`() {
        #expect(hits("hunt3r", in: "hunt3r") == ["hunt3r"])
        #expect(hits("hunt3r", in: "hunt3") == [])
    }

    @Test func `a value is found in JSON and in XML`() throws {
        let json = try JSONEncoder().encode([Self.value])
        let text = String(decoding: json, as: UTF8.self)
        #expect(hits(Self.value, in: text) == [String(text.dropFirst(2).dropLast(2))])
        for (quote, apostrophe) in [("&quot;", "&apos;"), ("\"", "'")] {
            let xml = Self.value.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(
                of: "<",
                with: "&lt;"
            )
            .replacingOccurrences(of: "\"", with: quote).replacingOccurrences(of: "'", with: apostrophe)
            #expect(hits(Self.value, in: "<a>\(xml)</a>") == [xml], "\(xml)")
        }
    }

    @Test(arguments: 0..<6)
    func `a value inside base64 is found at each offset, and in both alphabets`(offset: Int) {
        let text =
            String(repeating: "~", count: offset) + "secret-value?>~1" + String(repeating: "?", count: offset % 4)
        let encoded = Data(text.utf8).base64EncodedString()
        let urlSafe = encoded.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
        for spelling in [encoded, urlSafe] {
            #expect(hits("secret-value?>~1", in: "x \(spelling) y").count == 1, "\(spelling)")
        }
    }

    @Test func `a value is found in hexadecimal digits of either case`() {
        let digits = Data("secret-value".utf8).map { String($0, radix: 16) }.joined()
        #expect(hits("secret-value", in: "0x\(digits)00").count == 1)
        #expect(hits("secret-value", in: "0x\(digits.uppercased())00").count == 1)
    }

    @Test(
        arguments: [
            (.everywhere, "xsecret1x", 1), (.word, "xsecret1", 0), (.word, "secret1x", 0), (.word, "-secret1.", 1),
            (.word, "%20secret1", 1), (.word, #"\nsecret1"#, 1), (.whole, "a=secret1&", 1), (.whole, "a secret1&", 0),
            (.whole, "secret1", 1), (.whole, "\"secret1\"", 1), (.whole, "\"secret1 \"", 0),
        ] as [(ValueFinder.Reach, String, Int)]
    )
    func `a short value is found only where it is meant`(reach: ValueFinder.Reach, text: String, count: Int) {
        #expect(hits("secret1", reach, in: text).count == count)
    }

    @Test func `of values that begin alike the longest is found, and all of many at once`() {
        var finder = ValueFinder()
        let values = (0..<500).map { "token-\($0)" }
        for value in values { finder.insert(Array(value.utf8), .everywhere) }
        let text = values.joined(separator: " ")
        #expect(text.withBytes { bytes in finder.hits(in: bytes).map { bytes.part($0.range).text } } == values)
    }
}

extension CharacterSet {
    fileprivate static let unreserved = alphanumerics.union(CharacterSet(charactersIn: "-._~"))
}

extension URLComponents {
    /// Returns a value as a form has it, with `+` for a space.
    fileprivate static func form(_ value: String) -> String? {
        value.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "-._~ ")))?
            .replacingOccurrences(of: " ", with: "+")
    }
}
