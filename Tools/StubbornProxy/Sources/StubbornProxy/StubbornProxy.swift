import AsyncHTTPClient
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
@_spi(Tools) import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// A proxy for HTTP and HTTPS on the loopback interface that answers with a network's stubs.
///
/// Start it in a test for code that creates or takes its own client, such as AsyncHTTPClient's `HTTPClient`. The code
/// and its URLs are unchanged; the client gets a proxy and an authority to trust:
///
///     let proxy = try await StubbornProxy(for: .current)
///     var configuration = HTTPClient.Configuration()
///     configuration.proxy = .server(host: "127.0.0.1", port: proxy.port)
///     configuration.tlsConfiguration = .makeClientConfiguration()
///     configuration.tlsConfiguration?.trustRoots = .certificates([proxy.certificate])
///     …
///     await proxy.stop()
///
/// The certificates of the hosts are made when a client asks for them, and signed by an authority that exists in memory only. Each
/// request is handled by `streamedResponse(to:from:)`, and each web socket by `webSocket(with:from:)`. In `.playback` no packet
/// leaves the machine.
///
/// The proxy speaks HTTP/1.1, and listens on 127.0.0.1. A message of a web socket may have 64 MB.
public final class StubbornProxy: Sendable {
    /// The answer to a request of a client.
    public enum Answer: Sendable {
        case response(StreamedResponse)
        /// A web socket. The proxy opens it, and then accepts the client's.
        case webSocket(any WebSocketConnection)
    }

    /// Gets a line about a request, or about a connection that failed.
    public typealias Log = @Sendable (_ line: String, _ isProblem: Bool) -> Void

    /// The port on 127.0.0.1.
    public let port: Int

    /// The certificate of the authority that has signed the certificates of all hosts.
    public var certificate: NIOSSLCertificate { authority.certificate }

    /// The certificate of the authority, as the text of a CA file.
    public var certificatePEM: String { authority.pem }

    private let authority: CertificateAuthority
    private let work: Task<Void, Never>
    private let running: NIOLockedValueBox<Int>

    /// Starts a proxy that answers with a network's stubs, or calls real servers, depending on the network's mode.
    ///
    /// - Parameters:
    ///   - network: The network that decides, plays and records.
    ///   - port: The port on 127.0.0.1; 0 for a free one.
    ///   - certificates: Authorities of real servers that are trusted in addition to the system's.
    ///   - log: Gets a line about each request.
    /// - Throws: An error if the port cannot be used.
    public convenience init(
        for network: StubbornNetwork,
        port: Int = 0,
        trusting certificates: [NIOSSLCertificate] = [],
        log: @escaping Log = { _, _ in }
    ) async throws {
        let upstream = UpstreamClient(trusting: certificates)
        do {
            try await self.init(port: port, showing: { network.shownForm(of: $0) }, log: log) { request in
                if request.isWebSocket {
                    return .webSocket(
                        network.webSocket(with: request.urlRequest) { try await upstream.webSocket(with: $0) }
                    )
                }
                return .response(try await network.streamedResponse(to: request) { try await upstream.send($0) })
            } atEnd: {
                try? await upstream.shutDown()
            }
        } catch {
            try? await upstream.shutDown()
            throw error
        }
    }

