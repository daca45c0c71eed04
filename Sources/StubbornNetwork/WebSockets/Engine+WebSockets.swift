import Foundation

extension Engine {
    /// Decides on a web socket, and returns its other end.
    func openWebSocket(_ socket: StubbedWebSocket, _ connect: @escaping LiveServer.Connect) -> any WebSocketServer {
        guard let request = StubRequest(socket.request), request.isWebSocket else {
            return refuse(socket, StubbornNetworkError.noWebSocketURL(socket.request.url))
        }
        let exchange = log.begin(request)
        let decision = decide(request, exchange: exchange)
        do throws(StubbornNetworkError) {
            switch decision {
            case .play(let response, let isRecorded):
                return play(response, isRecorded: isRecorded, to: request, exchange, socket)
            case .record(let recording):
                let sent = try requestForServer(socket.request, decided: request)
                if recording.compare == nil { try recorded.begin(recording) }
                return LiveServer(sent, recording, exchange, self, socket, connect)
            case .passThrough: return LiveServer(socket.request, nil, exchange, self, socket, connect)
            case .fail(let error): throw error
            }
        } catch {
            end(exchange, isAnswered: false)
            return refuse(socket, error)
        }
    }

    private func play(
        _ response: StubResponse,
        isRecorded: Bool,
        to request: StubRequest,
        _ exchange: Int,
        _ socket: StubbedWebSocket
    ) -> any WebSocketServer {
        let head = response.head
        end(exchange, isAnswered: true, with: head?.httpResponse(to: request.url))
        if let script = response.webSocket as? WebSocketScript { return ScriptServer(script, to: request, socket) }
        if head?.statusCode == 101 { return FrameServer(response, isRecorded: isRecorded, to: request, self, socket) }
        // The system's task fails in this way if the server answers with anything else.
        return refuse(socket, response.failure?.error(failing: request.url) ?? URLError(.badServerResponse))
    }

    private func refuse(_ socket: StubbedWebSocket, _ error: any Error) -> any WebSocketServer {
        socket.end(with: error)
        return ClosedServer(error: error)
    }

    /// Returns the system's task for a web socket to the real server.
    func makeWebSocketTask(with request: URLRequest) -> any WebSocketConnection {
        let session = URLSession(configuration: recorder.firstSession?.configuration ?? .ephemeral)
        let task = session.webSocketTask(with: request)
        task.resume()
        session.finishTasksAndInvalidate()
        return task
    }
}

/// The other end of a web socket that was refused.
private struct ClosedServer: WebSocketServer {
    let error: any Error

    func send(_ message: URLSessionWebSocketTask.Message) async throws { throw error }
}
