import Foundation

/// One connection: request after request, until one side wants no more.
struct Connection {
    let socket: Socket
    let core: ServerCore

    /// Returns when the connection is over; the caller closes the socket.
    func serve() {
        var reader = MessageReader(socket: socket, slowSeconds: core.slowSeconds)
        do {
            while try serveOne(&reader) {}
        } catch let refusal as MessageReader.Refusal {
            refuse(refusal)
        } catch {
            // The client is gone, or the server stops: nobody is left to be told.
        }
    }

    /// Answers the next request; false if no other may follow.
    private func serveOne(_ reader: inout MessageReader) throws -> Bool {
        guard let head = try reader.head() else { return false }
        let parts = head.startLine.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, !parts[1].isEmpty, parts[2].hasPrefix("HTTP/1.") else {
            throw MessageReader.Refusal(status: 400, reason: "not a request line: \(head.startLine)")
        }
        if head.tokens("Expect").contains("100-continue") {
            try socket.send(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        }
        let request = LoopbackServer.Request(
            method: String(parts[0]),
            target: String(parts[1]),
            version: String(parts[2]),
            headers: head.fields,
            body: try reader.body(after: head),
            counters: core.counters
        )
        core.state.withLock { $0.requests.append(request) }
        let isLast = head.tokens("Connection").contains("close") || request.version == "HTTP/1.0"
        let writer = ResponseWriter(socket: socket, core: core, isHead: request.method == "HEAD", isLast: isLast)
        return try writer.write(core.handler(request)) && !isLast
    }

    private func refuse(_ refusal: MessageReader.Refusal) {
        let writer = ResponseWriter(socket: socket, core: core, isHead: false, isLast: true)
        guard (try? writer.write(.text(refusal.reason, status: refusal.status))) != nil else { return }
        // Closing with bytes unread would send a reset, and that takes the answer with it.
        socket.setReceiveTimeout(seconds: 1)
        let deadline = Date(timeIntervalSinceNow: 5)
        while let data = try? socket.receive(), !data.isEmpty, Date() < deadline {}
    }
}