    /// Starts a proxy.
    ///
    /// - Parameters:
    ///   - port: The port on 127.0.0.1; 0 for a free one.
    ///   - shown: Returns a request without its secrets, for the lines of `log`. By default, the URL has no path.
    ///   - log: Gets a line about each request.
    ///   - answer: Answers a request. Those for web sockets have the scheme `ws` or `wss`. A `StubbornNetworkError` becomes a
    ///     response with its text; at any other error the connection is closed, or a web socket is refused with the status 502.
    ///   - atEnd: Is called when the last connection has ended.
    /// - Throws: An error if the port cannot be used.
    public init(
        port: Int = 0,
        showing shown: @escaping @Sendable (StubRequest) -> StubRequest = {
            StubRequest(method: $0.method, url: URL(string: "/", relativeTo: $0.url)?.absoluteURL ?? $0.url)
        },
        log: @escaping Log = { _, _ in },
        answer: @escaping @Sendable (_ request: StubRequest) async throws -> Answer,
        atEnd: @escaping @Sendable () async -> Void = {}
    ) async throws {
        let authority = try CertificateAuthority()
        let running = NIOLockedValueBox(0)
        self.authority = authority
        self.running = running
        let tasks = ConnectionTasks()
        // The hosts that a client has sent a request to, or that were reported.
        let askedHosts = NIOLockedValueBox<Set<String>>([])
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let connection = channel.eventLoop.makePromise(of: TunnelHandler.Connection.self)
                    try channel.pipeline.syncOperations.addHandler(TunnelHandler(authority, connection: connection))
                    let new = NewConnection(channel: channel, connection: connection.futureResult)
                    tasks.add {
                        guard let connection = try? await new.get() else { return }
                        let tunnel = connection.tunnel
                        let host = tunnel.flatMap { $0.isSecure ? $0.host : nil }
                        let proxied = ProxyConnection(tunnel: tunnel, answer: answer, shown: shown, log: log) {
                            change in
                            running.withLockedValue { $0 += change }
                            _ = host.map { host in askedHosts.withLockedValue { $0.insert(host) } }
                        }
                        var hasRefused = false
                        do {
                            try await proxied.serve(connection.requests)
                        } catch NIOSSLError.uncleanShutdown {
                            // Many clients close a connection like this.
                        } catch {
                            hasRefused = error is NIOSSLError || error is BoringSSLError
                        }
                        // Some clients check the certificate after the handshake, and then close the connection without a message.
                        guard let host, askedHosts.withLockedValue({ $0.insert(host).inserted }) || hasRefused else {
                            return
                        }
                        log(
                            "\(host): the client ended TLS without a request, most often because it does not trust the proxy's "
                                + "CA file. wget takes the file as --ca-certificate=\"$SSL_CERT_FILE\".",
                            true
                        )
                    }
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        self.port = server.localAddress?.port ?? port
        work = Task {
            await withTaskCancellationHandler {
                try? await server.closeFuture.get()
            } onCancel: {
                server.close(promise: nil)
            }
            await tasks.cancelAll()
            await atEnd()
        }
    }

    deinit { work.cancel() }

    /// A Boolean value that indicates whether a request is being answered, or a web socket is open.
    public var isBusy: Bool { running.withLockedValue { $0 > 0 } }

    /// Closes all connections and the port.
    ///
    /// A request that is being answered is cancelled, and recorded as cancelled.
    public func stop() async {
        work.cancel()
        await work.value
    }

    /// Returns the environment variables that make most programs use the proxy.
    ///
    /// - Parameter path: A file with `certificatePEM`.
    /// - Returns: The names and values.
    public func environment(certificateFile path: String) -> [String: String] {
        let url = "http://127.0.0.1:\(port)"
        return [
            "HTTPS_PROXY": url, "https_proxy": url, "HTTP_PROXY": url, "http_proxy": url,
            "SSL_CERT_FILE": path, "CURL_CA_BUNDLE": path, "REQUESTS_CA_BUNDLE": path, "NODE_EXTRA_CA_CERTS": path,
            "GIT_SSL_CAINFO": path, "NODE_USE_ENV_PROXY": "1",
        ]
    }
}

/// A connection that may not have sent a request yet.
private struct NewConnection: Sendable {
    let channel: any Channel
    let connection: EventLoopFuture<TunnelHandler.Connection>

    /// Waits until the connection is ready for requests; a task that is cancelled closes it.
    func get() async throws -> TunnelHandler.Connection {
        try await withTaskCancellationHandler {
            try await connection.get()
        } onCancel: {
            channel.close(promise: nil)
        }
    }
}

/// The connections that are open.
///
/// A task group that discards the tasks that have ended needs macOS 14.
private final class ConnectionTasks: Sendable {
    private struct State {
        var next = 0
        var running: [Int: Task<Void, Never>] = [:]
        var isCancelled = false
    }

    private let state = NIOLockedValueBox(State())

    /// Starts a task.
    ///
    /// If all others have been cancelled, it is cancelled at once, as for a connection that arrived during the end.
    func add(_ body: @escaping @Sendable () async -> Void) {
        state.withLockedValue { state in
            let id = state.next
            state.next += 1
            // The task waits for the lock at its end, so it is in the table before it is removed.
            let task = Task {
                await body()
                self.state.withLockedValue { $0.running[id] = nil }
            }
            state.running[id] = task
            if state.isCancelled { task.cancel() }
        }
    }

    func cancelAll() async {
        let running = state.withLockedValue { state in
            state.isCancelled = true
            return Array(state.running.values)
        }
        for task in running { task.cancel() }
        for task in running { await task.value }
    }
}

extension HTTPClient.Configuration {
    /// Returns the configuration of a client that sends its requests through a proxy.
    public func sending(through proxy: StubbornProxy) -> Self {
        var configuration = self
        configuration.proxy = .server(host: "127.0.0.1", port: proxy.port)
        var tls = tlsConfiguration ?? .makeClientConfiguration()
        tls.trustRoots = .certificates([proxy.certificate])
        configuration.tlsConfiguration = tls
        return configuration
    }
}
