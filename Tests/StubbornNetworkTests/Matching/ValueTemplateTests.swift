import Foundation
import Testing

@testable import StubbornNetwork

/// Recorded strings with placeholders, and the live strings that they stand for.
struct ValueTemplateTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let recorded: String
        let live: String
        /// The strings in the wildcards; `nil` if the live text is another one.
        let captured: [String]?
        var isLoose = false

        init(_ recorded: String, _ live: String, _ captured: [String]?, isLoose: Bool = false) {
            (self.recorded, self.live, self.captured, self.isLoose) = (recorded, live, captured, isLoose)
        }

        var testDescription: String { "\(recorded) and \(live)" }
    }

    private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    private static let gitHub = "gh" + "p_REDACTED0000000000000000000000000001"
    private static let token = "\(base64("{\"alg\":\"RS256\"}")).\(base64("{\"sub\":\"21\"}")).REDACTED00000001"

    static let rows = [
        Row("REDACTED-token-1", "k9Zx4Tq7Wm", ["k9Zx4Tq7Wm"]), Row("REDACTED-token-1", "", [""]),
        Row("VOLATILE-nonce-1", "b3Nf", ["b3Nf"]), Row("REDACTED", "x", ["x"]),
        Row("Bearer REDACTED", "Bearer x", ["x"]),
        Row("a REDACTED-token-1 b REDACTED-token-2", "a x b y z", ["x", "y z"]),
        Row("a REDACTED-token-1 b", "a x c", nil), Row("REDACTED-a-1REDACTED-b-1!", "xy!", ["xy", ""]),
        Row("<p>REDACTED-a-1</p><q>1</q>", "<p>x</p><q>1</q>", ["x"]),
        Row("<p>REDACTED-a-1</p><q>1</q>", "<p>x<b>y</p><q>1</q>", ["x<b>y"]),
        Row("say \"REDACTED-a-1\" twice", #"say "a \"b\"" twice"#, [#"a \"b\""#]),
        Row("a=REDACTED-a-1&b=1", "a=x&b=1", ["x"]), Row("a=REDACTED-a-1&b=1", "a=x&c=2&b=1", ["x&c=2"]),
        Row(gitHub, "dummy", ["dummy"], isLoose: true), Row(gitHub, "gh" + "p_x", ["gh" + "p_x"]),
        Row(token, "dummy", ["dummy"], isLoose: true), Row(token, "eyJ9.e30.x", ["eyJ9.e30.x"]),
        Row("Basic \(base64("ada:REDACTED-password-1"))", "Basic \(base64("ada:x"))", ["x"]),
        Row("Basic \(base64("ada:REDACTED-password-1"))", "Basic \(base64("bob:x"))", nil),
        Row("Basic \(base64("ada:REDACTED-password-1"))", "Basic ", [""]),
        Row("Basic \(base64("ada:REDACTED-password-1"))", "Basic x", nil),
        Row(base64("x REDACTED-token-1 y"), base64("x longer y"), ["longer"]),
        Row(base64("xy REDACTED-token-1 y"), base64("xy longer y"), ["longer"]),
        Row(base64("xyz REDACTED-token-1 y"), base64("xyz longer y"), ["longer"]),
        Row(base64(#"{"a":1,"k":"REDACTED-k-1"}"#), base64(#"{ "k": "q\"", "a": 1.0 }"#), ["q\""]),
        Row(#"{"k":"REDACTED-k-1","a":1}"#, #"{"a":1,"k":"p&ß w=rd/\""}"#, ["p&ß w=rd/\""]),
        Row(#"{"k":"REDACTED-k-1"}"#, #"{"k":7}"#, ["7"]), Row(#"{"k":"REDACTED-k-1"}"#, #"{"k":null}"#, [""]),
        Row(#"{"k":"REDACTED-k-1"}"#, #"{"k":{}}"#, nil), Row(#"{"k":"REDACTED-k-1"}"#, "{}", nil),
        Row(#"{"k":"REDACTED-k-1"}"#, #"{"k":"x","l":1}"#, nil),
        Row(#"{"k":["REDACTED-k-1",2]}"#, #"{"k":["x",2,3]}"#, nil),
        Row(#"{"s":"{\"k\":\"REDACTED-k-1\"}"}"#, #"{"s":"{ \"k\" : \"q\\\"r\" }"}"#, ["q\"r"]),
        Row(#"{"s":"{\"k\":\"REDACTED-k-1\"}"}"#, #"{"s":null}"#, nil),
        Row("{\"s\":\"\(base64("REDACTED-token-1"))\"}", #"{"s":null}"#, [""]),
        Row("999998", "12", ["12"]),
        Row("pin 999998", "pin 12", ["12"]),
        Row("{\"pin\":999998}", "{\"pin\":12}", ["12"]), Row("{\"pin\":999998}", "{\"pin\":true}", nil),
    ]

    @Test(arguments: rows)
    func `a placeholder stands for any text in its place`(row: Row) throws {
        let forms = PlaceholderForms(listed: ["999998"])
        let template = try #require(row.recorded.withBytes { ValueTemplate.text($0, forms) }).template
        var captures = ValueTemplate.Captures()
        let isMatch = row.live.withBytes { template.match($0, into: &captures) }
        #expect(isMatch == (row.captured != nil))
        guard let captured = row.captured, isMatch else { return }
        #expect(captures.values.map { String(decoding: $0, as: UTF8.self) } == captured)
        #expect((captures.formMismatchCount > 0) == row.isLoose)
    }

    @Test(arguments: ["999", "9998", "9.99", "123"])
    func `a JSON number is a placeholder only if the stub lists it`(number: String) {
        #expect(PlaceholderForms().wildcard(number: number) == nil)
        #expect(PlaceholderForms(listed: []).wildcard(number: number) == nil)
        #expect(PlaceholderForms(listed: [number]).wildcard(number: number) != nil)
    }

    @Test(arguments: [
        "Parts were REDACTED by the court", "REDACTED by us", "not-REDACTED", "REDACTEDx", "redacted-token-1",
        "VOLATILE", "9999", "5ec2e70000000001",
    ])
    func `what only looks like a placeholder is a text`(text: String) {
        #expect(text.withBytes { ValueTemplate.text($0, PlaceholderForms(listed: [])) } == nil)
    }

    @Test(arguments: [("9999", false), ("5ec2e70000000001", true), ("5ec2e700-0000-4000-8000-000000000001", true)])
    func `in a stub without a list, hexadecimal placeholders count, and digits do not`(
        text: String,
        isPlaceholder: Bool
    ) {
        #expect((text.withBytes { ValueTemplate.text($0, PlaceholderForms()) } != nil) == isPlaceholder)
    }

    @Test(.timeLimit(.minutes(1)))
    func `thousands of listed placeholders are found in time that grows with their number`() {
        let texts = (10_000..<30_000).map { "5ec2e7000000\($0)" }
        let forms = PlaceholderForms(listed: texts)
        let found = texts.filter { text in text.withBytes { forms.wildcards(in: $0).count == 1 } }
        #expect(found.count == 20_000)
        #expect("5ec2e700000030000".withBytes { forms.wildcards(in: $0).isEmpty })
    }

    @Test func `what the settings declare is a placeholder where it is a whole value`() throws {
        let forms = PlaceholderForms(listed: [], declared: ["<API_KEY>", "[FILTERED]"])
        for (text, kind) in [
            ("<API_KEY>", Wildcard.Kind.named), ("Bearer <API_KEY>", .named), ("[FILTERED]", .unnamed),
        ] {
            #expect(text.withBytes { ValueTemplate.text($0, forms) }?.wildcards.map(\.kind) == [kind])
        }
        #expect("<a><API_KEY></a>".withBytes { ValueTemplate.text($0, forms) } == nil)
    }
}
