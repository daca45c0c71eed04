import Foundation

/// One request on its way: from the decision what becomes of it, over redirects and challenges, to the client.
final class RequestLoad: Sendable {
    struct State {
        /// Cancels whatever is under way: a delay, or the exchange with the real server.
        var cancel: (@Sendable () -> Void)?
        /// How many such things there have been: what cancels an earlier one is of no use any more.
        var undertakings = 0
        var isStopped = false
        var takesBodyInParts = true
        var context: SessionContext?
        /// The response that is coming in, as long as it is not the client's.
        var held: HeldResponse?
        var redirects = 0
        var failedAnswers = 0
    }

    let engine: NetworkEngine?
    let state = Lock(State())
    private let delivery: ClientDelivery
    // Reached only inside `start()`, on the client's thread.
    private let urlProtocol: UncheckedTransfer<Weak<URLProtocol>>
    private let exchange = Lock<Int?>(nil)

    init(_ urlProtocol: URLProtocol, engine: NetworkEngine?) {
        self.engine = engine
        self.urlProtocol = UncheckedTransfer(Weak(urlProtocol))
        delivery = ClientDelivery(urlProtocol)
    }

    // MARK: On the client's thread

    /// Begins. An undelayed stub has been delivered when this returns.
    func start() {
        defer { delivery.fetch() }
        guard let urlProtocol = urlProtocol.value.object else { return }
        let request = urlProtocol.request
        guard let engine else { return fail(StubbornNetworkError.networkGone(request.url)) }
        guard let stubRequest = StubRequest(request), stubRequest.url.isAnswerable else {
            return fail(StubbornNetworkError.unsupportedRequest(request.url))
        }
        if let reason = urlProtocol.task?.unsupportedReason {
            return fail(StubbornNetworkError(.unsupportedTask, reason, url: request.url))
        }
        switch urlProtocol.task?.body(for: request) ?? .known(request.httpBody) {
        case .known(let body) where engine.source.isLoaded:
            begin(request, body: body, engine)
        case .known(let body):
            prepareToWait()
            DispatchQueue.global(qos: .userInitiated).async { self.begin(request, body: body, engine) }
        case .deferred(let read):
            prepareToWait()
            DispatchQueue.global(qos: .userInitiated).async {
                do { self.begin(request, body: try read(), engine) } catch { self.fail(error) }
            }
        case .unreadable:
            fail(StubbornNetworkError.unreadableBody(stubRequest.url))
        }
    }

    /// Goes on with a request that was begun on the client's thread.
    func start(with beginning: Beginning) {
        defer { delivery.fetch() }
        guard let urlProtocol = urlProtocol.value.object else { return }
        exchange.withLock { $0 = beginning.exchange }
        follow(
            beginning.decision,
            of: urlProtocol.request.with(body: beginning.request.body),
            beginning.request
        )
    }

    /// Called when Foundation starts a load that has started: whatever was held back comes now.
    func startAgain() {
        delivery.resume()
    }

    func pause() {
        delivery.pause()
    }

    func stop() {
        delivery.stop()
        let cancel = state.withLock { state in
            state.isStopped = true
            defer { state.cancel = nil }
            return state.cancel
        }
        // Not here: cancelling the inner task would wait for the queue that this runs on.
        if let cancel { DispatchQueue.global().async(execute: cancel) }
        end(isAnswered: false)
    }

    /// Finds out everything that can be found out about the task only now, before `startLoading` returns. Later calls, on
    /// whatever thread, do nothing.
    private func prepareToWait() {
        guard !delivery.hasThread, let urlProtocol = urlProtocol.value.object else { return }
        delivery.setThread(urlProtocol.clientThread())
        let takesBodyInParts = urlProtocol.task?.takesBodyInParts ?? true
        let context = urlProtocol.sessionContext()
        state.withLock { state in
            state.takesBodyInParts = takesBodyInParts
            state.context = context
        }
    }

    // MARK: On any thread

    private func begin(_ request: URLRequest, body: Data?, _ engine: NetworkEngine) {
        let request = request.with(body: body)
        guard let stubRequest = StubRequest(request) else { return }
        let id = engine.log.begin(stubRequest)
        exchange.withLock { $0 = id }
        guard !state.withLock({ $0.isStopped }) else { return }
        follow(engine.decide(stubRequest, exchange: id), of: request, stubRequest)
    }

    /// Has a request answered: the task's own, or one that a redirect or a challenge led to.
    func proceed(_ request: URLRequest) {
        guard let engine, let id = exchange.withLock({ $0 }), !state.withLock({ $0.isStopped }) else { return }
        // A delegate may have sent a redirect anywhere.
        guard let stubRequest = StubRequest(request), stubRequest.url.isAnswerable else {
            return fail(StubbornNetworkError.unsupportedRequest(request.url))
        }
        follow(engine.decide(stubRequest, exchange: id), of: request, stubRequest)
    }

