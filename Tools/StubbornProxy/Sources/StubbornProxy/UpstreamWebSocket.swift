import AsyncHTTPClient
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A web socket to a real server.
final class UpstreamWebSocket: WebSocketConnection {
    typealias Message = URLSessionWebSocketTask.Message
    typealias CloseCode = URLSessionWebSocketTask.CloseCode

    fileprivate struct State {
        var pongs: [@Sendable ((any Error)?) -> Void] = []
        var close = WebSocketClose(.invalid, nil)
    }

    /// The time that a server has to accept a socket.
    private static let patience = TimeAmount.seconds(60)
    /// The time that a server has to answer a close.
    private static let closingPatience = TimeAmount.seconds(5)

    let channel: any Channel
    private let url: URL
    private let messages: AsyncThrowingStream<Message, any Error>
    private let state = NIOLockedValueBox(State())

    /// Opens a socket.
    ///
    /// - Throws: A `URLError`, as a session does; `.badServerResponse` with the status if the server refuses the socket.
    static func open(_ request: URLRequest, _ tls: TLSConfiguration) async throws -> UpstreamWebSocket {
        guard let url = request.url, let server = Tunnel(url: "http" + url.absoluteString.dropFirst(2)) else {
            throw URLError(.badURL)
        }
        do {
            let context = server.isSecure ? try NIOSSLContext(configuration: tls) : nil
            let socket = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .connectTimeout(.seconds(30))
                .connect(host: server.host, port: server.port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try addHandlers(to: channel, server, request, context)
                    }
                }
            return try await socket.get()
        } catch let error as UpstreamRefusal {
            let text = "The server answered the WebSocket's request with the status \(error.status.code)."
            throw URLError(
                .badServerResponse,
                userInfo: [NSURLErrorFailingURLErrorKey: url, NSLocalizedDescriptionKey: text]
            )
        } catch ChannelError.inappropriateOperationForState {
            // The connection ended before the response.
            throw UpstreamClient.transportError(ChannelError.eof, url)
        } catch {
            throw UpstreamClient.transportError(error, url)
        }
    }

    /// Adds the handlers of a client to a channel.
    ///
    /// - Returns: The future socket.
    static func addHandlers(
        to channel: any Channel,
        _ server: Tunnel,
        _ request: URLRequest,
        _ tls: NIOSSLContext?
    ) throws -> EventLoopFuture<UpstreamWebSocket> {
        let url = request.url ?? URL(fileURLWithPath: "/")
        let pipeline = channel.pipeline.syncOperations
        if let tls {
            let name = IPAddress(server.host) == nil ? server.host : nil
            try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: name))
        }
        var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: server.path(of: url.absoluteString))
        for (name, value) in request.allHTTPHeaderFields ?? [:] { head.headers.add(name: name, value: value) }
        if !head.headers.contains(name: "Host") { head.headers.add(name: "Host", value: server.authority) }
        let upgrader = NIOTypedWebSocketClientUpgrader(
            maxFrameSize: NIOWebSocketFrameAggregator.maximumMessageByteCount
        ) { channel, _ in
            channel.eventLoop.makeCompletedFuture { try UpstreamWebSocket(on: channel, to: url) }
        }
        let configuration = NIOTypedHTTPClientUpgradeConfiguration(upgradeRequestHead: head, upgraders: [upgrader]) {
            // `RefusalCheck` has failed before.
            $0.eventLoop.makeFailedFuture(ChannelError.inputClosed)
        }
        var pipelineConfiguration = NIOUpgradableHTTPClientPipelineConfiguration(upgradeConfiguration: configuration)
        // The server's first frame may arrive together with its response.
        pipelineConfiguration.leftOverBytesStrategy = .forwardBytes
        let socket = try pipeline.configureUpgradableHTTPClientPipeline(configuration: pipelineConfiguration)
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
        try pipeline.addHandler(RefusalCheck(), position: .after(decoder))
        let limit = channel.eventLoop.scheduleTask(in: patience) {
            channel.pipeline.fireErrorCaught(HTTPClientError.readTimeout)
            channel.close(promise: nil)
        }
        socket.whenComplete { _ in limit.cancel() }
        return socket
    }

    private init(on channel: any Channel, to url: URL) throws {
        let (messages, received) = AsyncThrowingStream.makeStream(of: Message.self)
        (self.channel, self.url, self.messages) = (channel, url, messages)
        let receiver = FrameReceiver(received: received, state: state, url: url)
        try channel.pipeline.syncOperations.addHandlers([NIOWebSocketFrameAggregator(), receiver])
    }

    deinit {
        // A socket that was closed ends with the server's answer.
        if closeCode == .invalid { cancel() }
    }

    var closeCode: CloseCode { state.withLockedValue { $0.close.code } }
    var closeReason: Data? { state.withLockedValue { $0.close.reason } }

    func resume() {}

    func send(_ message: Message) async throws {
        do {
            try await write(message.isText ? .text : .binary, message.payload).get()
        } catch {
            throw UpstreamClient.transportError(error, url)
        }
    }

    func receive() async throws -> Message {
        var messages = messages.makeAsyncIterator()
        guard let message = try await messages.next() else { throw POSIXError(.ENOTCONN) }
        return message
    }

    func sendPing(pongReceiveHandler: @escaping @Sendable ((any Error)?) -> Void) {
        state.withLockedValue { $0.pongs.append(pongReceiveHandler) }
        write(.ping, Data()).whenFailure { [state] in state.failPings($0) }
    }

    func cancel() { channel.close(promise: nil) }

    func cancel(with closeCode: CloseCode, reason: Data?) {
        let close = WebSocketClose(closeCode, reason)
        state.withLockedValue { $0.close = close }
        _ = write(.connectionClose, close.payload)
        channel.eventLoop.scheduleTask(in: Self.closingPatience) { [channel] in channel.close(promise: nil) }
    }

    private func write(_ opcode: WebSocketOpcode, _ payload: Data) -> EventLoopFuture<Void> {
        channel.writeAndFlush(
            WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: ByteBuffer(data: payload))
        )
    }
}

