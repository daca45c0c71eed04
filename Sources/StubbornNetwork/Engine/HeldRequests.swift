import Foundation

/// The requests that match a pattern, and that get their answers when the test releases them.
///
/// `StubbornNetwork.hold(_:)` returns this object.
///
///     let held = network.hold(.path("/news"))
///     model.load()
///     await held.requested()
///     #expect(model.isLoading)
///     held.release()
///
/// A held request still fails at its own timeout, and may be cancelled.
public final class HeldRequests: Sendable {
    let pattern: RequestPattern
    private let location: String
    private let partCount: Int
    private let report: @Sendable (_ failure: String) -> Void
    /// The answers, and the number of requests that are released when they arrive; `nil` for all.
    private let state = Lock<(answers: [HeldAnswer], releasedInAdvance: Int?)>(([], 0))

    init(
        _ pattern: RequestPattern,
        afterPart partCount: Int,
        location: String,
        report: @escaping @Sendable (String) -> Void
    ) {
        (self.pattern, self.partCount, self.location, self.report) = (pattern, partCount, location, report)
    }

    /// The requests that have been held so far, in the order in which they arrived.
    public var requests: [StubRequest] { state.withLock { $0.answers }.map(\.request) }

    /// Waits until a request is held.
    ///
    /// If none is held in time, the network's test fails. Without a test, the message is written to standard error.
    ///
    /// - Parameters:
    ///   - count: the number of requests to wait for, counted from the call to `hold`.
    ///   - timeout: the longest time to wait; ten seconds by default.
    /// - Returns: a Boolean value that indicates whether that many requests were held.
    @discardableResult
    public func requested(_ count: Int = 1, within timeout: DispatchTimeInterval = .seconds(10)) async -> Bool {
        let limit = DispatchTime.now() + timeout
        while heldCount < count {
            let isLate = DispatchTime.now() >= limit
            if isLate || Task.isCancelled {
                if isLate { report(text(missing: count)) }
                return false
            }
            try? await Task.sleep(nanoseconds: 1_000_000)
        }
        return true
    }

    /// Releases all held requests, and stops holding requests.
    public func release() { takeAll().forEach { $0.release() } }

    /// Releases the given number of requests: the held ones in the order of their arrival, then the next ones as they
    /// arrive.
    ///
    /// - Parameter times: the number of requests to release.
    public func release(times: Int) {
        let held = state.withLock { state in
            let held = Array(state.answers.filter(\.isHeld).prefix(max(0, times)))
            let rest = max(0, times) - held.count
            state.releasedInAdvance = state.releasedInAdvance.map { min($0, Int.max - rest) + rest }
            return held
        }
        held.forEach { $0.release() }
    }

    /// Releases the held requests that match a pattern; the others are still held.
    public func release(_ pattern: RequestPattern) {
        state.withLock { $0.answers }.filter { $0.isHeld && pattern.match($0.request, options: .standard) != nil }
            .forEach { $0.release() }
    }

    /// Fails all held requests with an error, and stops holding requests.
    public func fail(_ error: any Error) { takeAll().forEach { $0.fail(error) } }

    /// Fails the held requests because the test ends, and returns the message; `nil` if nothing is held.
    ///
    /// The function returns a request without its secrets.
    func endTest(showing shown: (StubRequest) -> StubRequest) -> String? {
        let held = takeAll()
        guard !held.isEmpty else { return nil }
        held.forEach { $0.fail(StubbornNetworkError.stillHeld(shown($0.request).url)) }
        let names = held.map { "  \(shown($0.request))" }.listed(upTo: 8).joined(separator: "\n")
        return
            "The test ended while \(self.name) still held:\n\(names)\nRelease or fail these requests before the test ends."
    }

    /// Adds the answer to a request, unless it is released in advance, or there is none.
    func add(_ answer: (_ partCount: Int) -> HeldAnswer?) -> HeldAnswer? {
        state.withLock { state in
            guard let count = state.releasedInAdvance, count == 0 else {
                state.releasedInAdvance = state.releasedInAdvance.map { $0 - 1 }
                return nil
            }
            guard let answer = answer(partCount) else { return nil }
            state.answers.append(answer)
            return answer
        }
    }

    private var heldCount: Int { state.withLock { $0.answers }.filter(\.wasHeld).count }

    /// Stops holding answers, and returns those that are held.
    private func takeAll() -> [HeldAnswer] {
        let answers = state.withLock { state in
            state.releasedInAdvance = nil
            return state.answers
        }
        answers.forEach { $0.pass() }
        return answers.filter(\.isHeld)
    }

    private var name: String { "the hold of \(pattern) at \(location)" }

