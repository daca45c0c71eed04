import Foundation

/// The text of a stub file as UTF-8, without a byte-order mark: in memory, or, if it is large, in the file.
///
/// A large file is read part by part, so that it takes little memory. It is not mapped: a process that reads a mapped file
/// ends when somebody shortens the file. Writing the file while it is in use makes all further reading fail.
package final class StubFileText: Sendable {
    private enum Content {
        case memory(Data)
        /// The text begins at the offset `start` of the file.
        case file(FileDescriptor, start: Int)
    }

    let file: URL

    /// The state of the file when it was read; `nil` for text that is from no file.
    let fingerprint: FileFingerprint?

    /// The length of the text in bytes.
    let count: Int

    private let content: Content
    private let largeStringByteCount: Int
    private let windowByteCount: Int

    /// Creates the text of a file that is in memory, in any encoding that JSON may have, or throws `.malformedStubFile` if
    /// it is not in the encoding that it begins with.
    package init(_ data: Data, file: URL, fingerprint: FileFingerprint? = nil) throws(StubbornNetworkError) {
        self.file = file
        self.fingerprint = fingerprint
        largeStringByteCount = .max
        windowByteCount = Self.windowByteCount
        let text = Result { () throws(JSONSyntaxError) in try StubFileEncoding.utf8(data) }
        let known = (try? text.get()) ?? Data()
        content = .memory(known)
        count = known.count
        if case .failure(let fault) = text { throw error(for: fault) }
    }

    /// Creates the text of a large file; `nil` for a file that is read as a whole: a small one, or one in another
    /// encoding than UTF-8.
    init?(
        _ descriptor: FileDescriptor,
        _ fingerprint: FileFingerprint,
        file: URL,
        largeFileByteCount: Int = 64 << 10,
        largeStringByteCount: Int = 1 << 10,
        windowByteCount: Int = windowByteCount
    ) throws(SystemError) {
        let byteCount = Int(clamping: fingerprint.size)
        guard byteCount >= max(largeFileByteCount, 4),
            let start = StubFileEncoding.startOfUTF8(try descriptor.data(in: 0..<4))
        else { return nil }
        self.file = file
        self.fingerprint = fingerprint
        self.largeStringByteCount = largeStringByteCount
        self.windowByteCount = windowByteCount
        content = .file(descriptor, start: start)
        count = byteCount - start
    }

    private static let windowByteCount = 128 << 10

    /// The numbers of line breaks before each window of the text, as far as they were counted.
    private let lineBreakCounts = Lock<[Int]>([0])

    /// Returns a part of the text, or throws `.changed` or `.cutShort` if the file was written since this text was created.
    func data(in range: Range<Int>) throws(SystemError) -> Data {
        switch content {
        case .memory(let data):
            return data[data.startIndex + range.lowerBound..<data.startIndex + range.upperBound]
        case .file(let descriptor, let start):
            let data = try descriptor.data(in: start + range.lowerBound..<start + range.upperBound)
            try checkUnchanged()
            return data
        }
    }

    /// Throws if the file was written since this text was created.
    func checkUnchanged() throws(SystemError) {
        guard case .file(let descriptor, _) = content, let fingerprint else { return }
        try descriptor.checkContent(isThatOf: fingerprint)
    }

    /// Runs `body` with a scanner of the text.
    func withScanner<Result>(
        _ body: (JSONScanner) throws(JSONSyntaxError) -> Result
    ) throws(JSONSyntaxError) -> Result {
        switch content {
        case .memory(let data):
            return try data.withBytes { bytes in
                Swift.Result { () throws(JSONSyntaxError) in try body(JSONScanner(bytes)) }
            }.get()
        case .file(let descriptor, let start):
            let window = UnsafeMutableRawBufferPointer.allocate(byteCount: windowByteCount, alignment: 16)
            defer { window.deallocate() }
            let end = start + count
            return try body(
                JSONScanner { offset in
                    let part = UnsafeMutableRawBufferPointer(rebasing: window.prefix(max(end - start - offset, 0)))
                    // A file that cannot be read ends here: `error(for:)` finds the reason.
                    let count = (try? descriptor.fill(part, from: start + offset)) ?? 0
                    return Bytes(start: part.baseAddress?.assumingMemoryBound(to: UInt8.self), count: count)
                }
            )
        }
    }

    /// Returns the line and the column of a byte, from 1; columns count Unicode scalars.
    func lineAndColumn(of offset: Int) throws(SystemError) -> (line: Int, column: Int) {
        var line = 1
        var column = 1
        for start in stride(from: 0, to: offset, by: Self.windowByteCount) {
            let part = try data(in: start..<min(start + Self.windowByteCount, offset))
            part.withBytes { (bytes: Bytes) -> Void in
                var next = 0
                while let lineBreak = bytes.position(of: .lineFeed, from: next) {
                    line += 1
                    column = 1
                    next = lineBreak + 1
                }
                for byte in bytes[next...] where byte & 0b1100_0000 != 0b1000_0000 { column += 1 }
            }
        }
        return (line, column)
    }

    /// Returns the line of a byte, from 1.
    ///
    /// For many bytes, the text is read once.
    func line(of offset: Int) throws(SystemError) -> Int {
        let window = offset / Self.windowByteCount
        var counts = lineBreakCounts.withLock { $0 }
        while counts.count <= window {
            let start = (counts.count - 1) * Self.windowByteCount
            counts.append(counts[counts.count - 1] + (try lineBreakCount(in: start..<start + Self.windowByteCount)))
        }
        let known = counts
        lineBreakCounts.withLock { if $0.count < known.count { $0 = known } }
        return 1 + counts[window] + (try lineBreakCount(in: window * Self.windowByteCount..<offset))
    }

    private func lineBreakCount(in range: Range<Int>) throws(SystemError) -> Int {
        try data(in: range).withBytes { bytes in
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
        do throws(SystemError) {
            try checkUnchanged()
            let offset = min(max(fault.offset, 0), count)
            let (line, column) = try lineAndColumn(of: offset)
            let bytes = try data(in: offset..<min(offset + 256, count))
            let found = fault.found ?? bytes.withBytes { $0.excerpt }
            return StubbornNetworkError(
                .malformedStubFile,
                "\(file.relativePath):\(line):\(column): expected \(fault.expected), found \(found). "
                    + (fault.advice ?? "Correct it by hand, or delete the file and record it again."),
                file: file
            )
        } catch {
            return .stubFile(file, cannotBe: .read, error)
        }
    }
}

// Bodies.
extension StubFileText {
    /// Returns a body in base64 between quotation marks that stays in the file until it is asked for; `nil` if it is
    /// too short.
    func body(_ content: Range<Int>, hasEscapes: Bool, key: String) -> StubBody? {
        guard content.count >= largeStringByteCount else { return nil }
        return .deferred(maximumByteCount: content.count) { [self] in
            do throws(SystemError) {
                if let body = try decode(content, hasEscapes: hasEscapes) { return body }
            } catch {
                throw StubbornNetworkError.stubFile(file, cannotBe: .read, error)
            }
            throw error(for: .wrongType("base64 text", under: key, at: content.lowerBound - 1))
        }
    }

    private func decode(_ content: Range<Int>, hasEscapes: Bool) throws(SystemError) -> Data? {
        guard hasEscapes else {
            return try Base64.decoded(content.count) { part throws(SystemError) in
                try data(in: content.lowerBound + part.lowerBound..<content.lowerBound + part.upperBound)
            }
        }
        return try data(in: content.lowerBound - 1..<content.upperBound + 1).withBytes { bytes in
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
