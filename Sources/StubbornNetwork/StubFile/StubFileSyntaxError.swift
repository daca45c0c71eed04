import Foundation

/// A fault in the content of a stub file, and its offset.
struct StubFileSyntaxError: Error, Equatable {
    /// The offset of the fault in the text.
    let offset: Int
    let expected: String

    /// The content that is there instead; `nil` for an excerpt of the bytes at `offset`.
    let found: String?

    private init(at offset: Int, expected: String, found: String? = nil) {
        self.offset = offset
        self.expected = expected
        self.found = found
    }
}

// Text that is not JSON.
extension StubFileSyntaxError {
    static func emptyFile() -> Self { .init(at: 0, expected: "an array of stubs", found: "an empty file") }

    static func unknownEncoding(_ name: String) -> Self {
        .init(at: 0, expected: "UTF-8 text", found: "bytes that look like \(name), and are not")
    }

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
        .init(at: offset, expected: "control characters in text to be escaped", found: "U+\(hex(byte, digits: 4))")
    }

    static func escape(_ escape: String, at offset: Int) -> Self {
        .init(at: offset, expected: "an escape such as \\n or \\u00e9", found: escape)
    }

    static func surrogate(_ escape: String, at offset: Int) -> Self {
        .init(at: offset, expected: "a pair of surrogates such as \\ud83d\\ude00", found: "\(escape) alone")
    }

    static func utf8(_ byte: UInt8, at offset: Int) -> Self {
        .init(at: offset, expected: "UTF-8 text", found: "the byte 0x\(hex(byte, digits: 2))")
    }

    static func number(at offset: Int) -> Self { .init(at: offset, expected: "a number") }

    static func end(at offset: Int) -> Self { .init(at: offset, expected: "nothing after the array of stubs") }

    private static func hex(_ byte: UInt8, digits: Int) -> String {
        let text = String(byte, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}

// JSON that is not an array of stubs.
extension StubFileSyntaxError {
    static func stubs(at offset: Int) -> Self { .init(at: offset, expected: "an array of stubs") }

    static func stub(at offset: Int) -> Self { .init(at: offset, expected: "a stub (an object with \"request\")") }

    static func missing(_ key: String, in owner: String, at offset: Int) -> Self {
        .init(at: offset, expected: "\"\(key)\" in this \(owner)", found: "none")
    }

    static func wrongType(_ expected: String, under key: String, at offset: Int) -> Self {
        .init(at: offset, expected: "\(expected) under \"\(key)\"")
    }

    static func headerField(at offset: Int) -> Self {
        .init(at: offset, expected: "a header field as \"name[:::]value\"")
    }

    static func twoBodies(_ first: String, _ second: String, at offset: Int) -> Self {
        .init(at: offset, expected: "one body", found: "both \"\(first)\" and \"\(second)\"")
    }
}

extension StubFileSyntaxError {
    /// Returns the same error, with an offset that counts from the beginning of a larger text.
    func moved(by byteCount: Int) -> Self { .init(at: offset + byteCount, expected: expected, found: found) }
}
