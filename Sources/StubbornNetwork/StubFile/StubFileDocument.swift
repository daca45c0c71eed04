import Foundation

/// A stub file's content: stubs in their order, each with the bytes that it is written as.
///
/// What was read is written again byte for byte, hand edits and unknown keys with it; only the white space and the commas
/// between stubs are this library's. A document without stubs is `[]` and a line break.
struct StubFileDocument: Sendable {
    /// A stub, and its JSON.
    struct Entry: Sendable {
        let stub: Stub

        /// The element's bytes, as in the file or as rendered, without indentation on the first line.
        let source: Data

        /// The line of the element's `{`, counted from 1; `nil` for a stub that was not read from a file.
        let line: Int?

        init(rendering stub: Stub, bodyEncoding: BodyEncoding) {
            self.init(stub: stub, source: StubFileRenderer(bodyEncoding: bodyEncoding).source(of: stub), line: nil)
        }

        fileprivate init(stub: Stub, source: Data, line: Int?) {
            self.stub = stub
            self.source = source
            self.line = line
        }
    }

    var entries: [Entry]

    init(entries: [Entry] = []) {
        self.entries = entries
    }

    /// Reads a stub file's content.
    ///
    /// Throws `.malformedStubFile`, naming path, line, column and what was expected, for anything but an array of stubs.
    ///
    /// - Parameter file: where the content is from, for the error's text.
    init(parsing data: Data, file: URL) throws(StubbornNetworkError) {
        let text: Data
        do throws(StubFileSyntaxError) {
            text = try StubFileEncoding.utf8(data)
        } catch {
            throw error.error(in: UnsafeRawBufferPointer(start: nil, count: 0), file: file)
        }
        let elements = text.withUnsafeBytes { bytes in
            Result { () throws(StubFileSyntaxError) in try StubFileParser(bytes: bytes).elements() }
                .mapError { $0.error(in: bytes, file: file) }
        }
        entries = try elements.get().map { element in
            let start = text.startIndex + element.range.lowerBound
            let source = text.subdata(in: start..<start + element.range.count)
            return Entry(stub: element.stub, source: source, line: element.line)
        }
    }

    /// The whole file.
    func rendered() -> Data {
        guard !entries.isEmpty else { return Data("[]\n".utf8) }
        var output = Data()
        output.reserveCapacity(entries.reduce(8) { $0 + $1.source.count + 4 })
        for (number, entry) in entries.enumerated() {
            output.append(contentsOf: (number == 0 ? "[\n  " : ",\n  ").utf8)
            output.append(entry.source)
        }
        output.append(contentsOf: "\n]\n".utf8)
        return output
    }

    /// The entries that are not in an earlier document, by their bytes: what somebody else has added since.
    ///
    /// An entry that is there more often than before counts as added that many times.
    func entries(addedSince earlier: StubFileDocument) -> [Entry] {
        var known: [Data: Int] = [:]
        for entry in earlier.entries { known[entry.source, default: 0] += 1 }
        return entries.filter { entry in
            guard let count = known[entry.source], count > 0 else { return true }
            known[entry.source] = count - 1
            return false
        }
    }
}
