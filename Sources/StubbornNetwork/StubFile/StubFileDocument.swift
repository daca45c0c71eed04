import Foundation

/// A stub file's content: stubs in their order, each with the bytes that it is written as.
///
/// What was read is written again byte for byte, hand edits and unknown keys with it; only the white space and the commas
/// between stubs are this library's. A document without stubs is `[]` and a line break.
struct StubFileDocument: Sendable, Equatable {
    /// A stub, and its JSON.
    struct Entry: Sendable {
        let stub: Stub

        /// The element's bytes, as in the file or as rendered, without indentation on the first line.
        let source: StubFileSource

        /// Where the element's `{` stands; `nil` for a stub that was not read from a file.
        let place: StubFilePlace?

        /// The line of the element's `{`, counted from 1 when it is asked for.
        var line: Int? { place?.line }

        init(rendering stub: Stub, bodyEncoding: BodyEncoding) {
            self.init(stub: stub, source: StubFileRenderer(bodyEncoding: bodyEncoding).source(of: stub), place: nil)
        }

        /// - Parameter range: the element's place in the skeleton of the text.
        init(_ stub: Stub, at range: Range<Int>, of text: StubFileText) {
            let range = text.range(range)
            let place = StubFilePlace(origin: text.origin, offset: range.lowerBound)
            self.init(stub: stub, source: text.origin.source(range), place: place)
        }

        private init(stub: Stub, source: StubFileSource, place: StubFilePlace?) {
            self.stub = stub
            self.source = source
            self.place = place
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
        try self.init(parsing: StubFileText(data, file: file))
    }

    /// As `init(parsing:file:)`. The bodies of a large file stay there until they are played: one that is no base64 throws
    /// then, and not here.
    init(parsing text: StubFileText) throws(StubbornNetworkError) {
        let entries = text.skeleton.bytes.withBytes { bytes in
            Result { () throws(StubFileSyntaxError) in try StubFileParser(bytes: bytes, text: text).entries() }
        }
        do throws(StubFileSyntaxError) {
            self.entries = try entries.get()
        } catch {
            throw error.error(in: text)
        }
    }

    /// The whole file in order, in chunks of at most a few megabytes.
    func forEachChunk(_ body: (Data) throws(SystemError) -> Void) throws(SystemError) {
        guard !entries.isEmpty else { return try body(Data("[]\n".utf8)) }
        for (number, entry) in entries.enumerated() {
            try body(Data((number == 0 ? "[\n  " : ",\n  ").utf8))
            try entry.source.forEachChunk(body)
        }
        try body(Data("\n]\n".utf8))
    }

    /// Equal when they are written as the same bytes.
    static func == (left: Self, right: Self) -> Bool {
        left.entries.map(\.source) == right.entries.map(\.source)
    }

    /// The entries that are not in an earlier document, by their bytes: what somebody else has added since.
    ///
    /// An entry that is there more often than before counts as added that many times.
    func entries(addedSince earlier: StubFileDocument) -> [Entry] {
        var known: [StubFileSource: Int] = [:]
        for entry in earlier.entries { known[entry.source, default: 0] += 1 }
        return entries.filter { entry in
            guard let count = known[entry.source], count > 0 else { return true }
            known[entry.source] = count - 1
            return false
        }
    }
}
