import Foundation

/// A server that plays frames by cause: it sends a frame when the client has sent the frames before it.
///
/// The client may send frames in a different order than in the recording. Each one takes the first recorded frame that it
/// matches and that is left.
final class FramePlayer: Sendable {
    private let frames: [WebSocketFrame]
    private let response: StubResponse
    private let request: StubRequest
    /// The factor for the recorded times; 0 for no delays.
    private let factor: Double
    private let engine: Engine
    private let rules: PlaybackRules
    /// The indices of the frames that the client has not sent, and the values of those that it has sent.
    private let state: Lock<(unsent: [Int], echo: EchoedFrameValues)>

    init(_ response: StubResponse, isRecorded: Bool, to request: StubRequest, _ engine: Engine) {
        let (settings, frames) = (engine.settings.current.settings, response.webSocketFrames ?? [])
        (self.frames, self.response, self.request, self.engine) = (frames, response, request, engine)
        factor = isRecorded ? settings.playbackSpeed.factor : 1
        rules = settings.rules
        let echo = EchoedFrameValues(paths: rules.matchers.ignored.spelled.keyPaths)
        state = Lock((frames.indices.filter { frames[$0].isSent }, echo))
    }

    // MARK: The server

    /// Sends the frames of the server, each at its time.
    func play(_ server: DeclaredWebSocket) async throws {
        var messages = server.messages.makeAsyncIterator()
        try await wait(response.pace.secondsToFirstByte)
        var time = 0.0
        for (index, frame) in frames.enumerated() {
            if !frame.isSent {
                try await wait((frame.seconds ?? time) - time)
                send(frame, to: server)
            }
            time = frame.seconds ?? time
            while state.withLock({ $0.unsent.first == index }) {
                if await messages.next() == nil { return }
            }
        }
        if let failure = response.failure { throw failure.error(failing: request.url) }
        // The socket stays open.
        while await messages.next() != nil {}
    }

    private func wait(_ seconds: Double) async throws {
        let nanoseconds = UInt64(max(0, min(seconds * factor, Delay.longest)) * 1_000_000_000)
        if nanoseconds > 0 { try await Task.sleep(nanoseconds: nanoseconds) }
    }

    private func send(_ frame: WebSocketFrame, to server: DeclaredWebSocket) {
        switch frame.kind {
        case .text: server.send(.string(state.withLock { $0.echo.text(frame.data) }))
        case .data: server.send(.data(frame.data))
        case .close:
            let parts = frame.text.split(separator: " ", maxSplits: 1)
            let code = parts.first.flatMap { Int($0) }.flatMap(URLSessionWebSocketTask.CloseCode.init) ?? .invalid
            server.close(with: code, reason: parts.dropFirst().first.map { Data($0.utf8) })
        }
    }

    // MARK: The client's frames

    /// Takes the recorded frame that a message of the client matches.
    ///
    /// - Returns: the error that reports the message if no frame that is left matches.
    func error(receiving message: URLSessionWebSocketTask.Message) -> (any Error)? {
        let frame = WebSocketFrame(message, isSent: true)
        let isRecorded = state.withLock { state in
            for (position, index) in state.unsent.enumerated() where frames[index].kind == frame.kind {
                guard let values = values(frame, frames[index]) else { continue }
                state.unsent.remove(at: position)
                state.echo.add(frame.data, insteadOf: frames[index].data, values)
                return true
            }
            return false
        }
        if isRecorded { return nil }
        let left = state.withLock { $0.unsent }.map { frames[$0] }.filter { $0.kind != .close }
        let sent = request.sending(frame)
        engine.log.noteUnstubbed(sent)
        return engine.inTest { [self] in engine.unstubbed(sent, by: engine.settings.current, among: source(of: left)) }
    }

    /// Returns the values of the placeholders in a recorded frame; `nil` if the client's frame does not match it.
    private func values(_ live: WebSocketFrame, _ old: WebSocketFrame) -> [(placeholder: String, value: [UInt8])]? {
        live.data == old.data ? [] : source(of: [old]).answer(to: request.sending(live), by: rules)?.values
    }

    /// Returns a source in memory with frames that the client may send.
    private func source(of frames: [WebSocketFrame]) -> StubSource {
        let source = StubSource(file: nil)
        source.recorded.withLock { recorded in
            for frame in frames {
                recorded.append(StubFileEntry(Stub(request: request.sending(frame), response: .frames([])), Data()))
            }
        }
        return source
    }
}
