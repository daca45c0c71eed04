import Foundation

/// The response of a stub: a response, an error, or a response that ends early with an error.
///
/// Use the static members to create one:
///
///     network.stub(.get("/users/42"), with: .json(["id": 42]))
///     network.stub(.path("/login"), with: .status(401))
///     network.stub(.any, with: .failure(URLError(.notConnectedToInternet)))
///
/// At least one of `head` and `failure` is not `nil`.
public struct StubResponse: Sendable, Equatable {
    /// The status code, the header fields and the URL; `nil` if the exchange failed before there was a response.
    public var head: ResponseHead? { didSet { played = Lock(nil) } }

    /// The last response that was made from `head`, shared by copies with the same head.
    private(set) var played = Lock<PlayedResponse?>(nil)

    /// The body as the client receives it, without its content encoding; `nil` when there is none.
    public internal(set) var body: Data? { didSet { body = body?.indexedFromZero } }
    /// The error that ends the exchange, after `head` and `body` if there are any.
    public internal(set) var failure: StubFailure?
    /// The times at which the parts of the response are delivered; at once by default.
    package var pace: Pace = .immediate
    /// The change to make to the recorded stub's response, which is played instead of this one; `nil` for an ordinary response.
    var recordedChange: (@Sendable (Stub) -> StubResponse)?
    /// The `WebSocketScript` that plays the server of a declared web socket; `nil` for any other response.
    var webSocket: (any Sendable)?

    /// Creates a complete response.
    public init(head: ResponseHead, body: Data? = nil) {
        (self.head, self.body) = (head, body?.indexedFromZero)
    }

    /// Creates a response that ends with an error, after a head and a body if there were any.
    package init(failure: StubFailure, head: ResponseHead? = nil, body: Data? = nil) {
        (self.head, self.body, self.failure) = (head, body?.indexedFromZero, failure)
    }
}

extension StubResponse {
    /// Replaces the body, which keeps its parts.
    mutating func replaceBody(with new: Data?) {
        if !pace.chunks.isEmpty, let body, let new { pace.apply(Edit.all(from: body, to: new)) }
        body = new
    }

    /// Returns a Boolean value that indicates whether head, body, failure and pace are equal.
    public static func == (left: Self, right: Self) -> Bool {
        (left.head, left.failure, left.pace, left.body) == (right.head, right.failure, right.pace, right.body)
    }
}

extension StubResponse: CustomStringConvertible {
    /// The status code, the length of the body and the error: `200, 12 bytes`, `200, 5 bytes, NSURLErrorDomain -1005`.
    public var description: String {
        let length = body?.count.counting("byte")
        let parts = [head.map { "\($0.statusCode)" }, length, failure.map { "\($0.domain) \($0.code)" }]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }
}

/// The latest response that was made for a stub, kept for the next equal request.
struct PlayedResponse: Sendable {
    let url: URL
    let byteCount: Int
    /// A Boolean value that indicates whether the header fields of the stub are kept, whatever the body is.
    let keepsFields: Bool
    let response: HTTPURLResponse
    /// A Boolean value that indicates whether the session is involved in the response.
    let needsSession: Bool
    /// The format of a body that the client reads part by part; `nil` for any other.
    let streamFormat: StreamFormat?
}

extension StubResponse {
    /// Returns the response that opens a web socket, and its frames.
    ///
    /// A frame of the server is delivered when the client has sent the frames before it. After the last frame, the socket
    /// stays open.
    public static func frames(_ frames: [WebSocketFrame]) -> StubResponse {
        StubResponse(head: ResponseHead(statusCode: 101), body: frames.lines)
    }

    /// The frames of a web socket, in their order; `nil` for any other response.
    @_spi(Tools) public var webSocketFrames: [WebSocketFrame]? {
        guard head?.statusCode == 101 else { return nil }
        let lines = (body ?? Data()).split(separator: .lineFeed)
        let frames = lines.compactMap { WebSocketFrame(line: $0) }
        return frames.count == lines.count ? frames : nil
    }
}

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
        var first = ends.count
        for edit in edits.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
            while first > 0, edit.range.lowerBound < ends[first - 1] { first -= 1 }
            guard first < ends.count else { continue }
            let last = ends[first...].firstIndex { edit.range.upperBound <= $0 } ?? ends.count - 1
            let others = first + 1..<max(first, min(last, chunks.count - 1)) + 1
            chunks[first].length += chunks[others].reduce(edit.text.count - edit.range.count) { $0 + $1.length }
            chunks.removeSubrange(others)
        }
    }
}
