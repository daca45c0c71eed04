import Foundation

extension StubbornNetwork {
    /// Returns a web socket, which a declared or recorded stub answers, or the real server.
    ///
    ///     let socket = network.webSocket(to: url)
    ///     try await socket.send(.string("subscribe"))
    ///     let message = try await socket.receive()
    ///
    /// A socket is handled like a request: modes, matchers, redaction, reports and the request log are the same. It is one stub
    /// in the stub file, with its frames in their order. On playback, a recorded frame of the server is delivered when the
    /// client has sent the frames before it. If the client sends a frame that is not recorded, `receive()` fails with the
    /// report on it.
    ///
    /// - Parameters:
    ///   - url: the URL, with the scheme `ws` or `wss`.
    ///   - protocols: the protocols of the client, the preferred one first.
    /// - Returns: the socket, which opens at its first use.
    public func webSocket(to url: URL, protocols: [String] = []) -> any WebSocketConnection {
        var request = URLRequest(url: url)
        let list = protocols.joined(separator: ", ")
        if !list.isEmpty { request.setValue(list, forHTTPHeaderField: "Sec-WebSocket-Protocol") }
        return webSocket(with: request)
    }

    /// Returns a web socket for a request.
    ///
    ///     let socket = network.webSocket(with: request) { request in try await client.connect(request) }
    ///
    /// Connect to the server yourself with a different client, and where `URLSession` has no web sockets, as on Linux with an older
    /// libcurl.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - server: connects to the real server; the system's task by default. It is called at most once, in modes that call
    ///     the server, and never in `.playback`.
    /// - Returns: the socket, which opens at its first use.
    public func webSocket(
        with request: URLRequest,
        from server: (@Sendable (_ request: URLRequest) async throws -> any WebSocketConnection)? = nil
    ) -> any WebSocketConnection {
        StubbedWebSocket(request, engine, server ?? engine.makeWebSocketTask)
    }

    /// Declares a web socket, with a function that plays the server.
    ///
    ///     network.stub(webSocket: .path("/live")) { socket in
    ///         socket.send(.string("hello"))
    ///         for await message in socket.messages { socket.send(message) }
    ///     }
    ///
    /// The function is called for each socket that matches. When it returns, the socket is closed normally. If it throws, the
    /// client gets the error.
    @discardableResult
    public func stub(
        webSocket pattern: RequestPattern,
        times: Int? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        with server: @escaping @Sendable (DeclaredWebSocket) async throws -> Void
    ) -> DeclaredStub {
        var response = StubResponse.frames([])
        response.webSocket = WebSocketScript(run: server)
        return stub(webSocket: pattern, times: times, with: response, file: file, line: line)
    }

    /// Declares a web socket with a list of frames, or with the response that refuses it.
    ///
    ///     network.stub(webSocket: .path("/live"), with: .frames(["hello", .sent("more"), "bye"]))
    ///     network.stub(webSocket: .path("/live"), with: .status(401))
    @discardableResult
    public func stub(
        webSocket pattern: RequestPattern,
        times: Int? = nil,
        with response: StubResponse,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> DeclaredStub {
        stub(pattern && .webSocket, times: times, with: response, file: file, line: line)
    }
}
