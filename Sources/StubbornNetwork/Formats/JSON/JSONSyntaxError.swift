/// A fault in JSON text: what the grammar expects, and the byte at which something else is.
struct JSONSyntaxError: Error, Equatable {
    /// The offset of the byte at which the fault is.
    var offset: Int

    let expected: String

    /// A description of what is there instead; `nil` where an excerpt of the text at `offset` says it.
    let found: String?

    init(at offset: Int, expected: String, found: String? = nil) {
        self.offset = offset
        self.expected = expected
        self.found = found
    }
}

extension JSONSyntaxError {
    static func value(at offset: Int) -> Self { .init(at: offset, expected: "a value") }

    static func literal(_ literal: String, at offset: Int) -> Self { .init(at: offset, expected: literal) }

    static func key(at offset: Int) -> Self { .init(at: offset, expected: "a key in quotation marks") }

    static func colon(at offset: Int) -> Self { .init(at: offset, expected: "\":\" after the key") }

    static func comma(orClosing closing: String, at offset: Int) -> Self {
        .init(at: offset, expected: "\",\" or \"\(closing)\"")
    }

    static func elementAfterComma(at offset: Int) -> Self {
        .init(at: offset, expected: "another value after the comma")
    }

    static func closingQuote(at offset: Int) -> Self { .init(at: offset, expected: "a closing quotation mark") }

    static func depth(at offset: Int, limit: Int) -> Self {
        .init(at: offset, expected: "at most \(limit) arrays and objects inside each other", found: "one more")
    }

    static func controlCharacter(_ byte: UInt8, at offset: Int) -> Self {
        .init(at: offset, expected: "control characters in text to be escaped", found: "U+00\(hex(byte))")
    }

    static func escape(_ escape: String, at offset: Int) -> Self {
        .init(at: offset, expected: "an escape such as \\n or \\u00e9", found: escape)
    }

    static func surrogate(_ escape: String, at offset: Int) -> Self {
        .init(at: offset, expected: "a pair of surrogates such as \\ud83d\\ude00", found: "\(escape) alone")
    }

    static func utf8(_ byte: UInt8, at offset: Int) -> Self {
        .init(at: offset, expected: "UTF-8 text", found: "the byte 0x\(hex(byte))")
    }

    static func number(at offset: Int) -> Self { .init(at: offset, expected: "a number") }

    static func end(at offset: Int) -> Self { .init(at: offset, expected: "nothing after the value") }

    private static func hex(_ byte: UInt8) -> String {
        let digits = byte.hexDigits()
        return String(decoding: [digits.0, digits.1], as: UTF8.self)
    }
}
