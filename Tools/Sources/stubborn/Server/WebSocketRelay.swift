import FlyingFox
import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The server's end of a client's web socket, which passes messages on to a socket of a network.
struct WebSocketRelay: WSHandler {
    let socket: any WebSocketConnection

    /// Returns the response that accepts a client's socket.
    static func response(to request: HTTPRequest, _ socket: any WebSocketConnection) async throws -> HTTPResponse {
        var response = try await WebSocketHTTPHandler(handler: Self(socket: socket)).handleRequest(request)
        if response.statusCode == .switchingProtocols {
            response.headers[HTTPHeader("Sec-WebSocket-Protocol")] =
                ForwardedFields.ofRequest(request.headers).webSocketProtocol
        }
        return response
    }

    func makeFrames(for client: AsyncThrowingStream<WSFrame, any Error>) async throws -> AsyncStream<WSFrame> {
        let (frames, server) = AsyncStream.makeStream(of: WSFrame.self)
        let sending = Task {
            try? await send(client, answering: server)
            socket.cancel()
            server.finish()
        }
        let receiving = Task {
            do {
                while true {
                    let message = try await socket.receive()
                    server.yield(Self.frame(message.isText ? .text : .binary, message.payload))
                }
            } catch {
                if let error = error as? StubbornNetworkError { Output.say(error.description) }
                // Without a close, the connection is lost.
                if let close = socket.close(after: error) { server.yield(Self.frame(.close, close.payload)) }
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
        var message = Self.frame(.text, Data())
        for try await frame in client {
            switch frame.opcode {
            case .ping: server.yield(Self.frame(.pong, frame.payload))
            case .pong: break
            case .close:
                socket.close(as: WebSocketClose(payload: frame.payload))
                server.yield(Self.frame(.close, frame.payload))
                return
            default:
                if frame.opcode == .continuation { message.payload += frame.payload } else { message = frame }
                guard frame.fin else { continue }
                try await socket.send(.init(isText: message.opcode == .text, message.payload))
            }
        }
    }

    private static func frame(_ opcode: WSFrame.Opcode, _ payload: Data) -> WSFrame {
        WSFrame(fin: true, opcode: opcode, mask: nil, payload: payload)
    }
}

extension HTTPRequest {
    /// A Boolean value that indicates whether the client asks for a web socket.
    var isWebSocket: Bool { headers[.upgrade]?.lowercased() == "websocket" }
}
