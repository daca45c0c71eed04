import LoopbackServer
import NIOCore
import NIOPosix
import NIOSSL

@testable import StubbornProxy

/// A server with TLS, on `https://localhost`: it passes the bytes on to a server without.
final class SecureServer: Sendable {
    /// The certificate of the authority that has signed the server's.
    let certificate: NIOSSLCertificate
    /// The same, as text.
    let certificatePEM: String
    private let channel: any Channel
    let port: Int

    /// Starts a server for the server that answers.
    convenience init(for server: LoopbackServer, named host: String = "localhost") async throws {
        try await self.init(forPort: Int(server.port), named: host)
    }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - serverPort: The port of the server that answers.
    ///   - host: The host in the certificate.
    /// - Throws: An error if there is no port.
    init(forPort serverPort: Int, named host: String = "localhost") async throws {
        let authority = try CertificateAuthority()
        certificate = authority.certificate
        certificatePEM = authority.pem
        channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.backlog, value: 256)
            .childChannelInitializer { client in
                client.eventLoop.makeCompletedFuture {
                    let context = try authority.context(for: host)
                    try client.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                }.flatMap {
                    ClientBootstrap(group: client.eventLoop).connect(host: "127.0.0.1", port: serverPort)
                }.flatMap { server in
                    client.eventLoop.makeCompletedFuture {
                        try client.pipeline.syncOperations.addHandler(Relay(to: server))
                        try server.pipeline.syncOperations.addHandler(Relay(to: client))
                    }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    func url(_ path: String) -> String { "https://localhost:\(port)\(path)" }

    func stop() async throws { try await channel.close() }
}

/// Passes what one channel reads to another one.
private final class Relay: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let other: any Channel

    init(to other: any Channel) {
        self.other = other
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        other.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
