import Foundation

extension StubbornNetwork {
    /// Answers a request of a client that is not `URLSession`.
    ///
    ///     let response = try await network.response(to: request) { request in
    ///         try await client.send(request)
    ///     }
    ///
    /// The request is handled like a session's: a declared or recorded stub answers, or `server` is called and its
    /// response is recorded. Modes, matchers, redaction, reports, delays and the request log are the same. Redirects
    /// are responses like any other. If the client follows them, the stub contains the last response.
    ///
    /// Call it from any task. A task that is cancelled gets a `CancellationError`.
    ///
    /// - Parameters:
    ///   - request: The request, with the header fields that the client sends.
    ///   - server: Sends the request to the real server. It is called at most once, in modes that call the server, and
    ///     never in `.playback`. The body that it returns must be without its content encoding.
    /// - Returns: the response, with a head. A played response has the stub's header fields, without those that describe the
    ///   encoding of its body.
    /// - Throws: the error that `server` throws, which is recorded. On playback, a `URLError` is a `URLError` again,
    ///   and any other error is an `NSError` with its domain, code and text. `StubbornNetworkError` when no stub
    ///   answers, or when the exchange cannot be stored.
    public func response(
        to request: StubRequest,
        from server: @escaping @Sendable (_ request: StubRequest) async throws -> StubResponse
    ) async throws -> StubResponse {
        let response = try await streamedResponse(to: request) { request in
            let response = try await server(request)
            if let failure = response.failure { throw failure.error(failing: request.url) }
            guard let head = response.head else { throw StubbornNetworkError.noAnswer(Redactor.shown(request.url)) }
            return StreamedResponse(head: head, body: response.body)
        }
        var body: Data?
        for try await part in response.parts {
            if body == nil { body = part } else { body?.append(part) }
        }
        // The stream of a task that is cancelled ends without an error.
        try Task.checkCancellation()
        return StubResponse(head: response.head, body: body)
    }

    /// Answers a request of a client that is not `URLSession`, with the body in parts.
    ///
    ///     let response = try await network.streamedResponse(to: request) { request in
    ///         let response = try await client.execute(request.clientRequest, timeout: .seconds(30))
    ///         return StreamedResponse(head: response.stubHead, parts: response.body.map { Data(buffer: $0) })
    ///     }
    ///     for try await part in response.parts { … }
    ///
    /// It works like `response(to:from:)`, and is for long bodies and streams that do not end. Parts are passed on as
    /// the server sends them, and an exchange is recorded when its last part has arrived. If the reader stops earlier,
    /// the exchange is recorded as cancelled, with the part that has arrived.
    ///
    /// - Parameters:
    ///   - request: The request, with the header fields that the client sends.
    ///   - server: Sends the request to the real server, in modes that call it.
    /// - Returns: the head of the response, as soon as it has arrived, and the parts of the body.
    /// - Throws: the same errors as `response(to:from:)`. An error after the head is thrown by `parts`.
    public func streamedResponse(
        to request: StubRequest,
        from server: @escaping @Sendable (_ request: StubRequest) async throws -> StreamedResponse
    ) async throws -> StreamedResponse {
        try await engine.response(to: request, from: server)
    }

    /// Returns a value that the test generates while recording, and the same value on playback.
    ///
    /// A test that generates a new id in each run sends a different request each time, which no recording matches. With a
    /// name, the id is recorded too:
    ///
    ///     let id = network.value("order") { UUID() }
    ///     try await shop.order(id)        // PUT https://api.example.com/orders/5F0C…
    ///
    /// The stub file contains it as plain JSON, so it must not be a secret:
    ///
    ///     {
    ///       "json" : "5F0C2B1E-6B0E-4B0B-9C39-0E3C9F5D7A11",
    ///       "recordedAt" : "2026-11-22T15:04:05Z",
    ///       "value" : "order"
    ///     }
    ///
    /// A value is recorded and played like a stub. It is made when a file is recorded from the start, and always in
    /// `.live`. In `.recordingMissing`, a value from the file is used. On playback, a missing value is reported like an
    /// unstubbed request, and `make` is called. `unusedStubs` includes values that no test used.
    ///
    /// The same name gives the same value, even in the other processes of a run that start after it was made. For several
    /// values, use several names: `"order \(number)"`. The call reads the stub file if necessary.
    ///
    /// - Parameters:
    ///   - name: the name of the value in the stub file.
    ///   - make: makes the value. If several threads ask for a name at the same time, it may be called more than once.
    ///     All of them get the first value.
    /// - Returns: the value as it would be read from the file: dates have whole milliseconds.
    /// - Throws: the error of `make`, live or recorded. If `make` cannot throw a recorded error, it is called, and the
    ///   end of the recording throws an explanatory error.
    public func value<Value: Codable, E: Error>(_ name: String, _ make: () throws(E) -> Value) throws(E) -> Value {
        try engine.value(name, make)
    }

    /// Returns the value of an asynchronous call, which is recorded once and played back afterwards.
    ///
    /// Use it for anything that is not HTTP: a model on the device, a database, a library that hides its requests:
    ///
    ///     let forecast = try await network.value("forecast") { try await model.answer(prompt) }
    ///
    /// Modes, the entry in the file and reports are the same as for the function without `async`. An error is also
    /// recorded, and thrown on playback: a `URLError` as a `URLError`, any other error as an `NSError`. If a call was
    /// repeated after errors, playback throws them one after the other, and then returns the value. Cancellation is not
    /// recorded.
    ///
    /// - Parameters:
    ///   - name: the name of the value in the stub file.
    ///   - isolation: the actor on which `make` is called; the caller's by default.
    ///   - make: makes the value.
    /// - Returns: the value as it would be read from the file: dates have whole milliseconds.
    /// - Throws: the error of `make`, live or recorded.
    public func value<Value: Codable>(
        _ name: String,
        isolation: isolated (any Actor)? = #isolation,
        _ make: () async throws -> Value
    ) async throws -> Value {
        try await engine.value(name, isolation: isolation, make)
    }

    // MARK: Web sockets

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
