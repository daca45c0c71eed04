import Foundation

/// The times at which the parts of a stub's response are delivered to the client: by default everything at once.
struct Pace: Sendable, Hashable {
    /// The time from the request to the head of the response, in seconds.
    var secondsToFirstByte = 0.0
    /// The parts of the body; bytes that are in no chunk are delivered with the last one.
    var chunks: [Chunk] = []
    /// The rate at which a body without chunks is delivered, in bytes per second; `nil` for all at once.
    var bytesPerSecond: Int?

    /// A part of the body: `length` bytes, `seconds` after the head.
    struct Chunk: Sendable, Hashable {
        var seconds: Double
        var length: Int
    }

    static let immediate = Pace()
}
