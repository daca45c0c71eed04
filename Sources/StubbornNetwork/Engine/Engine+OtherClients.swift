import Foundation

extension Engine {
    /// Sends a request to the real server by a client that is not a session.
    typealias ServerCall = @Sendable (StubRequest) async throws -> StreamedResponse

    /// Answers a request of a client that is not a session: with a stub, or with what `server` returns.
    ///
    /// - Throws: the stub's error, the server's, or a `StubbornNetworkError`.
    func response(to request: StubRequest, from server: @escaping ServerCall) async throws -> StreamedResponse {
        guard request.url.isAnswerable else { throw StubbornNetworkError.unsupportedRequest(request.url) }
        let asked = request.combiningHeaderFields
        let exchange = log.begin(asked)
        do {
            return try await act(on: decision(on: asked, exchange), request, exchange, server)
        } catch {
            end(exchange, isAnswered: false)
            throw error
        }
    }

    /// Decides on a request; on a thread outside Swift's tasks if a file has to be read or is locked by another process.
    private func decision(on request: StubRequest, _ exchange: Int) async -> Decision {
        if loadsQuickly { return decide(request, exchange: exchange) }
        return await onOtherThread { self.decide(request, exchange: exchange) }
    }

    private func act(
        on decision: Decision,
        _ request: StubRequest,
        _ exchange: Int,
        _ server: @escaping ServerCall
    ) async throws -> StreamedResponse {
        switch decision {
        case .play(let stub, let isRecorded):
            return try await play(stub.response, isRecorded: isRecorded, to: request, exchange)
        case .verify(let stub, let verification):
            verify(verification, request, server)
            return try await play(stub.response, isRecorded: true, to: request, exchange)
        case .record(let recording): return try await ask(server, request, recording, exchange)
        case .passThrough: return try await ask(server, request, nil, exchange)
        case .fail(let error): throw error
        }
    }

    // MARK: Playing

    private func play(
        _ stub: StubResponse,
        isRecorded: Bool,
        to request: StubRequest,
        _ exchange: Int
    ) async throws -> StreamedResponse {
        let settings = settings.current.settings
        let player = Player(
            speed: settings.playbackSpeed,
            cancellationTimeout: settings.cancellationTimeout.seconds
        )
        let steps = player.steps(for: stub, to: request, isRecorded: isRecorded)
        guard let first = steps.first else { throw StubbornNetworkError.nothingToAnswerWith(request.url) }
        try await wait(for: first)
        if case .failure(let error) = first.event { throw clientError(error, of: request) }
        guard let head = stub.playedHead(to: request, byteCount: try stub.body?.count ?? 0) else {
            throw StubbornNetworkError.nothingToAnswerWith(request.url)
        }
        let rest = steps.dropFirst()
        return stream(head) { [self] pass in
            do {
                for step in rest {
                    try await wait(for: step)
                    switch step.event {
                    case .data(let data): pass(data)
                    case .failure(let error): throw clientError(error, of: request)
                    case .response, .end: break
                    }
                }
                end(exchange, isAnswered: true)
            } catch {
                end(exchange, isAnswered: false)
                throw error
            }
        }
    }

    private func wait(for step: Player.Step) async throws {
        guard step.seconds > 0 else { return }
        try await Task.sleep(nanoseconds: UInt64(min(step.seconds, Delay.longest) * 1_000_000_000))
    }

