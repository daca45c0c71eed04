import Foundation

/// The load of one request: from the decision on it, through redirects and challenges, to the delivery of the response.
final class RequestLoad: Sendable {
    struct State {
        /// The number of the request's exchange in the request log.
        var exchange: Int?
        /// The function that cancels the running operation: a delay, or an exchange with the real server, which is stored
        /// with the failure.
        var cancel: (@Sendable (StubFailure) -> Void)?
        /// The number of operations that have been started.
        ///
        /// Only the latest can be cancelled.
        var operationCount = 0
        /// The reason why the load was stopped; `nil` if it was not.
        var stop: StubFailure?
        var takesBodyInParts = true
        var context: SessionContext?
        /// The response that is being received, if it is held back.
        var held: HeldResponse?
        var redirects = 0
        var failedAnswers = 0
    }

    /// The largest part of a body that a delegate gets at once, in bytes.
    private static let maximumPartByteCount = 256 * 1024

    let engine: Engine
    let state = Lock(State())
    let delivery: ClientDelivery

    init(_ urlProtocol: URLProtocol, _ engine: Engine) {
        self.engine = engine
        delivery = ClientDelivery(urlProtocol)
    }

    // MARK: On the client's thread

    /// Starts the load.
    ///
    /// A stub without a delay has been delivered when this returns.
    func start() {
        defer { delivery.deliverPending() }
        guard let urlProtocol = delivery.urlProtocol else { return }
        let request = urlProtocol.request
        let task = urlProtocol.task
        guard let url = request.url, url.isAnswerable else {
            return fail(StubbornNetworkError.unsupportedRequest(request.url))
        }
        if let part = task?.missingPart {
            return fail(
                StubbornNetworkError.unsupportedVersion(of: "Foundation", without: "URLSessionTask.\(part)", url: url)
            )
        }
        if let reason = task?.unsupportedReason {
            return fail(StubbornNetworkError(.unsupportedRequest, reason, url: url))
        }
        let read: @Sendable () throws -> Data?
        var queue = DispatchQueue.global(qos: .userInitiated)
        switch task?.body(for: request) ?? request.visibleBody {
        case .known(let body) where engine.loadsQuickly: return begin(request, to: url, body: body)
        case .known(let body): read = { body }
        // A stream may wait for work on a global queue, whose threads are few.
        case .deferred(let readBody): (read, queue) = (readBody, DispatchQueue(label: "StubbornNetwork.RequestBody"))
        case .unreadable: return fail(StubbornNetworkError.unreadableBody(url))
        }
        prepareToWait()
        engine.perform(on: queue) {
            do { self.begin(request, to: url, body: try read()) } catch { self.fail(error) }
        }
    }

    /// Stops the load, because of the error of its task: the session's timeout, or else the client.
    func stop(because error: (any Error)?) {
        delivery.stop()
        let error = error as? URLError
        let failure = error.flatMap { $0.code == .cancelled ? nil : StubFailure($0) } ?? .cancelledByClient
        let cancel = state.withLock { state in
            state.stop = failure
            defer { state.cancel = nil }
            return state.cancel
        }
        // Not on this thread: cancelling the inner task would wait for the queue that this runs on.
        if let cancel { engine.perform { cancel(failure) } }
        end(isAnswered: false)
    }

    /// Reads the parts of the task that the load needs after `startLoading` has returned.
    ///
    /// Later calls, on any thread, do nothing.
    private func prepareToWait() {
        guard !delivery.hasThread, let urlProtocol = delivery.urlProtocol else { return }
        delivery.setThread(urlProtocol.clientThread())
        let takesBodyInParts = urlProtocol.task?.takesBodyInParts ?? true
        let context = urlProtocol.sessionContext(
            orOf: engine.recorder.firstSession,
            callingClient: { [delivery] in delivery.call($0) }
        )
        state.withLock { state in
            state.takesBodyInParts = takesBodyInParts
            state.context = context
        }
    }

    // MARK: On any thread

    private func begin(_ request: URLRequest, to url: URL, body: Data?) {
        let stubRequest = StubRequest(request, to: url, body: body)
        let exchange = engine.log.begin(stubRequest)
        let isStopped = state.withLock { state in
            state.exchange = exchange
            return state.stop != nil
        }
        // A cancelled request uses its stub too: the answer to the next request must not depend on the timing.
        act(on: engine.decide(stubRequest, exchange: exchange), request.with(body: body), stubRequest)
        if isStopped { end(isAnswered: false) }
    }

    /// Continues with another request, to which a redirect or a challenge has led.
    func proceed(with request: URLRequest) {
        guard let exchange = state.withLock({ $0.exchange }) else { return }
        // A delegate may have chosen any request.
        guard let stubRequest = StubRequest(request), stubRequest.url.isAnswerable else {
            return fail(StubbornNetworkError.unsupportedRequest(request.url))
        }
        act(on: engine.decide(stubRequest, exchange: exchange), request, stubRequest)
    }

    private func act(on decision: Decision, _ request: URLRequest, _ stubRequest: StubRequest) {
        switch decision {
        case .play(let stub, let isRecorded):
            let response = stub.response
            var player = Player(speed: .immediate)
            var timeout = TimeInterval.infinity
            if response.pace != .immediate || response.failure?.waitsToBeCancelled == true {
                prepareToWait()
                let settings = engine.settings.current.settings
                player = Player(
                    speed: settings.playbackSpeed,
                    cancellationTimeout: settings.cancellationTimeout.seconds
                )
                timeout = self.timeout(of: request)
            }
            let steps = player.steps(for: response, to: stubRequest, isRecorded: isRecorded, timeout: timeout)
            // A response, one part and the end. Whether the client takes several parts has to be found out.
            if steps.count > 3 { prepareToWait() }
            play(steps[...], of: request)
        case .verify(let stub, let verification):
            verify(verification, request)
            act(on: .play(stub, isRecorded: true), request, stubRequest)
        case .record(let recording): ask(request, recording)
        case .passThrough: ask(request, nil)
        case .fail(let error): fail(error)
        }
    }

