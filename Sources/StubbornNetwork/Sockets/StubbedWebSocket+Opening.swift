import Foundation

extension StubbedWebSocket {
    /// Decides on the socket, and returns its other end.
    func open() throws -> WebSocketServer {
        guard let asked = StubRequest(request), asked.isWebSocket else {
            throw StubbornNetworkError.unsupportedRequest(request.url, schemes: "ws and wss")
        }
        let exchange = engine.log.begin(asked)
        do {
            switch engine.decide(asked, exchange: exchange) {
            case .play(let response, let isRecorded):
                engine.end(exchange, isAnswered: true, with: response.head?.httpResponse(to: asked.url))
                return try play(response, isRecorded: isRecorded, to: asked)
            case .record(let recording):
                let sent = try engine.requestForServer(request, decided: asked)
                if recording.compare == nil { try engine.recorded.begin(recording) }
                return LiveWebSocket(self, sent, recording, exchange).server
            case .passThrough: return LiveWebSocket(self, request, nil, exchange).server
            case .fail(let error): throw error
            }
        } catch {
            engine.end(exchange, isAnswered: false)
            throw error
        }
    }

    private func play(_ response: StubResponse, isRecorded: Bool, to asked: StubRequest) throws -> WebSocketServer {
        if let script = response.webSocket as? WebSocketScript { return script.start(asked, self) }
        guard response.webSocketFrames != nil else {
            // The system's task fails in this way if the server answers with anything else.
            throw response.failure?.error(failing: asked.url) ?? URLError(.badServerResponse)
        }
        let player = FramePlayer(response, isRecorded: isRecorded, to: asked, engine)
        return WebSocketScript(run: player.play, check: player.error).start(asked, self)
    }
}

extension Engine {
    /// Returns the system's task for a web socket to the real server.
    func makeWebSocketTask(with request: URLRequest) -> any WebSocketConnection {
        let session = URLSession(configuration: recorder.firstSession?.configuration ?? .ephemeral)
        let task = session.webSocketTask(with: request)
        task.resume()
        session.finishTasksAndInvalidate()
        return task
    }
}
