#if canImport(FoundationNetworking)
    import FlyingSocks
    import Foundation
    import FoundationNetworking
    import StubbornNetwork
    @_spi(Tools) import StubbornNetworkTooling

    /// A client's web socket (RFC 6455) without TLS to an IPv4 address, for Linux, where most builds of libcurl have none.
    final class PlainWebSocket: WebSocketConnection {
        private let connection: AsyncSocket
        private let output: AsyncStream<Data>.Continuation
        private let pongs = Locked<[@Sendable ((any Error)?) -> Void]>([])
        private let closing = Locked(WebSocketClose(.invalid, nil))

        /// Opens a socket; `nil` for a server that needs TLS or has a name other than `localhost`.
        ///
        /// - Throws: `URLError(.badServerResponse)` if the server refuses the socket.
        init?(_ request: URLRequest) async throws {
            guard let url = request.url, url.scheme == "ws", let target = RequestTarget(url),
                let address = try? sockaddr_in.inet(
                    ip4: url.host == "localhost" ? "127.0.0.1" : url.host ?? "",
                    port: UInt16(url.port ?? 80)
                )
            else { return nil }
            do {
                connection = try await AsyncSocket.connected(to: address)
            } catch is SocketError {
                throw URLError(.cannotConnectToHost)
            }
            let (bytes, output) = AsyncStream.makeStream(of: Data.self)
            self.output = output
            let key = Data((0..<16).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString()
            var lines = ["GET \(target.path) HTTP/1.1", "Host: \(target.host)", "Upgrade: websocket"]
            lines += ["Connection: Upgrade", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: \(key)"]
            lines += (request.allHTTPHeaderFields ?? [:]).map { "\($0.key): \($0.value)" }
            output.yield(Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8))
            // Messages are written one after the other.
            Task { [connection] in
                for await bytes in bytes { try await connection.write(bytes) }
                try connection.close()
            }
            var head: [UInt8] = []
            while !head.suffix(4).elementsEqual("\r\n\r\n".utf8), head.count < 1 << 16 {
                head += try await read(1)
            }
            guard head.starts(with: "HTTP/1.1 101".utf8) else { throw URLError(.badServerResponse) }
        }

        deinit { output.finish() }

        var closeCode: URLSessionWebSocketTask.CloseCode { closing.withLock { $0.code } }
        var closeReason: Data? { closing.withLock { $0.reason } }

        func resume() {}

        func send(_ message: URLSessionWebSocketTask.Message) async throws {
            write(message.isText ? 1 : 2, message.payload)
        }

        func receive() async throws -> URLSessionWebSocketTask.Message {
            do {
                return try await message()
            } catch {
                for handler in pongs.withLock({ $0 }) { handler(error) }
                throw error
            }
        }

        private func message() async throws -> URLSessionWebSocketTask.Message {
            var (isText, content) = (true, Data())
            while true {
                let head = try await read(2)
                var length = Int(head[1] & 127)
                if length >= 126 {
                    length = try await read(length == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) }
                }
                let payload = Data(try await read(length))
                switch head[0] & 15 {
                case 8:
                    closing.withLock { $0 = WebSocketClose(payload: payload) }
                    write(8, payload.prefix(2))
                    throw POSIXError(.ENOTCONN)
                case 9: write(10, payload)
                case 10: pongs.withLock { $0.isEmpty ? nil : $0.removeFirst() }?(nil)
                case let opcode:
                    if opcode != 0 { (isText, content) = (opcode == 1, Data()) }
                    content += payload
                    if head[0] & 128 == 0 { continue }
                    return .init(isText: isText, content)
                }
            }
        }

        private func read(_ count: Int) async throws -> [UInt8] {
            do {
                return count == 0 ? [] : try await connection.read(bytes: count)
            } catch is SocketError {
                throw URLError(.networkConnectionLost)
            }
        }

        func sendPing(pongReceiveHandler: @escaping @Sendable ((any Error)?) -> Void) {
            pongs.withLock { $0.append(pongReceiveHandler) }
            write(9, Data())
        }

        /// Ends the connection.
        ///
        /// Its file is closed later, because a call of `receive()` may be reading it.
        func cancel() { _ = shutdown(connection.socket.file.rawValue, Int32(SHUT_RDWR)) }

        func cancel(with closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?) {
            let close = WebSocketClose(closeCode, reason)
            closing.withLock { $0 = close }
            write(8, close.payload)
        }

        private func write(_ opcode: UInt8, _ payload: Data) {
            var frame = Data([128 | opcode])
            switch payload.count {
            case ..<126: frame.append(128 | UInt8(payload.count))
            case ..<65_536: frame += [254] + withUnsafeBytes(of: UInt16(payload.count).bigEndian) { Data($0) }
            default: frame += [255] + withUnsafeBytes(of: UInt64(payload.count).bigEndian) { Data($0) }
            }
            let mask = (0..<4).map { _ in UInt8.random(in: .min ... .max) }
            frame += mask
            frame += payload.enumerated().map { $1 ^ mask[$0 % 4] }
            output.yield(frame)
        }
    }
#endif