    private func play(_ steps: ArraySlice<Player.Step>, of request: URLRequest) {
        for (index, step) in zip(steps.indices, steps) {
            if step.seconds > 0 {
                prepareToWait()
                startOperation {
                    let cancel = Delay.run(after: step.seconds) { [self] in
                        receive(step.event, of: request)
                        play(steps[(index + 1)...], of: request)
                    }
                    return { _ in cancel() }
                }
                return
            }
            receive(step.event, of: request)
        }
    }

    /// Asks the real server.
    ///
    /// Sessions must not be used on the client's thread, so this continues on a global queue.
    private func ask(_ request: URLRequest, _ recording: Recording?) {
        prepareToWait()
        engine.perform(on: .global(qos: .userInitiated)) { [self] in
            let (stop, takesParts, context) = state.withLock { ($0.stop, $0.takesBodyInParts, $0.context) }
            if let stop {
                if let recording { engine.recorder.storeUnsent(recording, stop) }
                return
            }
            let sent = requestForServer(request)
            // The header fields of the session were not there when the engine decided.
            if let url = sent.url, let error = engine.placeholderError(in: StubRequest(sent, to: url, body: nil)) {
                return fail(error)
            }
            let recorder = engine.recorder
            let connection = engine.sendingSecrets(
                recorder.connection(bodyFrom: context?.bodySource ?? .request),
                from: recorder.connection(bodyFrom: .request)
            )
            let stopBefore = startOperation {
                recorder.send(
                    sent,
                    by: connection,
                    recording: recording,
                    // A body that is neither stored nor delivered at once is not collected.
                    collectsBody: recording != nil || !takesParts
                ) { self.receive($0, of: request) }
            }
            if let stopBefore, let recording { engine.recorder.storeUnsent(recording, stopBefore) }
        }
    }

    /// Sends the request of a recorded stub to the real server too, to compare the responses.
    private func verify(_ verification: Verification, _ request: URLRequest) {
        prepareToWait()
        let sent = requestForServer(request)
        // A stream can be read once, and the body is known.
        let source = state.withLock { $0.context?.bodySource } == .upload ? RequestBodySource.upload : .request
        engine.verify(verification, sent, by: engine.recorder.connection(bodyFrom: source))
    }

    /// Starts an operation that can be cancelled, unless the load is stopped.
    ///
    /// The operation may already have started the next one when it returns.
    ///
    /// - Returns: the reason why the load was stopped before; `nil` if the operation was started.
    @discardableResult
    func startOperation(_ start: () -> @Sendable (StubFailure) -> Void) -> StubFailure? {
        let (number, stopBefore) = state.withLock { state in
            state.operationCount += 1
            return (state.operationCount, state.stop)
        }
        if let stopBefore { return stopBefore }
        let cancel = start()
        let stop = state.withLock { state in
            if state.stop == nil, state.operationCount == number { state.cancel = cancel }
            return state.stop
        }
        if let stop { cancel(stop) }
        return nil
    }

    private func receive(_ event: ExchangeEvent, of request: URLRequest) {
        switch event {
        case .response(var response, let needsSession):
            if needsSession {
                prepareToWait()
                response = response.forClient
                storeCookies(of: response)
                let held = HeldResponse(response, to: request)
                state.withLock { $0.held = held }
                guard held == nil else { return }
            }
            delivery.send(.response(response, needsSession: needsSession))
        case .head: break
        case .data(let data):
            let isLarge = data.count > Self.maximumPartByteCount
            if isLarge { prepareToWait() }
            guard state.withLock({ $0.held == nil && $0.takesBodyInParts }) else { return }
            if !isLarge { return delivery.send(event) }
            for start in stride(from: data.startIndex, to: data.endIndex, by: Self.maximumPartByteCount) {
                delivery.send(.data(data[start..<min(start + Self.maximumPartByteCount, data.endIndex)]))
            }
        case .end(let body):
            let (held, takesParts) = state.withLock { state in
                defer { state.held = nil }
                return (state.held, state.takesBodyInParts)
            }
            if let held { return handle(held, body: body) }
            if !takesParts, let body, !body.isEmpty { delivery.send(.data(body)) }
            delivery.send(event)
            end(isAnswered: true)
        case .failure(let error):
            fail(StubRequest(request).map { engine.clientError(error, of: $0) } ?? error)
        }
    }

    /// Delivers a response that was held back.
    func deliver(_ held: HeldResponse, body: Data?) {
        delivery.send(.response(held.response, needsSession: true))
        if let body, !body.isEmpty { delivery.send(.data(body)) }
        delivery.send(.end(body: body))
        end(isAnswered: true)
    }

    func fail(_ error: any Error) {
        delivery.send(.failure(error))
        end(isAnswered: false)
    }

    private func end(isAnswered: Bool) {
        let exchange = state.withLock { state in
            // On Linux the context holds the task, which holds the protocol, which holds this.
            state.context = nil
            return state.exchange
        }
        if let exchange {
            engine.end(exchange, isAnswered: isAnswered, with: isAnswered ? delivery.response : nil)
        }
    }
}

extension URLRequest {
    /// Returns the request with the body that its task sends.
    fileprivate func with(body: Data?) -> URLRequest {
        var request = self
        // Each change of a request copies it.
        if request.httpBodyStream != nil { request.httpBodyStream = nil }
        if request.httpBody != body { request.httpBody = body }
        return request
    }
}
