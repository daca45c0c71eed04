import Foundation

/// The times at which the parts of a stub's response are delivered to the client; everything at once by default.
package struct Pace: Sendable, Hashable {
    /// The time from the request to the head of the response, in seconds.
    package var secondsToFirstByte = 0.0
    /// The parts of the body; bytes that are in no chunk are delivered with the last one.
    package var chunks: [Chunk] = []
    /// The rate at which a body without chunks is delivered, in bytes per second; `nil` for all at once.
    var bytesPerSecond: Int?

    /// A part of the body: `length` bytes, `seconds` after the head.
    package struct Chunk: Sendable, Hashable {
        package var seconds: Double
        package var length: Int

        package init(seconds: Double, length: Int) { (self.seconds, self.length) = (seconds, length) }
    }

    package static let immediate = Pace()

    /// A Boolean value that indicates whether the parts are known, but not their times.
    var hasOnlyParts: Bool { !chunks.isEmpty && !hasTimes }

    /// A Boolean value that indicates whether a time is known.
    package var hasTimes: Bool { secondsToFirstByte != 0 || chunks.contains { $0.seconds != 0 } }

    /// The parts of the body, which are delivered at once.
    var withoutTimes: Pace { self == .immediate ? self : Pace(chunks: hasTimes ? Self.parts(of: chunks) : chunks) }

    /// Returns the parts of a stream whose format does not define parts.
    ///
    /// They end at the server's pauses.
    ///
    /// A body that only the network has divided gets longer parts. `arrived` contains the pieces of the body as they
    /// arrived.
    static func parts(of arrived: [Chunk]) -> [Chunk] {
        var parts: [Chunk] = []
        var last = -Double.infinity
        for piece in arrived {
            if piece.seconds - last >= shortestPause {
                parts.append(Chunk(seconds: 0, length: piece.length))
            } else {
                parts[parts.count - 1].length += piece.length
            }
            last = piece.seconds
        }
        let byteCount = parts.reduce(0) { $0 + $1.length }
        return parts.count > 1 && byteCount / parts.count < longestPartByteCount ? parts : []
    }

    private static let shortestPause = 0.005
    private static let longestPartByteCount = 8 << 10

    /// Changes the lengths of the chunks as edits change the body; chunks that share an edit become one.
    mutating func apply(_ edits: [Edit]) {
        let ends = chunks.reduce(into: [Int]()) { $0.append(($0.last ?? 0) + $1.length) }
        for edit in edits.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
            guard let first = ends.firstIndex(where: { edit.range.lowerBound < $0 }) else { continue }
            let last = ends.firstIndex { edit.range.upperBound <= $0 } ?? ends.count - 1
            let others = first + 1..<max(first, min(last, chunks.count - 1)) + 1
            chunks[first].length += chunks[others].reduce(edit.text.count - edit.range.count) { $0 + $1.length }
            chunks.removeSubrange(others)
        }
    }
}
