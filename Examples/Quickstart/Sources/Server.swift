// A minimal HTTP server on a free port of 127.0.0.1. It answers one connection after the other, on a separate thread, and counts
// the requests. The count shows whether an answer came from the server or from a stub.

import Foundation

/// A response of the server, with the status line's reason.
struct Response: Sendable {
    var status = "200 OK"
    var header = "Content-Type: application/json"
    var body = Data()
}

// Unchecked, because a lock protects the only variable.
final class Server: @unchecked Sendable {
    let url: URL

    private let listener: Int32
    private let lock = NSLock()
    private var count = 0

    /// The number of requests that have reached the server.
    var requestCount: Int { lock.withLock { count } }

    /// Starts a server.
    ///
    /// - Parameter respond: returns the response to a method and path, as `GET /books`, and a body.
    /// - Throws: an error if the system has no port left.
    init(_ respond: @escaping @Sendable (String, Data) -> Response) throws {
        #if os(Linux)
            let stream = Int32(SOCK_STREAM.rawValue)
        #else
            let stream = SOCK_STREAM
        #endif
        let listener = socket(AF_INET, stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian  // 127.0.0.1; port 0 is any free one
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 8) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        guard isListening, let url = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))") else {
            throw CocoaError(.featureUnsupported)
        }
        self.url = url
        self.listener = listener
        Thread.detachNewThread { self.serve(respond) }
    }

    /// Stops the server: from now on, connections to its port are refused.
    func stop() {
        _ = shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private func serve(_ respond: (String, Data) -> Response) {
        while case let connection = accept(listener, nil, nil), connection >= 0 {
            let client = FileHandle(fileDescriptor: connection, closeOnDealloc: true)
            guard let (request, body) = Self.request(from: connection) else { continue }
            lock.withLock { count += 1 }
            let response = respond(request, body)
            let head = [
                "HTTP/1.1 \(response.status)", response.header, "Content-Length: \(response.body.count)",
                "Connection: close", "", "",
            ].joined(separator: "\r\n")
            try? client.write(contentsOf: Data(head.utf8) + response.body)
        }
    }

    /// Returns the method and path of the request that arrives on a connection, and its body.
    private static func request(from connection: Int32) -> (String, Data)? {
        var received = Data()
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(connection, &bytes, bytes.count, 0)
            guard count > 0 else { return nil }
            received += bytes[..<count]
            guard let end = received.range(of: Data("\r\n\r\n".utf8)) else { continue }
            let lines = String(decoding: received[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
            let length = lines.first { $0.lowercased().hasPrefix("content-length:") }?.dropFirst(15)
            let body = received[end.upperBound...]
            guard body.count >= Int(length?.trimmingCharacters(in: .whitespaces) ?? "0") ?? 0 else { continue }
            return (lines[0].split(separator: " ").prefix(2).joined(separator: " "), body)
        }
    }
}
