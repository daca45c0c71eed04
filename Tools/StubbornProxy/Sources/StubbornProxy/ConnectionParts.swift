import NIOCore
import NIOHTTP1
import NIOWebSocket

/// A frame on the wire; `StubbornNetwork` has a type of this name for recorded ones.
typealias WebSocketFrame = NIOWebSocket.WebSocketFrame

/// A part of what a client sends.
enum ReceivedPart: Sendable {
    case request(HTTPServerRequestPart)
    /// A frame of a web socket with a whole message, or a control frame.
    case frame(WebSocketFrame)
}

/// A part of what a client gets.
enum SentPart: Sendable {
    case response(HTTPServerResponsePart)
    /// The response that accepts a web socket: only frames follow.
    case upgrade(HTTPResponseHead)
    case frame(WebSocketFrame)
    /// The end of a web socket's connection, after all its frames are written.
    case end
}

/// Passes on the parts of requests and responses, until a web socket is accepted.
final class HTTPParts: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = ReceivedPart
    typealias OutboundIn = SentPart
    typealias OutboundOut = HTTPServerResponsePart

    /// The handlers that a web socket does not have.
    private let codec: [any RemovableChannelHandler]

    private init(_ codec: [any RemovableChannelHandler]) {
        self.codec = codec
    }

    /// Adds the handlers of an HTTP server.
    static func addHandlers(to pipeline: ChannelPipeline.SynchronousOperations) throws {
        // The head of a response says how its body ends, even for a HEAD and for responses without a body.
        var encoding = HTTPResponseEncoder.Configuration()
        encoding.automaticallySetFramingHeaders = false
        let codec: [any RemovableChannelHandler] = [
            HTTPResponseEncoder(configuration: encoding),
            // After a request for an upgrade, it parses nothing, and keeps the bytes for the handlers of the web socket.
            ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes)),
            NIOHTTPResponseHeadersValidator(), HTTPServerProtocolErrorHandler(),
        ]
        try pipeline.addHandlers(codec + [HTTPParts(codec)])
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.fireChannelRead(wrapInboundOut(.request(unwrapInboundIn(data))))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .response(let part): context.write(wrapOutboundOut(part), promise: promise)
        case .upgrade(let head):
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: promise)
            let pipeline = context.pipeline.syncOperations
            let decoder = WebSocketFrameDecoder(maxFrameSize: NIOWebSocketFrameAggregator.maximumMessageByteCount)
            let handlers: [any ChannelHandler] = [
                WebSocketFrameEncoder(), ByteToMessageHandler(decoder), WebSocketProtocolErrorHandler(),
                NIOWebSocketFrameAggregator(), FrameParts(),
            ]
            do { try pipeline.addHandlers(handlers, position: .after(self)) } catch { context.fireErrorCaught(error) }
            for handler in codec + [self] { pipeline.removeHandler(handler, promise: nil) }
        case .frame, .end: promise?.fail(ChannelError.operationUnsupported)
        }
    }
}

/// Passes on the frames of a web socket.
private final class FrameParts: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = ReceivedPart
    typealias OutboundIn = SentPart
    typealias OutboundOut = WebSocketFrame

    private var lastFrame: EventLoopFuture<Void>?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.fireChannelRead(wrapInboundOut(.frame(unwrapInboundIn(data))))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .frame(let frame):
            let written = context.write(wrapOutboundOut(frame))
            written.cascade(to: promise)
            lastFrame = written
        case .end:
            let channel = context.channel
            // Closing a channel drops what is not written yet.
            (lastFrame ?? context.eventLoop.makeSucceededVoidFuture())
                .whenComplete { _ in channel.close(promise: promise) }
        case .response, .upgrade: promise?.fail(ChannelError.operationUnsupported)
        }
    }
}

extension NIOWebSocketFrameAggregator {
    /// The number of bytes that a message may have.
    static let maximumMessageByteCount = 1 << 26

    /// Creates a handler that joins the frames of a message.
    convenience init() {
        self.init(
            minNonFinalFragmentSize: 0,
            maxAccumulatedFrameCount: .max,
            maxAccumulatedFrameSize: Self.maximumMessageByteCount
        )
    }
}
