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
        let decision = await decision(on: asked, exchange)
        let (events, client) = AsyncThrowingStream<ExchangeEvent, any Error>.makeStream()
        let head = Lock<ResponseHead?>(nil)
        let cancel = act(on: decision, request, connection(request, server)) { [self] event in
            switch event {
            case .response, .head, .data:
                if case .head(let received) = event { head.withLock { $0 = received } }
                client.yield(event)
            case .end:
                end(exchange, isAnswered: true, with: head.withLock { $0 }?.httpResponse(to: request.url))
                client.finish()
            case .failure(let error):
                end(exchange, isAnswered: false)
                client.finish(throwing: clientError(error, of: request))
            }
        }
        client.onTermination = { [self] reason in
            guard case .cancelled = reason else { return }
            end(exchange, isAnswered: false)
            // What a client cancels is stored before the recording ends.
            perform { cancel(.cancelledByClient) }
        }
        return try await StreamedResponse(of: events, to: request)
    }

    /// Decides on a request; on a thread outside Swift's tasks if a file has to be read or is locked by another process.
    private func decision(on request: StubRequest, _ exchange: Int) async -> Decision {
        if loadsQuickly { return decide(request, exchange: exchange) }
        return await onOtherThread { self.decide(request, exchange: exchange) }
    }

    /// Begins what was decided, and returns the function that cancels it.
    private func act(
        on decision: Decision,
        _ request: StubRequest,
        _ connection: @escaping Recorder.Connection,
        onEvent: @escaping @Sendable (ExchangeEvent) -> Void
    ) -> @Sendable (StubFailure) -> Void {
        switch decision {
        case .play(let stub, let isRecorded):
            return play(stub.response, isRecorded: isRecorded, to: request, onEvent: onEvent)
        case .verify(let stub, let verification):
            verify(verification, request.urlRequest, by: connection)
            return play(stub.response, isRecorded: true, to: request, onEvent: onEvent)
        case .record(let recording):
            let connection = sendingSecrets(connection, from: connection)
            return recorder.send(request.urlRequest, by: connection, recording: recording, onEvent: onEvent)
        case .passThrough:
            return recorder.send(
                request.urlRequest,
                by: connection,
                recording: nil,
                collectsBody: false,
                onEvent: onEvent
            )
        case .fail(let error):
            onEvent(.failure(error))
            return { _ in }
        }
    }

    private func play(
        _ response: StubResponse,
        isRecorded: Bool,
        to request: StubRequest,
        onEvent: @escaping @Sendable (ExchangeEvent) -> Void
    ) -> @Sendable (StubFailure) -> Void {
        let settings = settings.current.settings
        let player = Player(
            speed: settings.playbackSpeed,
            cancellationTimeout: settings.cancellationTimeout.seconds
        )
        let steps = player.steps(for: response, to: request, isRecorded: isRecorded)
        let head = response.playedHead(to: request)
        let task = Task {
            for step in steps {
                if step.seconds > 0 {
                    try await Task.sleep(nanoseconds: UInt64(min(step.seconds, Delay.longest) * 1_000_000_000))
                }
                if case .response = step.event, let head { onEvent(.head(head)) } else { onEvent(step.event) }
            }
        }
        return { _ in task.cancel() }
    }

    /// Returns the client's own connection to the real server.
    ///
    /// Storing waits for the disk, so no event is passed on by a thread of Swift's tasks.
    private func connection(_ original: StubRequest, _ server: @escaping ServerCall) -> Recorder.Connection {
        { request, onEvent in
            // The client's own header fields, unless they have got live values.
            let sent = request == original.urlRequest ? original : StubRequest(request) ?? original
            let task = Task {
                let last: ExchangeEvent
                do {
                    let response = try await server(sent)
                    await onOtherThread { onEvent(.head(response.head)) }
                    for try await part in response.parts { await onOtherThread { onEvent(.data(part)) } }
                    last = .end(body: nil)
                } catch {
                    last = .failure(error)
                }
                await onOtherThread { onEvent(last) }
            }
            return { task.cancel() }
        }
    }
}

extension StreamedResponse {
    /// Waits for the head of a response, and returns it with the parts that follow.
    fileprivate init(of events: AsyncThrowingStream<ExchangeEvent, any Error>, to request: StubRequest) async throws {
        var first = events.makeAsyncIterator()
        guard case .head(let head)? = try await first.next() else {
            // The stream of a task that is cancelled ends without an error.
            try Task.checkCancellation()
            throw StubbornNetworkError.nothingToAnswerWith(request.url)
        }
        let parts = AsyncThrowingStream<Data, any Error> {
            var next = events.makeAsyncIterator()
            guard case .data(let part)? = try await next.next() else { return nil }
            return part
        }
        self.init(head: head, stream: parts)
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

extension Engine {
    /// Returns a stub's response without a session and without delays.
    ///
    /// Follows redirects.
    ///
    /// - Throws: the stub's error, or a `StubbornNetworkError` that names the caller.
    func response(to request: URLRequest, caller: String) throws -> (Data, URLResponse) {
        do {
            return try answer(to: request)
        } catch let error as StubbornNetworkError {
            throw error.asked(by: caller)
        }
    }

    private func answer(to request: URLRequest) throws -> (Data, URLResponse) {
        guard let first = StubRequest(request), first.url.isAnswerable else {
            throw StubbornNetworkError.unsupportedRequest(request.url)
        }
        let exchange = log.begin(first)
        var answer: URLResponse?
        defer { log.end(exchange, isAnswered: answer != nil, with: answer) }
        var request = request
        for _ in 0...Redirect.limit {
            guard let stubRequest = StubRequest(request) else { break }
            let (data, response) = try play(decide(stubRequest, exchange: exchange), for: stubRequest)
            guard let next = Redirect.next(after: response, to: request) else {
                answer = response
                return (data, response)
            }
            request = next
        }
        throw StubFailure.tooManyRedirects.error(failing: request.url ?? first.url)
    }

    private func play(_ decision: Decision, for request: StubRequest) throws -> (Data, URLResponse) {
        switch decision {
        case .verify(let stub, let verification):
            verifier.skip(verification, because: "response(to:) asks no server")
            return try play(.play(stub, isRecorded: true), for: request)
        case .play(let stub, let isRecorded):
            var response: URLResponse?
            var body = Data()
            for step in Player(speed: .immediate).steps(for: stub.response, to: request, isRecorded: isRecorded) {
                switch step.event {
                case .response(let received, _): response = received
                case .data(let data): body.append(data)
                case .head, .end: break
                case .failure(let error): throw clientError(error, of: request)
                }
            }
            guard let response else { throw StubbornNetworkError.nothingToAnswerWith(request.url) }
            return (body, response)
        case .record: throw StubbornNetworkError.needsServer(request.url, mode: recordMode)
        case .passThrough:
            let mode = recordMode
            throw StubbornNetworkError.needsServer(request.url, mode: mode.rules.passesThrough ? mode : nil)
        case .fail(let error): throw error
        }
    }
}
