import Foundation

/// The content of a stub file: stubs in their order, each with its JSON.
///
/// A stub that was read is written unchanged, byte for byte, with its unknown keys; only the white space and the commas
/// between stubs are this library's. A document without stubs is `[]` and a line break.
package struct StubFileDocument: Sendable {
    package var entries: [StubFileEntry]

    /// The state of the file when it was read or written; `nil` for a document that is in no file.
    package private(set) var fingerprint: FileFingerprint?

    package init(entries: [StubFileEntry] = [], fingerprint: FileFingerprint? = nil) {
        (self.entries, self.fingerprint) = (entries, fingerprint)
    }

    /// Reads the content of a stub file, or throws `.malformedStubFile` if it is not an array of stubs.
    package init(parsing text: StubFileText, fingerprint: FileFingerprint? = nil) throws(StubbornNetworkError) {
        do throws(JSONSyntaxError) {
            entries = try text.parse { parser throws(JSONSyntaxError) in try parser.entries() }
        } catch {
            throw text.error(for: error)
        }
        self.fingerprint = fingerprint
    }

    /// Reads a stub on one line, as in a journal.
    static func entry(parsing text: StubFileText) -> StubFileEntry? {
        try? text.parse { parser throws(JSONSyntaxError) in try parser.entry() }
    }

    /// The whole file.
    package var data: Data {
        var data = Data()
        forEachPart { data.append($0) }
        return data
    }

    /// The checksum of the whole file.
    var checksum: UInt64 {
        var checksum = Checksum()
        forEachPart { checksum.add($0) }
        return checksum.value
    }

    /// Calls `body` with the parts of the file, one after the other.
    func forEachPart(_ body: (Bytes) -> Void) {
        if entries.isEmpty { return "[]\n".withBytes(body) }
        for (index, entry) in entries.enumerated() {
            (index == 0 ? "[\n  " : ",\n  ").withBytes(body)
            entry.forEachPart(body)
        }
        "\n]\n".withBytes(body)
    }
}

/// The text of a stub file as UTF-8, without a byte-order mark.
package struct StubFileText: Sendable {
    let file: URL
    /// The text, with a NUL in the place of each long body.
    let content: Data
    /// The bodies that were decoded while the file was read.
    let longBodies: [Data]

    /// Creates the text of a file, or throws `.malformedStubFile` if it is UTF-16 or UTF-32.
    ///
    /// The first character of JSON is ASCII (RFC 4627, section 3), so in these encodings one of the first two bytes is
    /// zero, unless there is a byte-order mark.
    package init(_ data: Data, longBodies: [Data] = [], file: URL) throws(StubbornNetworkError) {
        (self.file, self.longBodies) = (file, longBodies)
        content = data.dropFirst(data.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
        let start = data.prefix(2)
        guard !start.contains(0), !start.starts(with: [0xFE, 0xFF]), !start.starts(with: [0xFF, 0xFE]) else {
            throw error(for: JSONSyntaxError(at: 0, expected: "UTF-8 text", found: "another encoding"))
        }
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
            "\(file.relativePath):\(line):\(column): expected \(fault.expected), found \(found). \(advice(for: fault))",
            file: file
        )
    }

    private func advice(for fault: JSONSyntaxError) -> String {
        // The first line of a pointer, by the specification of Git LFS.
        let isPointer = content.starts(with: Data("version https://git-lfs".utf8))
        if isPointer { return "The file is a Git LFS pointer: run git lfs pull." }
        return fault.advice ?? "Correct it by hand, or delete the file and record it again."
    }

    /// Returns a part of the stub file that a parser at the beginning of the text reads.
    func parse<Part>(_ read: (inout StubFileParser) throws(JSONSyntaxError) -> Part) throws(JSONSyntaxError) -> Part {
        try content.withBytes { bytes -> Result<Part, JSONSyntaxError> in
            var parser = StubFileParser(JSONScanner(bytes), of: self)
            return Result { () throws(JSONSyntaxError) in try read(&parser) }
        }.get()
    }
}

/// A reader of a file in parts, which decodes long strings of base64 at once.
///
/// So the text of a body of a hundred megabytes is never in memory as a whole.
struct LongBodyReader {
    /// The text so far, with a NUL in the place of each string in `bodies`.
    private(set) var text = Data()
    private(set) var bodies: [Data] = []
    /// A Boolean value that indicates whether a string turned out not to be base64, so that a part of the text is missing.
    private(set) var isFaulty = false

    private let decodes: Bool
    /// The string that is being read: its start in the text, its decoded part if it is long, and a flag for other text.
    private var string: (start: Int, body: Data?, isText: Bool)?
    private var isAfterBackslash = false

    init(decodes: Bool = true) { self.decodes = decodes }

    /// Adds a part of the file.
    mutating func add(_ part: Bytes) {
        if isFaulty { return }
        var (start, position) = (text.count, isAfterBackslash ? 1 : 0)
        text.append(part)
        guard decodes else { return }
        isAfterBackslash = false
        while position < part.count {
            let quote = part.position(of: .quote, from: position) ?? part.count
            if string == nil {
                if quote < part.count { string = (start + quote + 1, nil, false) }
            } else if let backslash = part.position(of: .backslash, from: position, to: quote) {
                string?.isText = true
                isAfterBackslash = backslash == part.count - 1
                position = backslash + 2
                continue
            } else if quote < part.count {
                start -= endString(at: start + quote)
            }
            position = quote + 1
        }
        decodeLongString()
    }

    /// Decodes the available part of a string that does not end in this part of the file, if it is long.
    private mutating func decodeLongString() {
        guard let start = string?.start, string?.isText == false else { return }
        let byteCount = text.count - start
        guard byteCount >= StubFileEntry.longByteCount else { return }
        // Four characters are three bytes.
        move(start..<text.count - byteCount % 4) { $0.count / 3 == $1.count / 4 }
    }

    /// Ends the string that is being read, and returns the number of bytes by which this shortens the text.
    private mutating func endString(at end: Int) -> Int {
        defer { string = nil }
        guard let start = string?.start, string?.body != nil else { return 0 }
        move(start..<end) { $0.base64EncodedData() == $1 }
        guard !isFaulty, let body = string?.body else { return 0 }
        bodies.append(body)
        text.insert(0, at: start)
        return end - start - 1
    }

    /// Moves a part of the text to the body of the string, if it is base64 as this library writes it.
    private mutating func move(_ range: Range<Int>, where isExact: (_ decoded: Data, _ base64: Data) -> Bool) {
        guard string?.isText == false, let decoded = Data(base64Encoded: text.part(range)),
            isExact(decoded, text.part(range))
        else {
            string?.isText = true
            isFaulty = string?.body != nil
            return
        }
        if string?.body == nil { string?.body = Data() }
        string?.body?.append(decoded)
        text.removeSubrange(range)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The number of line breaks.
    var lineBreakCount: Int { count(where: { $0 == .lineFeed }) }

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
