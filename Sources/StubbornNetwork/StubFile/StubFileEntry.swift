import Foundation

/// A stub of a stub file, with its JSON as it is in the file or as it will be written.
package struct StubFileEntry: Sendable {
    private enum JSON: Sendable {
        /// Two texts, and between them a body that is encoded in base64 while it is written.
        case rendered(Data, base64: Data, Data)
        case text(StubFileText, Range<Int>)
    }

    package let stub: Stub

    /// The length of the JSON.
    let byteCount: Int

    private let json: JSON

    /// The keys under which a stub that was read has its bodies; `nil` if it has unknown keys too, which writing it again
    /// loses.
    private var bodyKeys: Set<String>? = []

    /// Creates an entry that was read from the file.
    init(_ stub: Stub, in text: StubFileText, _ range: Range<Int>, bodyKeys: Set<String>? = []) {
        self.stub = stub
        self.bodyKeys = bodyKeys
        json = .text(text, range)
        byteCount = range.count
    }

    /// Creates an entry that was not written yet: two texts, without indentation on the first line, and a body between them.
    package init(_ stub: Stub, _ before: Data, base64 body: Data = Data(), _ after: Data = Data()) {
        self.stub = stub
        json = .rendered(before, base64: body, after)
        byteCount = before.count + (body.count + 2) / 3 * 4 + after.count
    }

    /// The line of the object's `{`; `nil` for an entry that was not read.
    package var line: Int? {
        guard case .text(let text, let range) = json else { return nil }
        return text.line(of: range.lowerBound)
    }

    /// Returns the entry with its bodies, if they are not large, in an encoding.
    ///
    /// - Parameters:
    ///   - encoding: The encoding; `nil` for the one that the entry has.
    ///   - renewsKeys: A Boolean value that indicates whether readable bodies get the keys that they would have in a new
    ///     recording: `requestGraphQL` instead of the `requestJSON` of an older version.
    /// - Returns: The same entry, unless it was read with another encoding or other keys.
    package func encodingBodies(as encoding: BodyEncoding?, renewsKeys: Bool = false) -> StubFileEntry {
        var others = StubFileKey.bodies(in: encoding == .readable ? .base64 : .readable)
        if renewsKeys { others.formUnion(StubFileKey.bodies(in: .readable)) }
        guard let encoding, let bodyKeys, !bodyKeys.isDisjoint(with: others),
            (stub.response.content?.maximumByteCount ?? 0) < Self.largeBodyByteCount,
            // A body that is not text is base64 in every encoding.
            !bodyKeys.intersection(others).isSubset(of: Self.bodyKeys(of: stub, in: encoding))
        else { return self }
        return StubFileEntry(rendering: stub, bodyEncoding: encoding)
    }

    /// The encoding of the bodies of a stub that was read; `nil` if it has unknown keys, which writing it again loses.
    package var bodyEncoding: BodyEncoding? {
        bodyKeys.map { $0.isDisjoint(with: StubFileKey.bodies(in: .readable)) ? .base64 : .readable }
    }

    /// Passes the JSON to `body`, in chunks of a few megabytes at most.
    func forEachChunk(_ body: (Data) throws(SystemError) -> Void) throws(SystemError) {
        switch json {
        case .rendered(let before, let bytes, let after):
            try body(before)
            for part in Self.windows(bytes.startIndex..<bytes.endIndex) { try body(bytes[part].base64EncodedData()) }
            if !after.isEmpty { try body(after) }
        case .text(let text, let range):
            for part in Self.windows(range) { try body(text.data(in: part)) }
        }
    }

    /// Returns the parts of a range, whose lengths are multiples of three, because base64 encodes three bytes at a time.
    private static func windows(_ range: Range<Int>) -> [Range<Int>] {
        let length = 3 << 20
        return stride(from: range.lowerBound, to: range.upperBound, by: length).map { start in
            start..<min(start + length, range.upperBound)
        }
    }

    /// Returns the whole JSON.
    package func data() throws(SystemError) -> Data {
        if case .rendered(let text, let body, let after) = json, body.isEmpty, after.isEmpty { return text }
        var data = Data()
        data.reserveCapacity(byteCount)
        try forEachChunk { chunk throws(SystemError) in data.append(chunk) }
        return data
    }

    /// Returns a number that the same stub has in every process, whatever the white space in its JSON and the spelling
    /// of slashes, which an editor may change.
    func identity() throws(SystemError) -> UInt64 {
        var checksum = Checksum()
        var isInString = false
        var isEscaped = false
        try forEachChunk { chunk throws(SystemError) in
            chunk.withBytes { bytes in
                var position = 0
                while position < bytes.count {
                    if isEscaped {
                        isEscaped = false
                        if bytes[position] != .slash { checksum.add(.backslash) }
                        checksum.add(bytes[position])
                        position += 1
                    } else if isInString {
                        let quote = bytes.position(of: .quote, from: position) ?? bytes.count
                        let end = bytes.position(of: .backslash, from: position, to: quote) ?? quote
                        checksum.add(bytes.part(position..<end))
                        isEscaped = end < quote
                        isInString = end == bytes.count || isEscaped
                        position = end + 1
                    } else {
                        isInString = bytes[position] == .quote
                        if !bytes[position].isJSONSpace { checksum.add(bytes[position]) }
                        position += 1
                    }
                }
            }
        }
        return checksum.value
    }
}
