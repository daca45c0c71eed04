import Foundation
import NIOCore
import NIOFoundationCompat
import NIOWebSocket
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A client's web socket, and the socket of a network that answers it.
struct WebSocketRelay: Sendable {
    let socket: any WebSocketConnection
    let channel: any Channel
    let writer: ProxyConnection.Writer
    /// Gets the reason why the socket ends, unless one of its sides ends it.
    let report: @Sendable (String) -> Void

    /// The time that a client has to answer a close.
    private static let patience = TimeAmount.seconds(5)

    /// Passes messages on, until one of the sides ends the socket.
    func run(_ client: inout NIOAsyncChannelInboundStream<ReceivedPart>.AsyncIterator) async throws {
        let receiving = Task { await passMessagesToClient() }
        let result: Result<Void, any Error>
        do {
            while case .frame(let frame)? = try await client.next(), try await pass(frame) {}
            result = .success(())
        } catch {
            switch error {
            case NIOWebSocketError.invalidFrameLength,
                NIOWebSocketFrameAggregator.Error.accumulatedFrameSizeIsTooLarge:
                report("the client's message has more than 64 MB")
            case is NIOWebSocketError, is NIOWebSocketFrameAggregator.Error:
                report("the client's frames are invalid: \(error)")
            default: break
            }
            result = .failure(error)
        }
        socket.cancel()
        await receiving.value
        try result.get()
    }

    /// Passes a frame of the client to the socket.
    ///
    /// - Returns: A Boolean value that indicates whether the socket is still open.
    private func pass(_ frame: WebSocketFrame) async throws -> Bool {
        let payload = Data(buffer: frame.unmaskedData)
        switch frame.opcode {
        case .text, .binary:
            // If the socket has ended, `receive()` throws the error too.
            try? await socket.send(.init(isText: frame.opcode == .text, payload))
        case .ping: try await write(.pong, payload)
        case .connectionClose:
            socket.close(as: WebSocketClose(payload: payload))
            return false
        default: break
        }
        return true
    }

    /// Passes the socket's messages to the client, and its end.
    private func passMessagesToClient() async {
        do {
            while true {
                let message = try await socket.receive()
                try await write(message.isText ? .text : .binary, message.payload)
            }
        } catch {
            if let error = error as? StubbornNetworkError { report(error.description) }
            guard let close = socket.close(after: error) else {
                try? await writer.write(.end)
                return
            }
            try? await write(.connectionClose, close.payload)
            channel.eventLoop.scheduleTask(in: Self.patience) { [channel] in channel.close(promise: nil) }
        }
    }

    private func write(_ opcode: WebSocketOpcode, _ payload: Data) async throws {
        try await writer.write(.frame(WebSocketFrame(fin: true, opcode: opcode, data: ByteBuffer(data: payload))))
    }
}
