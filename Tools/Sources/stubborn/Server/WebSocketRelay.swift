import FlyingFox
import Foundation
import StubbornNetwork

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The server's end of a client's web socket, which passes messages on to a socket of a network.
struct WebSocketRelay: WSHandler {
    let socket: any WebSocketConnection

    /// Returns the response that accepts a client's socket.
    static func response(to request: HTTPRequest, _ socket: any WebSocketConnection) async throws -> HTTPResponse {
        var response = try await WebSocketHTTPHandler(handler: Self(socket: socket)).handleRequest(request)
        // Many clients offer one protocol, and close the socket if the server does not choose it.
        let offered = request.headers[protocolField]?.split(separator: ",").first
        if response.statusCode == .switchingProtocols, let offered {
            response.headers[protocolField] = offered.trimmingCharacters(in: .whitespaces)
        }
        return response
    }

    private static let protocolField = HTTPHeader("Sec-WebSocket-Protocol")

    func makeFrames(for client: AsyncThrowingStream<WSFrame, any Error>) async throws -> AsyncStream<WSFrame> {
        let (frames, server) = AsyncStream.makeStream(of: WSFrame.self)
        let sending = Task {
            try? await send(client, answering: server)
            socket.cancel()
            server.finish()
        }
        let receiving = Task {
            do {
                while true { server.yield(Self.frame(try await socket.receive())) }
            } catch let error as StubbornNetworkError {
                Output.say(error.description)
                server.yield(.close(code: WSCloseCode(1011, reason: "No frame is left.")))
                server.finish()
            } catch {
                // Without a close, the connection is lost.
                if let code = UInt16(exactly: socket.closeCode.rawValue), code > 0 {
                    let reason = socket.closeReason.map { String(decoding: $0, as: UTF8.self) } ?? ""
                    var close = WSFrame.close(code: WSCloseCode(code, reason: reason))
                    // These codes are never sent (RFC 6455, section 7.4.1).
                    if [1005, 1006, 1015].contains(code) { close.payload = Data() }
                    server.yield(close)
                }
                server.finish()
            }
        }
        server.onTermination = { _ in
            sending.cancel()
            receiving.cancel()
        }
        return frames
    }

    /// Sends the client's messages, until it closes the socket.
    private func send(
        _ client: AsyncThrowingStream<WSFrame, any Error>,
        answering server: AsyncStream<WSFrame>.Continuation
    ) async throws {
        var message = WSFrame(fin: true, opcode: .text, mask: nil, payload: Data())
        for try await frame in client {
            switch frame.opcode {
            case .ping: server.yield(WSFrame(fin: true, opcode: .pong, mask: nil, payload: frame.payload))
            case .pong: break
            case .close:
                let code = frame.payload.prefix(2).reduce(0) { $0 << 8 | Int($1) }
                let reason = frame.payload.count > 2 ? Data(frame.payload.dropFirst(2)) : nil
                socket.cancel(with: .init(rawValue: code) ?? .normalClosure, reason: reason)
                server.yield(WSFrame(fin: true, opcode: .close, mask: nil, payload: frame.payload))
                return
            default:
                if frame.opcode == .continuation { message.payload += frame.payload } else { message = frame }
                guard frame.fin else { continue }
                let isText = message.opcode == .text
                try await socket.send(
                    isText ? .string(String(decoding: message.payload, as: UTF8.self)) : .data(message.payload)
                )
            }
        }
    }

    private static func frame(_ message: URLSessionWebSocketTask.Message) -> WSFrame {
        switch message {
        case .string(let text): WSFrame(fin: true, opcode: .text, mask: nil, payload: Data(text.utf8))
        case .data(let data): WSFrame(fin: true, opcode: .binary, mask: nil, payload: data)
        @unknown default: WSFrame(fin: true, opcode: .binary, mask: nil, payload: Data())
        }
    }
}

extension WebSocketConnection {
    /// Waits until the server has accepted the socket.
    func waitUntilOpen() async throws {
        try await withCheckedThrowingContinuation { (call: CheckedContinuation<Void, any Error>) in
            sendPing { error in call.resume(with: error.map { .failure($0) } ?? .success(())) }
        }
    }
}

extension HTTPRequest {
    /// A Boolean value that indicates whether the client asks for a web socket.
    var isWebSocket: Bool { headers[.upgrade]?.lowercased() == "websocket" }
}
