import Foundation
import NIOCore
import NIOSSL

/// The server that a client has requested by `CONNECT`.
struct Tunnel: Sendable {
    /// The name or address, in lower case, without brackets.
    let host: String
    let port: Int
    /// A Boolean value that indicates whether the client speaks TLS in the tunnel.
    var isSecure = true

    /// Reads `api.example.com:443` or `[::1]:8443`.
    init?(authority: Substring) {
        guard let colon = authority.lastIndex(of: ":"), let port = UInt16(authority[authority.index(after: colon)...]),
            port > 0
        else { return nil }
        var host = authority[..<colon]
        if host.hasPrefix("[") {
            guard host.hasSuffix("]") else { return nil }
            host = host.dropFirst().dropLast()
            guard host.contains(":"), IPAddress(String(host)) != nil else { return nil }
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"/?#@%\\".utf8.contains($0) }) else {
            return nil
        }
        self.host = host.lowercased()
        self.port = Int(port)
    }

    /// Reads the server of a whole URL, as clients send it to a proxy for `http://`.
    init?(url: String) {
        guard let start = url.range(of: "://") else { return nil }
        let scheme = url[..<start.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" else { return nil }
        var authority = url[start.upperBound...].prefix { !"/?#".contains($0) }
        if let user = authority.lastIndex(of: "@") { authority = authority[authority.index(after: user)...] }
        let hasPort = authority.last != "]" && authority.dropFirst(authority.hasPrefix("[") ? 1 : 0).contains(":")
        let port = scheme == "https" ? 443 : 80
        self.init(authority: hasPort ? authority : "\(authority):\(port)")
        isSecure = scheme == "https"
    }

    /// Returns the path and the query of the target of a request, which is a path or a whole URL.
    func path(of target: String) -> String {
        guard !target.hasPrefix("/"), let start = target.range(of: "://") else { return target }
        let path = target[start.upperBound...].drop { !"/?#".contains($0) }
        return path.hasPrefix("/") ? String(path) : "/" + path
    }

    /// The scheme, host and port, without the scheme's own port: `https://api.example.com`.
    var origin: String { "\(isSecure ? "https" : "http")://\(authority)" }

    /// The scheme, host and port of the server's web sockets: `wss://api.example.com`.
    var webSocketOrigin: String { "\(isSecure ? "wss" : "ws")://\(authority)" }

    /// The host, and the port if it is not the scheme's own.
    var authority: String {
        let isOwnPort = port == (isSecure ? 443 : 80)
        return hostInURL + (isOwnPort ? "" : ":\(port)")
    }

    /// Returns a Boolean value that indicates whether a `Host` field names this server.
    func isNamed(by field: String) -> Bool {
        let isOwnPort = port == (isSecure ? 443 : 80)
        return field.lowercased() == "\(hostInURL):\(port)" || isOwnPort && field.lowercased() == hostInURL
    }

    private var hostInURL: String { host.contains(":") ? "[\(host)]" : host }
}

/// Finds out the purpose of a new connection, and sets up its channel for it.
///
/// A `CONNECT` is answered, and then TLS or plain HTTP follows: clients also request `http://` URLs through tunnels. A connection
/// that begins in a different way is for requests with whole URLs.
final class TunnelHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer
    typealias Requests = NIOAsyncChannel<ReceivedPart, SentPart>

    /// A connection that is ready for requests.
    struct Connection: Sendable {
        let requests: Requests
        /// `nil` if requests have whole URLs.
        let tunnel: Tunnel?
    }

    private enum State {
        case opening
        case connected(Tunnel)
        case done
    }

    private static let maximumHeadByteCount = 1 << 16

    private let authority: CertificateAuthority
    private let connection: EventLoopPromise<Connection>
    private var state = State.opening
    private var received = ByteBuffer()

    init(_ authority: CertificateAuthority, connection: EventLoopPromise<Connection>) {
        self.authority = authority
        self.connection = connection
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .done = state { return context.fireChannelRead(data) }
        var bytes = unwrapInboundIn(data)
        received.writeBuffer(&bytes)
        advance(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        // Does nothing after `begin`. There is no other event for a channel that closes before it is active.
        connection.fail(ChannelError.eof)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if case .done = state { return context.fireErrorCaught(error) }
        fail(error, context)
    }

    private func advance(_ context: ChannelHandlerContext) {
        if case .opening = state {
            let keyword = "CONNECT ".utf8
            guard received.readableBytesView.starts(with: keyword) else {
                // This may be only a part of the word.
                if keyword.starts(with: received.readableBytesView) { return }
                return begin(nil, context)
            }
            guard let head = readHead() else {
                if received.readableBytes > Self.maximumHeadByteCount {
                    refuse("431 Request Header Fields Too Large", context)
                }
                return
            }
            let words = head.prefix { $0 != "\r\n" && $0 != "\n" }.split(separator: " ")
            guard words.count == 3, words[2].hasPrefix("HTTP/1."), let tunnel = Tunnel(authority: words[1]) else {
                return refuse("400 Bad Request", context)
            }
            state = .connected(tunnel)
            let answer = ByteBuffer(string: "HTTP/1.1 200 Connection Established\r\n\r\n")
            context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
        }
        if case .connected(var tunnel) = state, let first = received.readableBytesView.first {
            // The first byte of TLS (RFC 8446, section 5.1); no method begins with it.
            tunnel.isSecure = first == 0x16
            begin(tunnel, context)
        }
    }

    /// Removes and returns the bytes up to an empty line.
    private func readHead() -> Substring? {
        let view = received.readableBytesView
        guard let end = view.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound else { return nil }
        return received.readString(length: end - view.startIndex).map { $0[...] }
    }

    private func begin(_ tunnel: Tunnel?, _ context: ChannelHandlerContext) {
        state = .done
        do {
            let pipeline = context.pipeline.syncOperations
            if let tunnel, tunnel.isSecure {
                try pipeline.addHandler(NIOSSLServerHandler(context: authority.context(for: tunnel.host)))
            }
            try HTTPParts.addHandlers(to: pipeline)
            connection.succeed(
                Connection(requests: try Requests(wrappingChannelSynchronously: context.channel), tunnel: tunnel)
            )
        } catch {
            return fail(error, context)
        }
        context.fireChannelRead(wrapInboundOut(received))
        context.fireChannelReadComplete()
        received.clear()
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    private func refuse(_ status: String, _ context: ChannelHandlerContext) {
        state = .done
        let answer = ByteBuffer(string: "HTTP/1.1 \(status)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(answer)).whenComplete { _ in channel.close(promise: nil) }
        connection.fail(ChannelError.inputClosed)
    }

    private func fail(_ error: any Error, _ context: ChannelHandlerContext) {
        connection.fail(error)
        context.close(promise: nil)
    }
}
