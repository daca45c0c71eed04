import Foundation

/// A frame of a web socket: a message or a close, with its direction.
///
/// A string literal is a text that the server sends. A stub contains the frames of its socket as the body of its response, each
/// as JSON on one line:
///
///     {"sent":"hello"}
///     {"received":"AAEC","seconds":0.25,"type":"data"}
///     {"received":"1000 bye","type":"close"}
public struct WebSocketFrame: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The kinds of frames.
    @_spi(Tools) public enum Kind: String, Sendable, Codable { case text, data, close }

    /// A Boolean value that indicates whether the client sent the frame.
    @_spi(Tools) public var isSent: Bool
    /// The kind of the frame.
    @_spi(Tools) public var kind: Kind
    /// The bytes of the message, or the code of the close and its reason: `1000 bye`.
    @_spi(Tools) public var data: Data
    /// The seconds since the socket began to open; `nil` if times were not recorded.
    @_spi(Tools) public var seconds: Double?

    /// Creates a frame.
    @_spi(Tools) public init(isSent: Bool, _ kind: Kind, _ data: Data, seconds: Double? = nil) {
        (self.isSent, self.kind, self.data, self.seconds) = (isSent, kind, data, seconds)
    }

    /// Creates a text that the server sends.
    public init(stringLiteral text: String) { self.init(isSent: false, .text, Data(text.utf8)) }

    /// Returns a text that the server sends.
    public static func text(_ text: String) -> WebSocketFrame { WebSocketFrame(stringLiteral: text) }

    /// Returns bytes that the server sends.
    public static func data(_ data: Data) -> WebSocketFrame { WebSocketFrame(isSent: false, .data, data) }

    /// Returns a text that the client has to send before the server sends the next frames.
    public static func sent(_ text: String) -> WebSocketFrame { WebSocketFrame(isSent: true, .text, Data(text.utf8)) }
}

extension WebSocketFrame {
    /// The data as text.
    @_spi(Tools) public var text: String { String(decoding: data, as: UTF8.self) }

    /// The members of a frame in a stub file.
    private struct Line: Codable {
        var sent, received: String?
        var type: Kind?
        var seconds: Double?
    }

    private static let encoder = JSONEncoder.sortingKeys()

    /// The frame as a line of JSON.
    var line: String {
        let text = kind == .data ? data.base64EncodedString() : text
        var line = Line(type: kind == .text ? nil : kind, seconds: seconds)
        if isSent { line.sent = text } else { line.received = text }
        return (try? Self.encoder.encode(line)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Reads a line of JSON; `nil` if it is not a frame.
    init?(line: Data) {
        guard let line = try? JSONDecoder().decode(Line.self, from: line), let text = line.sent ?? line.received,
            let data = line.type == .data ? Data(base64Encoded: text) : Data(text.utf8)
        else { return nil }
        self.init(isSent: line.sent != nil, line.type ?? .text, data, seconds: line.seconds)
    }
}

extension [WebSocketFrame] {
    /// The frames as lines.
    var lines: Data { Data(map { $0.line + "\n" }.joined().utf8) }
}
