import Foundation

extension LoopbackServer {
    /// The routes whose answer depends on nothing but the request.
    ///
    /// - `/hello`: the text `hello`
    /// - `/json`: `{"id":1,"name":"Ada","tags":["first","second"]}`
    /// - `/echo`: the request as JSON; see `Echo`
    /// - `/status/503`: that status, from 200 to 999, and the text `status 503`, except for 204, 205 and 304
    /// - `/bytes/1000`: `bytes(count: 1000)`, up to 200 MB
    /// - `/headers`: repeated fields, of them two `Set-Cookie`, a name in lower case, and a value in UTF-8
    /// - `/headers/latin1`: a value in Latin-1 (`Grüße` in five bytes), which URLSession on Linux fails to read
    /// - `/gzip`, `/deflate`: `compressedText`, compressed
    /// - `/empty`: a body of length 0
    /// - `/upload`: length and checksum of the request's body as JSON; see `Upload`
    static let contentRoutes: [String: Route] = [
        "hello": { _, _ in .text("hello") },
        "json": { _, _ in .json(#"{"id":1,"name":"Ada","tags":["first","second"]}"#) },
        "echo": { request, _ in .json(encoding: Echo(request)) },
        "status": { _, parameters in
            guard let status = number(parameters, in: 200...999) else { return nil }
            return [204, 205, 304].contains(status)
                ? Response(status: status)
                : .text("status \(status)", status: status)
        },
        "bytes": { _, parameters in
            guard let count = number(parameters, in: 0...MessageReader.largestBody) else { return nil }
            return Response(
                headers: [("Content-Type", "application/octet-stream")],
                body: .data(bytes(count: count))
            )
        },
        "headers": { request, parameters in
            if parameters == ["latin1"] { return latin1HeaderRoute(isHead: request.method == "HEAD") }
            return parameters.isEmpty ? Response(headers: unusualHeaders, body: .data(Data("headers".utf8))) : nil
        },
        "gzip": { _, _ in compressed(CompressedText.gzip, coding: "gzip") },
        "deflate": { _, _ in compressed(CompressedText.deflate, coding: "deflate") },
        "empty": { _, _ in Response(headers: [("Content-Type", "text/plain")]) },
        "upload": { request, _ in .json(encoding: Upload(request.body)) },
    ]

    /// What `/echo` answers: the request as the server saw it.
    ///
    ///     let echo = try JSONDecoder().decode(LoopbackServer.Echo.self, from: data)
    public struct Echo: Codable, Sendable {
        /// A header field in the order and spelling in which it came.
        public struct Field: Codable, Sendable, Equatable {
            /// The name, in the spelling in which it came.
            public let name: String

            /// The value.
            public let value: String
        }

        /// The request's method.
        public let method: String

        /// The request target: the path and the query, as they came.
        public let target: String

        /// The header fields, in the order in which they came.
        public let headers: [Field]

        /// The body as text; nil if it is not UTF-8.
        public let body: String?

        /// The body in Base64; empty if there is none.
        public let bodyBase64: String

        /// The values of a header field, whatever its case.
        public func headers(named name: String) -> [String] {
            headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
        }

        init(_ request: Request) {
            method = request.method
            target = request.target
            headers = request.headers.map { Field(name: $0.name, value: $0.value) }
            body = String(data: request.body, encoding: .utf8)
            bodyBase64 = request.body.base64EncodedString()
        }
    }

    /// What `/upload` answers: enough to know that a body arrived whole.
    public struct Upload: Codable, Sendable, Equatable {
        /// The length of the body in bytes.
        public let byteCount: Int

        /// `checksum(of:)` of the body.
        public let checksum: String

        /// What the server answers for this body.
        public init(_ body: Data) {
            byteCount = body.count
            checksum = LoopbackServer.checksum(of: body)
        }
    }

    /// The text that `/gzip` and `/deflate` send compressed: 367 bytes, `stubborn stubborn … network`.
    public static let compressedText = CompressedText.plain

    /// Bytes that look random and are the same for each count; `/bytes/1000` sends `bytes(count: 1000)`.
    public static func bytes(count: Int) -> Data {
        var data = Data(count: max(0, count + 7) / 8 * 8)
        data.withUnsafeMutableBytes { buffer in
            var word = UInt64(truncatingIfNeeded: count) &+ 0x9E37_79B9_7F4A_7C15
            // A loop without a range, which is slow in debug builds.
            var offset = 0
            while offset < buffer.count {
                word ^= word &<< 13
                word ^= word &>> 7
                word ^= word &<< 17
                buffer.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt64.self)
                offset &+= 8
            }
        }
        return Data(data.prefix(count))
    }

    /// The FNV-1a hash of the bytes as 16 hexadecimal digits: `cbf29ce484222325` if there are none.
    public static func checksum(of data: Data) -> String {
        let hash = data.withUnsafeBytes { bytes in
            bytes.reduce(into: 0xCBF2_9CE4_8422_2325 as UInt64) { hash, byte in
                hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
            }
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private static let unusualHeaders: [(name: String, value: String)] = [
        ("Content-Type", "text/plain"),
        ("Set-Cookie", "first=1; Path=/; Expires=Fri, 01 Jan 2100 00:00:00 GMT"),
        ("Set-Cookie", "second=2; Path=/"),
        ("X-Repeated", "one"),
        ("X-Repeated", "two"),
        ("x-lower-case", "kept"),
        ("X-UTF8", "Grüße"),
    ]

    /// Raw, because a Latin-1 value cannot be said as text.
    private static func latin1HeaderRoute(isHead: Bool) -> Response {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\nX-Latin1: Gr"
        let bytes = Data(head.utf8) + [0xFC, 0xDF] + Data("e\r\n\r\n\(isHead ? "" : "latin1")".utf8)
        return Response(body: .raw([.send(bytes)]))
    }

    private static func compressed(_ bytes: [UInt8], coding: String) -> Response {
        Response(
            headers: [("Content-Type", "text/plain; charset=utf-8"), ("Content-Encoding", coding)],
            body: .data(Data(bytes))
        )
    }
}
