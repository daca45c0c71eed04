import Foundation

/// The other end of a web socket that plays frames, by cause: a frame of the server is delivered when the client has sent the
/// frames before it.
///
/// The client may send frames in a different order than in the recording. Each one takes the first recorded frame that it
/// matches, and that it has not sent.
final class FrameServer: WebSocketServer {
    private struct State {
        /// The index of the first frame that was neither delivered nor sent.
        var next = 0
        /// The indices of the client's frames that were sent out of order, or will be passed soon.
        var sent: Set<Int> = []
        /// A Boolean value that indicates whether the time before the next frame is running, or has passed.
        var isDelayed = false
        var isDue = false
        /// The values of frames that the client has sent in place of recorded ones.
        var echo: EchoedFrameValues
        var isWatched = false
    }

    private let frames: [WebSocketFrame]
    private let response: StubResponse
    private let request: StubRequest
    /// The factor for the recorded times; 0 for no delays.
    private let factor: Double
    private let engine: Engine
    private weak let socket: StubbedWebSocket?
    private let rules: PlaybackRules
    private let state: Lock<State>

    init(
        _ response: StubResponse,
        isRecorded: Bool,
        to request: StubRequest,
        _ engine: Engine,
        _ socket: StubbedWebSocket
    ) {
        let settings = engine.settings.current.settings
        frames = [WebSocketFrame](lines: response.body)
        (self.response, self.request, self.engine, self.socket) = (response, request, engine, socket)
        factor = isRecorded ? settings.playbackSpeed.factor : 1
        rules = settings.rules
        state = Lock(State(echo: EchoedFrameValues(ignoring: rules.matchers.ignored.spelled.keyPaths)))
        state.withLock { deliver(&$0) }
    }

    func send(_ message: URLSessionWebSocketTask.Message) async throws {
        let frame = WebSocketFrame(message, isSent: true)
        let isRecorded = state.withLock { state in
            guard let index = index(of: frame, &state) else { return false }
            state.sent.insert(index)
            deliver(&state)
            return true
        }
        if isRecorded { return }
        let rest = state.withLock { state in
            frames.indices[state.next...].filter {
                frames[$0].bytes != nil && frames[$0].isSent && !state.sent.contains($0)
            }
        }
        engine.log.noteUnstubbed(request.sending(frame))
        let left = StubSource(rest.map { request.sending(frames[$0]) })
        socket?.end(with: engine.unstubbed(request.sending(frame), by: engine.settings.current, among: left))
    }

    // MARK: Matching

    /// Returns the index of the frame that the client sends, and notes the values that the client has sent instead of recorded
    /// ones.
    private func index(of frame: WebSocketFrame, _ state: inout State) -> Int? {
        var live: MatchIndex.Live?
        for index in frames.indices[state.next...] where frames[index].isSent && !state.sent.contains(index) {
            let recorded = frames[index]
            if recorded.content == frame.content { return index }
            // A text and bytes are different, and so is a close.
            guard recorded.isText == frame.isText, let bytes = recorded.bytes else { continue }
            let current = live.orSet { MatchIndex.Live(request.sending(frame), by: rules.matchers) }
            var candidates = MatchIndex(options: rules.matchers, declared: rules.placeholders)
            candidates.append(request.sending(recorded))
            guard let match = rules.matchers.matches(current, candidates.groups(for: current)).first else { continue }
            let wildcards = match.group.family(of: 0)?.wildcards ?? []
            state.echo.add(zip(wildcards, match.captures.values), bytes, frame.bytes ?? Data())
            return index
        }
        return nil
    }

    // MARK: Delivering

    /// Delivers the frames of the server up to the next one of the client, each at its time.
    private func deliver(_ state: inout State) {
        while state.next < frames.count, !state.isDelayed {
            let frame = frames[state.next]
            if frame.isSent {
                guard state.sent.remove(state.next) != nil else { return }
            } else {
                let delay = state.isDue ? 0 : delay(before: state.next)
                if delay > 0 {
                    state.isDelayed = true
                    _ = Delay.run(after: delay) { [self] in
                        self.state.withLock { state in
                            (state.isDelayed, state.isDue) = (false, true)
                            deliver(&state)
                        }
                    }
                    return
                }
                state.isDue = false
                deliver(frame, state.echo)
            }
            state.next += 1
        }
        guard state.next == frames.count, let failure = response.failure else { return }
        socket?.end(with: failure.error(failing: request.url))
    }

    private func deliver(_ frame: WebSocketFrame, _ echo: EchoedFrameValues) {
        switch frame.content {
        case .text(let text): socket?.deliver(.string(echo.text(text)))
        case .data(let data): socket?.deliver(.data(data))
        case .close(let code, let reason):
            let code = StubbedWebSocket.CloseCode(rawValue: code) ?? .invalid
            socket?.end(with: StubbedWebSocket.notConnected, code, reason: reason.map { Data($0.utf8) })
        }
    }

    /// Returns the time between the frame before a frame and that frame; the first one has that of a declared response, too.
    private func delay(before index: Int) -> Double {
        let first = index == 0 ? response.pace.secondsToFirstByte : 0
        guard let seconds = frames[index].seconds else { return first * factor }
        let previous = index == 0 ? 0 : frames[index - 1].seconds ?? seconds
        return (first + max(0, seconds - previous)) * factor
    }

    /// The seconds after which a client that waits without a cause is named on standard error.
    private static let patience = 10.0

    func noteWaiting() {
        let start = state.withLock { $0.isWatched.setOnce() ? $0.next : nil }
        guard let start, start < frames.count else { return }
        _ = Delay.run(after: Self.patience) { [weak self] in
            guard let self else { return }
            let isStuck = state.withLock { state in
                state.isWatched = false
                return state.next == start && !state.isDelayed
            }
            guard isStuck, socket?.isWaiting == true else { return }
            let shown = engine.redactorForReports().shownForm(of: request.sending(frames[start]))
            StandardError.writeOnce(
                """
                The WebSocket to \(shown.url.absoluteString.cut()) waits for the client: frame \(start + 1) of the recording is \
                what the client sent next, \(String(decoding: shown.body ?? Data(), as: UTF8.self).cut().debugDescription).
                """
            )
        }
    }
}

extension StubSource {
    /// Creates a source in memory with the frames that a client may send.
    fileprivate convenience init(_ frames: [StubRequest]) {
        self.init(file: nil)
        recorded.withLock { recorded in
            for frame in frames {
                let stub = Stub(request: frame, response: StubResponse(head: ResponseHead(statusCode: 101)))
                recorded.append(StubFileEntry(stub, Data()))
            }
        }
    }
}
