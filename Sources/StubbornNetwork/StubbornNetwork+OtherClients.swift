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
    ///   - server: Sends the request to the real server. It is called at most once, in modes that call the server, and
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
    /// It works like `response(to:from:)`, for long bodies and for streams that do not end. Parts are passed on as the server sends
    /// them, and an exchange is recorded when its last part has arrived. If the reader stops earlier, the exchange is recorded
    /// as cancelled, with what has arrived.
    ///
    /// - Parameters:
    ///   - request: The request, with the header fields that the client sends.
    ///   - server: Sends the request to the real server, in modes that call it.
    /// - Returns: the head of the response, as soon as it has arrived, and the parts of the body.
    /// - Throws: what `response(to:from:)` throws. An error after the head is thrown by `parts`.
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
    /// The stub file has it as JSON that everybody can read, so it must not be a secret:
    ///
    ///     {
    ///       "json" : "5F0C2B1E-6B0E-4B0B-9C39-0E3C9F5D7A11",
    ///       "recordedAt" : "2026-11-22T15:04:05Z",
    ///       "value" : "order"
    ///     }
    ///
    /// A value is recorded and played like a stub. It is made when a file is recorded from the start, and always in `.live`.
    /// In `.recordingMissing` a value of the file is used. On playback a value that is missing is reported like an unstubbed
    /// request, and `make` is called. A value that no test used is one of the `unusedStubs`.
    ///
    /// The same name gives the same value, even in the other processes of a run that start after it was made. For several
    /// values, use several names: `"order \(number)"`. The call reads the stub file if necessary.
    ///
    /// - Parameters:
    ///   - name: the name of the value in the stub file.
    ///   - make: makes the value. Where several threads ask for a name at the same time, it may be called more than once, and
    ///     all of them get the first value.
    /// - Returns: the value as it is read from the file: dates have whole milliseconds.
    /// - Throws: the error of `make`, live or recorded. If `make` cannot throw a recorded error, it is called, and the end of the
    ///   recording throws an error that says so.
    public func value<Value: Codable, E: Error>(_ name: String, _ make: () throws(E) -> Value) throws(E) -> Value {
        try engine.value(name, make)
    }

    /// Returns a value of any asynchronous call, which is recorded once and played afterwards.
    ///
    /// Use it for anything that is not HTTP: a model on the device, a database, a library that hides its requests:
    ///
    ///     let forecast = try await network.value("forecast") { try await model.answer(prompt) }
    ///
    /// It has the same modes, the same entry in the file and the same reports as the function without `async`. An error is
    /// recorded too, with its domain, its code and its text, and thrown on playback: as a `URLError` if it was one, and
    /// otherwise as an `NSError`. A call that is repeated after an error gets the errors one after the other, and then the
    /// value. Cancellation is not recorded.
    ///
    /// - Parameters:
    ///   - name: the name of the value in the stub file.
    ///   - isolation: the actor that `make` is called on: the caller's.
    ///   - make: makes the value.
    /// - Returns: the value as it is read from the file: dates have whole milliseconds.
    /// - Throws: the error of `make`, live or recorded.
    public func value<Value: Codable>(
        _ name: String,
        isolation: isolated (any Actor)? = #isolation,
        _ make: () async throws -> Value
    ) async throws -> Value {
        try await engine.value(name, isolation: isolation, make)
    }
}
