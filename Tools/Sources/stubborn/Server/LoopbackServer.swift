import FlyingFox
import FlyingSocks
import Foundation

/// An HTTP server on the loopback interface, which runs until the process is asked to end.
struct LoopbackServer: Sendable {
    /// The port; 0 for a free one.
    let port: UInt16
    /// The pages of other origins that may read the responses; `nil` for none.
    let crossOrigin: CrossOrigin?

    /// The number of seconds that running requests have left when the server ends.
    private static let grace = 10

    /// Answers requests until a signal asks the process to end.
    ///
    /// The first line on standard output is the server's URL: `http://127.0.0.1:8080`.
    ///
    /// - Parameters:
    ///   - isBusy: returns whether something is running that the server waits for at its end.
    ///   - answer: makes the response to a request.
    /// - Throws: `ToolError` when the port cannot be used.
    func run(
        isBusy: @escaping @Sendable () -> Bool = { false },
        answer: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) async throws {
        let server = HTTPServer(
            config: HTTPServer.Configuration(
                address: try .inet(ip4: "127.0.0.1", port: port),
                // A recorded delay may take as long as it took.
                timeout: 24 * 60 * 60,
                pool: PromptSocketPool(),
                logger: .disabled
            ),
            handler: ClosureHTTPHandler { [crossOrigin] request in
                guard let crossOrigin else { return try await answer(request) }
                return try await crossOrigin.answer(request, by: answer)
            }
        )
        let signals = EndSignals()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                do {
                    try await server.run()
                } catch let error as SocketError {
                    if case .failed(_, _, let reason) = error { throw unusable(because: reason) }
                } catch is CancellationError {}
            }
            group.addTask {
                try await server.waitUntilListening()
                guard case .ip4(_, let port)? = await server.listeningAddress else {
                    throw unusable(because: "no address")
                }
                try Output.write("http://127.0.0.1:\(port)")
                await signals.first()
                // Stopping may cancel running requests.
                for _ in 0..<(Self.grace * 20) where isBusy() { try await Task.sleep(for: .milliseconds(50)) }
                await server.stop(timeout: 1)
            }
            try await group.next()
            group.cancelAll()
        }
    }

    private func unusable(because reason: String) -> ToolError {
        ToolError("Port \(port) cannot be used: \(reason). Leave out --port to get a free one.")
    }
}

/// The standard pool of sockets, which makes its sockets send each write at once.
///
/// A head and its body are two writes. Otherwise, on a reused connection, the second write waits for the
/// acknowledgement of the first, which a client delays by 40 milliseconds.
private struct PromptSocketPool: AsyncSocketPool {
    private let pool: any AsyncSocketPool = HTTPServer.defaultPool()

    func prepare() async throws { try await pool.prepare() }
    func run() async throws { try await pool.run() }

    // A connection inherits the options of the listening socket, which waits here before the first connection arrives.
    func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {
        try? socket.setValue(true, for: BoolSocketOption(level: Int32(IPPROTO_TCP), name: TCP_NODELAY))
        try await pool.suspendSocket(socket, untilReadyFor: events)
    }
}