    /// Returns a response with the parts that `body` passes on.
    ///
    /// When the client stops reading, `body` is cancelled.
    private func stream(
        _ head: ResponseHead,
        whenCancelled: @escaping @Sendable () -> Void = {},
        _ body: @escaping @Sendable (_ pass: @Sendable (Data) -> Void) async throws -> Void
    ) -> StreamedResponse {
        let parts = AsyncThrowingStream<Data, any Error> { continuation in
            let task = Task {
                do {
                    try await body { continuation.yield($0) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { reason in
                guard case .cancelled = reason else { return }
                whenCancelled()
                task.cancel()
            }
        }
        return StreamedResponse(head: head, stream: parts)
    }

    // MARK: Asking the real server

    private func ask(
        _ server: @escaping ServerCall,
        _ request: StubRequest,
        _ recording: Recording?,
        _ exchange: Int
    ) async throws -> StreamedResponse {
        if let error = recorder.begin(recording) { throw error }
        let received = Lock(ReceivedExchange(collectsBody: recording != nil))
        let response: StreamedResponse
        do {
            response = try await server(request)
        } catch {
            throw await failure(error, received, recording)
        }
        received.withLock { $0.begin(response.head.combiningRepeatedFields) }
        let storeCancelled: @Sendable () -> Void = { [self] in
            // What a client cancels is stored before the recording ends.
            perform {
                guard received.withLock({ $0.end(.cancelledByClient) }) else { return }
                self.recorder.store(received.withLock { $0 }, as: recording)
            }
        }
        return stream(response.head, whenCancelled: storeCancelled) { [self] pass in
            do {
                for try await part in response.parts {
                    received.withLock { _ = $0.add(.data(part)) }
                    await recorder.storeBeginningOnOtherThread(received, as: recording)
                    pass(part)
                }
                try Task.checkCancellation()
            } catch {
                end(exchange, isAnswered: false)
                throw await failure(error, received, recording)
            }
            // The client may have cancelled it in the same moment, and then it is stored already.
            guard received.withLock({ $0.add(.end(body: nil)) }) else { return end(exchange, isAnswered: false) }
            let error = await recorder.storeOnOtherThread(received.withLock { $0 }, as: recording)
            end(exchange, isAnswered: error == nil)
            if let error { throw error }
        }
    }

    /// Stores an exchange that has failed, or that the client has cancelled, and returns the client's error.
    private func failure(
        _ error: any Error,
        _ received: Lock<ReceivedExchange>,
        _ recording: Recording?
    ) async -> any Error {
        let isCancelled = Task.isCancelled || error is CancellationError
        guard received.withLock({ isCancelled ? $0.end(.cancelledByClient) : $0.add(.failure(error)) }) else {
            return error
        }
        let storingError = await recorder.storeOnOtherThread(received.withLock { $0 }, as: recording)
        return isCancelled ? error : storingError ?? error
    }

    /// Asks the real server for the same as a recorded stub answers, and compares the two responses.
    private func verify(_ verification: Verification, _ request: StubRequest, _ server: @escaping ServerCall) {
        let byteCount = verification.cancelledByteCount
        verify(verification, request.urlRequest) { request, end in
            let received = Lock(ReceivedExchange(collectsBody: true))
            Task {
                do {
                    guard let sent = StubRequest(request) else { throw URLError(.badURL) }
                    let response = try await server(sent)
                    received.withLock { $0.begin(response.head.combiningRepeatedFields) }
                    var parts = response.parts.makeAsyncIterator()
                    while !received.withLock({ $0.endIfEnough(after: byteCount, seconds: request.timeoutInterval) }),
                        let part = try await parts.next()
                    {
                        received.withLock { _ = $0.add(.data(part)) }
                    }
                    received.withLock { _ = $0.add(.end(body: nil)) }
                } catch {
                    received.withLock { _ = $0.add(.failure(error)) }
                }
                end(received.withLock { $0 })
            }
        }
    }
}

extension StubRequest {
    /// The request as a session would send it: with fields sorted by name, and repeated ones joined.
    fileprivate var combiningHeaderFields: StubRequest {
        var request = self
        request.headerFields = HeaderFields(headerFields.combined)
        return request
    }
}

extension ResponseHead {
    /// The head with its header fields as a session gives them.
    fileprivate var combiningRepeatedFields: ResponseHead {
        var head = self
        head.headerFields = headerFields.combiningRepeated
        return head
    }
}

extension HeaderFields {
    /// The fields as a session gives them: sorted by name, repeated ones joined.
    ///
    /// `Set-Cookie` fields stay separate, because two cookies cannot be in one field (RFC 6265, section 3).
    fileprivate var combiningRepeated: HeaderFields {
        var cookies: [String] = []
        var others = self
        if values(named: "Set-Cookie").count > 1 {
            cookies = values(named: "Set-Cookie")
            others["Set-Cookie"] = cookies[0]
        }
        var fields: [Field] = []
        for field in HeaderFields(others.combinedBySpelling) {
            let isCookie = !cookies.isEmpty && field.name.isSameFieldName(as: "Set-Cookie")
            for value in isCookie ? cookies : [field.value] { fields.append(Field(name: field.name, value: value)) }
        }
        return HeaderFields(fields)
    }
}
