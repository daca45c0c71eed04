@_spi(Tools) import StubbornNetwork

/// The end of a web socket, as the payload of a frame contains it (RFC 6455, section 5.5.1).
@_spi(Tools) public struct WebSocketClose: Sendable {
    /// The code; `.noStatusReceived` for a frame without a code, and for a code that the platform does not have.
    public let code: URLSessionWebSocketTask.CloseCode
    /// The reason; `nil` if there is none.
    public let reason: Data?

    /// Creates the end of a socket.
    public init(_ code: URLSessionWebSocketTask.CloseCode, _ reason: Data?) {
        (self.code, self.reason) = (code, reason)
    }

    /// Reads the payload of a frame.
    public init(payload: Data) {
        let code = payload.prefix(2).reduce(0) { $0 << 8 | Int($1) }
        self.code = payload.count < 2 ? .noStatusReceived : .init(rawValue: code) ?? .noStatusReceived
        reason = payload.count > 2 ? Data(payload.dropFirst(2)) : nil
    }

    /// The payload of a frame; it is empty for the codes that are never sent (RFC 6455, section 7.4.1).
    public var payload: Data {
        guard let code = UInt16(exactly: code.rawValue), ![0, 1005, 1006, 1015].contains(code) else { return Data() }
        return withUnsafeBytes(of: code.bigEndian) { Data($0) } + (reason ?? Data())
    }
}

extension WebSocketConnection {
    /// Waits until the server has accepted the socket.
    ///
    /// - Throws: The error that has ended the socket.
    @_spi(Tools) public func waitUntilOpen() async throws {
        let (pongs, pong) = AsyncThrowingStream.makeStream(of: Void.self)
        sendPing { pong.finish(throwing: $0) }
        do {
            for try await _ in pongs {}
        } catch {
            // This call has the error that ended the socket; the ping may have a different one.
            _ = try await receive()
            throw error
        }
        try Task.checkCancellation()
    }

    /// Closes the socket as its client did.
    @_spi(Tools) public func close(as close: WebSocketClose) {
        cancel(with: close.code == .noStatusReceived ? .normalClosure : close.code, reason: close.reason)
    }

    /// Returns the end for the client of a socket whose `receive()` has thrown an error; `nil` if the connection was lost.
    @_spi(Tools) public func close(after error: any Error) -> WebSocketClose? {
        if error is StubbornNetworkError {
            return WebSocketClose(.internalServerError, Data("No frame is left.".utf8))
        }
        return closeCode == .invalid ? nil : WebSocketClose(closeCode, closeReason)
    }
}

extension URLSessionWebSocketTask.Message {
    /// Creates a message from the payload of a frame.
    @_spi(Tools) public init(isText: Bool, _ payload: Data) {
        self = isText ? .string(String(decoding: payload, as: UTF8.self)) : .data(payload)
    }

    /// A Boolean value that indicates whether the message is a text.
    @_spi(Tools) public var isText: Bool {
        if case .string = self { true } else { false }
    }

    /// The payload of the message's frame.
    @_spi(Tools) public var payload: Data {
        switch self {
        case .string(let text): Data(text.utf8)
        case .data(let data): data
        @unknown default: Data()
        }
    }
}

extension HeaderFields {
    /// The protocol to choose for a web socket; `nil` if the client offers none.
    ///
    /// Many clients offer one protocol, and close the socket if the server does not choose it.
    @_spi(Tools) public var webSocketProtocol: String? {
        self["Sec-WebSocket-Protocol"]?.split(separator: ",").first?.trimmingCharacters(in: .whitespaces)
    }
}
