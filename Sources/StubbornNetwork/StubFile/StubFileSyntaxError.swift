import Foundation

/// A fault in a stub file's content, and its offset. The texts of malformed stub files are made here.
///
///     Stubs/Login.json:12:7: expected base64 text under "data", found "***". Correct it by hand, or delete the file and record it again.
struct StubFileSyntaxError: Error, Equatable {
    private var fault: JSONSyntaxError

    /// The offset of the text in which the fault's offset counts; `nil` while that is the text that is parsed.
    private var start: Int?

    /// The reason why the text could not be read to its end; `nil` where the fault is in the text itself.
    private var cause: SystemError?

    /// A text that is not JSON.
    init(_ fault: JSONSyntaxError) {
        self.fault = fault
    }

    private init(at offset: Int, expected: String, found: String? = nil) {
        self.init(JSONSyntaxError(at: offset, expected: expected, found: found))
    }

    /// Returns what a part of JSON's grammar returns.
    ///
    /// - Throws: The fault that it throws, as a fault of the stub file.
    static func wrapping<Result>(
        _ reading: @autoclosure () throws(JSONSyntaxError) -> Result
    ) throws(StubFileSyntaxError) -> Result {
        do throws(JSONSyntaxError) {
            return try reading()
        } catch {
            throw StubFileSyntaxError(error)
        }
    }
}

extension StubFileSyntaxError {
    static func emptyFile() -> Self { .init(at: 0, expected: "an array of stubs", found: "an empty file") }

    static func unknownEncoding(_ name: String) -> Self {
        .init(at: 0, expected: "UTF-8 text", found: "bytes that look like \(name), and are not")
    }

    static func end(at offset: Int) -> Self { .init(at: offset, expected: "nothing after the array of stubs") }

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
            let offset = min(max((start ?? 0) + fault.offset, 0), origin.count)
            let (line, column) = try origin.lineAndColumn(of: offset)
            let bytes = try origin.bytes(offset..<min(offset + 256, origin.count))
            let found = fault.found ?? bytes.withBytes { $0.excerpt }
            return StubbornNetworkError(
                .malformedStubFile,
                "\(file.relativePath):\(line):\(column): expected \(fault.expected), found \(found). "
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
        if start == nil { error.fault.offset = text.skeleton.offset(of: fault.offset) }
        return error.error(in: text.origin, file: text.file)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// What these bytes begin with, in at most some forty characters.
    fileprivate var excerpt: String {
        guard let first else { return "the end of the file" }
        switch first {
        case .openingBrace: return "an object"
        case .openingBracket: return "an array"
        case .quote:
            let rest = dropFirst().prefix(200)
            var isEscaped = false
            let end = rest.firstIndex { byte in
                defer { isEscaped = !isEscaped && byte == .backslash }
                return byte == .quote && !isEscaped
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

    private static func printable(_ bytes: Slice<Bytes>, isComplete: Bool) -> String {
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
