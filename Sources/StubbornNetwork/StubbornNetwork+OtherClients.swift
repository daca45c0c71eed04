import Foundation

extension StubbornNetwork {
    /// Answers a request of a client that is not `URLSession`.
    ///
    ///     let response = try await network.response(to: request) { request in
    ///         try await client.send(request)
    ///     }
    ///
    /// The request is handled like a session's: a declared or recorded stub answers, or `server` is called and its response is
    /// recorded. Modes, matchers, redaction, reports, delays and the request log are the same. Redirects are
    /// responses like any other here: where the client follows them, the stub holds the last response.
    ///
    /// Call it from any task. A task that is cancelled gets a `CancellationError`.
    ///
    /// - Parameters:
    ///   - request: The request, with the header fields that the client sends.
    ///   - server: Sends the request to the real server. It is called at most once, if the mode in force asks the server, and
    ///     never in `.playback`. The body that it returns must be without its content encoding.
    /// - Returns: the response, with a head. A played response has the stub's header fields, without those that describe the
    ///   encoding of its body.
    /// - Throws: the error that `server` throws, which is recorded. On playback that is a `URLError` if it was one, and
    ///   otherwise an `NSError` with the error's domain, code and text. `StubbornNetworkError` when no stub answers, or when
    ///   the exchange cannot be stored.
    public func response(
        to request: StubRequest,
        from server: @escaping @Sendable (_ request: StubRequest) async throws -> StubResponse
    ) async throws -> StubResponse {
        let response = try await streamedResponse(to: request) { request in
            let response = try await server(request)
            if let failure = response.failure { throw failure.error(failing: request.url) }
            guard let head = response.head else { throw StubbornNetworkError.nothingToAnswerWith(request.url) }
            return StreamedResponse(head: head, body: try response.body)
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
    /// It works like `response(to:from:)`, for long bodies and for streams that do not end. Parts are passed on as the server sends
    /// them, and an exchange is recorded when its last part has arrived. If the reader stops earlier, the exchange is recorded
    /// as cancelled, with what has arrived.
    ///
    /// - Parameters:
    ///   - request: The request, with the header fields that the client sends.
    ///   - server: Sends the request to the real server, where the mode in force asks it.
    /// - Returns: the head of the response, as soon as it has arrived, and the parts of the body.
    /// - Throws: what `response(to:from:)` throws. An error after the head is thrown by `parts`.
    public func streamedResponse(
        to request: StubRequest,
        from server: @escaping @Sendable (_ request: StubRequest) async throws -> StreamedResponse
    ) async throws -> StreamedResponse {
        try await engine.response(to: request, from: server)
    }
}
