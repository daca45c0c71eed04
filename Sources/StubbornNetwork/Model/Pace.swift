import Foundation

/// When the parts of a stub's response reach the client.
///
/// A declared stub is delayed or throttled in code; a recorded one carries the times of its recording where the network
/// recorded them.
struct Pace: Sendable, Hashable {
    /// The time from the request to the head of the response, in seconds.
    var secondsToFirstByte: Double

    /// When which part of the body comes: seconds after the head, and a length in bytes. What the chunks leave over comes
    /// with the last of them; without chunks the body comes at once, or as `bytesPerSecond` says.
    var chunks: [Chunk]

    /// The rate at which a body without recorded chunks comes, in bytes a second; `nil` for all at once.
    var bytesPerSecond: Int?

    /// A part of the body: `length` bytes, `seconds` after the head.
    struct Chunk: Sendable, Hashable {
        var seconds: Double
        var length: Int

        init(seconds: Double, length: Int) {
            self.seconds = seconds
            self.length = length
        }
    }

    init(secondsToFirstByte: Double = 0, chunks: [Chunk] = [], bytesPerSecond: Int? = nil) {
        self.secondsToFirstByte = secondsToFirstByte
        self.chunks = chunks
        self.bytesPerSecond = bytesPerSecond
    }

    /// Everything at once.
    static let immediate = Pace()
}
