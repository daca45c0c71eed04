import Crypto
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// One connection of a client: its requests are answered one after the other.
struct ProxyConnection: Sendable {
    let tunnel: Tunnel?
    let answer: @Sendable (StubRequest) async throws -> StubbornProxy.Answer
    /// Returns a request in the form for messages.
    let shown: @Sendable (StubRequest) -> StubRequest
    let log: StubbornProxy.Log
    /// Counts the requests that are being answered, and the web sockets.
    let count: @Sendable (_ change: Int) -> Void

    typealias Writer = NIOAsyncChannelOutboundWriter<SentPart>

    /// The use of a connection after a request.
    private enum Next {
        case request, end
        /// The relay of a web socket, and the response that accepts it.
        case webSocket(WebSocketRelay, HTTPResponseHead)
    }

    /// The fields that describe one connection (RFC 9110, section 7.6.1), and those that the client of the real server sets itself.
    private static let ofConnection: Set = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer",
        "transfer-encoding", "upgrade",
    ]

    /// Answers requests until one of the sides closes the connection.
    func serve(_ requests: TunnelHandler.Requests) async throws {
        let isWebSocket = NIOLockedValueBox(false)
        let work = Task {
            try await requests.executeThenClose { inbound, outbound in
                var parts = inbound.makeAsyncIterator()
                while case .request(.head(let head))? = try await parts.next() {
                    if head.headers["Expect"].contains(where: { $0.lowercased() == "100-continue" }) {
                        let head = HTTPResponseHead(version: head.version, status: .continue)
                        try await outbound.write(.response(.head(head)))
                    }
                    var body = Data()
                    while case .request(.body(let bytes))? = try await parts.next() {
                        body.append(contentsOf: bytes.readableBytesView)
                    }
                    // A client that disconnected in the middle of its request.
                    guard !Task.isCancelled else { return }
                    count(1)
                    defer { count(-1) }
                    switch try await respond(to: head, body, requests.channel, outbound) {
                    case .request: continue
                    case .end: return
                    case .webSocket(let relay, let head):
                        isWebSocket.withLockedValue { $0 = true }
                        try await outbound.write(.upgrade(head))
                        return try await relay.run(&parts)
                    }
                }
            }
        }
        // A client that disconnects cancels its exchange. The last messages of a web socket are read before its end.
        requests.channel.closeFuture.whenComplete { _ in
            if !isWebSocket.withLockedValue({ $0 }) { work.cancel() }
        }
        try await withTaskCancellationHandler {
            try await work.value
        } onCancel: {
            work.cancel()
        }
    }

    // MARK: Requests

    /// Answers one request.
    private func respond(
        to head: HTTPRequestHead,
        _ body: Data,
        _ channel: any Channel,
        _ writer: Writer
    ) async throws -> Next {
        let isWebSocket =
            head.method == .GET && head.headers[canonicalForm: "Upgrade"].contains { $0.lowercased() == "websocket" }
        guard let server = tunnel ?? Tunnel(url: head.uri),
            let url = URL(
                asWritten: (isWebSocket ? server.webSocketOrigin : server.origin) + server.path(of: head.uri)
            )
        else {
            let text = "This is a proxy. Set it as HTTPS_PROXY and HTTP_PROXY, and request the URLs of real servers."
            return try await write(text, status: 400, to: head, writer)
        }
        let request = StubRequest(
            method: head.method.rawValue,
            url: url,
            headers: fields(of: head, for: server),
            body: body.isEmpty ? nil : body
        )
        // Only the URL is shown, and redacting a long body takes time.
        var named = request
        named.body = nil
        let name = "\(request.method) \(shown(named).url.absoluteString.prefix { $0 != "?" && $0 != "#" })"
        var hasBegun = false
        do {
            switch try await answer(request) {
            case .response(let response):
                let next = try await write(response, to: head, writer, &hasBegun)
                log("\(name): \(response.head.statusCode)", false)
                return next
            case .webSocket(let socket):
                guard let accepting = Self.responseHead(accepting: head, request) else {
                    return try await write("The request has no Sec-WebSocket-Key.", status: 400, to: head, writer)
                }
                try await socket.waitUntilOpen()
                log("\(name): 101", false)
                let relay = WebSocketRelay(socket: socket, channel: channel, writer: writer) { [log] problem in
                    log("\(name): \(problem)", true)
                }
                return .webSocket(relay, accepting)
            }
        } catch let error as StubbornNetworkError where !Task.isCancelled && !hasBegun {
            log("\(name): " + (error.report == nil ? error.description : "no stub answers"), true)
            return try await write(
                error.report?.description ?? error.description,
                status: error.report == nil ? 500 : 404,
                fields: error.report == nil ? [:] : ["X-Stubborn": "unmatched"],
                to: head,
                writer
            )
        } catch  where isWebSocket && !Task.isCancelled {
            log("\(name): \(error.localizedDescription)", true)
            let text = "The WebSocket cannot be opened: \(error.localizedDescription)"
            return try await write(text, status: 502, to: head, writer)
        } catch {
            // HTTP has no message for an error of the transport, nor for one in the middle of a response: the connection ends.
            log("\(name): " + (Task.isCancelled ? "the client went away" : error.localizedDescription), true)
            throw error
        }
    }

    /// Returns the response that accepts a web socket (RFC 6455, section 4.2.2); `nil` for a request without a key.
    private static func responseHead(accepting head: HTTPRequestHead, _ request: StubRequest) -> HTTPResponseHead? {
        guard let key = head.headers.first(name: "Sec-WebSocket-Key") else { return nil }
        let hash = Insecure.SHA1.hash(data: Data((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
        var fields = HTTPHeaders([("Upgrade", "websocket"), ("Connection", "Upgrade")])
        fields.add(name: "Sec-WebSocket-Accept", value: Data(hash).base64EncodedString())
        if let name = request.headerFields.webSocketProtocol { fields.add(name: "Sec-WebSocket-Protocol", value: name) }
        return HTTPResponseHead(version: .http1_1, status: .switchingProtocols, headers: fields)
    }

    /// Returns the fields of a request without the fields of its connection, in their order.
    private func fields(of head: HTTPRequestHead, for server: Tunnel) -> HeaderFields {
        let dropped = Self.ofConnection.union(head.headers[canonicalForm: "Connection"].map { $0.lowercased() })
            .union([
                "content-length", "expect", "sec-websocket-key", "sec-websocket-version", "sec-websocket-extensions",
            ])
        var fields = HeaderFields()
        for (name, value) in head.headers where !dropped.contains(name.lowercased()) {
            // It is in the URL, unless a client requests a different server under this address.
            if name.isField("Host"), server.isNamed(by: value) { continue }
            fields.append(name: name, value: value)
        }
        return fields
    }

    // MARK: Responses

    /// Writes a message of the proxy.
    private func write(
        _ text: String,
        status: Int,
        fields: [String: String] = [:],
        to head: HTTPRequestHead,
        _ writer: Writer
    ) async throws -> Next {
        var hasBegun = false
        return try await write(.text(text, status: status, fields: fields), to: head, writer, &hasBegun)
    }

    /// Writes a response as its parts arrive.
    ///
    /// The client sees the end when the exchange is stored. Otherwise, a crash could lose an exchange that the client has seen.
    /// `hasBegun` is set when the head has been written: a second head would end the process.
    private func write(
        _ response: StreamedResponse,
        to request: HTTPRequestHead,
        _ writer: Writer,
        _ hasBegun: inout Bool
    ) async throws -> Next {
        if let reason = response.head.unsendableReason {
            return try await write(reason, status: 502, to: request, writer)
        }
        let status = response.head.statusCode
        let hasBody = request.method != .HEAD && status != 204 && status != 304 && status >= 200
        var head = HTTPResponseHead(
            version: .http1_1,
            status: HTTPResponseStatus(statusCode: status),
            headers: HTTPHeaders(
                response.head.headerFields.filter { !Self.ofConnection.contains($0.name.lowercased()) }
                    .map { ($0.name, $0.value) }
            )
        )
        let encoding = head.headers.first(name: "Content-Encoding")?.lowercased()
        if encoding == "gzip" || encoding == "deflate" {
            // The client that called the server has decoded the body.
            head.headers.remove(name: "Content-Encoding")
            head.headers.remove(name: "Content-Length")
        }
        var length = head.headers.first(name: "Content-Length").flatMap { Int($0) }
        if !hasBody { length = 0 }
        // No request is read after one for an upgrade.
        var keepsConnection = request.isKeepAlive && !request.headers.contains(name: "Upgrade")
        if length == nil {
            head.headers.remove(name: "Content-Length")
            // HTTP/1.0 has no chunks: the end of the connection is the end of the body.
            if request.version == .http1_1 {
                head.headers.add(name: "Transfer-Encoding", value: "chunked")
            } else {
                keepsConnection = false
            }
        }
        if !keepsConnection {
            head.headers.add(name: "Connection", value: "close")
        } else if request.version != .http1_1 {
            head.headers.add(name: "Connection", value: "keep-alive")
        }
        if length != 0 {
            hasBegun = true
            try await writer.write(.response(.head(head)))
        }
        var count = 0
        var last = ByteBuffer()
        for try await part in response.parts where hasBody && !part.isEmpty {
            count += part.count
            if let length, count >= length {
                last.writeBytes(part)
            } else {
                try await writer.write(.response(.body(.byteBuffer(ByteBuffer(data: part)))))
            }
        }
        // The parts of a task that is cancelled end without an error.
        try Task.checkCancellation()
        if let length, count != length { throw URLError(.networkConnectionLost) }
        // Written together, because a client that has received the last byte may close the connection.
        var end: [HTTPServerResponsePart] = length == 0 ? [.head(head)] : []
        if last.readableBytes > 0 { end.append(.body(.byteBuffer(last))) }
        try await writer.write(contentsOf: (end + [.end(nil)]).map { .response($0) })
        return keepsConnection ? .request : .end
    }
}

extension StreamedResponse {
    /// Returns a message to the client in a body of plain text.
    @_spi(StubbornCommand) public static func text(_ text: String, status: Int, fields: [String: String] = [:]) -> Self
    {
        let body = Data((text + "\n").utf8)
        var all = HeaderFields(fields)
        all.append(name: "Content-Type", value: "text/plain; charset=utf-8")
        all.append(name: "Content-Length", value: "\(body.count)")
        let parts = AsyncStream { continuation in
            continuation.yield(body)
            continuation.finish()
        }
        return Self(head: ResponseHead(statusCode: status, headers: all), parts: parts)
    }
}
