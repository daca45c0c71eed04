import Foundation

/// The other end of a declared web socket, which is a function of the test.
final class ScriptServer: WebSocketServer {
    private let messages: AsyncStream<URLSessionWebSocketTask.Message>.Continuation
    private let task: Task<Void, Never>

    init(_ script: @escaping StubResponse.WebSocketScript, to request: StubRequest, _ socket: StubbedWebSocket) {
        let (stream, messages) = AsyncStream.makeStream(of: URLSessionWebSocketTask.Message.self)
        self.messages = messages
        let end = { @Sendable [weak socket] (error: any Error, code: StubbedWebSocket.CloseCode, reason: Data?) in
            _ = socket?.end(with: error, code, reason: reason)
            messages.finish()
        }
        let declared = DeclaredWebSocket(request, messages: stream) { [weak socket] in
            socket?.deliver($0)
        } end: {
            end(StubbedWebSocket.notConnected, $0, $1)
        }
        task = Task {
            do {
                try await script(declared)
                end(StubbedWebSocket.notConnected, .normalClosure, nil)
            } catch {
                end(error, .invalid, nil)
            }
        }
    }

    func send(_ message: URLSessionWebSocketTask.Message) async throws { messages.yield(message) }

    func close(_ code: URLSessionWebSocketTask.CloseCode?, reason: Data?) {
        messages.finish()
        task.cancel()
    }
}
