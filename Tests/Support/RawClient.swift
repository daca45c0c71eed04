import Foundation

/// A client that sends just the bytes it is given, for what URLSession will not say or does not survive.
///
///     let client = try RawClient(port: server.port)
///     try client.send("GET /basic-auth/ada/secret HTTP/1.1\r\nHost: localhost\r\n\r\n")
///     let response = try client.response()        // status 401
///
/// Each call blocks until it is done, and fails when nothing came for 20 seconds. To be used by one thread.
public final class RawClient {
    /// A response as it came over the wire, its body decoded from chunks, but not decompressed.
    public struct Response: Sendable {
        /// The status code.
        public let status: Int

        /// The status line, such as `HTTP/1.1 200 OK`.
        public let statusLine: String

        /// In order, repeated ones separate; a value that is not UTF-8 is read as Latin-1.
        public let headers: [(name: String, value: String)]

        /// The body, decoded from chunks.
        public let body: Data

        /// The body as text; empty if it is not UTF-8.
        public var text: String { String(data: body, encoding: .utf8) ?? "" }

        /// The values of a header field, whatever its case.
        public func headers(named name: String) -> [String] {
            headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
        }
    }

    /// How a connection ended.
    public enum Ending: Sendable, Equatable {
        /// In the orderly way (FIN), after these bytes.
        case closed(Data)

        /// With a reset (RST).
        case reset

        /// It has not: nothing came for 20 seconds.
        case open
    }

    private let socket: Socket
    private var reader: MessageReader

    /// Connects to 127.0.0.1; throws if nobody listens there.
    public init(port: UInt16) throws {
        socket = try Socket.connected(to: port)
        socket.setReceiveTimeout(seconds: 20)
        reader = MessageReader(socket: socket)
    }

    deinit {
        socket.close()
    }

    /// Sends the bytes of a string, as UTF-8.
    public func send(_ text: String) throws {
        try send(Data(text.utf8))
    }

    /// Sends bytes as they are.
    public func send(_ data: Data) throws {
        try socket.send(data)
    }

    /// Sends a request with `Host`, these header fields and, if there is a body, its `Content-Length`.
    public func send(
        _ method: String,
        _ target: String,
        headers: [(name: String, value: String)] = [],
        body: Data = Data()
    ) throws {
        let length = body.isEmpty ? [] : [(name: "Content-Length", value: "\(body.count)")]
        let fields = [(name: "Host", value: "127.0.0.1")] + headers + length
        let lines = ["\(method) \(target) HTTP/1.1"] + fields.map { "\($0.name): \($0.value)" }
        try send(Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
    }

    /// The next response; pass `hasBody: false` after a `HEAD`, whose response announces a body and sends none.
    public func response(hasBody: Bool = true) throws -> Response {
        guard let head = try reader.head() else {
            throw MessageReader.Refusal(status: 0, reason: "the connection was closed instead of a response")
        }
        let status = head.startLine.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        let isBodiless = !hasBody || status < 200 || status == 204 || status == 304
        let body = isBodiless ? Data() : try reader.body(after: head)
        return Response(status: status, statusLine: head.startLine, headers: head.fields, body: body)
    }

    /// The bytes up to and with `marker`, or up to the end of the connection.
    public func read(through marker: String) throws -> String {
        String(decoding: try reader.bytes(through: marker), as: UTF8.self)
    }

    /// Reads until the connection ends.
    public func ending() -> Ending {
        do {
            return .closed(try reader.rest())
        } catch let error as SocketError where error.isReset {
            return .reset
        } catch {
            return .open
        }
    }

    /// One request over a connection of its own: `try RawClient.get("/hello", from: server).text` is `hello`.
    public static func get(
        _ target: String,
        method: String = "GET",
        headers: [(name: String, value: String)] = [],
        body: Data = Data(),
        from server: LoopbackServer
    ) throws -> Response {
        let client = try RawClient(port: server.port)
        try client.send(method, target, headers: headers, body: body)
        return try client.response(hasBody: method != "HEAD")
    }
}