    private func text(missing count: Int) -> String {
        let all = state.withLock { $0.answers }
        let arrived = all.isEmpty ? "none has arrived" : "\(all.count.counting("request")) arrived, \(heldCount) held"
        return """
            \(count.counting("request")) should have reached \(name): \(arrived). Check that the code under test sends the \
            request, with this network's session, after the call to hold.
            """
    }
}

/// The answer to one request, which waits until it is released.
final class HeldAnswer: Sendable {
    fileprivate enum Phase: CaseIterable { case passing, held, releasing, open, discarded }

    fileprivate struct State {
        var phase: Phase
        var parts: PartCountdown
        var wasHeld: Bool
        var events: [ExchangeEvent] = []
        /// The function that sends an event to the client; `nil` when nothing is held any more, to avoid a reference cycle.
        var deliver: Delivery?
    }

    /// A function that sends an event of the answer to the client.
    typealias Delivery = @Sendable (ExchangeEvent) -> Void

    let request: StubRequest
    private let timeout: TimeInterval
    private let state: Lock<State>

    init(_ request: StubRequest, afterPart count: Int, timeout: TimeInterval, deliver: @escaping Delivery) {
        (self.request, self.timeout) = (request, timeout)
        let parts = PartCountdown(from: count)
        state = Lock(State(phase: count > 0 ? .passing : .held, parts: parts, wasHeld: count <= 0, deliver: deliver))
    }

    var isHeld: Bool { state.withLock { $0.phase == .held } }
    var wasHeld: Bool { state.withLock { $0.wasHeld } }

    /// Fails the request if it is held, and is not released within its timeout.
    func startTimer() {
        guard isHeld else { return }
        // It is not cancelled, because it does not retain this object, and fails only an answer that is still held.
        _ = Delay.run(after: timeout.bounded) { [weak self, request] in
            self?.fail(StubFailure.timedOut.error(failing: request.url))
        }
    }

    /// Delivers an event, or keeps it until the answer is released; the beginning of a body may be delivered, and the rest kept.
    func receive(_ event: ExchangeEvent, deliver: (ExchangeEvent) -> Void) {
        let (now, later) = state.withLock { $0.split(event) }
        now.forEach(deliver)
        guard let later else { return }
        // The first parts are delivered before anything is kept, because a release may deliver it on another thread.
        state.withLock { state in
            if state.phase == .passing { (state.phase, state.wasHeld) = (.held, true) }
        }
        startTimer()
        for event in later { receive(event, deliver: deliver) }
    }

    /// Delivers the events that were kept, in their order, and those that follow.
    func release() {
        guard let deliver = end(.releasing) else { return }
        while let event = nextEvent() { deliver(event) }
    }

    private func nextEvent() -> ExchangeEvent? {
        state.withLock { state in
            guard state.phase == .releasing else { return nil }
            if state.events.isEmpty { state.phase = .open }
            return state.events.isEmpty ? nil : state.events.removeFirst()
        }
    }

    func fail(_ error: any Error) { end(.discarded)?(.failure(error)) }

    /// Releases the rest of an answer while its first parts are still being delivered.
    func pass() { _ = end(.open, from: [.passing]) }

    /// Drops the kept events, because the client gets nothing more.
    func discard() { _ = end(.discarded, from: Phase.allCases) }

    /// Ends the phase if it is one of these, and returns the function that sends events to the client; `nil` if the answer was in
    /// another phase.
    private func end(_ new: Phase, from old: [Phase] = [.held]) -> Delivery? {
        state.withLock { state -> Delivery? in
            guard old.contains(state.phase) else { return nil }
            state.phase = new
            if new == .discarded { state.events = [] }
            return state.deliver.take()
        }
    }
}

extension HeldAnswer.State {
    /// Keeps an event, or returns the events to deliver now, and those after which the answer is held; `nil` if it is not.
    fileprivate mutating func split(_ event: ExchangeEvent) -> (now: [ExchangeEvent], later: [ExchangeEvent]?) {
        switch phase {
        case .open: return ([event], nil)
        case .discarded: return ([], nil)
        case .held, .releasing:
            events.append(event)
            return ([], nil)
        case .passing: break
        }
        switch event {
        case .response(let response, _): parts.begin(ResponseHead(response).headerFields["Content-Type"])
        case .head(let head): parts.begin(head.headerFields["Content-Type"])
        case .data(let data):
            guard let count = parts.add(data) else { break }
            let (now, later) = (data.prefix(count), data.dropFirst(count))
            return (now.isEmpty ? [] : [.data(now)], later.isEmpty ? [] : [.data(later)])
        case .end where parts.end(): return ([], [event])
        case .end, .failure: (phase, deliver) = (.open, nil)
        }
        return ([event], nil)
    }
}

extension StubbornNetworkError {
    fileprivate static func stillHeld(_ url: URL) -> Self {
        Self(.networkGone, "The answer to \(name(url)) was still held when its test ended.", url: url)
    }
}
