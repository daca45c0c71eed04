import Foundation

extension Engine {
    /// The function by which a client that is not a session sends a request to the real server.
    typealias ServerCall = @Sendable (StubRequest) async throws -> StreamedResponse

    /// Answers a request of a client that is not a session: with a stub, or with the response of `server`.
    ///
    /// - Throws: the stub's error, the server's, or a `StubbornNetworkError`.
    func response(to request: StubRequest, from server: @escaping ServerCall) async throws -> StreamedResponse {
        let (events, reader) = AsyncThrowingStream<ExchangeEvent, any Error>.makeStream()
        let load = RequestLoad(StreamClient(events: reader, server: connection(request, server)), self)
        reader.onTermination = { reason in
            // A cancelled exchange is stored before the recording ends.
            if case .cancelled = reason { load.stop { CancellationError() } }
        }
        // On a different thread if a file has to be read, or is locked by another process.
        if loadsQuickly {
            load.proceed(with: request.urlRequest)
        } else {
            await onOtherThread { load.proceed(with: request.urlRequest) }
        }
        return try await StreamedResponse(of: events)
    }

    /// Returns the client's own connection to the real server.
    ///
    /// Storing waits for the disk, so no event is passed on by a thread of Swift's tasks.
    private func connection(_ original: StubRequest, _ server: @escaping ServerCall) -> Recorder.Connection {
        { request, onEvent in
            // The client's own header fields, unless live values were inserted.
            let sent = request == original.urlRequest ? original : StubRequest(request) ?? original
            let task = Task {
                do {
                    let response = try await server(sent)
                    await onOtherThread { onEvent(.head(response.head)) }
                    for try await part in response.parts { await onOtherThread { onEvent(.data(part)) } }
                    await onOtherThread { onEvent(.end(body: nil)) }
                } catch {
                    await onOtherThread { onEvent(.failure(error)) }
                }
            }
            return { task.cancel() }
        }
    }
}

/// A client that is not a session, and reads the events of its response one by one.
private struct StreamClient: LoadClient {
    let events: AsyncThrowingStream<ExchangeEvent, any Error>.Continuation
    let server: Recorder.Connection

    var takesHeads: Bool { true }

    func connection(_ recorder: Recorder, bodyFrom source: RequestBodySource) -> Recorder.Connection? { server }

    func send(_ event: ExchangeEvent) {
        switch event {
        case .response, .head, .data: events.yield(event)
        case .end: events.finish()
        case .failure(let error): events.finish(throwing: error)
        }
    }
}

extension StreamedResponse {
    /// Waits for the head of a response, and returns it with the parts that follow.
    fileprivate init(of events: AsyncThrowingStream<ExchangeEvent, any Error>) async throws {
        var first = events.makeAsyncIterator()
        // The stream of a task that is cancelled ends without an error.
        guard case .head(let head)? = try await first.next() else { throw CancellationError() }
        let parts = AsyncThrowingStream<Data, any Error> {
            var next = events.makeAsyncIterator()
            guard case .data(let part)? = try await next.next() else { return nil }
            return part
        }
        self.init(head: head, parts: parts)
    }
}

extension Engine {
    /// Returns a stub's response without a session and without delays.
    ///
    /// Follows redirects.
    ///
    /// - Throws: the stub's error, or a `StubbornNetworkError` that names the caller.
    func response(to request: URLRequest, caller: String) throws -> (Data, URLResponse) {
        let client = WaitingCaller()
        RequestLoad(client, self).proceed(with: request)
        do {
            return try client.result.get()
        } catch var error as StubbornNetworkError {
            error.message += "\nCalled at \(caller)."
            throw error
        }
    }
}

/// A caller that gets the response of a stub at once, without a server.
private struct WaitingCaller: LoadClient {
    /// The body, and the response or the error: a load that does not wait has sent them when it returns.
    private let received = Lock((body: Data(), response: Result<URLResponse, any Error>.failure(CancellationError())))

    var result: Result<(Data, URLResponse), any Error> {
        received.withLock { received in received.response.map { (received.body, $0) } }
    }
    var waits: Bool { false }

    func connection(_ recorder: Recorder, bodyFrom source: RequestBodySource) -> Recorder.Connection? { nil }

    func send(_ event: ExchangeEvent) {
        received.withLock { received in
            switch event {
            case .response(let response, _): received.response = .success(response)
            case .data(let data): received.body.append(data)
            case .failure(let error): received.response = .failure(error)
            case .head, .end: break
            }
        }
    }
}
