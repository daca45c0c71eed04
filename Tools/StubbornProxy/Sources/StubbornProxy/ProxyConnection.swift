import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// One connection of a client: its requests are answered one after the other.
struct ProxyConnection: Sendable {
    let tunnel: Tunnel?
    let answer: StubbornProxy.Answer
    let log: StubbornProxy.Log
    /// Counts the requests that are being answered.
    let count: @Sendable (_ change: Int) -> Void

    typealias Writer = NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>

    /// The fields that describe one connection (RFC 9110, section 7.6.1), and those that the client of the real server sets itself.
    private static let ofConnection: Set = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer",
        "transfer-encoding", "upgrade",
    ]

    /// Answers requests until one of the sides closes the connection.
    func serve(_ requests: TunnelHandler.Requests) async throws {
        let work = Task {
            try await requests.executeThenClose { inbound, outbound in
                var parts = inbound.makeAsyncIterator()
                while case .head(let head)? = try await parts.next() {
                    if head.headers["Expect"].contains(where: { $0.lowercased() == "100-continue" }) {
                        try await outbound.write(.head(HTTPResponseHead(version: head.version, status: .continue)))
                    }
                    var body = Data()
                    while case .body(let bytes)? = try await parts.next() {
                        body.append(contentsOf: bytes.readableBytesView)
                    }
                    // A client that disconnected in the middle of its request.
                    guard !Task.isCancelled else { return }
                    count(1)
                    defer { count(-1) }
                    guard try await respond(to: head, body, outbound) else { return }
                }
            }
        }
        // A client that disconnects cancels its exchange.
        requests.channel.closeFuture.whenComplete { _ in work.cancel() }
        try await withTaskCancellationHandler {
            try await work.value
        } onCancel: {
            work.cancel()
        }
    }

    // MARK: Requests

    /// Answers one request.
    ///
    /// - Returns: A Boolean value that indicates whether the connection can be used again.
    private func respond(to head: HTTPRequestHead, _ body: Data, _ writer: Writer) async throws -> Bool {
        guard let server = tunnel ?? Tunnel(url: head.uri),
            let url = URL(asWritten: server.origin + server.path(of: head.uri))
        else {
            let text = "This is a proxy. Set it as HTTPS_PROXY and HTTP_PROXY, and request the URLs of real servers."
            return try await write(text, status: 400, to: head, writer)
        }
        let name = "\(head.method.rawValue) \(url.absoluteString.prefix { $0 != "?" && $0 != "#" })"
        if head.headers[canonicalForm: "Upgrade"].contains(where: { $0.lowercased() == "websocket" }) {
            log("\(name): refused, because WebSockets cannot be recorded", true)
            return try await write("WebSockets cannot be recorded or played.", status: 501, to: head, writer)
        }
        let request = StubRequest(
            method: head.method.rawValue,
            url: url,
            headers: fields(of: head, for: server),
            body: body.isEmpty ? nil : body
        )
        var hasBegun = false
        do {
            let response = try await answer(request)
            let keepsConnection = try await write(response, to: head, writer, &hasBegun)
            log("\(name): \(response.head.statusCode)", false)
            return keepsConnection
        } catch let error as StubbornNetworkError where !Task.isCancelled && !hasBegun {
            log("\(name): " + (error.report == nil ? error.description : "no stub answers"), true)
            return try await write(
                error.report?.description ?? error.description,
                status: error.report == nil ? 500 : 404,
                fields: error.report == nil ? [:] : ["X-Stubborn": "unmatched"],
                to: head,
                writer
            )
        } catch {
            // HTTP has no message for an error of the transport, nor for one in the middle of a response: the connection ends.
            log("\(name): " + (Task.isCancelled ? "the client went away" : error.localizedDescription), true)
            throw error
        }
    }

    /// Returns the fields of a request without the fields of its connection, in their order.
    private func fields(of head: HTTPRequestHead, for server: Tunnel) -> HeaderFields {
        let dropped = Self.ofConnection.union(head.headers[canonicalForm: "Connection"].map { $0.lowercased() })
            .union(["content-length", "expect"])
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
    ) async throws -> Bool {
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
    ) async throws -> Bool {
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
        var keepsConnection = request.isKeepAlive
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
            try await writer.write(.head(head))
        }
        var count = 0
        var last = ByteBuffer()
        for try await part in response.parts where hasBody && !part.isEmpty {
            count += part.count
            if let length, count >= length {
                last.writeBytes(part)
            } else {
                try await writer.write(.body(.byteBuffer(ByteBuffer(data: part))))
            }
        }
        // The parts of a task that is cancelled end without an error.
        try Task.checkCancellation()
        if let length, count != length { throw URLError(.networkConnectionLost) }
        // Written together, because a client that has received the last byte may close the connection.
        var end: [HTTPServerResponsePart] = length == 0 ? [.head(head)] : []
        if last.readableBytes > 0 { end.append(.body(.byteBuffer(last))) }
        try await writer.write(contentsOf: end + [.end(nil)])
        return keepsConnection
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
