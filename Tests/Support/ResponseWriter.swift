import Foundation

/// Sends one response.
struct ResponseWriter {
    let socket: Socket
    let core: ServerCore

    /// The request was a `HEAD`: the body is announced but not sent.
    let isHead: Bool

    /// The connection is closed after this response, and the response says so.
    let isLast: Bool

    /// Returns whether another response may follow on this connection; throws when the client is gone.
    func write(_ response: LoopbackServer.Response) throws -> Bool {
        let isBodiless = isHead || response.status < 200 || response.status == 204 || response.status == 304
        switch response.body {
        case .none:
            let announces = response.status >= 200 && response.status != 204 && response.status != 304
            try socket.send(head(response, framing: announces ? ("Content-Length", "0") : nil))
        case .data(let data):
            let announces = response.status >= 200 && response.status != 204
            let head = head(response, framing: announces ? ("Content-Length", "\(data.count)") : nil)
            if isBodiless {
                try socket.send(head)
            } else if data.count < 65_536 {
                try socket.send(head + data)
            } else {
                try socket.send(head)
                try socket.send(data)
            }
        case .chunked(let steps):
            try socket.send(head(response, framing: ("Transfer-Encoding", "chunked")))
            if isBodiless { break }
            guard try run(steps, frame: chunk) else { return false }
            try socket.send(Data("0\r\n\r\n".utf8))
        case .raw(let steps):
            if try run(steps, frame: { $0 }) { socket.finishSending() }
            return false
        }
        if isLast { socket.finishSending() }
        return true
    }

    /// Returns whether all steps were gone through with the connection still usable.
    private func run(_ steps: [LoopbackServer.Step], frame: (Data) -> Data) throws -> Bool {
        for step in steps {
            switch step {
            case .send(let data):
                try socket.send(frame(data))
            case .wait(let milliseconds):
                guard core.pause(milliseconds: milliseconds) else { return false }
            case .waitForSignal(let name):
                guard core.waitForSignal(name) else { return false }
            case .close:
                socket.finishSending()
                return false
            case .reset:
                socket.resetOnClose()
                return false
            case .hang:
                while try !socket.receive().isEmpty {}
                return false
            }
        }
        return true
    }

    private func chunk(_ data: Data) -> Data {
        // An empty chunk would be the end of the body.
        data.isEmpty ? data : Data("\(String(data.count, radix: 16))\r\n".utf8) + data + Data("\r\n".utf8)
    }

    private func head(_ response: LoopbackServer.Response, framing: (name: String, value: String)?) -> Data {
        let names = Set(response.headers.map { $0.name.lowercased() })
        var fields = response.headers
        if let framing, names.isDisjoint(with: ["content-length", "transfer-encoding"]) { fields.append(framing) }
        if isLast, !names.contains("connection") { fields.append(("Connection", "close")) }
        let reason = response.reason ?? Self.reasons[response.status] ?? "Unnamed"
        let lines = ["HTTP/1.1 \(response.status) \(reason)"] + fields.map { "\($0.name): \($0.value)" }
        return Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    private static let reasons = [
        200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 206: "Partial Content",
        301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
        307: "Temporary Redirect", 308: "Permanent Redirect",
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
        409: "Conflict", 410: "Gone", 413: "Content Too Large", 418: "I'm a teapot", 422: "Unprocessable Content",
        429: "Too Many Requests", 431: "Request Header Fields Too Large",
        500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
        504: "Gateway Timeout",
    ]
}
