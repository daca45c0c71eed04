import Foundation

/// The times at which the parts of a stub's response are delivered to the client.
///
/// A declared stub is delayed or throttled in code. A recorded one has the times of its recording, if the network recorded
/// them.
struct Pace: Sendable, Hashable {
    /// The time from the request to the head of the response, in seconds.
    var secondsToFirstByte: Double

    /// The parts of the body.
    ///
    /// Bytes that are in no chunk are delivered with the last one. Without chunks the body is delivered at once, or at
    /// the rate of `bytesPerSecond`.
    var chunks: [Chunk]

    /// The rate at which a body without chunks is delivered, in bytes per second; `nil` for all at once.
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

    /// The pace that delivers everything at once.
    static let immediate = Pace()
}
