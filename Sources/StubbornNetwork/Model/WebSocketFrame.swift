import Foundation

/// A frame of a web socket: a message or a close, with its direction.
///
/// A string literal is a text that the server sends. A stub stores the frames of its socket as the body of its response, each
/// as JSON on one line:
///
///     {"sent":"hello"}
///     {"receivedData":"AAEC","seconds":0.25}
///     {"reason":"bye","receivedClose":1000}
public struct WebSocketFrame: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The content of a frame.
    @_spi(Tools) public enum Content: Sendable, Hashable {
        case text(String)
        case data(Data)
        case close(code: Int, reason: String?)
    }

    /// A Boolean value that indicates whether the client sent the frame.
    @_spi(Tools) public var isSent = false
    /// The message, or the close.
    @_spi(Tools) public var content: Content
    /// The seconds since the socket began to open; `nil` if times were not recorded.
    @_spi(Tools) public var seconds: Double?
    /// The placeholders in the frame that look like ordinary digits, such as `999998`; `nil` if there are none.
    var placeholders: [String]?

    /// Creates a frame.
    @_spi(Tools) public init(isSent: Bool, _ content: Content, seconds: Double? = nil) {
        (self.isSent, self.content, self.seconds) = (isSent, content, seconds)
    }

    /// Creates a text that the server sends.
    public init(stringLiteral text: String) { content = .text(text) }

    /// Returns a text that the server sends.
    public static func text(_ text: String) -> WebSocketFrame { WebSocketFrame(isSent: false, .text(text)) }

    /// Returns bytes that the server sends.
    public static func data(_ data: Data) -> WebSocketFrame { WebSocketFrame(isSent: false, .data(data)) }

    /// Returns a text that the client has to send before the server sends the next frames.
    public static func sent(_ text: String) -> WebSocketFrame { WebSocketFrame(isSent: true, .text(text)) }
}

extension WebSocketFrame {
    /// The frame as a line of JSON, without a line break.
    @_spi(Tools) public var line: Data {
        let direction = isSent ? "sent" : "received"
        var members: [(key: String, write: (inout JSONWriter) -> Void)] = []
        switch content {
        case .text(let text): members.append((direction, { $0.string(text) }))
        case .data(let data): members.append((direction + "Data", { $0.base64(data) }))
        case .close(let code, let reason):
            members.append((direction + "Close", { $0.literal(code) }))
            if let reason { members.append(("reason", { $0.string(reason) })) }
        }
        if let seconds { members.append(("seconds", { $0.literal(seconds) })) }
        if let placeholders { members.append(("placeholders", { $0.array(placeholders) { $1.string($0) } })) }
        var writer = JSONWriter(.compact)
        writer.object(members)
        return writer.output
    }

    /// Reads a line of JSON; `nil` if it is not a frame.
    init?(line: Data) {
        guard case .object(let members)? = JSONValue(line)?.content else { return nil }
        var (content, reason): (Content?, String?)
        for (key, value) in members {
            let isSent = key.hasPrefix("sent")
            switch (key, value.content) {
            case ("seconds", .number(let digits)): seconds = Double(digits)
            case ("reason", .string(let text)): reason = text
            case ("placeholders", .array(let texts)):
                placeholders = texts.compactMap { if case .string(let text) = $0.content { text } else { nil } }
            case ("sent", .string(let text)), ("received", .string(let text)): content = .text(text)
            case ("sentData", .string(let text)), ("receivedData", .string(let text)):
                content = Data(base64Encoded: text).map(Content.data)
            case ("sentClose", .number(let digits)), ("receivedClose", .number(let digits)):
                content = Double(digits).flatMap(Int.init(exactly:)).map { .close(code: $0, reason: nil) }
            default: return nil
            }
            if isSent { self.isSent = true }
        }
        if case .close(let code, _)? = content { content = .close(code: code, reason: reason) }
        guard let content else { return nil }
        self.content = content
    }

    var isText: Bool { if case .text = content { true } else { false } }

    /// The bytes of a message; `nil` for a close.
    var bytes: Data? {
        switch content {
        case .text(let text): Data(text.utf8)
        case .data(let data): data
        case .close: nil
        }
    }
}

extension Stub {
    /// The frames of a web socket, in their order; `nil` for any other stub.
    @_spi(Tools) public var webSocketFrames: [WebSocketFrame]? {
        request.isWebSocket ? [WebSocketFrame](lines: response.body) : nil
    }

    /// Creates the stub of a web socket.
    @_spi(Tools) public init(_ request: StubRequest, to head: ResponseHead, frames: [WebSocketFrame]) {
        self.init(request: request, response: StubResponse(head: head, body: frames.lines))
    }
}

extension [WebSocketFrame] {
    init(lines: Data?) {
        self = (lines ?? Data()).split(separator: .lineFeed).compactMap { WebSocketFrame(line: $0) }
    }

    /// The frames as lines, joined by line breaks.
    var lines: Data { Data(map(\.line).joined(separator: [.lineFeed])) }
}

extension StubRequest {
    private static let frameMethod = "SEND"

    /// Returns a request that stands for a frame that the client sends: `SEND wss://api.example.com/live`.
    func sending(_ frame: WebSocketFrame) -> StubRequest {
        var request = StubRequest(method: Self.frameMethod, url: url, body: frame.bytes)
        request.placeholders = frame.placeholders
        return request
    }

    /// A Boolean value that indicates whether the request stands for a frame that a client sends.
    var isFrame: Bool { method == Self.frameMethod && isWebSocket }
}
