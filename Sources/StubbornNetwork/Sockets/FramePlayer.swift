import Foundation

/// A server that plays frames by cause: it sends a frame when the client has sent the frames before it.
///
/// The client may send frames in a different order than in the recording. Each one takes the first recorded frame that it
/// matches and that is left.
final class FramePlayer: Sendable {
    private let frames: [WebSocketFrame]
    /// The frames of the client.
    private let sent: [WebSocketFrame]
    private let response: StubResponse
    private let request: StubRequest
    /// The factor for the recorded times; 0 for no delays.
    private let factor: Double
    private let engine: Engine
    private let rules: PlaybackRules
    /// The client's frames as requests, the positions of those that it has not sent, and the values of those that it has sent.
    private let state: Lock<(index: MatchIndex, unsent: Set<Int>, echo: EchoedFrameValues)>

    init(_ response: StubResponse, isRecorded: Bool, to request: StubRequest, _ engine: Engine) {
        let (settings, frames) = (engine.settings.current.settings, response.webSocketFrames ?? [])
        (self.frames, self.response, self.request, self.engine) = (frames, response, request, engine)
        factor = isRecorded ? settings.playbackSpeed.factor : 1
        rules = settings.rules
        sent = frames.filter(\.isSent)
        let requests = sent.map { request.sending($0) }
        let index = MatchIndex(options: rules.matchers, declared: rules.placeholders, requests: requests)
        state = Lock((index, Set(sent.indices), EchoedFrameValues(paths: rules.matchers.ignored.spelled.keyPaths)))
    }

    // MARK: The server

    /// Sends the frames of the server, each at its time.
    func play(_ server: DeclaredWebSocket) async throws {
        var messages = server.messages.makeAsyncIterator()
        try await wait(response.pace.secondsToFirstByte)
        var (time, position) = (0.0, 0)
        for frame in frames {
            if frame.isSent {
                while state.withLock({ $0.unsent.contains(position) }) {
                    if await messages.next() == nil { return }
                }
                position += 1
            } else {
                try await wait((frame.seconds ?? time) - time)
                send(frame, to: server)
            }
            time = frame.seconds ?? time
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
        let request = self.request.sending(frame)
        let live = MatchIndex.Live(request, by: rules.matchers)
        let matches = rules.matchers.matches(live, state.withLock { $0.index.groups(for: live) })
        let left = state.withLock { state -> [WebSocketFrame]? in
            let first = matches.compactMap { match in
                (match.accepted ?? match.group.members)
                    .first { state.unsent.contains($0) && sent[$0].kind == frame.kind }.map { ($0, match) }
            }
            guard let (position, match) = first.min(by: { $0.0 < $1.0 }) else {
                return state.unsent.sorted().map { sent[$0] }
            }
            state.unsent.remove(position)
            state.echo.add(frame.data, insteadOf: sent[position].data, match.namedValues(at: position))
            return nil
        }
        guard let left else { return nil }
        engine.log.noteUnstubbed(request)
        let source = StubSource(file: nil)
        for frame in left where frame.kind != .close {
            let stub = Stub(request: self.request.sending(frame), response: .frames([]))
            source.recorded.withLock { $0.append(StubFileEntry(stub, Data())) }
        }
        return engine.inTest { [engine] in engine.unstubbed(request, by: engine.settings.current, among: source) }
    }
}

/// The values that a client sends in place of recorded ones, and that the server's frames repeat.
struct EchoedFrameValues {
    /// The key paths of members that the matchers ignore.
    let paths: [JSONKeyPath]
    /// The live values in place of recorded ones, as JSON: members that the matchers ignore, and ids of JSON-RPC calls.
    var values: [Data: Data] = [:]
    /// The live values of placeholders.
    var secrets: [String: [UInt8]] = [:]

    /// Adds the values of a frame that the client sends in place of a recorded one.
    mutating func add(_ live: Data, insteadOf recorded: Data, _ named: [(placeholder: String, value: [UInt8])]) {
        for (placeholder, value) in named { secrets[placeholder] = value }
        let paths = paths + EchoedRequestValues.paths(ofCallIn: recorded)
        let ranges = JSONMembers.ranges(of: paths, in: live)
        for (place, range) in JSONMembers.ranges(of: paths, in: recorded) {
            if let value = ranges[place] { values[recorded.part(range)] = live.part(value) }
        }
    }

    /// Returns a text of the server with the live values.
    func text(_ recorded: Data) -> String {
        let paths = paths + EchoedRequestValues.pathsOfAnswer(toCallIn: recorded)
        let edits = JSONMembers.ranges(of: paths, in: recorded).values.compactMap { range in
            values[recorded.part(range)].map { Edit(range: range, text: Array($0)) }
        }
        let text = recorded.withBytes { Edit.apply(edits, to: $0) }.map { Data($0) } ?? recorded
        if secrets.isEmpty { return String(decoding: text, as: UTF8.self) }
        let response = StubResponse(head: ResponseHead(statusCode: 200), body: text)
        return String(decoding: PlaceholderSubstitution { secrets[$0] }.response(response).body ?? text, as: UTF8.self)
    }
}