    private func follow(_ decision: NetworkEngine.Decision, of request: URLRequest, _ stubRequest: StubRequest) {
        guard let engine else { return }
        switch decision {
        case .play(let response, let isRecorded):
            // What a wait is compared with, the session knows.
            if response.pace != .immediate { prepareToWait() }
            let speed = engine.settings.current.settings.playbackSpeed
            let steps = Player(speed: speed).steps(
                for: response,
                to: stubRequest,
                isRecorded: isRecorded,
                timeout: timeout(of: request)
            )
            play(steps[...], of: request)
        case .record(let keeping): ask(request, engine, keeping: keeping)
        case .passThrough: ask(request, engine, keeping: nil)
        case .fail(let error): fail(error)
        }
    }

    private func play(_ steps: ArraySlice<Player.Step>, of request: URLRequest) {
        for (index, step) in zip(steps.indices, steps) {
            if step.seconds > 0 {
                prepareToWait()
                return undertake {
                    Delay.run(after: step.seconds) { [self] in
                        receive(step.event, of: request)
                        play(steps[(index + 1)...], of: request)
                    }
                }
            }
            receive(step.event, of: request)
        }
    }

    /// Asks the real server. From a global queue, because sessions must not be touched on the client's thread.
    private func ask(_ request: URLRequest, _ engine: NetworkEngine, keeping: Recorder.Keeping?) {
        prepareToWait()
        DispatchQueue.global(qos: .userInitiated).async { [self] in
            if keeping != nil, let error = engine.source.recorded.reasonNotToRecord() { return fail(error) }
            guard !state.withLock({ $0.isStopped }) else { return }
            let sent = requestForServer(request)
            // A body that nobody keeps is not collected where it goes on in parts.
            let collects = keeping != nil || !state.withLock { $0.takesBodyInParts }
            undertake {
                engine.recorder.send(sent, keeping: keeping, collectsBody: collects) { self.receive($0, of: request) }
            }
        }
    }

    /// Begins something that can be cancelled. By the time it has begun it may have led to the next such thing already.
    private func undertake(_ begin: () -> @Sendable () -> Void) {
        let number = state.withLock { state in
            state.undertakings += 1
            return state.undertakings
        }
        let cancel = begin()
        let isStopped = state.withLock { state in
            if !state.isStopped, state.undertakings == number { state.cancel = cancel }
            return state.isStopped
        }
        if isStopped { cancel() }
    }

    private func receive(_ event: ExchangeEvent, of request: URLRequest) {
        switch event {
        case .response(let response):
            if response.needsSession { prepareToWait() }
            keepCookies(of: response)
            let held = HeldResponse(response, to: request)
            state.withLock { $0.held = held }
            if held == nil { delivery.send(.response(response.forClient)) }
        case .data(let data):
            if data.count > StubResponse.partByteCount { prepareToWait() }
            let (isHeld, takesParts) = state.withLock { ($0.held != nil, $0.takesBodyInParts) }
            if !isHeld, takesParts { data.inParts(of: StubResponse.partByteCount).forEach { delivery.send(.data($0)) } }
        case .end(let body):
            let (held, isWhole) = state.withLock { state in
                defer { state.held = nil }
                return (state.held, !state.takesBodyInParts)
            }
            if let held { return goOn(after: held, body: body) }
            if isWhole, let body, !body.isEmpty { delivery.send(.data(body)) }
            delivery.send(event)
            end(isAnswered: true)
        case .failure(let error):
            fail(error)
        }
    }

    /// Gives the client a response that was held back, because nothing else comes of it.
    func deliver(_ held: HeldResponse, body: Data?) {
        delivery.send(.response(held.response.forClient))
        if let body, !body.isEmpty { delivery.send(.data(body)) }
        delivery.send(.end(body: body))
        end(isAnswered: true)
    }

    func fail(_ error: any Error) {
        delivery.send(.failure(error))
        end(isAnswered: false)
    }

    private func end(isAnswered: Bool) {
        // On Apple's platforms the context holds the protocol, which holds this.
        state.withLock { $0.context = nil }
        guard let id = exchange.withLock({ $0 }) else { return }
        engine?.log.end(id, isAnswered: isAnswered)
    }
}

extension URLRequest {
    /// The request with the body that its task sends.
    fileprivate func with(body: Data?) -> URLRequest {
        var request = self
        // Each change of a request copies it.
        if request.httpBodyStream != nil { request.httpBodyStream = nil }
        if request.httpBody != body { request.httpBody = body }
        return request
    }
}

extension Data {
    /// The data as slices of itself, each of at most so many bytes.
    fileprivate func inParts(of byteCount: Int) -> [Data] {
        stride(from: startIndex, to: endIndex, by: byteCount).map { self[$0..<Swift.min($0 + byteCount, endIndex)] }
    }
}
