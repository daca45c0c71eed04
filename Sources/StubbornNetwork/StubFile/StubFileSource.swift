import Foundation

/// The JSON of a stub, as it is or will be in the file. Large ones are in memory only while they are written.
struct StubFileSource: Sendable {
    fileprivate enum Piece: Sendable {
        case text(Data)
        /// Bytes whose base64 stands here.
        case base64(Data)
        /// A part of a file, which stays there.
        case file(FileReader, Range<Int>)
    }

    fileprivate let pieces: [Piece]

    /// How many bytes it takes in the file.
    let count: Int

    init(_ text: Data) {
        pieces = [.text(text)]
        count = text.count
    }

    init(_ reader: FileReader, _ range: Range<Int>) {
        pieces = [.file(reader, range)]
        count = range.count
    }

    /// - Parameter body: its base64 stands between the two texts.
    init(_ before: Data, body: Data, _ after: Data) {
        pieces = [.text(before), .base64(body), .text(after)]
        count = before.count + (body.count + 2) / 3 * 4 + after.count
    }

    /// The bytes at once.
    func data() throws(SystemError) -> Data {
        if pieces.count == 1, case .text(let text) = pieces[0] { return text }
        var data = Data()
        data.reserveCapacity(count)
        try forEachChunk { chunk throws(SystemError) in data.append(chunk) }
        return data
    }

    /// The bytes in order, in chunks of at most a few megabytes.
    func forEachChunk(_ body: (Data) throws(SystemError) -> Void) throws(SystemError) {
        for piece in pieces {
            switch piece {
            case .text(let text): try body(text)
            case .base64(let bytes):
                for part in windows(bytes.startIndex..<bytes.endIndex) { try body(bytes[part].base64EncodedData()) }
            case .file(let reader, let range):
                for part in windows(range) { try body(reader.read(part)) }
            }
        }
    }

    /// Parts of a range, each a multiple of three long, so that the pieces of base64 make a whole.
    private func windows(_ range: Range<Int>) -> [Range<Int>] {
        let length = 3 << 20
        return stride(from: range.lowerBound, to: range.upperBound, by: length).map { start in
            start..<min(start + length, range.upperBound)
        }
    }

    /// What it says, in parts that can be searched: the JSON, without the large body, and that body as it is. What is in a
    /// file already is not among them.
    var parts: [Data] {
        var text = Data()
        var bodies: [Data] = []
        for piece in pieces {
            switch piece {
            case .text(let part): text.append(part)
            case .base64(let body): bodies.append(body)
            case .file: break
            }
        }
        return [text] + bodies
    }
}

extension StubFileSource: Hashable {
    /// Equal when the bytes are. What cannot be read any more is equal to itself alone.
    static func == (left: Self, right: Self) -> Bool {
        guard left.count == right.count else { return false }
        if zip(left.pieces, right.pieces).allSatisfy({ $0.isSame(as: $1) }), left.pieces.count == right.pieces.count {
            return true
        }
        guard let left = try? left.data(), let right = try? right.data() else { return false }
        return left == right
    }

    /// By length and end: what tells the stubs of a file apart stands behind the body.
    func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        hasher.combine(try? end())
    }

    private func end() throws(SystemError) -> Data {
        let length = 255
        var end = Data()
        for piece in pieces.reversed() where end.count < length {
            end = try piece.end(atLeast: length - end.count) + end
        }
        return end.suffix(length)
    }
}

extension StubFileSource.Piece {
    /// So many of the last bytes, or some more; all where there are fewer.
    fileprivate func end(atLeast count: Int) throws(SystemError) -> Data {
        switch self {
        case .text(let text): return text.suffix(count)
        case .base64(let bytes):
            let last = bytes.count % 3 + (count / 4 + 1) * 3
            return bytes.suffix(last).base64EncodedData()
        case .file(let reader, let range):
            return try reader.read(max(range.lowerBound, range.upperBound - count)..<range.upperBound)
        }
    }

    /// Whether this is the same, as far as can be told without reading.
    fileprivate func isSame(as other: Self) -> Bool {
        switch (self, other) {
        case (.text(let left), .text(let right)), (.base64(let left), .base64(let right)): left == right
        case (.file(let left, let range), .file(let right, let other)): left === right && range == other
        default: false
        }
    }
}
