import Foundation

/// What is wrong with a stub file's content, and at which byte: the one place where these texts are made.
///
///     Stubs/Login.json:12:7: expected base64 text under "data", found "***". Correct it by hand, or delete the file and record it again.
struct StubFileSyntaxError: Error, Equatable {
    /// The byte at which the fault lies.
    let offset: Int
    let expected: String

    /// What is there instead; `nil` for an excerpt of the bytes at `offset`.
    let found: String?

    /// Where the text begins in which the offset counts; `nil` while that is the text that is parsed.
    private(set) var start: Int?

    /// Why the text could not be read to its end; `nil` where the fault lies in what it says.
    private(set) var cause: SystemError?

    private init(at offset: Int, expected: String, found: String? = nil) {
        self.offset = offset
        self.expected = expected
        self.found = found
    }
}

// Where the text is not JSON.
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

// Where it is JSON, and not an array of stubs.
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
    /// A part of the file could not be read again.
    static func unreadable(_ cause: SystemError) -> Self {
        var error = Self(at: 0, expected: "a file that can be read")
        error.cause = cause
        return error
    }

    /// The same, when its offset counts from a place in the file's text: as UTF-8, without a byte-order mark.
    func inText(from start: Int) -> Self {
        var error = self
        error.start = self.start ?? start
        return error
    }

    /// The error as users meet it: path, line, column, what was expected, what was found, and what to do.
    ///
    /// Lines and columns begin at 1; columns count characters (Unicode scalars), not bytes.
    func error(in origin: StubFileOrigin, file: URL) -> StubbornNetworkError {
        if let cause { return .stubFile(file, cannotBe: .read, cause) }
        do throws(SystemError) {
            let offset = min(max((start ?? 0) + self.offset, 0), origin.count)
            let (line, column) = try origin.lineAndColumn(of: offset)
            let bytes = try origin.bytes(offset..<min(offset + 256, origin.count))
            let found = found ?? bytes.withUnsafeBytes { $0.excerpt }
            return StubbornNetworkError(
                .malformedStubFile,
                "\(file.relativePath):\(line):\(column): expected \(expected), found \(found). "
                    + "Correct it by hand, or delete the file and record it again.",
                file: file
            )
        } catch {
            return .stubFile(file, cannotBe: .read, error)
        }
    }

    /// As `error(in:file:)`, for an error of the parser.
    func error(in text: StubFileText) -> StubbornNetworkError {
        var error = self
        if start == nil {
            error = Self(at: text.skeleton.offset(of: offset), expected: expected, found: found)
            error.cause = cause
        }
        return error.error(in: text.origin, file: text.file)
    }
}

extension UnsafeRawBufferPointer {
    /// What these bytes begin with, in at most some forty characters.
    fileprivate var excerpt: String {
        guard let first else { return "the end of the file" }
        switch first {
        case UInt8(ascii: "{"): return "an object"
        case UInt8(ascii: "["): return "an array"
        case UInt8(ascii: "\""):
            let rest = dropFirst().prefix(200)
            var isEscaped = false
            let end = rest.firstIndex { byte in
                defer { isEscaped = !isEscaped && byte == UInt8(ascii: "\\") }
                return byte == UInt8(ascii: "\"") && !isEscaped
            }
            return "\"\(Self.printable(rest[..<(end ?? rest.endIndex)], isComplete: end != nil))\""
        case 0..<0x20: return Self.printable(prefix(1), isComplete: true)
        case let byte where Self.isDelimiter(byte):
            return "\"\(Self.printable(prefix(1), isComplete: true))\""
        default:
            let word = prefix(200).prefix { !Self.isDelimiter($0) }
            return Self.printable(word, isComplete: word.count < 200)
        }
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        byte <= 0x20 || ",:[]{}\"".utf8.contains(byte)
    }

    private static func printable(_ bytes: Slice<UnsafeRawBufferPointer>, isComplete: Bool) -> String {
        let limit = 40
        let scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars
        let text = scalars.prefix(limit).reduce(into: "") { text, scalar in
            if scalar.properties.generalCategory == .control {
                let hex = String(scalar.value, radix: 16, uppercase: true)
                text += "U+" + String(repeating: "0", count: Swift.max(0, 4 - hex.count)) + hex
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return isComplete && scalars.count <= limit ? text : text + "…"
    }
}
