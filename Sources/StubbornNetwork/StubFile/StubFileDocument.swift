import Foundation

/// The content of a stub file: stubs in their order, each with its JSON.
///
/// A stub that was read is written byte for byte as it was, with its unknown keys; only the white space and the commas
/// between stubs are this library's. A document without stubs is `[]` and a line break.
struct StubFileDocument: Sendable {
    var entries: [StubFileEntry]

    /// The state of the file when it was read; `nil` for a document that was not read from a file.
    private(set) var fingerprint: FileFingerprint?

    init(entries: [StubFileEntry] = []) {
        self.entries = entries
    }

    /// Reads the content of a stub file.
    ///
    /// Large bodies stay in the file until they are played.
    ///
    /// - Parameter text: The text of the stub file.
    /// - Throws: `.malformedStubFile` if the text is not an array of stubs. The message names the path, the line, the
    ///   column, and what was expected. A large body that is not base64 throws when it is played.
    init(parsing text: StubFileText) throws(StubbornNetworkError) {
        do throws(JSONSyntaxError) {
            entries = try text.withScanner { scanner throws(JSONSyntaxError) in
                var parser = StubFileParser(scanner, of: text)
                return try parser.entries()
            }
        } catch {
            throw text.error(for: error)
        }
        fingerprint = text.fingerprint
    }

    /// Passes the whole file to `body`, in chunks of a few megabytes at most.
    func forEachChunk(_ body: (Data) throws(SystemError) -> Void) throws(SystemError) {
        guard !entries.isEmpty else { return try body(Data("[]\n".utf8)) }
        for (index, entry) in entries.enumerated() {
            try body(Data((index == 0 ? "[\n  " : ",\n  ").utf8))
            try entry.forEachChunk(body)
        }
        try body(Data("\n]\n".utf8))
    }

    /// Returns the entries that are not in an earlier document, by their bytes: those that were added since.
    ///
    /// An entry that is there more often than before counts as added that many times.
    func entries(addedSince earlier: StubFileDocument) -> [StubFileEntry] {
        var known: [StubFileEntry: Int] = [:]
        for entry in earlier.entries { known[entry, default: 0] += 1 }
        return entries.filter { entry in
            guard let count = known[entry], count > 0 else { return true }
            known[entry] = count - 1
            return false
        }
    }
}

extension StubFileDocument: Equatable {
    /// Returns a Boolean value that indicates whether both documents are written as the same bytes.
    static func == (left: Self, right: Self) -> Bool { left.entries == right.entries }
}
