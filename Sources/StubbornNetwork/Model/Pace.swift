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

        package init(seconds: Double, length: Int) {
            self.seconds = seconds
            self.length = length
        }
    }

    package static let immediate = Pace()

    package init(secondsToFirstByte: Double = 0, chunks: [Chunk] = [], bytesPerSecond: Int? = nil) {
        self.secondsToFirstByte = secondsToFirstByte
        self.chunks = chunks
        self.bytesPerSecond = bytesPerSecond
    }
}