extension NIOLockedValueBox<UpstreamWebSocket.State> {
    /// Ends the pings that the server has not answered.
    fileprivate func failPings(_ error: any Error) {
        let pongs = withLockedValue { state in
            defer { state.pongs = [] }
            return state.pongs
        }
        for pong in pongs { pong(error) }
    }
}

/// Receives the frames of a real server.
private final class FrameReceiver: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let received: AsyncThrowingStream<UpstreamWebSocket.Message, any Error>.Continuation
    private let state: NIOLockedValueBox<UpstreamWebSocket.State>
    private let url: URL

    init(
        received: AsyncThrowingStream<UpstreamWebSocket.Message, any Error>.Continuation,
        state: NIOLockedValueBox<UpstreamWebSocket.State>,
        url: URL
    ) {
        (self.received, self.state, self.url) = (received, state, url)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        let payload = Data(buffer: frame.unmaskedData)
        switch frame.opcode {
        case .text, .binary: received.yield(.init(isText: frame.opcode == .text, payload))
        case .ping: write(.pong, frame.unmaskedData, context)
        case .pong: state.withLockedValue { $0.pongs.isEmpty ? nil : $0.pongs.removeFirst() }?(nil)
        case .connectionClose:
            let close = WebSocketClose(payload: payload)
            let isFirst = state.withLockedValue { state in
                defer { if state.close.code == .invalid { state.close = close } }
                return state.close.code == .invalid
            }
            end(with: POSIXError(.ENOTCONN))
            if isFirst { write(.connectionClose, frame.unmaskedData, context) }
            context.close(promise: nil)
        default: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(with: UpstreamClient.transportError(error, url))
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(with: UpstreamClient.transportError(ChannelError.eof, url))
        context.fireChannelInactive()
    }

    private func write(_ opcode: WebSocketOpcode, _ payload: ByteBuffer, _ context: ChannelHandlerContext) {
        let frame = WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: payload)
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }

    private func end(with error: any Error) {
        received.finish(throwing: error)
        state.failPings(error)
    }
}

/// The status of a server that refuses a web socket.
private struct UpstreamRefusal: Error {
    let status: HTTPResponseStatus
}

/// Ends a connection whose server refuses a web socket.
private final class RefusalCheck: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data), head.status != .switchingProtocols {
            context.fireErrorCaught(UpstreamRefusal(status: head.status))
            context.close(promise: nil)
            return
        }
        context.fireChannelRead(data)
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }
}
