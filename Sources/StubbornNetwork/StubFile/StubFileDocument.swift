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

extension StubFileText {
    /// Returns a part of the stub file that a parser at the beginning of the text reads.
    func parse<Part>(_ read: (inout StubFileParser) throws(JSONSyntaxError) -> Part) throws(JSONSyntaxError) -> Part {
        try content.withBytes { bytes -> Result<Part, JSONSyntaxError> in
            var parser = StubFileParser(JSONScanner(bytes), of: self)
            return Result { () throws(JSONSyntaxError) in try read(&parser) }
        }.get()
    }
}
