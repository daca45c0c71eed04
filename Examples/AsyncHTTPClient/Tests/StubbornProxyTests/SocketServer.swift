import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket
import StubbornNetwork

@testable import StubbornProxy

typealias WebSocketFrame = NIOWebSocket.WebSocketFrame

/// A server of web sockets without TLS.
///
/// Each path is a behavior: `/echo` returns messages, and `/hello` first sends "hello" together with its response; `/bye` answers
/// one message and closes with 1001 and "restart", and `/drop` answers one and closes the connection; `/sink` answers nothing, and
/// `/refuse` answers the request with 403.
final class SocketServer: Sendable {
    /// The payloads of the messages and closes that were received.
    let received: NIOLockedValueBox<[ByteBuffer]>
    let port: Int
    private let channel: any Channel

    init() async throws {
        let received = NIOLockedValueBox<[ByteBuffer]>([])
        self.received = received
        channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let upgrader = NIOWebSocketServerUpgrader(maxFrameSize: 1 << 26) { channel, head in
                        let fields: HTTPHeaders? = head.uri == "/refuse" ? nil : [:]
                        return channel.eventLoop.makeSucceededFuture(fields)
                    } upgradePipelineHandler: { channel, head in
                        channel.eventLoop.makeCompletedFuture {
                            let handler = SocketHandler(path: head.uri, received: received)
                            try channel.pipeline.syncOperations.addHandlers([NIOWebSocketFrameAggregator(), handler])
                        }
                    }
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline(withServerUpgrade: ([upgrader], Refusal.remove))
                    try pipeline.addHandler(Refusal())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    func stop() async throws { try await channel.close() }
}

/// Refuses the requests that are not upgraded.
private final class Refusal: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    static let remove: @Sendable (ChannelHandlerContext) -> Void = { context in
        let pipeline = context.pipeline.syncOperations
        if let own = try? pipeline.context(handlerType: Refusal.self) {
            pipeline.removeHandler(context: own, promise: nil)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .end = unwrapInboundIn(data) else { return }
        let head = HTTPResponseHead(version: .http1_1, status: .forbidden, headers: ["Content-Length": "0"])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}

private final class SocketHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let path: String
    private let received: NIOLockedValueBox<[ByteBuffer]>

    init(path: String, received: NIOLockedValueBox<[ByteBuffer]>) {
        (self.path, self.received) = (path, received)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        guard path.hasPrefix("/hello") else { return }
        let frame = WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: "hello"))
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        let channel = context.channel
        func write(_ opcode: WebSocketOpcode, _ data: ByteBuffer) -> EventLoopFuture<Void> {
            context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: opcode, data: data)))
        }
        switch frame.opcode {
        case .text, .binary:
            received.withLockedValue { $0.append(frame.unmaskedData) }
            if path == "/sink" { return }
            let written = write(frame.opcode, frame.unmaskedData)
            if path == "/bye" { _ = write(.connectionClose, ByteBuffer(bytes: [3, 233] + "restart".utf8)) }
            if path == "/drop" { written.whenComplete { _ in channel.close(promise: nil) } }
        case .connectionClose:
            received.withLockedValue { $0.append(frame.unmaskedData) }
            write(.connectionClose, frame.unmaskedData).whenComplete { _ in channel.close(promise: nil) }
        case .ping: _ = write(.pong, frame.unmaskedData)
        default: break
        }
    }
}

extension UpstreamWebSocket {
    /// Opens a web socket through a proxy, with `CONNECT`.
    static func open(_ url: String, through proxy: StubbornProxy, protocols: String? = nil) async throws
        -> UpstreamWebSocket
    {
        guard let server = Tunnel(url: "http" + url.dropFirst(2)), let target = URL(string: url) else {
            throw URLError(.badURL)
        }
        var request = URLRequest(url: target)
        request.setValue(protocols, forHTTPHeaderField: "Sec-WebSocket-Protocol")
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates([proxy.certificate])
        let context = server.isSecure ? try NIOSSLContext(configuration: tls) : nil
        let tunnel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: proxy.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let isOpen = channel.eventLoop.makePromise(of: Void.self)
                    let handler = TunnelOpener(to: "\(server.host):\(server.port)", isOpen: isOpen)
                    try channel.pipeline.syncOperations.addHandler(handler)
                    return isOpen.futureResult.map { channel }
                }
            }
        let channel = try await tunnel.get()
        let socket = try await channel.eventLoop.submit { [request] in
            let opener = try channel.pipeline.syncOperations.context(handlerType: TunnelOpener.self)
            channel.pipeline.syncOperations.removeHandler(context: opener, promise: nil)
            return try addHandlers(to: channel, server, request, context)
        }.get()
        return try await socket.get()
    }
}

/// Opens a tunnel.
private final class TunnelOpener: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let authority: String
    private let isOpen: EventLoopPromise<Void>

    init(to authority: String, isOpen: EventLoopPromise<Void>) {
        (self.authority, self.isOpen) = (authority, isOpen)
    }

    func channelActive(context: ChannelHandlerContext) {
        let text = "CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n\r\n"
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
    }

    // The response is short, and the proxy sends it at once.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) { isOpen.succeed() }

    func handlerRemoved(context: ChannelHandlerContext) { isOpen.fail(ChannelError.eof) }
}
