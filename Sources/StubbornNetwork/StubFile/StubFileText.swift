import Foundation

/// The text of a stub file as UTF-8, without a byte-order mark.
package struct StubFileText: Sendable {
    let file: URL
    /// The text.
    let content: Data

    /// Creates the text of a file, or throws `.malformedStubFile` if it is UTF-16 or UTF-32: the first character of JSON is
    /// ASCII (RFC 4627, section 3), and one of its first two bytes is zero there, unless there is a byte-order mark.
    package init(_ data: Data, file: URL) throws(StubbornNetworkError) {
        self.file = file
        content = data.dropFirst(data.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
        let start = data.prefix(2)
        guard !start.contains(0), !start.starts(with: [0xFE, 0xFF]), !start.starts(with: [0xFF, 0xFE]) else {
            throw error(for: JSONSyntaxError(at: 0, expected: "UTF-8 text", found: "another encoding"))
        }
    }

    /// Runs `body` with the bytes of the text.
    func withBytes<Result>(_ body: (Bytes) throws(JSONSyntaxError) -> Result) throws(JSONSyntaxError) -> Result {
        try content.withBytes { bytes in
            Swift.Result { () throws(JSONSyntaxError) in try body(bytes) }
        }.get()
    }

    /// Returns the error for a fault: with the file, the line, the column, what was expected, what was found, and what to do.
    func error(for fault: JSONSyntaxError) -> StubbornNetworkError {
        let offset = min(max(fault.offset, 0), content.count)
        // Columns count Unicode scalars.
        let (line, column) = content.part(0..<offset).withBytes { bytes in
            let start = bytes.start(before: offset) { $0 != .lineFeed }
            return (1 + bytes.lineBreakCount, 1 + bytes.part(start..<offset).count { $0 & 0b1100_0000 != 0b1000_0000 })
        }
        let found = fault.found ?? content.part(offset..<min(offset + 256, content.count)).withBytes { $0.excerpt }
        return StubbornNetworkError(
            .malformedStubFile,
            "\(file.relativePath):\(line):\(column): expected \(fault.expected), found \(found). "
                + (fault.advice ?? "Correct it by hand, or delete the file and record it again."),
            file: file
        )
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The number of line breaks.
    var lineBreakCount: Int {
        var (count, next) = (0, 0)
        while let lineBreak = position(of: .lineFeed, from: next) {
            count += 1
            next = lineBreak + 1
        }
        return count
    }

    /// The beginning of these bytes for a message: a string, a word or a sign, in at most forty bytes.
    fileprivate var excerpt: String {
        switch first {
        case nil: return "the end of the file"
        case .openingBrace?: return "an object"
        case .openingBracket?: return "an array"
        case .quote?:
            var scanner = JSONScanner(self)
            let end = (try? scanner.skipValue(depth: 0)).map { $0.range.upperBound - 1 } ?? count
            let text = part(1..<end).text.cut(to: 40)
            return "\"\(text.isPlainText ? text : text.onOneLine)\""
        case let sign? where sign.isOne(of: ",:]}"): return "\"\(part(0..<1).text)\""
        default:
            let end = end(from: 1) { $0 > .space && !$0.isOne(of: ",:[]{}\"") }
            return part(0..<end).text.onOneLine.cut(to: 40)
        }
    }
}
