import Foundation

/// The text of a stub file as UTF-8, without a byte-order mark.
package final class StubFileText: Sendable {
    let file: URL

    /// The state of the file when it was read; `nil` for text that is from no file.
    let fingerprint: FileFingerprint?

    private let content: Data

    /// The number of bytes between two entries of `lineBreakCounts`.
    private static let windowByteCount = 128 << 10

    /// The numbers of line breaks before each window of the text, as far as they were counted.
    private let lineBreakCounts = Lock<[Int]>([0])

    /// Creates the text of a file, or throws `.malformedStubFile` if it is UTF-16 or UTF-32: the first character of JSON is
    /// ASCII (RFC 4627, section 3), and one of its first two bytes is zero there, unless there is a byte-order mark.
    package init(_ data: Data, file: URL, fingerprint: FileFingerprint? = nil) throws(StubbornNetworkError) {
        self.file = file
        self.fingerprint = fingerprint
        content = data.dropFirst(data.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
        let start = data.prefix(2)
        guard !start.contains(0), !start.starts(with: [0xFE, 0xFF]), !start.starts(with: [0xFF, 0xFE]) else {
            throw error(for: JSONSyntaxError(at: 0, expected: "UTF-8 text", found: "another encoding"))
        }
    }

    /// Returns a part of the text.
    func data(in range: Range<Int>) -> Data {
        content[content.startIndex + range.lowerBound..<content.startIndex + range.upperBound]
    }

    /// Runs `body` with the bytes of the text.
    func withBytes<Result>(_ body: (Bytes) throws(JSONSyntaxError) -> Result) throws(JSONSyntaxError) -> Result {
        try content.withBytes { bytes in
            Swift.Result { () throws(JSONSyntaxError) in try body(bytes) }
        }.get()
    }

    /// Returns the line and the column of a byte, from 1; columns count Unicode scalars.
    func lineAndColumn(of offset: Int) -> (line: Int, column: Int) {
        data(in: 0..<offset).withBytes { bytes in
            let start = bytes.start(before: offset) { $0 != .lineFeed }
            let characters = bytes.part(start..<offset).count { $0 & 0b1100_0000 != 0b1000_0000 }
            return (line(of: offset), 1 + characters)
        }
    }

    /// Returns the line of a byte, from 1.
    ///
    /// For many bytes, the text is read once.
    func line(of offset: Int) -> Int {
        let window = offset / Self.windowByteCount
        let before = lineBreakCounts.withLock { counts in
            while counts.count <= window {
                let start = (counts.count - 1) * Self.windowByteCount
                counts.append(counts[counts.count - 1] + lineBreakCount(in: start..<start + Self.windowByteCount))
            }
            return counts[window]
        }
        return 1 + before + lineBreakCount(in: window * Self.windowByteCount..<offset)
    }

    private func lineBreakCount(in range: Range<Int>) -> Int {
        data(in: range).withBytes { bytes in
            var (count, next) = (0, 0)
            while let lineBreak = bytes.position(of: .lineFeed, from: next) {
                count += 1
                next = lineBreak + 1
            }
            return count
        }
    }
}

// Errors.
extension StubFileText {
    /// Returns the error for a fault: with the file, the line, the column, what was expected, what was found, and what to do.
    func error(for fault: JSONSyntaxError) -> StubbornNetworkError {
        let offset = min(max(fault.offset, 0), content.count)
        let (line, column) = lineAndColumn(of: offset)
        let found = fault.found ?? data(in: offset..<min(offset + 256, content.count)).withBytes { $0.excerpt }
        return StubbornNetworkError(
            .malformedStubFile,
            "\(file.relativePath):\(line):\(column): expected \(fault.expected), found \(found). "
                + (fault.advice ?? "Correct it by hand, or delete the file and record it again."),
            file: file
        )
    }
}

// Bodies.
extension StubFileText {
    /// Returns a body in base64 between quotation marks that is decoded when it is asked for; `nil` if it is too short.
    func body(_ content: Range<Int>, hasEscapes: Bool, key: String) -> StubBody? {
        guard content.count >= Self.largeBodyByteCount else { return nil }
        return .deferred(maximumByteCount: content.count) { [self] in
            if let body = decode(content, hasEscapes: hasEscapes) { return body }
            throw error(for: .wrongType("base64 text", under: key, at: content.lowerBound - 1))
        }
    }

    private static let largeBodyByteCount = 64 << 10

    private func decode(_ content: Range<Int>, hasEscapes: Bool) -> Data? {
        guard hasEscapes else { return Data(base64Encoded: data(in: content)) }
        return data(in: content.lowerBound - 1..<content.upperBound + 1).withBytes { bytes in
            let text = try? JSONString.text(of: 0..<bytes.count, hasEscapes: true, in: bytes)
            return text.flatMap { Data(base64Encoded: $0) }
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The beginning of these bytes as a message shows it, in at most about forty characters.
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
