import Foundation

/// A client that a load answers: the protocol of a session, a client that is not a session, or a caller that does not wait.
///
/// A client determines how it gets events, and which connection to the real server is used. Everything else is the same
/// for all clients.
protocol LoadClient: Sendable {
    /// A Boolean value that indicates whether the client is not a session, and gets a head with its repeated fields, rather than
    /// a response.
    var takesHeads: Bool { get }

    /// A Boolean value that indicates whether the client gets events at their times, rather than all at once.
    var waits: Bool { get }

    /// Sends an event to the client, from any thread.
    func send(_ event: ExchangeEvent)

    /// Prepares the client for events after the current call, and returns the context of its session; `nil` if there is no
    /// session, or if it has been prepared.
    func prepareToWait(_ engine: Engine) -> SessionContext?

    /// Returns the connection to the real server; `nil` if the client never calls one.
    func connection(_ recorder: Recorder, bodyFrom source: RequestBodySource) -> Recorder.Connection?
}

extension LoadClient {
    var takesHeads: Bool { false }
    var waits: Bool { true }
    func prepareToWait(_ engine: Engine) -> SessionContext? { nil }
}

/// The load of one request: the decision, redirects and challenges, and the delivery of the response.
final class RequestLoad: Sendable {
    struct State {
        /// The number of the request's exchange in the request log.
        var exchange: Int?
        /// The function that cancels the running operation: a delay, or an exchange with the real server.
        ///
        /// The exchange is stored with the reason.
        var cancel: (@Sendable (StopReason) -> Void)?
        /// The number of operations that have been started.
        ///
        /// Only the latest can be cancelled.
        var operationCount = 0
        /// The reason why the load was stopped; `nil` if it was not.
        var stop: StopReason?
        /// The context of the client's session; `nil` while it is not needed, and for other clients.
        var context: SessionContext?
        /// The response that is being received, if it is held back.
        var held: HeldResponse?
        /// The last response that the client was sent.
        var response: URLResponse?
        /// The answer to the current request, if the test holds it or has held it.
        var heldAnswer: HeldAnswer?
        var redirects = 0
        var failedAnswers = 0

        var takesBodyInParts: Bool { context?.takesBodyInParts ?? true }
    }

    let engine: Engine
    let client: any LoadClient
    let state = Lock(State())

    init(_ client: any LoadClient, _ engine: Engine) { (self.client, self.engine) = (client, engine) }

    // MARK: From the request to its end

    /// Decides on a request, and carries out the decision: for the first request, and for requests that follow
    /// redirects and challenges.
    ///
    /// A stub without a delay has been delivered when this returns.
    func proceed(with request: URLRequest) {
        // A delegate may have chosen any request.
        guard let stubRequest = StubRequest(request), stubRequest.url.isAnswerable else {
            return fail(StubbornNetworkError.unsupportedRequest(request.url.map(Redactor.shown)))
        }
        if stubRequest.opensWebSocket { return fail(StubbornNetworkError.webSocket(engine.shownURL(of: stubRequest))) }
        let (exchange, isStopped) = state.withLock { state in
            // The answer to the request before a redirect or a challenge has ended.
            state.heldAnswer = nil
            return (state.exchange.orSet { engine.log.begin(stubRequest) }, state.stop != nil)
        }
        // A cancelled request also uses its stub, so that the answer to the next request does not depend on timing.
        let decision = engine.decide(stubRequest, exchange: exchange)
        hold(stubRequest, of: request, decision)
        switch decision {
        case .play(let response, let isRecorded): play(response, isRecorded: isRecorded, request, to: stubRequest)
        case .record(let recording): ask(request, stubRequest, recording)
        case .passThrough: ask(request, stubRequest, nil)
        case .fail(let error): fail(error)
        }
        if isStopped { end(isAnswered: false) }
    }

    /// Holds the answer to a request, if the test wants to release it.
    ///
    /// Requests that fail without an answer or are cancelled before are not held, and neither is a caller that cannot wait.
    private func hold(_ stubRequest: StubRequest, of request: URLRequest, _ decision: Decision) {
        if case .fail = decision { return }
        guard client.waits, state.withLock({ $0.stop == nil }) else { return }
        let holds = engine.holds.withLock { $0 }
        guard !holds.isEmpty else { return }
        let options = engine.settings.current.settings.rules.matchers
        let matching = engine.inTest { holds.filter { $0.pattern.match(stubRequest, options: options) != nil } }
        for hold in matching.reversed() {
            prepareToWait()
            let answer = hold.add { partCount in
                let answer = HeldAnswer(stubRequest, afterPart: partCount, timeout: timeout(of: request)) { [self] in
                    deliver($0, of: request)
                }
                return state.withLock { state -> HeldAnswer? in
                    // From now on, a cancellation discards the answer.
                    if state.stop == nil { state.heldAnswer = answer }
                    return state.heldAnswer
                }
            }
            if let answer { return answer.startTimer() }
        }
    }

    private func play(_ response: StubResponse, isRecorded: Bool, _ request: URLRequest, to asked: StubRequest) {
        var player = Player(speed: .immediate)
        var timeout = TimeInterval.infinity
        if response.pace != .immediate || response.failure?.waitsToBeCancelled == true {
            prepareToWait()
            let settings = engine.settings.current.settings
            player = Player(speed: settings.playbackSpeed, cancellationTimeout: settings.cancellationTimeout.seconds)
            // A client that does not wait gets the error of a request that would time out.
            if context != nil || !client.waits { timeout = self.timeout(of: request) }
        }
        player.givesHeads = client.takesHeads
        let steps = player.steps(for: response, to: asked, isRecorded: isRecorded, timeout: timeout)
        // A response, one part and the end. Several parts would require checking the client's kind.
        if steps.count > 3 { prepareToWait() }
        play(steps[...], of: request)
    }

