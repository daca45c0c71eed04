import Foundation

/// The JSON of a stub, as it is or will be in the file. A large body is encoded only while it is written.
struct StubFileSource: Sendable {
    private enum Piece: Sendable, Hashable {
        case text(Data)
        /// Bytes whose base64 stands here.
        case base64(Data)
    }

    private let pieces: [Piece]

    /// How many bytes it takes in the file.
    let count: Int

    init(_ text: Data) {
        pieces = [.text(text)]
        count = text.count
    }

    /// - Parameter body: its base64 stands between the two texts.
    init(_ before: Data, body: Data, _ after: Data) {
        pieces = [.text(before), .base64(body), .text(after)]
        count = before.count + (body.count + 2) / 3 * 4 + after.count
    }

    /// The bytes at once.
    var data: Data {
        if pieces.count == 1, case .text(let text) = pieces[0] { return text }
        var data = Data()
        data.reserveCapacity(count)
        forEachChunk { data.append($0) }
        return data
    }

    /// The bytes in order, in chunks of at most a few megabytes.
    func forEachChunk<Failure: Error>(_ body: (Data) throws(Failure) -> Void) throws(Failure) {
        for piece in pieces {
            switch piece {
            case .text(let text): try body(text)
            case .base64(let bytes):
                // A multiple of three, so that the pieces of base64 make a whole.
                let length = 3 << 20
                var start = bytes.startIndex
                while start < bytes.endIndex {
                    let end = min(start + length, bytes.endIndex)
                    try body(bytes[start..<end].base64EncodedData())
                    start = end
                }
            }
        }
    }

    /// What it says, in parts that can be searched: the JSON, without the large body, and that body as it is.
    var parts: [Data] {
        var text = Data()
        var bodies: [Data] = []
        for piece in pieces {
            switch piece {
            case .text(let part): text.append(part)
            case .base64(let body): bodies.append(body)
            }
        }
        return [text] + bodies
    }
}

extension StubFileSource: Hashable {
    static func == (left: Self, right: Self) -> Bool {
        left.count == right.count && (left.pieces == right.pieces || left.data == right.data)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(count)
    }
}
