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
        let (events, reader) = AsyncThrowingStream<ExchangeEvent, any Error>.makeStream()
        let load = RequestLoad(
            StreamClient(events: reader, url: request.url, server: connection(request, server)),
            self
        )
        reader.onTermination = { reason in
            // What a client cancels is stored before the recording ends.
            if case .cancelled = reason { load.stop(because: .cancelledByClient) }
        }
        // On another thread if a file has to be read, or is locked by another process.
        if loadsQuickly {
            load.begin(request.urlRequest, asked)
        } else {
            await onOtherThread { load.begin(request.urlRequest, asked) }
        }
        return try await StreamedResponse(of: events, to: request)
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

/// A client that is not a session, and reads the events of its response one by one.
private struct StreamClient: LoadClient {
    let events: AsyncThrowingStream<ExchangeEvent, any Error>.Continuation
    let url: URL
    let server: Recorder.Connection
    private let head = Lock<ResponseHead?>(nil)

    var takesHeads: Bool { true }
    var response: URLResponse? { head.withLock { $0 }?.httpResponse(to: url) }

    func connection(_ recorder: Recorder, bodyFrom source: RequestBodySource) -> Recorder.Connection? { server }

    func send(_ event: ExchangeEvent) {
        if case .head(let received) = event { head.withLock { $0 = received } }
        switch event {
        case .response, .head, .data: events.yield(event)
        case .end: events.finish()
        case .failure(let error): events.finish(throwing: error)
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
        guard let asked = StubRequest(request), asked.url.isAnswerable else {
            throw StubbornNetworkError.unsupportedRequest(request.url).asked(by: caller)
        }
        let client = WaitingCaller()
        RequestLoad(client, self).begin(request, asked)
        switch client.result {
        case (_, _, let error as StubbornNetworkError): throw error.asked(by: caller)
        case (_, _, let error?): throw error
        case (let body, let response?, nil): return (body, response)
        case (_, nil, nil): throw StubbornNetworkError.nothingToAnswerWith(asked.url).asked(by: caller)
        }
    }
}

/// A caller that gets the response of a stub at once, and asks no server.
private struct WaitingCaller: LoadClient {
    private let state = Lock((body: Data(), response: URLResponse?.none, error: (any Error)?.none))

    var result: (body: Data, response: URLResponse?, error: (any Error)?) { state.withLock { $0 } }
    var waits: Bool { false }
    var response: URLResponse? { result.response }

    func connection(_ recorder: Recorder, bodyFrom source: RequestBodySource) -> Recorder.Connection? { nil }

    func send(_ event: ExchangeEvent) {
        state.withLock { state in
            switch event {
            case .response(let response, _): state.response = response
            case .data(let data): state.body.append(data)
            case .failure(let error): state.error = error
            case .head, .end: break
            }
        }
    }
}
