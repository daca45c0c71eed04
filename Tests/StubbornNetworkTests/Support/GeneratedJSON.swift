import Foundation

/// JSON text of every shape: repeated and empty keys, deep nesting, escapes, surrogates, huge numbers, white space, and now
/// and then a fault.
enum GeneratedJSON {
    static func text(_ generator: inout Generator) -> String {
        var text = value(depth: Int.random(in: 0...4, using: &generator), &generator)
        if Int.random(in: 0..<8, using: &generator) == 0 {
            text = nested(text, Int.random(in: 1...520, using: &generator), &generator)
        }
        switch Int.random(in: 0..<24, using: &generator) {
        case 0: return "\u{FEFF}" + text
        case 1: return String(text.dropLast())
        case 2: return text + pick([",", "]", "x", text, "\n" + text], &generator)
        case 3: return text.replacingOccurrences(of: "]", with: ",]")
        default: return space(&generator) + text + space(&generator)
        }
    }

    private static func nested(_ text: String, _ depth: Int, _ generator: inout Generator) -> String {
        let brackets = (0..<depth).map { _ in
            pick([("[", "]"), (#"{"a":"#, "}"), (#"{ "b" : 0, "a" : "#, #", "a" : {} }"#), ("[1, ", " ]")], &generator)
        }
        return brackets.map(\.0).joined() + text + brackets.reversed().map(\.1).joined()
    }

    private static func value(depth: Int, _ generator: inout Generator) -> String {
        let (before, after) = (space(&generator), space(&generator))
        let count = Int.random(in: 0...3, using: &generator)
        switch Int.random(in: 0..<(depth > 0 ? 6 : 4), using: &generator) {
        case 0:
            let numbers = [
                "0", "-0", "1.50", "1E30", "1e999999999999999999999", "-12345678901234567890.5e-7", "482913", "01",
                "1.",
            ]
            return before + pick(numbers, &generator) + after
        case 1: return before + pick(["true", "false", "null", "nul"], &generator) + after
        case 2, 3: return before + string(&generator) + after
        case 4:
            let elements = (0..<count).map { _ in value(depth: depth - 1, &generator) }
            return before + "[" + space(&generator) + elements.joined(separator: ",") + "]" + after
        default:
            let members = (0..<count + 1).map { _ in
                let key = pick(["", "a", "a", "A", "\\u0061", "é", "password", "token", "sentAt"], &generator)
                return space(&generator) + "\"\(key)\"" + space(&generator) + ":" + value(depth: depth - 1, &generator)
            }
            return before + "{" + members.joined(separator: ",") + "}" + after
        }
    }

    private static func string(_ generator: inout Generator) -> String {
        let parts = [
            "a", "B7", "é", "e\u{301}", "😀", " ", "/", #"\/"#, #"\\"#, #"\""#, #"\n"#, #"\b\f\r\t"#, #"\u00e9"#,
            #"\ud83d\ude00"#, #"\u0000"#, "%41", "&amp;", "=", "\u{7F}", "\u{2028}", "4f3c2b1a09876543",
            #"{\"a\": 1 }"#,
        ]
        let faults = [#"\ud800"#, #"\x"#, "\u{1}", "\n"]
        let content = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
            Int.random(in: 0..<100, using: &generator) == 0 ? pick(faults, &generator) : pick(parts, &generator)
        }
        return "\"" + content.joined() + "\""
    }

    private static func space(_ generator: inout Generator) -> String {
        pick(["", "", "", " ", "\n", "\r\n\t", "    "], &generator)
    }

    static func pick<Value>(_ values: [Value], _ generator: inout Generator) -> Value {
        values[Int.random(in: values.indices, using: &generator)]
    }
}
