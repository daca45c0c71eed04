import Foundation

/// A format of bodies that clients read part by part, while the rest has not arrived.
enum StreamFormat: Sendable, Hashable {
    /// Server-sent events (WHATWG HTML, section 9.2): an empty line ends a part.
    case events
    /// A JSON text in each line (NDJSON, JSON lines).
    case lines
    /// Parts that a boundary separates (RFC 2046, section 5.1): `multipart/mixed` and `multipart/x-mixed-replace`.
    case multipart(boundary: String)

    /// The largest number of parts of a body; parts of a longer body are put together.
    static let maximumPartCount = 10_000

    /// Returns a body's parts.
    ///
    /// The same body always has the same parts, however it was divided when it arrived.
    func parts(of body: Data) -> [Data] {
        var ends = Array(body.withBytes(ends).dropFirst(separatorsBeforeFirstPart))
        if ends.last == body.count { ends.removeLast() }
        let step = (ends.count + Self.maximumPartCount) / Self.maximumPartCount
        let borders = stride(from: step - 1, to: ends.count, by: step).map { ends[$0] }
        return zip([0] + borders, borders + [body.count]).map { body.part($0..<$1) }
    }

    /// The number of separators before the first part: a client knows at the next boundary that a part is complete.
    fileprivate var separatorsBeforeFirstPart: Int { if case .multipart = self { 1 } else { 0 } }

    /// Returns the ends of the lines that separate parts.
    fileprivate func ends(in bytes: Bytes) -> [Int] {
        switch self {
        case .events: Self.ends(ofEventsIn: bytes)
        case .lines: Self.ends(ofLinesIn: bytes)
        case .multipart(let boundary): Self.ends(ofLinesIn: bytes, beginningWith: Array("--\(boundary)".utf8))
        }
    }

    private static func ends(ofLinesIn bytes: Bytes, beginningWith text: [UInt8] = []) -> [Int] {
        bytes.parts(of: 0..<bytes.count, separatedBy: .lineFeed)
            .filter { bytes.has(text, at: $0.lowerBound) }
            .map { min($0.upperBound + 1, bytes.count) }
    }

    /// Returns the ends of the empty lines after events; a line ends with CR, LF or both.
    private static func ends(ofEventsIn bytes: Bytes) -> [Int] {
        var ends: [Int] = []
        var lineStart = 0
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            guard byte.isLineBreak else { continue }
            let isEmpty = position - 1 == lineStart
            if byte == .carriageReturn, bytes.at(position) == .lineFeed { position += 1 }
            lineStart = position
            if isEmpty { ends.append(position) }
        }
        return ends
    }
}

/// A count of the parts of a body while it arrives, down to zero.
///
/// If the format of the body does not define parts, the bytes that arrive at once are a part.
struct PartCountdown {
    private var left: Int
    private var contentType: String?
    private var format: StreamFormat?
    /// The bytes since the last part that is complete; `nil` before the body begins.
    private var incompletePart: Data?

    init(from count: Int) { left = count }

    /// Begins a body with this `Content-Type`.
    mutating func begin(_ contentType: String?) { (self.contentType, incompletePart) = (contentType, nil) }

    /// Counts the parts that are complete with these bytes of the body.
    ///
    /// - Returns: the number of these bytes that belong to the counted parts, when the count is down to zero.
    mutating func add(_ data: Data) -> Int? {
        if incompletePart == nil {
            format = StreamFormat(contentType, body: data)
            left += format?.separatorsBeforeFirstPart ?? 0
        }
        let earlier = incompletePart ?? Data()
        let bytes = format == nil ? data : earlier + data
        var ends = format.map { bytes.withBytes($0.ends) } ?? [data.count]
        // After anything but a line feed, more of the line may come: `\r` and `\n` arrive in two packets.
        if format != nil, ends.last == bytes.count, bytes.last != .lineFeed { ends.removeLast() }
        guard ends.count < left else { return ends[left - 1] - earlier.count }
        left -= ends.count
        incompletePart = bytes.dropFirst(ends.last ?? 0)
        return nil
    }

    /// Counts the last part, which may have no separator after it, and returns a Boolean value that indicates whether the count is
    /// down to zero.
    mutating func end() -> Bool {
        if incompletePart?.isEmpty == false { left -= 1 }
        return left == 0
    }
}
