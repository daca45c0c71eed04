import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import NIOPosix
import NIOSSL
import StubbornNetwork

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The client that calls real servers, and verifies their certificates.
struct UpstreamClient: Sendable {
    private let client: HTTPClient
    private let tls: TLSConfiguration

    /// Creates a client, which has to be shut down.
    ///
    /// - Parameter certificates: Authorities that it trusts in addition to the system's.
    init(trusting certificates: [NIOSSLCertificate]) {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.additionalTrustRoots = [.certificates(certificates)]
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow)
        configuration.decompression = .enabled(limit: .none)
        // Header fields keep their spelling.
        configuration.httpVersion = .http1Only
        configuration.timeout = .init(connect: .seconds(30))
        // As many connections as the client of the proxy opens.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 4096
        // The client of the proxy decides whether to retry.
        configuration.connectionPool.retryConnectionEstablishment = false
        // A server closes an idle connection after some seconds, and a request could arrive at that moment.
        configuration.connectionPool.idleTimeout = .seconds(1)
        configuration.http1_1ConnectionDebugInitializer = { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
                try pipeline.addHandler(StatusCheck(), position: .after(decoder))
            }
        }
        self.tls = tls
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func shutDown() async throws { try await client.shutdown() }

    /// Opens a web socket.
    ///
    /// - Throws: A `URLError`, as a session does.
    func webSocket(with request: URLRequest) async throws -> any WebSocketConnection {
        try await UpstreamWebSocket.open(request, tls)
    }

    /// Sends a request, and returns the response when its head has arrived.
    ///
    /// - Throws: A `URLError` for an error of the transport, as a session does.
    func send(_ request: StubRequest) async throws -> StreamedResponse {
        var sent = HTTPClientRequest(url: request.url.absoluteString)
        sent.method = HTTPMethod(rawValue: request.method)
        for field in request.headerFields where !field.name.isField("Accept-Encoding") {
            sent.headers.add(name: field.name, value: field.value)
        }
        let encodings = request.headerFields.values(named: "Accept-Encoding")
        if !encodings.isEmpty {
            // The encodings that this client can decode: a stub's body has no encoding.
            let isCompressed = encodings.contains { $0.lowercased().contains("gzip") }
            sent.headers.add(name: "Accept-Encoding", value: isCompressed ? "gzip" : "identity")
        }
        sent.body = request.body.map { .bytes(ByteBuffer(data: $0)) }
        do {
            let response = try await client.execute(sent, deadline: .distantFuture)
            let head = ResponseHead(
                statusCode: Int(response.status.code),
                headers: HeaderFields(response.headers.map { .init(name: $0.name, value: $0.value) })
            )
            let isFramed = ["Content-Length", "Transfer-Encoding"].contains { head.headerFields[$0] != nil }
            let parts = Parts(body: response.body, url: request.url, endsWithConnection: !isFramed)
            return StreamedResponse(head: head, parts: parts)
        } catch {
            throw Self.transportError(error, request.url)
        }
    }

    /// The parts of a body, with the errors of a session.
    private struct Parts: AsyncSequence, Sendable {
        let body: HTTPClientResponse.Body
        let url: URL
        /// A Boolean value that indicates whether the end of the connection is the end of the body.
        let endsWithConnection: Bool

        func makeAsyncIterator() -> Iterator {
            Iterator(base: body.makeAsyncIterator(), url: url, endsWithConnection: endsWithConnection)
        }

        struct Iterator: AsyncIteratorProtocol {
            var base: HTTPClientResponse.Body.AsyncIterator
            let url: URL
            let endsWithConnection: Bool

            mutating func next() async throws -> Data? {
                do {
                    return try await base.next().map { Data(buffer: $0) }
                } catch NIOSSLError.uncleanShutdown where endsWithConnection {
                    // Many servers close the connection without the end of TLS (RFC 8446, section 6.1).
                    return nil
                } catch {
                    throw UpstreamClient.transportError(error, url)
                }
            }
        }
    }

    /// Returns the error that a session has for an error of this client.
    static func transportError(_ error: any Error, _ url: URL) -> any Error {
        let code: URLError.Code
        switch error {
        case is CancellationError: return error
        case let error as HTTPClientError:
            if error == .cancelled { return CancellationError() }
            let isTimeout = [.connectTimeout, .readTimeout, .tlsHandshakeTimeout].contains(error)
            code = isTimeout ? .timedOut : .networkConnectionLost
        case let error as NIOConnectionError:
            code = error.connectionErrors.isEmpty ? .cannotFindHost : .cannotConnectToHost
        case NIOSSLError.uncleanShutdown: code = .networkConnectionLost
        case is NIOSSLExtraError: code = .serverCertificateUntrusted
        case is NIOSSLError, is BoringSSLError:
            let isCertificate = "\(error)".contains("CERTIFICATE_VERIFY_FAILED")
            code = isCertificate ? .serverCertificateUntrusted : .secureConnectionFailed
        case is HTTPParserError: code = .badServerResponse
        default: code = .networkConnectionLost
        }
        return URLError(
            code,
            userInfo: [
                NSURLErrorFailingURLErrorKey: url,
                NSLocalizedDescriptionKey: text(of: code, error),
            ]
        )
    }

    private static func text(of code: URLError.Code, _ error: any Error) -> String {
        switch code {
        case .timedOut: "The server did not answer in time."
        case .cannotFindHost: "The server's name is not known."
        case .cannotConnectToHost: "The server refused the connection."
        case .serverCertificateUntrusted: "The server's certificate is not valid, or its authority is not trusted here."
        // The error contains paths of the machine that built this program.
        case .secureConnectionFailed:
            "No secure connection to the server was made. Client certificates are not supported."
        case .badServerResponse: "The server's response is not HTTP: \(error)"
        default: "The connection to the server was lost: \(error)"
        }
    }
}

/// Ends a connection whose server sends a status below 100, which HTTP does not have.
///
/// AsyncHTTPClient (1.37) treats its head as that of a preliminary response, and ends the process at its body.
private final class StatusCheck: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private var hasRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data), head.status.code < 100 {
            hasRefused = true
            context.fireErrorCaught(HTTPParserError.invalidStatus)
            context.close(promise: nil)
        }
        if !hasRefused { context.fireChannelRead(data) }
    }
}

extension String {
    /// Returns a Boolean value that indicates whether two names of header fields are the same.
    func isField(_ name: String) -> Bool { lowercased() == name.lowercased() }
}