    private func play(_ steps: ArraySlice<Player.Step>, of request: URLRequest) {
        for (index, step) in zip(steps.indices, steps) {
            if step.seconds > 0, client.waits {
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

    /// Sends the request to the real server.
    private func ask(_ request: URLRequest, _ stubRequest: StubRequest, _ recording: Recording?) {
        prepareToWait()
        let (takesParts, source) = state.withLock { ($0.takesBodyInParts, $0.context?.bodySource ?? .request) }
        guard let connection = client.connection(engine.recorder, bodyFrom: source) else {
            let mode = engine.recordMode
            let name = recording != nil || mode.rules.passesThrough ? mode.rawValue : nil
            return fail(StubbornNetworkError.needsServer(engine.shownURL(of: stubRequest), mode: name))
        }
        let ask: @Sendable () -> Void = { [self] in
            do throws(StubbornNetworkError) {
                let sent = try engine.requestForServer(requestForServer(request), decided: stubRequest)
                let send = { [self] (connection: Recorder.Connection) in
                    engine.recorder.send(sent, by: connection, recording: recording, collectsBody: !takesParts) {
                        self.receive($0, of: request)
                    }
                }
                // A request that was cancelled before is stored without being sent.
                if let stop = startOperation({ send(connection) }), recording != nil { send { _, _ in {} }(stop) }
            } catch {
                fail(error)
            }
        }
        // No session may be used on the thread of a session's client. Other clients send in their own task.
        if client.takesHeads { ask() } else { engine.perform(on: .global(qos: .userInitiated), ask) }
    }

    /// Prepares the client for events after the current call.
    ///
    /// Later calls, on any thread, do nothing.
    func prepareToWait() {
        guard let context = client.prepareToWait(engine) else { return }
        state.withLock { $0.context = context }
    }

    /// Starts an operation that can be cancelled, unless the load is stopped.
    ///
    /// The operation may already have started the next one when it returns.
    ///
    /// - Returns: the reason why the load was stopped before; `nil` if the operation was started.
    @discardableResult
    func startOperation(_ start: () -> @Sendable (StopReason) -> Void) -> StopReason? {
        let (number, stopBefore) = state.withLock { state -> (Int, StopReason?) in
            state.operationCount += 1
            return (state.operationCount, state.stop)
        }
        if let stopBefore { return stopBefore }
        let cancel = start()
        let stop = state.withLock { state -> StopReason? in
            if state.stop == nil, state.operationCount == number { state.cancel = cancel }
            return state.stop
        }
        if let stop { cancel(stop) }
        return nil
    }

    private func receive(_ event: ExchangeEvent, of request: URLRequest) {
        guard let answer = state.withLock({ $0.heldAnswer }) else { return deliver(event, of: request) }
        answer.receive(event) { deliver($0, of: request) }
    }

    /// Delivers an event to the client, or handles it for the client.
    func deliver(_ event: ExchangeEvent, of request: URLRequest) {
        switch event {
        case .response(var response, let needsSession):
            if needsSession {
                prepareToWait()
                response = response.forClient
                // The response may change or delete the cookies. A request that follows gets those of the session then.
                let held = HeldResponse(response, to: request.withoutCookies(of: context))
                storeCookies(of: response)
                state.withLock { $0.held = held }
                guard held == nil else { return }
            }
            send(response)
        case .head(let head):
            state.withLock { $0.response = request.url.flatMap(head.httpResponse) }
            client.send(event)
        case .data(let data):
            let isForClient = state.withLock { state in
                state.held?.body.append(data)
                return state.held == nil && state.takesBodyInParts
            }
            if isForClient { send(data) }
        case .end(let body):
            let (held, takesParts) = state.withLock { ($0.held.take(), $0.takesBodyInParts) }
            if let held { return handle(held) }
            finish(with: takesParts ? nil : body)
        case .failure(let error):
            fail(StubRequest(request).map { engine.clientError(error, of: $0) } ?? error)
        }
    }

    /// Delivers a response that was held back.
    func deliver(_ held: HeldResponse) {
        send(held.response)
        finish(with: held.body)
    }

    private func send(_ response: URLResponse) {
        state.withLock { $0.response = response }
        client.send(.response(response, needsSession: false))
    }

    /// Ends the load with the remaining parts of the body.
    private func finish(with body: Data?) {
        end(isAnswered: true)
        if let body, !body.isEmpty { send(body) }
        client.send(.end(body: nil))
    }

    /// Delivers a part of the body.
    private func send(_ part: Data) { client.send(.data(part.indexedFromZero)) }

    func fail(_ error: any Error) {
        end(isAnswered: false)
        client.send(.failure(error))
    }

    /// Stops the load: the client gets nothing more.
    func stop(because reason: @escaping StopReason) {
        let (cancel, heldAnswer) = state.withLock { state in
            state.stop = reason
            return (state.cancel.take(), state.heldAnswer)
        }
        heldAnswer?.discard()
        // Not on this thread: cancelling the inner task would wait for the queue that this runs on.
        if let cancel { engine.perform { cancel(reason) } }
        end(isAnswered: false)
    }

    /// Ends the exchange in the request log, before the client sees the end.
    func end(isAnswered: Bool) {
        let (exchange, response) = state.withLock { state in
            // On Linux there is a reference cycle: the context holds the task, which holds the protocol, which holds
            // this object.
            state.context = nil
            return (state.exchange, isAnswered ? state.response : nil)
        }
        if let exchange { engine.end(exchange, isAnswered: isAnswered, with: response) }
    }
}
