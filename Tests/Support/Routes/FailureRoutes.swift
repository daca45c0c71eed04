extension LoopbackServer {
    /// The routes that do not do what they promise.
    ///
    /// - `/cut`: promises 1000 bytes, sends the 7 of `partial` and ends the connection (FIN)
    /// - `/reset`: resets the connection (RST) instead of answering
    /// - `/hang`: never answers; ends when the client closes the connection or the server stops
    static let failureRoutes: [String: Route] = [
        "cut": { request, _ in
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1000\r\n\r\n"
            return Response(body: .raw([.send(request.method == "HEAD" ? head : head + "partial"), .close]))
        },
        "reset": { _, _ in Response(body: .raw([.reset])) },
        "hang": { _, _ in Response(body: .raw([.hang])) },
    ]
}
