import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A client of a web socket (RFC 6455) over a plain connection to 127.0.0.1, for a Foundation that has none.
///
/// Each message must be sent before the next one, and only one call may wait for a message.
public final class WebSocketClient: @unchecked Sendable {
    /// The message of the system's task.
    public typealias Message = URLSessionWebSocketTask.Message
    /// The close code of the system's task.
    public typealias CloseCode = URLSessionWebSocketTask.CloseCode

    private enum Opcode: UInt8 {
        case continuation, text, data
        case close = 8
        case ping, pong
    }

    private let socket: Socket
    private let reading = DispatchQueue(label: "WebSocketClient.reading")
    private let writing = DispatchQueue(label: "WebSocketClient.writing")
    private let lock = NSLock()
    private var unread = Data()
    private var pongs: [@Sendable ((any Error)?) -> Void] = []
    private var close = (code: CloseCode.invalid, reason: Data?.none)

    /// Opens a socket; throws if the server refuses it.
    public init(_ request: URLRequest) throws {
        guard let url = request.url, let port = url.port else { throw URLError(.badURL) }
        socket = try Socket.connected(to: UInt16(port))
        let query = url.query.map { "?\($0)" } ?? ""
        var lines = ["GET \(url.path.isEmpty ? "/" : url.path)\(query) HTTP/1.1", "Host: 127.0.0.1:\(port)"]
        lines += ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"]
        lines.append("Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==")
        lines += (request.allHTTPHeaderFields ?? [:]).map { "\($0.key): \($0.value)" }
        try socket.send(Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8))
        var head = Data()
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) { head += try read(1) }
        guard head.starts(with: "HTTP/1.1 101".utf8) else {
            socket.close()
            throw URLError(.badServerResponse)
        }
    }

    deinit {
        socket.close()
    }

    /// The code that either end has closed the socket with.
    public var closeCode: CloseCode { lock.withLock { close.code } }
    /// The reason that either end has closed the socket with.
    public var closeReason: Data? { lock.withLock { close.reason } }

    /// Does nothing, because the socket is open.
    public func resume() {}

    /// Sends a message in one frame.
    public func send(_ message: Message) async throws {
        try await perform(on: writing) { [self] in
            switch message {
            case .string(let text): try write(.text, Data(text.utf8))
            case .data(let data): try write(.data, data)
            @unknown default: throw URLError(.unknown)
            }
        }
    }

    /// Returns the next message, from one frame or several.
    public func receive() async throws -> Message {
        try await perform(on: reading) { [self] in try message() }
    }

    /// Sends a ping; its answer is read with the next messages.
    public func sendPing(pongReceiveHandler: @escaping @Sendable ((any Error)?) -> Void) {
        lock.withLock { pongs.append(pongReceiveHandler) }
        writing.async { [self] in try? write(.ping, Data()) }
    }

    /// Ends the connection.
    public func cancel() { socket.shutDown() }

    /// Sends a close.
    public func cancel(with closeCode: CloseCode, reason: Data?) {
        lock.withLock { close = (closeCode, reason) }
        let code = UInt16(closeCode.rawValue)
        writing.async { [self] in
            try? write(.close, Data([UInt8(code >> 8), UInt8(code & 255)]) + (reason ?? Data()))
            socket.finishSending()
        }
    }

    // MARK: Frames

    private func message() throws -> Message {
        var (kind, content) = (Opcode.text, Data())
        while true {
            let head = [UInt8](try read(2))
            let (isLast, opcode) = (head[0] & 128 != 0, Opcode(rawValue: head[0] & 15))
            var length = Int(head[1] & 127)
            if length >= 126 {
                length = try read(length == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) }
            }
            let payload = try read(length)
            switch opcode {
            case .close?:
                let code = payload.prefix(2).reduce(0) { $0 << 8 | Int($1) }
                lock.withLock {
                    close = (CloseCode(rawValue: code) ?? .invalid, payload.count > 2 ? payload.dropFirst(2) : nil)
                }
                try? write(.close, payload.prefix(2))
                throw POSIXError(.ENOTCONN)
            case .ping?: try write(.pong, payload)
            case .pong?: lock.withLock { pongs.isEmpty ? nil : pongs.removeFirst() }?(nil)
            case let opcode?:
                if opcode != .continuation { kind = opcode }
                content += payload
                guard isLast else { continue }
                return kind == .text ? .string(String(decoding: content, as: UTF8.self)) : .data(content)
            case nil: throw URLError(.badServerResponse)
            }
        }
    }

    private func write(_ opcode: Opcode, _ payload: Data) throws {
        var frame = Data([128 | opcode.rawValue])
        switch payload.count {
        case ..<126: frame.append(128 | UInt8(payload.count))
        case ..<65_536:
            frame.append(128 | 126)
            frame += withUnsafeBytes(of: UInt16(payload.count).bigEndian) { Data($0) }
        default:
            frame.append(128 | 127)
            frame += withUnsafeBytes(of: UInt64(payload.count).bigEndian) { Data($0) }
        }
        let mask: [UInt8] = [1, 2, 3, 4]
        frame += mask
        frame += payload.enumerated().map { $1 ^ mask[$0 % 4] }
        try socket.send(frame)
    }

    private func read(_ count: Int) throws -> Data {
        while unread.count < count {
            let next = try socket.receive()
            if next.isEmpty { throw URLError(.networkConnectionLost) }
            unread += next
        }
        defer { unread = Data(unread.dropFirst(count)) }
        return Data(unread.prefix(count))
    }

    private func perform<Value: Sendable>(
        on queue: DispatchQueue,
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { call in
            queue.async { call.resume(with: Result(catching: work)) }
        }
    }
}
